#include "scheduler/api/agent_sync.h"

#include <utility>

#include "scheduler/api/convert_agent.h"
#include "scheduler/api/forms.h"

namespace pinka::api {
namespace {

constexpr Duration kLongestHold = Duration::Seconds(20);
constexpr Duration kNextWithin = Duration::Seconds(20);
constexpr Duration kRefusedAgain = Duration::Seconds(5);

}  // namespace

bool SyncOrder::Accept(const std::string& node, const std::string& instance, int64_t incarnation,
                       int64_t sequence) {
  std::lock_guard lock(mutex_);
  Newest& newest = newest_[node];
  const bool same = newest.instance == instance;
  if (same && std::pair(incarnation, sequence) < std::pair(newest.incarnation, newest.sequence))
    return false;
  newest = {instance, incarnation, sequence};
  return true;
}

void AgentSync::Synchronize(CallPtr call, const v1::SynchronizeRequest* request,
                            v1::SynchronizeResponse* response) {
  const bool newest = order_.Accept(call->who().node, request->instance(), request->incarnation(),
                                    request->sequence());
  if (!newest) return call->Refuse(Reason::kStale, "a later request of this agent has arrived");
  desk_.tools().names.Recent([=, this](BoardPtr board) {
    if (!board) return call->Fail(Unavailable("the scheduler is starting"));
    StatusOr<AgentReport> report = ConvertReport(*request, call->who().node, *board);
    if (!report.ok()) return call->Fail(report.status());
    if (report->facts.tier) return Hear(call, *std::move(report), request, response);
    // The tier may be younger than the board.
    desk_.tools().names.Fresh([=, this](BoardPtr fresh) {
      StatusOr<AgentReport> again = ConvertReport(*request, call->who().node, *fresh);
      if (!again.ok()) return call->Fail(again.status());
      Hear(call, *std::move(again), request, response);
    });
  });
}

void AgentSync::Hear(CallPtr call, AgentReport report, const v1::SynchronizeRequest* request,
                     v1::SynchronizeResponse* response) {
  AgentBoard& agents = desk_.tools().runtime.agents();
  const std::string clock = ClockTrouble(request->sent_at_us(), desk_.tools().clock.Now());
  if (!clock.empty()) report.unfit += (report.unfit.empty() ? "" : "; ") + clock;
  if (!agents.Heard(report)) return Answer(call, {}, request, response);
  auto told = std::make_shared<AgentReport>(report);
  desk_.tools().runtime.Do(std::move(report), Lane::kAgent,
                           [=, this, &agents](const Outcome& outcome) {
                             if (outcome.kind != Outcome::Kind::kDone)
                               return call->Fail(StatusOf(outcome));
                             if (outcome.reply.reason != Reason::kOk) {
                               response->set_refusal(outcome.reply.detail);
                               response->set_next_within_ms(kRefusedAgain.millis());
                               return call->Done();
                             }
                             agents.Told(*told);
                             Answer(call, outcome.reply.unknown, request, response);
                           });
}

void AgentSync::Answer(CallPtr call, std::vector<AttemptId> unknown,
                       const v1::SynchronizeRequest* request, v1::SynchronizeResponse* response) {
  Duration hold = BoundedMillis(request->hold_ms(), kLongestHold);
  if (!unknown.empty() || desk_.stopping()) hold = Duration();
  desk_.tools().runtime.agents().WhenNews(
      call->who().node, request->desired_version(), hold,
      [call, response, unknown = std::move(unknown)](const AgentBoard::Answer& answer) {
        FillAnswer(answer, unknown, response);
        response->set_next_within_ms(kNextWithin.millis());
        call->Done();
      });
}

}  // namespace pinka::api
