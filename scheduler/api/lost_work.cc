#include "scheduler/api/lost_work.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/openness.h"
#include "scheduler/api/usage.h"
#include "scheduler/core/end_reason.h"

namespace pinka::api {
namespace {

constexpr std::string_view kKeys[] = {"member", "provider", "node", "tier", "source", "job"};

// Ends after which a task goes on by itself although something had run: not its own doing.
std::vector<std::string> EndsOfTheMachines() {
  std::vector<std::string> names;
  for (const EndRule& rule : EndRules()) {
    const bool goes_on = rule.requeue == Requeue::kInfra || rule.requeue == Requeue::kFree;
    if (goes_on && rule.reason != EndReason::kRunAgain) names.emplace_back(rule.name);
  }
  return names;
}

void FillRow(const db::LostLine& line, v1::LostWorkRow* out) {
  out->set_key(line.key);
  out->set_attempts(static_cast<int32_t>(line.attempts));
  out->set_lost_ms(line.lost_ms);
  out->set_amount(FormatWireMoney(line.amount));
  out->set_unsaved(static_cast<int32_t>(line.unsaved));
  out->set_reclaims(static_cast<int32_t>(line.reclaims));
}

}  // namespace

StatusOr<db::LostQuery> ConvertLost(const v1::GetLostWorkRequest& request, const Principal& who,
                                    const Board& board) {
  db::LostQuery query;
  query.end_reasons = EndsOfTheMachines();
  if (!request.by().empty()) query.by = request.by();
  if (std::ranges::find(kKeys, query.by) == std::end(kKeys))
    return Invalid("lost work is by member, provider, node, tier, source or job");
  if (!who.admin && !OthersMaySee(board.lab.openness, JobPart::kMoney)) query.member = who.member;
  const StatusOr<Month> window = WindowOf(request, board.lab.timezone);
  if (!window.ok()) return window.status();
  query.from = window->start;
  query.to = window->end;
  return query;
}

void FillLost(const db::LostQuery& query, const std::vector<db::LostLine>& lines,
              v1::GetLostWorkResponse* out) {
  db::LostLine total;
  for (const db::LostLine& line : lines) {
    FillRow(line, out->add_rows());
    total.attempts += line.attempts;
    total.lost_ms += line.lost_ms;
    total.amount += line.amount;
    total.unsaved += line.unsaved;
    total.reclaims += line.reclaims;
  }
  FillRow(total, out->mutable_total());
  out->set_by(query.by);
}

}  // namespace pinka::api
