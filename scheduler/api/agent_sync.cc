#include "scheduler/api/agent_sync.h"

#include <algorithm>
#include <utility>

#include "scheduler/api/convert_agent.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/names.h"

namespace pinka::api {
namespace {

constexpr Duration kLongestHold = Duration::Seconds(20);
constexpr Duration kNextWithin = Duration::Seconds(20);
constexpr Duration kRefusedAgain = Duration::Seconds(5);

// The fence of an order counts from the sending of the request whose answer brings it: a request
// that waits for news must not use it up.
Duration HoldOf(const v1::SynchronizeRequest& request, const Board& board) {
  const Duration asked = BoundedMillis(request.hold_ms(), kLongestHold);
  const Board::Tier* tier = FindTier(board, request.facts().tier());
  const bool fenced = tier && tier->row.fence > Duration();
  return fenced ? std::min(asked, Duration::Millis(tier->row.fence.millis() / 4)) : asked;
}

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
    const Exchange exchange{call, request, response, HoldOf(*request, *board)};
    if (report->facts.tier) return Hear(exchange, *std::move(report));
    // The tier may be younger than the board.
    desk_.tools().names.Fresh([=, this](BoardPtr fresh) {
      StatusOr<AgentReport> again = ConvertReport(*request, call->who().node, *fresh);
      if (!again.ok()) return call->Fail(again.status());
      Hear({call, request, response, HoldOf(*request, *fresh)}, *std::move(again));
    });
  });
}

void AgentSync::Hear(Exchange exchange, AgentReport report) {
  AgentBoard& agents = desk_.tools().runtime.agents();
  const std::string clock = ClockTrouble(exchange.request->sent_at_us(), desk_.tools().clock.Now());
  if (!clock.empty()) report.unfit += (report.unfit.empty() ? "" : "; ") + clock;
  if (!agents.Heard(report)) return Answer(exchange, {});
  auto told = std::make_shared<AgentReport>(report);
  desk_.tools().runtime.Do(std::move(report), Lane::kAgent,
                           [=, this, &agents](const Outcome& outcome) {
                             if (outcome.kind != Outcome::Kind::kDone)
                               return exchange.call->Fail(StatusOf(outcome));
                             if (outcome.reply.reason != Reason::kOk) {
                               exchange.response->set_refusal(outcome.reply.detail);
                               exchange.response->set_next_within_ms(kRefusedAgain.millis());
                               return exchange.call->Done();
                             }
                             agents.Told(*told);
                             Answer(exchange, outcome.reply.unknown);
                           });
}

void AgentSync::Answer(const Exchange& exchange, std::vector<AttemptId> unknown) {
  const bool at_once = !unknown.empty() || desk_.stopping();
  desk_.tools().runtime.agents().WhenNews(
      exchange.call->who().node, exchange.request->desired_version(),
      at_once ? Duration() : exchange.hold,
      [exchange, unknown = std::move(unknown)](const AgentBoard::Answer& answer) {
        FillAnswer(answer, unknown, exchange.response);
        exchange.response->set_next_within_ms(kNextWithin.millis());
        exchange.call->Done();
      });
}

}  // namespace pinka::api
