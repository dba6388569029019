// submit: judged whole, queued whole. Holds are taken later, when an attempt is ordered.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/gate.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/parents.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/sources.h"
#include "scheduler/core/task.h"
#include "scheduler/core/thresholds.h"
#include "scheduler/core/verbs.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

// Above this no machine is; it keeps every product of units and time within 64 bits.
constexpr int32_t kMaxUnits = 100'000;

int32_t WidestNode(const State& state, TierId tier) {
  const auto nodes = state.tier_nodes.find(tier);
  const bool any = nodes != state.tier_nodes.end() && !nodes->second.by_units.empty();
  return any ? std::max(nodes->second.by_units.rbegin()->first, 0) : 0;
}

// What the request asks of its tier, with the tier's defaults filled in.
struct Shape {
  int32_t gpus = 0;
  int32_t cpus = 0;
  int32_t units = 1;
  Duration time_limit;
};

Shape ShapeOf(const TierRow& tier, const JobRequest& request) {
  Shape shape;
  shape.units = UnitsOf(tier, request.gpus, request.cpus, request.memory);
  shape.gpus = request.gpus > 0 ? request.gpus : tier.unit_gpus;
  const int64_t cpus = int64_t{shape.units} * tier.unit_cpus;
  shape.cpus =
      request.cpus > 0 ? request.cpus : static_cast<int32_t>(std::min<int64_t>(cpus, INT32_MAX));
  shape.time_limit = request.time_limit > Duration() ? request.time_limit : tier.default_time;
  return shape;
}

std::optional<Reply> WrongShape(const State& state, const TierRow& tier, const Shape& shape) {
  if (shape.gpus > 0 && tier.unit_gpus == 0) {
    return Refuse(Reason::kTooWide,
                  fmt::format("tier {} has no cards; ask for cpus and memory, or use another tier",
                              tier.name));
  }
  if (shape.time_limit > tier.max_time) {
    return Refuse(
        Reason::kTimeLimitAboveTier,
        fmt::format("a time limit of {} is above the {} that tier {} allows; ask for less or split "
                    "the work",
                    FormatDuration(shape.time_limit), FormatDuration(tier.max_time), tier.name));
  }
  const int32_t known = WidestNode(state, tier.id);
  const int32_t widest = known > 0 ? known : kMaxUnits;
  if (shape.units > widest) {
    return Refuse(Reason::kTooWide,
                  fmt::format("{} units are more than the {} of the largest node of tier {}",
                              shape.units, widest, tier.name));
  }
  return std::nullopt;
}

// A start that could not end in time will never be made.
std::optional<Reply> PastDeadline(const State& state, const JobRequest& request, Duration limit) {
  if (!request.deadline) return std::nullopt;
  const Timestamp start = std::max(state.now, request.begin_at);
  if (start + limit <= request.deadline) return std::nullopt;
  return Refuse(Reason::kBadRequest,
                fmt::format("with a limit of {} a start at {} ends after the deadline {}; ask for "
                            "less time or a later deadline",
                            FormatDuration(limit), FormatUtc(start), FormatUtc(request.deadline)));
}

Need NeedOf(const State& state, MemberId member, const JobRequest& request) {
  const Shape shape = ShapeOf(state.tiers.Get(request.tier), request);
  Need need{member,           request.project, request.tier,     request.source,     shape.units,
            shape.time_limit, std::nullopt,    request.max_rate, !request.no_requeue};
  if (request.max_cost > Money()) need.ceiling = request.max_cost;
  return need;
}

std::optional<Reply> RefuseOne(const State& state, MemberId member, const JobRequest& request,
                               int64_t tasks) {
  const TierRow* tier = state.tiers.Find(request.tier);
  if (!tier || tier->absent)
    return Refuse(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
  if (request.project) {
    const ProjectRow* project = state.projects.Find(request.project);
    const bool in = project && std::ranges::binary_search(project->members, member.value());
    if (!in) return Refuse(Reason::kNoSuchProject, "no such project, or you are not in it");
  }
  if (tasks <= 0) return Refuse(Reason::kBadRequest, "the array spec names no tasks");
  if (request.max_cost < Money() || request.max_rate < Rate())
    return Refuse(Reason::kBadRequest, "--max-cost and --max-rate are above 0; leave them out");
  const Shape shape = ShapeOf(*tier, request);
  if (auto wrong = WrongShape(state, *tier, shape)) return wrong;
  if (auto late = PastDeadline(state, request, shape.time_limit)) return late;
  if (auto never = NeverCovered(state, NeedOf(state, member, request))) return never;
  const Ask queued{member, request.project, request.tier, Money(), 0, 0, tasks};
  if (auto full = CrossedLimit(state, queued)) {
    return Refuse(full->reason, full->text + "; wait until some of your tasks have started");
  }
  return std::nullopt;
}

// The promotion gate, where it refuses and nobody has said why this may pass.
std::optional<Reply> ClosedGate(const State& state, MemberId member, const JobRequest& request,
                                TierId proven) {
  if (!state.tiers.Get(request.tier).gate_refuses || !request.skip_gate.empty())
    return std::nullopt;
  auto missing = MissingProof(state, member, request, proven);
  if (!missing) return std::nullopt;
  return Refuse(Reason::kSmokeTestNeeded,
                *missing + "; or say why it may pass with --skip-gate REASON");
}

TierId ProvenOf(const SubmitJobs& command, size_t n) {
  return n < command.proven.size() ? command.proven[n] : TierId();
}

// A warning where the gate would like a success, and the record where it was passed by.
std::string PassGate(State& state, JobId id, const JobRequest& request, TierId proven) {
  const JobRow& job = state.jobs.Get(id);
  auto missing = MissingProof(state, job.member, request, proven);
  if (!missing) return "";
  if (request.skip_gate.empty()) return *missing;
  state.jobs.Edit(id).gate_skipped = true;
  Log(state, "job", std::to_string(id.value()), "gate skipped", request.skip_gate, job.member);
  return "";
}

int64_t CountTasks(const State& state, const JobRequest& request) {
  if (request.array.empty()) return 1;
  const auto spec = ParseArraySpec(request.array, state.lab.max_array);
  return spec.ok() ? static_cast<int64_t>(spec->indices.size()) : 0;
}

JobId Insert(State& state, MemberId member, const JobRequest& request, const Parents& parents) {
  const Shape shape = ShapeOf(state.tiers.Get(request.tier), request);
  JobRow job;
  job.id = JobId(state.lab.next_job++);
  state.lab_touched = true;
  job.member = member;
  job.project = request.project;
  job.tier = request.tier;
  job.units = shape.units;
  job.gpus = shape.gpus;
  job.cpus = shape.cpus;
  job.memory = request.memory;
  job.time_limit = shape.time_limit;
  job.grace = request.grace;
  job.source = request.source;
  job.klass = request.klass;
  job.nice = request.nice;
  job.retries = request.retries;
  job.no_requeue = request.no_requeue;
  job.requeue_exit = request.requeue_exit;
  job.payload = request.payload.hash;
  job.code = request.code;
  job.array = request.array;
  if (!request.array.empty()) {
    const auto spec = ParseArraySpec(request.array, state.lab.max_array);
    job.task_count = static_cast<int32_t>(spec->indices.size());
    job.max_running = spec->max_running;
  }
  job.submitted_at = state.now;
  job.eligible_at = state.now;
  job.dependency = FormatDependency(parents.written);
  job.waits_on = FormatDependency(parents.waits);
  job.keep_invalid = request.keep_invalid;
  job.name_hash = NameHash(request.name);
  job.begin_at = request.begin_at;
  job.night = request.night;
  job.deadline = request.deadline;
  job.max_cost = request.max_cost;
  job.max_rate = request.max_rate;
  job.need_cuda = request.need_cuda;
  job.pending = RangeSet::Of(0, job.task_count);
  job.counts[static_cast<size_t>(TaskState::kPending)] = job.task_count;
  state.jobs.Put(job.id, job);
  IndexJob(state, state.jobs.Get(job.id));
  IndexWaits(state, state.jobs.Get(job.id));
  state.recheck.insert(job.id);
  state.out.payloads.push_back(request.payload);
  state.out.job_texts.push_back(
      {job.id, request.name, request.comment, request.chdir, request.output});
  Log(state, "job", std::to_string(job.id.value()), "submitted", request.name, member);
  return job.id;
}

}  // namespace

std::optional<Reply> WouldRefuse(const State& state, const Actor& actor, const JobRequest& request,
                                 TierId proven) {
  if (auto refused = RefuseOne(state, actor.member, request, CountTasks(state, request)))
    return refused;
  return ClosedGate(state, actor.member, request, proven);
}

Reply Do(State& state, const SubmitJobs& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) {
    for (int64_t n = 0; n < known->count; ++n) {
      const JobRow* job = state.jobs.Find(JobId(known->first + n));
      known->task_counts.push_back(job ? job->task_count : 0);
    }
    return *known;
  }
  const MemberRow* member = state.members.Find(command.actor.member);
  if (!member || member->removed)
    return Refuse(Reason::kNoSuchMember, "only members of the lab submit jobs");
  int64_t tasks = 0;
  for (size_t n = 0; n < command.jobs.size(); ++n) {
    const JobRequest& request = command.jobs[n];
    const int64_t own = CountTasks(state, request);
    tasks = own > 0 ? tasks + own : 0;
    if (request.nice < 0 && !command.actor.admin) {
      return Refuse(Reason::kNotPermitted, "a negative nice value is for admins; use 0 or more");
    }
    if (auto refused = RefuseOne(state, member->id, request, tasks)) return *refused;
    if (auto closed = ClosedGate(state, member->id, request, ProvenOf(command, n))) return *closed;
  }
  const Resolution resolution = ResolveParents(state, command);
  if (resolution.refused) return *resolution.refused;
  Reply reply;
  reply.need = resolution.need;
  if (!reply.need.empty()) return reply;
  // The point of no return.
  reply.count = static_cast<int64_t>(command.jobs.size());
  for (size_t n = 0; n < command.jobs.size(); ++n) {
    const JobRequest& request = command.jobs[n];
    if (!state.packages.rows().empty() || !state.billing.empty())
      reply.priced.push_back(PriceOf(state, NeedOf(state, member->id, request)));
    const JobId id = Insert(state, member->id, request, resolution.jobs[n]);
    if (reply.first == 0) reply.first = id.value();
    reply.task_counts.push_back(state.jobs.Get(id).task_count);
    reply.warnings.push_back(PassGate(state, id, request, ProvenOf(command, n)));
    CrossThresholds(state, KeyOf(state.jobs.Get(id)));
  }
  reply.note = ExpiredNote(state, command.actor, command.request);
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
