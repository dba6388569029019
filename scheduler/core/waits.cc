#include "scheduler/core/waits.h"

#include <algorithm>

#include "base/hash.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/deadline.h"
#include "scheduler/core/task.h"

namespace pinka {
namespace {

int32_t CountOf(const JobRow& job, TaskState s) { return job.counts[static_cast<size_t>(s)]; }

bool AnyWaits(const JobRow& job) {
  return CountOf(job, TaskState::kPending) + CountOf(job, TaskState::kHeld) > 0;
}

RangeSet Waiting(const JobRow& job) {
  RangeSet all = job.pending;
  for (const RangeSet::Range& r : job.held.ranges()) all.InsertRange(r.begin, r.end);
  return all;
}

std::vector<TaskId> WaitingRows(const State& state, JobId job) {
  std::vector<TaskId> waiting;
  const auto& rows = state.tasks.rows();
  for (auto it = rows.lower_bound({job, 0}); it != rows.end() && it->first.job == job; ++it) {
    if (IsWaiting(it->second.state)) waiting.push_back(it->first);
  }
  return waiting;
}

// The same without a look at every row, where none of them is held.
std::vector<TaskId> WaitingAgain(const State& state, const JobRow& job) {
  if (CountOf(job, TaskState::kHeld) > static_cast<int64_t>(job.held.size()))
    return WaitingRows(state, job.id);
  std::vector<TaskId> again;
  for (const int32_t index : state.job_index.at(job.id).waiting_again)
    again.push_back({job.id, index});
  return again;
}

Timestamp FirstStart(const State& state, JobId job) {
  Timestamp first;
  const auto& rows = state.attempts.rows();
  for (auto it = rows.lower_bound({job, 0, 0}); it != rows.end() && it->first.job == job; ++it) {
    const Timestamp at = it->second.started_at;
    if (at && (!first || at < first)) first = at;
  }
  return first;
}

ParentFacts FactsOf(const State& state, const JobRow& job) {
  ParentFacts facts;
  facts.ended = IsTerminal(job.state);
  facts.state = job.state;
  for (int s = 0; s < kTaskStates; ++s) {
    const auto as = static_cast<TaskState>(s);
    facts.failed =
        facts.failed || (IsTerminal(as) && as != TaskState::kCompleted && CountOf(job, as) > 0);
  }
  facts.started_at = FirstStart(state, job.id);
  return facts;
}

RangeSet OkIndices(const State& state, JobId job) {
  RangeSet ok;
  const auto& rows = state.tasks.rows();
  for (auto it = rows.lower_bound({job, 0}); it != rows.end() && it->first.job == job; ++it) {
    if (it->second.state == TaskState::kCompleted) ok.Insert(it->first.index);
  }
  return ok;
}

ParentView ViewOf(const State& state, const JobRow& job) {
  ParentView view;
  view.facts = [&state](JobId id) {
    const JobRow* parent = state.jobs.Find(id);
    // One that left memory was told of when it ended; an unknown one is never "fine".
    if (!parent) return std::optional(ParentFacts{true, TaskState::kCancelled, true, {}});
    return std::optional(FactsOf(state, *parent));
  };
  view.ok = [&state](JobId id) { return OkIndices(state, id); };
  const JobId first = FirstNamesake(state, job.member, job.name_hash);
  view.namesake = first && first < job.id;
  return view;
}

// Of one term, for the task of this index.
Fate FateForTask(const State& state, const DependencyTerm& term, int32_t index) {
  if (term.never) return Fate::kNever;
  if (term.type == DependencyType::kIndices)
    return term.indices.Contains(index) ? Fate::kMet : Fate::kNever;
  if (term.type != DependencyType::kAfterCorr) return Fate::kOpen;
  const JobRow* parent = state.jobs.Find(term.job);
  if (!parent || !OrdinalOf(state, *parent, index)) return Fate::kNever;
  const TaskState s = StateOf(state, *parent, index);
  if (!IsTerminal(s)) return Fate::kOpen;
  return s == TaskState::kCompleted ? Fate::kMet : Fate::kNever;
}

Fate TaskFate(const State& state, const Dependency& waits, int32_t index) {
  bool open = false;
  bool never = false;
  for (const DependencyTerm& term : waits.terms) {
    const Fate fate = FateForTask(state, term, index);
    if (fate == Fate::kMet && waits.any) return Fate::kMet;
    open = open || fate == Fate::kOpen;
    never = never || fate == Fate::kNever;
  }
  if (waits.any) return open ? Fate::kOpen : Fate::kNever;
  if (never) return Fate::kNever;
  return open ? Fate::kOpen : Fate::kMet;
}

// Tasks that are let through, those that may come back included; waiting ones that never will be.
struct Sifted {
  RangeSet ready;
  RangeSet lost;
};
Sifted Sift(const State& state, const JobRow& job, const Dependency& waits) {
  Sifted sifted;
  if (!PerTask(waits)) return sifted;
  const auto judge = [&](int32_t ordinal, TaskState as) {
    const Fate fate = TaskFate(state, waits, IndexAt(state, job, ordinal));
    if (fate == Fate::kMet) sifted.ready.Insert(ordinal);
    if (fate == Fate::kNever && IsWaiting(as)) sifted.lost.Insert(ordinal);
  };
  const RangeSet waiting = Waiting(job);
  for (const RangeSet::Range& r : waiting.ranges()) {
    for (int32_t ordinal = r.begin; ordinal < r.end; ++ordinal) judge(ordinal, TaskState::kPending);
  }
  const auto& rows = state.tasks.rows();
  for (auto it = rows.lower_bound({job.id, 0}); it != rows.end() && it->first.job == job.id; ++it) {
    const TaskState as = it->second.state;
    if (!IsTerminal(as)) judge(*OrdinalOf(state, job, it->first.index), as);
  }
  return sifted;
}

// Whether a dependency is open and lets no waiting task through.
bool Stands(const State& state, const JobRow& job) {
  const JobIndex& index = state.job_index.at(job.id);
  if (index.waits.empty()) return false;
  if (index.ready.empty()) return true;
  if (!Waiting(job).Intersect(index.ready).empty()) return false;
  return std::ranges::none_of(WaitingAgain(state, job), [&](const TaskId& id) {
    return index.ready.Contains(*OrdinalOf(state, job, id.index));
  });
}

// Age stands still while `stands`: see SetWaits.
void MoveAge(State& state, JobId id, bool stood) {
  const JobRow& job = state.jobs.Get(id);
  const bool stands = Stands(state, job);
  Timestamp next = job.eligible_at;
  if (stands && !stood) {
    next = job.submitted_at - (state.now - job.eligible_at);
  } else if (!stands && stood && job.eligible_at <= job.submitted_at) {
    next = state.now - (job.submitted_at - job.eligible_at);
  }
  if (next != job.eligible_at) state.jobs.Edit(id).eligible_at = next;
}

void IndexDependants(State& state, JobId job, const Dependency& waits, bool in) {
  for (const DependencyTerm& term : waits.terms) {
    if (!term.job || term.never) continue;
    if (in) {
      state.dependants[term.job].insert(job);
      continue;
    }
    auto known = state.dependants.find(term.job);
    if (known == state.dependants.end()) continue;
    known->second.erase(job);
    if (known->second.empty()) state.dependants.erase(known);
  }
}

void EndTasks(State& state, JobId id, const RangeSet& ordinals, TaskState to,
              const std::string& why) {
  for (const TaskId& task : WaitingRows(state, id)) {
    if (ordinals.Contains(*OrdinalOf(state, state.jobs.Get(id), task.index)))
      MoveTask(state, task, to, why);
  }
  const RangeMove move = to == TaskState::kDeadline ? RangeMove::kExpire : RangeMove::kCancel;
  MoveRanges(state, id, ordinals, move, Reason::kOk);
}

RangeSet AllOf(const JobRow& job) { return RangeSet::Of(0, job.task_count); }

void Lose(State& state, JobId id, const RangeSet& ordinals, const Dependency& waits) {
  // Of single tasks: the dependency as written.
  const std::string why = Never(waits)
                              ? NeverInWords(waits)
                              : fmt::format("the dependency {} of {} task(s) can no longer be met",
                                            state.jobs.Get(id).dependency, ordinals.size());
  Log(state, "job", std::to_string(id.value()), "DependencyNeverSatisfied", why);
  EndTasks(state, id, ordinals, TaskState::kCancelled, "DependencyNeverSatisfied: " + why);
}

// The terms that hold for each task apart, once each task is decided.
bool AllDecided(const Dependency& waits) {
  return std::ranges::all_of(waits.terms, [](const DependencyTerm& term) {
    return term.type == DependencyType::kIndices;
  });
}

bool IsOver(const State& state, JobId id) {
  const JobRow* job = state.jobs.Find(id);
  return !job || IsTerminal(job->state);
}

void JudgeDependency(State& state, JobId id) {
  const Dependency before = state.job_index.at(id).waits;
  if (before.empty()) return;
  const JobRow& job = state.jobs.Get(id);
  const Dependency waits = Reduce(before, ViewOf(state, job), state.now);
  if (waits != before || PerTask(waits)) SetWaits(state, id, waits);
  if (job.keep_invalid) return;
  if (Never(waits)) return Lose(state, id, AllOf(job), waits);
  if (!PerTask(waits)) return;
  const RangeSet lost = Sift(state, job, waits).lost;
  if (!lost.empty()) Lose(state, id, lost, waits);
  if (AllDecided(waits) && !IsOver(state, id)) SetWaits(state, id, {});
}

// The next instant at which a waiting task of it can no longer make the deadline, if not past. One
// that has saved some of its work needs less time than those that have not begun.
Timestamp FirstTooLate(const State& state, const JobRow& job) {
  Timestamp first = Timestamp::Never();
  if (!job.deadline) return first;
  if (const RangeSet fresh = Waiting(job); !fresh.empty())
    first = TooLateFrom(state, job, IndexAt(state, job, fresh.First()));
  for (const TaskId& id : WaitingAgain(state, job))
    first = std::min(first, TooLateFrom(state, job, id.index));
  return first;
}

bool TooLate(const State& state, const JobRow& job) {
  return AnyWaits(job) && FirstTooLate(state, job) <= state.now;
}

// The waiting tasks that it is too late for.
RangeSet LateTasks(const State& state, const JobRow& job) {
  RangeSet late;
  const RangeSet fresh = Waiting(job);
  const bool all =
      !fresh.empty() && TooLateFrom(state, job, IndexAt(state, job, fresh.First())) <= state.now;
  if (all) late = fresh;
  for (const TaskId& id : WaitingAgain(state, job)) {
    if (TooLateFrom(state, job, id.index) <= state.now)
      late.Insert(*OrdinalOf(state, job, id.index));
  }
  return late;
}

void JudgeJob(State& state, JobId id) {
  if (IsOver(state, id)) return;
  JudgeDependency(state, id);
  if (IsOver(state, id)) return;
  if (const JobRow& job = state.jobs.Get(id); TooLate(state, job)) {
    EndTasks(state, id, LateTasks(state, job), TaskState::kDeadline,
             fmt::format("could not end before its deadline {}", FormatUtc(job.deadline)));
  }
  if (!IsOver(state, id)) Requeue(state, state.jobs.Get(id));
}

// One task, after the task of its index in a parent has ended.
void JudgeTask(State& state, const TaskId& id) {
  if (IsOver(state, id.job)) return;
  const JobRow& job = state.jobs.Get(id.job);
  const Dependency waits = state.job_index.at(id.job).waits;
  const auto ordinal = OrdinalOf(state, job, id.index);
  if (!ordinal || !PerTask(waits)) return;
  const Fate fate = TaskFate(state, waits, id.index);
  if (fate == Fate::kNever && !job.keep_invalid && IsWaiting(StateOf(state, job, id.index)))
    return Lose(state, id.job, RangeSet::Of(*ordinal, *ordinal + 1), waits);
  if (fate != Fate::kMet) return;
  const bool stood = Stands(state, job);
  Dequeue(state, job);
  state.job_index.at(id.job).ready.Insert(*ordinal);
  MoveAge(state, id.job, stood);
  Requeue(state, state.jobs.Get(id.job));
}

Timestamp NextTimer(const State& state, const JobRow& job) {
  Timestamp next = Timestamp::Never();
  const auto consider = [&](Timestamp at) {
    if (at > state.now) next = std::min(next, at);
  };
  consider(NextTurn(state, job));
  if (!AnyWaits(job)) return next;
  consider(job.begin_at);
  for (const DependencyTerm& term : state.job_index.at(job.id).waits.terms) consider(term.at);
  consider(FirstTooLate(state, job));
  if (!job.night) return next;
  const PeriodRow* night = PeriodAt(state, Period::kNight, state.now);
  if (night) consider(night->end_at);
  auto after = std::ranges::upper_bound(state.nights, state.now, {}, &PeriodRow::start_at);
  if (after != state.nights.end()) consider(after->start_at);
  return next;
}

}  // namespace

std::optional<Reason> NotYet(const State& state, const JobRow& job) {
  if (job.begin_at > state.now) return Reason::kBeginTime;
  if (job.night && !PeriodAt(state, Period::kNight, state.now)) return Reason::kNightWindow;
  const bool open = !state.job_index.at(job.id).waits.empty();
  if (open && !NextOfReady(state, job)) return Reason::kDependency;
  return std::nullopt;
}

JobId FirstNamesake(const State& state, MemberId member, int64_t name) {
  const auto known = state.namesakes.find({member, name});
  return known == state.namesakes.end() ? JobId() : *known->second.begin();
}

std::optional<int32_t> NextOfReady(const State& state, const JobRow& job) {
  const JobIndex& index = state.job_index.at(job.id);
  if (index.ready.empty()) return std::nullopt;
  for (int32_t again : index.waiting_again) {
    if (index.ready.Contains(*OrdinalOf(state, job, again))) return again;
  }
  const RangeSet next = job.pending.Intersect(index.ready);
  if (next.empty()) return std::nullopt;
  return IndexAt(state, job, next.First());
}

void TaskEnded(State& state, const TaskId& id, TaskState as) {
  const auto dependants = state.dependants.find(id.job);
  if (dependants == state.dependants.end()) return;
  for (JobId child : dependants->second) {
    for (const DependencyTerm& term : state.job_index.at(child).waits.terms) {
      if (term.job != id.job) continue;
      if (term.type == DependencyType::kAfterCorr) state.recheck_tasks.insert({child, id.index});
      if (term.type == DependencyType::kAfterOk && as != TaskState::kCompleted)
        state.recheck.insert(child);
    }
  }
}

void TasksLost(State& state, JobId job) {
  const auto dependants = state.dependants.find(job);
  if (dependants == state.dependants.end()) return;
  state.recheck.insert(dependants->second.begin(), dependants->second.end());
}

void JobEnded(State& state, const JobRow& job) {
  TasksLost(state, job.id);
  IndexDependants(state, job.id, state.job_index.at(job.id).waits, false);
  const auto known = state.namesakes.find({job.member, job.name_hash});
  if (known == state.namesakes.end()) return;
  known->second.erase(job.id);
  if (known->second.empty()) {
    state.namesakes.erase(known);
  } else {
    state.recheck.insert(*known->second.begin());  // only the first may be free now
  }
}

void JobStarted(State& state, JobId job) {
  const auto dependants = state.dependants.find(job);
  if (dependants == state.dependants.end()) return;
  for (JobId child : dependants->second) {
    const auto& terms = state.job_index.at(child).waits.terms;
    const bool waits = std::ranges::any_of(terms, [&](const DependencyTerm& term) {
      return term.job == job && term.type == DependencyType::kAfter;
    });
    if (waits) state.recheck.insert(child);
  }
}

void NightsChanged(State& state) {
  for (const auto& [id, job] : state.jobs.rows()) {
    if (job.night && !IsTerminal(job.state)) state.recheck.insert(id);
  }
}

void RunTimers(State& state) {
  while (!state.timers.empty() && state.timers.begin()->first <= state.now) {
    const JobId id = state.timers.begin()->second;
    state.timers.erase(state.timers.begin());
    state.job_index.at(id).timer = Timestamp();
    state.recheck.insert(id);
  }
  SettleWaits(state);
}

void SettleWaits(State& state) {
  while (!state.recheck.empty() || !state.recheck_tasks.empty()) {
    if (!state.recheck.empty()) {
      JudgeJob(state, state.recheck.extract(state.recheck.begin()).value());
    } else {
      JudgeTask(state, state.recheck_tasks.extract(state.recheck_tasks.begin()).value());
    }
  }
}

void SetTimer(State& state, const JobRow& job) {
  JobIndex& index = state.job_index.at(job.id);
  const Timestamp next = NextTimer(state, job);
  const Timestamp wanted = next == Timestamp::Never() ? Timestamp() : next;
  if (TooLate(state, job)) state.recheck.insert(job.id);
  if (wanted == index.timer) return;
  if (index.timer) state.timers.erase({index.timer, job.id});
  if (wanted) state.timers.emplace(wanted, job.id);
  index.timer = wanted;
}

void SetWaits(State& state, JobId id, Dependency waits) {
  const JobRow& job = state.jobs.Get(id);
  const bool stood = Stands(state, job);
  Dequeue(state, job);
  JobIndex& index = state.job_index.at(id);
  const bool over = IsTerminal(job.state);
  if (!over) IndexDependants(state, id, index.waits, false);
  std::string text = FormatDependency(waits);
  if (text != job.waits_on) state.jobs.Edit(id).waits_on = std::move(text);
  index.ready = Sift(state, job, waits).ready;
  index.waits = std::move(waits);
  if (!over) IndexDependants(state, id, index.waits, true);
  MoveAge(state, id, stood);
  Requeue(state, job);
}

int64_t NameHash(const std::string& name) {
  if (name.empty()) return 0;
  const std::string hex = Sha256Hex(name);
  uint64_t hash = 0;
  for (size_t i = 0; i < 16; ++i) {
    const char c = hex[i];
    hash = (hash << 4) | static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return hash == 0 ? 1 : static_cast<int64_t>(hash);
}

void SetName(State& state, JobId id, int64_t name_hash) {
  const JobRow& job = state.jobs.Get(id);
  if (job.name_hash == name_hash) return;
  auto before = state.namesakes.find({job.member, job.name_hash});
  if (before != state.namesakes.end()) {
    before->second.erase(id);
    if (before->second.empty()) {
      state.namesakes.erase(before);
    } else {
      state.recheck.insert(*before->second.begin());
    }
  }
  state.jobs.Edit(id).name_hash = name_hash;
  if (name_hash != 0) state.namesakes[{job.member, name_hash}].insert(id);
  state.recheck.insert(id);
}

void IndexWaits(State& state, const JobRow& job) {
  if (IsTerminal(job.state)) return;
  auto waits = ParseWaits(job.waits_on);
  PINKA_CHECK(waits.ok(), "what a job waits for parses");
  JobIndex& index = state.job_index.at(job.id);
  index.waits = *std::move(waits);
  index.ready = Sift(state, job, index.waits).ready;
  IndexDependants(state, job.id, index.waits, true);
  if (job.name_hash != 0) state.namesakes[{job.member, job.name_hash}].insert(job.id);
  Requeue(state, job);
}

}  // namespace pinka
