#include "scheduler/api/advice_service.h"

#include "advise/answers.h"
#include "advise/plan_answer.h"
#include "pinka/v1/advice.grpc.pb.h"
#include "scheduler/api/card_catalogue.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/plan_facts.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class AdviceService final : public v1::AdviceService::CallbackService {
 public:
  explicit AdviceService(Desk& desk) : desk_(desk) {}

  // The catalogue with what this lab says of it and which of its cards are tiers here.
  Reactor* ListCards(Context* context, const v1::ListCardsRequest* request,
                     v1::ListCardsResponse* response) override {
    return desk_.Open(context, "pinka.v1.AdviceService.ListCards", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
        StatusOr<v1::ListCardsResponse> answer = LabCards(*request, *board);
        if (!answer.ok()) return call->Fail(answer.status());
        *response = *std::move(answer);
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
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
  // Admins ask for the lab, others for themselves.
  Reactor* AdvisePlan(Context* context, const v1::AdvisePlanRequest* request,
                      v1::AdvisePlanResponse* response) override {
    return desk_.Open(context, "pinka.v1.AdviceService.AdvisePlan", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
        const Timestamp now = desk_.tools().clock.Now();
        const StatusOr<PlanWindow> window = WindowOf(*request, now);
        if (!window.ok()) return call->Fail(window.status());
        const MemberId whose = call->who().admin ? MemberId() : call->who().member;
        const auto lines = db::ReadHourlyUse(desk_.database(), window->from, window->to, whose);
        if (!lines.ok()) return call->Fail(lines.status());
        StatusOr<v1::AdvisePlanResponse> answer =
            advise::AdvisePlan(*request, board->lab.currency, PlanTiers(*board, *window, *lines));
        if (!answer.ok()) return call->Fail(answer.status());
        *response = *std::move(answer);
        *response->mutable_as_of() = ToProto(now);
        *response->mutable_from() = ToProto(window->from);
        *response->mutable_to() = ToProto(window->to);
        call->Done();
      });
    });
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
