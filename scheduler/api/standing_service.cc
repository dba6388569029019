#include "scheduler/api/standing_service.h"

#include "pinka/v1/standing.grpc.pb.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/standing.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class StandingService final : public v1::StandingService::CallbackService {
 public:
  explicit StandingService(Desk& desk) : desk_(desk) {}

  Reactor* ListShares(Context* context, const v1::ListSharesRequest*,
                      v1::ListSharesResponse* response) override {
    return desk_.Open(context, "pinka.v1.StandingService.ListShares", [=, this](CallPtr call) {
      Look(call, response, [=](const State& state) -> Status {
        const bool everybody = SeesEverybody(call->who(), state.lab.openness);
        FillShares(pinka::ListShares(state), state, call->who().member, everybody, response);
        return OkStatus();
      });
    });
  }

  Reactor* ListPriorities(Context* context, const v1::ListPrioritiesRequest* request,
                          v1::ListPrioritiesResponse* response) override {
    return desk_.Open(context, "pinka.v1.StandingService.ListPriorities", [=, this](CallPtr call) {
      Look(call, response, [=](const State& state) -> Status {
        PriorityQuery query;
        for (const int64_t id : request->job_ids()) query.ids.insert(JobId(id));
        if (!SeesEverybody(call->who(), state.lab.openness)) query.owner = call->who().member;
        if (!request->tier().empty()) {
          const auto tier = state.tier_by_name.find(request->tier());
          if (tier == state.tier_by_name.end())
            return Refusal(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
          query.tier = tier->second;
        }
        FillPriorities(pinka::ListPriorities(state, query), response);
        return OkStatus();
      });
    });
  }

 private:
  // Fills the response on core's thread, where the state stands still.
  template <class Response>
  void Look(CallPtr call, Response* response, std::function<Status(const State&)> fill) {
    auto filled = std::make_shared<Status>();
    desk_.tools().runtime.Look([filled, fill](const State& state) { *filled = fill(state); },
                               [=, this](const Outcome& outcome) {
                                 if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
                                 if (!filled->ok()) return call->Fail(*filled);
                                 *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
                                 call->Done();
                               });
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeStandingService(Desk& desk) {
  return std::make_unique<StandingService>(desk);
}

}  // namespace pinka::api
