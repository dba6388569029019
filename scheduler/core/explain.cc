// `quote`, `limits` and what a member can reach: the plan's own judgement in words.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/board.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/sources.h"
#include "scheduler/core/thresholds.h"
#include "scheduler/core/verbs.h"
#include "scheduler/core/waits.h"

namespace pinka {

namespace {

// A limit that stands, with what counts against it; nothing of one that does not.
std::optional<LimitUse> UseOf(const State& state, const LimitRow& limit, MemberId member) {
  const std::vector<const LimitRow*> standing = StandingAt(state, limit);
  if (standing.empty() || standing.front() != &limit) return std::nullopt;
  LimitUse use{limit,
               UsedOf(state, limit, member),
               LimitScope(state, limit),
               TierName(state, limit.tier),
               limit.of == LimitOf::kEach ? MemberName(state, member) : "",
               CrossedOf(state, limit, member)};
  if (standing.size() > 1) {
    use.raise = true;
    use.raise_unlimited = standing[1]->unlimited;
    use.raised_from = standing[1]->amount;
  }
  return use;
}

}  // namespace

QuoteAnswer QuoteJob(const State& state, const Actor& actor, const JobRequest& request,
                     TierId proven) {
  QuoteAnswer q;
  const TierRow* tier = state.tiers.Find(request.tier);
  if (!tier || tier->absent) {
    q.refusal = Reason::kNoSuchTier;
    q.detail = "no such tier; `pinka status` lists them";
    return q;
  }
  q.units = UnitsOf(*tier, request.gpus, request.cpus, request.memory);
  if (!request.array.empty()) {
    const auto spec = ParseArraySpec(request.array, state.lab.max_array);
    if (spec.ok()) q.tasks = static_cast<int32_t>(spec->indices.size());
  }
  if (auto refused = WouldRefuse(state, actor, request, proven)) {
    q.refusal = refused->reason;
    q.detail = refused->detail;
    if (q.refusal == Reason::kTooWide || q.refusal == Reason::kBadRequest) return q;
  }
  const Duration limit = request.time_limit > Duration() ? request.time_limit : tier->default_time;
  Need need{actor.member, request.project, request.tier, request.source,
            q.units,      limit,           std::nullopt, request.max_rate};
  if (request.max_cost > Money()) need.ceiling = request.max_cost;
  q.price = PriceOf(state, need);
  return q;
}

ReachAnswer Reach(const State& state, MemberId member) {
  ReachAnswer answer;
  for (LotId id : LotsInReach(state, member, {}, {})) {
    const Money part = Available(state.lots.Get(id));
    if (part > Money()) answer.available += part;
  }
  answer.tightest = "lots";
  for (const LimitRow* limit : LimitsFor(state, member, {}, {})) {
    if (limit->resource != LimitResource::kMoney || limit->tier) continue;
    const Money left =
        Money::Micros(std::max<int64_t>(limit->amount - UsedOf(state, *limit, member), 0));
    if (left >= answer.available) continue;
    answer.available = left;
    answer.tightest = fmt::format(
        "limit of {}{}", LimitScope(state, *limit),
        limit->period == Period::kNone ? "" : fmt::format(" per {}", Name(limit->period)));
  }
  return answer;
}

std::vector<LimitUse> LimitsOf(const State& state, MemberId member) {
  std::vector<LimitUse> uses;
  for (const auto& [id, limit] : state.limits.rows()) {
    if (limit.scope.kind == OwnerKind::kMember && limit.scope != OwnedBy(member)) continue;
    if (limit.member && limit.member != member) continue;
    if (auto use = UseOf(state, limit, member)) uses.push_back(*std::move(use));
  }
  return uses;
}

std::vector<LimitUse> AllLimits(const State& state) {
  std::vector<LimitUse> uses;
  for (const auto& [id, limit] : state.limits.rows()) {
    std::optional<LimitUse> most;
    for (const auto& [member, row] : state.members.rows()) {
      if (row.removed || (limit.member && limit.member != member)) continue;
      if (limit.scope.kind == OwnerKind::kMember && limit.scope != OwnedBy(member)) continue;
      auto use = UseOf(state, limit, member);
      if (use && (!most || use->used > most->used)) most = std::move(use);
      if (limit.of == LimitOf::kAll) break;
    }
    if (most) uses.push_back(*std::move(most));
  }
  return uses;
}

}  // namespace pinka
