// `why`, `quote`, `limits` and what a member can reach: the plan's own judgement in words.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/board.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/holds.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/sources.h"
#include "scheduler/core/thresholds.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// Who stands ahead of a job in its tier.
struct Ahead {
  int32_t jobs = 0;
  int64_t unit_ms = 0;
  std::string nearest;  // the owner of the job just ahead
  uint64_t fair = 0;
  bool found = false;
};

Ahead LookAhead(const State& state, const JobRow& job) {
  Ahead ahead;
  VisitInOrder(state, job.tier, [&](const JobRow& other, uint64_t fair) {
    if (other.id == job.id) {
      ahead.fair = fair;
      ahead.found = true;
      return false;
    }
    ++ahead.jobs;
    ahead.unit_ms += UnitTime::Of(other.units, other.time_limit).millis();
    ahead.nearest = MemberName(state, other.member);
    return true;
  });
  return ahead;
}

// When the tier has room if everything that runs uses its whole limit.
Timestamp RoomAt(const State& state, const JobRow& job) {
  std::vector<std::pair<Timestamp, int32_t>> ends;
  int32_t free = 0;
  for (const auto& [id, node] : state.nodes.rows()) {
    if (node.tier != job.tier || node.state != NodeState::kReady) continue;
    auto use = state.node_use.find(id);
    free += node.units - (use == state.node_use.end() ? 0 : use->second.units);
    if (use == state.node_use.end()) continue;
    for (const AttemptId& attempt_id : use->second.attempts) {
      const AttemptRow& attempt = state.attempts.Get(attempt_id);
      if (attempt.state != AttemptState::kEnded)
        ends.emplace_back(attempt.ordered_at + attempt.time_limit, attempt.units);
    }
  }
  std::ranges::sort(ends);
  Timestamp at = state.now;
  for (const auto& [end, units] : ends) {
    if (free >= job.units) break;
    free += units;
    at = std::max(at, end);
  }
  return free >= job.units ? at : Timestamp();
}

std::string Story(const State& state, const JobRow& job, const Ahead& ahead,
                  const Blocked& blocked) {
  std::string text =
      fmt::format("Job {} waits in tier {}", job.id.value(), TierName(state, job.tier));
  text += ahead.jobs == 0 ? " and is next."
                          : fmt::format(", {} ahead ({} unit-hours asked for).", ahead.jobs,
                                        ahead.unit_ms / 3'600'000);
  if (blocked.reason != Reason::kOk) text += fmt::format(" It {}.", blocked.text);
  if (ahead.jobs > 0 && ahead.nearest != MemberName(state, job.member)) {
    text += fmt::format(
        " Just ahead is work of {}: less use of late for their share, a longer wait, or a "
        "better class.",
        ahead.nearest);
  }
  return text;
}

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

Explanation Explain(const State& state, JobId id) {
  Explanation e;
  const JobRow* job = state.jobs.Find(id);
  if (!job) {
    e.reason = Reason::kNoSuchJob;
    return e;
  }
  e.state = job->state;
  if (job->counts[static_cast<size_t>(TaskState::kPending)] == 0) {
    e.text = fmt::format("Job {} does not wait: it is {}.", id.value(), Name(job->state));
    if (job->state == TaskState::kHeld) {
      e.reason = job->hold_reason == Reason::kOk ? Reason::kHeldByUser : job->hold_reason;
      e.text = fmt::format("Job {} is held ({}); `pinka release {}` lets it wait again.",
                           id.value(), Name(e.reason), id.value());
    }
    return e;
  }
  const Ahead ahead = LookAhead(state, *job);
  const Judgement judgement = Judge(state, *job);
  e.reason = judgement.blocked.reason != Reason::kOk ? judgement.blocked.reason : Reason::kPriority;
  if (e.reason == Reason::kResources && ahead.jobs > 0) e.reason = Reason::kPriority;
  e.position = ahead.jobs + 1;
  const Priority p = PriorityOf(state, *job, ahead.fair);
  e.factors = {{"fairShare", p.fair},
               {"age", p.age},
               {"class", p.klass},
               {"size", p.size},
               {"nice", -p.nice}};
  e.priority = p.total;
  e.text = Story(state, *job, ahead, judgement.blocked);
  const bool waits_for_room = e.reason == Reason::kResources || e.reason == Reason::kPriority;
  if (ahead.jobs == 0 && waits_for_room) {
    e.expected_start = RoomAt(state, *job);
    e.assumption = "everything that runs uses its whole time limit and nobody better comes";
  }
  return e;
}

QuoteAnswer QuoteJob(const State& state, const Actor& actor, const JobRequest& request) {
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
  if (auto refused = WouldRefuse(state, actor, request)) {
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
