#include "scheduler/api/advice_service.h"

#include "advise/answers.h"
#include "pinka/v1/advice.grpc.pb.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class AdviceService final : public v1::AdviceService::CallbackService {
 public:
  explicit AdviceService(Desk& desk) : desk_(desk) {}

  Reactor* ListCards(Context* context, const v1::ListCardsRequest* request,
                     v1::ListCardsResponse* response) override {
    return Answer(context, "pinka.v1.AdviceService.ListCards", advise::ListCards, request,
                  response);
  }
  Reactor* AdviseMemory(Context* context, const v1::AdviseMemoryRequest* request,
                        v1::AdviseMemoryResponse* response) override {
    return Answer(context, "pinka.v1.AdviceService.AdviseMemory", advise::AdviseMemory, request,
                  response);
  }
  Reactor* AdviseCard(Context* context, const v1::AdviseCardRequest* request,
                      v1::AdviseCardResponse* response) override {
    return Answer(context, "pinka.v1.AdviceService.AdviseCard", advise::AdviseCard, request,
                  response);
  }
  Reactor* AdviseCost(Context* context, const v1::AdviseCostRequest* request,
                      v1::AdviseCostResponse* response) override {
    return Answer(context, "pinka.v1.AdviceService.AdviseCost", advise::AdviseCost, request,
                  response);
  }
  Reactor* AdviseCompat(Context* context, const v1::AdviseCompatRequest* request,
                        v1::AdviseCompatResponse* response) override {
    return Answer(context, "pinka.v1.AdviceService.AdviseCompat", advise::AdviseCompat, request,
                  response);
  }
  Reactor* ListProviders(Context* context, const v1::ListProvidersRequest* request,
                         v1::ListProvidersResponse* response) override {
    return Answer(context, "pinka.v1.AdviceService.ListProviders", advise::ListProviders, request,
                  response);
  }

 private:
  template <class Request, class Response>
  Reactor* Answer(Context* context, const char* method,
                  StatusOr<Response> (*advice)(const Request&), const Request* request,
                  Response* response) {
    return desk_.Open(context, method, [=](CallPtr call) {
      StatusOr<Response> answer = advice(*request);
      if (!answer.ok()) return call->Fail(answer.status());
      *response = *std::move(answer);
      call->Done();
    });
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeAdviceService(Desk& desk) {
  return std::make_unique<AdviceService>(desk);
}

}  // namespace pinka::api
