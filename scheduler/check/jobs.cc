#include "scheduler/check/jobs.h"

#include <algorithm>
#include <array>

#include "base/parse.h"
#include "base/ranges.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "scheduler/check/stream.h"

namespace pinka::check {
namespace {

constexpr std::array<std::string_view, 15> kStates = {
    "PENDING",   "HELD",      "STARTING",  "RUNNING",  "UNKNOWN",
    "STOPPING",  "COMPLETED", "FAILED",    "TIMEOUT",  "OUT_OF_MEMORY",
    "CANCELLED", "NODE_FAIL", "PREEMPTED", "DEADLINE", "BUDGET"};
constexpr size_t kLiveFirst = 2;  // STARTING to STOPPING
constexpr size_t kTerminalFirst = 6;
constexpr size_t kCompleted = 6;

size_t StateNumber(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kStates, name) - kStates.begin());
}

struct TaskRow {
  int64_t job = 0;
  int32_t index = 0;
  std::string state;
  Timestamp ended_at;
};

struct JobRow {
  int64_t id = 0;
  std::string array;
  int32_t task_count = 0;
  std::string state;
  std::string hold_reason;
  Timestamp submitted_at;
  Timestamp ended_at;
  std::vector<int64_t> counts;
  std::array<RangeSet, 4> ranges;  // pending, held, cancelled, expired
};
constexpr std::array<size_t, 4> kRangeStates = {0, 1, 10, 13};

RangeSet ReadRanges(db::Row& row) {
  RangeSet set;
  const std::vector<int64_t> bounds = row.Ints();
  for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
    set.InsertRange(static_cast<int32_t>(bounds[i]), static_cast<int32_t>(bounds[i + 1]));
  }
  return set;
}

JobRow ReadJob(db::Row& row) {
  JobRow job;
  job.id = row.Int();
  job.array = row.Text();
  job.task_count = row.Int32();
  job.state = row.Text();
  job.hold_reason = row.Text();
  job.submitted_at = row.At();
  job.ended_at = row.At();
  job.counts = row.Ints();
  for (RangeSet& set : job.ranges) set = ReadRanges(row);
  return job;
}

// One job with its rows in hand.
class JobCheck {
 public:
  JobCheck(const JobRow& job, const std::vector<TaskRow>& tasks, Timestamp core_now,
           Findings& findings)
      : job_(job), tasks_(tasks), core_now_(core_now), findings_(findings) {}

  void Run() {
    if (!ReadIndices()) return;
    CheckTasks();
    CheckCounts();
    CheckState();
  }

 private:
  void Wrong(std::string_view rule, std::string expected, std::string found) {
    findings_.Add(rule, "jobs", std::to_string(job_.id), std::move(expected), std::move(found));
  }

  bool ReadIndices() {
    if (job_.array.empty()) {
      indices_ = {0};
    } else {
      const auto spec = ParseArraySpec(job_.array, 100'000'000);
      if (!spec.ok()) {
        Wrong("job.tasks", "an array spec that can be read", job_.array);
        return false;
      }
      indices_ = spec->indices;
    }
    if (static_cast<size_t>(std::max(job_.task_count, 0)) == indices_.size()) return true;
    Wrong("job.tasks", fmt::format("{} tasks of \"{}\"", indices_.size(), job_.array),
          fmt::format("{} tasks", job_.task_count));
    return false;
  }

  // The ordinal of an index; -1 where the array has none such.
  int32_t OrdinalOf(int32_t index) const {
    auto it = std::ranges::lower_bound(indices_, index);
    return it == indices_.end() || *it != index ? -1 : static_cast<int32_t>(it - indices_.begin());
  }

  void CheckTasks() {
    std::vector<int32_t> times(indices_.size());
    std::string outside;
    const auto stands = [&](int32_t ordinal, const std::string& what) {
      if (ordinal >= 0 && ordinal < job_.task_count) {
        ++times[static_cast<size_t>(ordinal)];
      } else if (outside.empty()) {
        outside = what;
      }
    };
    for (const RangeSet& set : job_.ranges) {
      for (const RangeSet::Range& r : set.ranges()) {
        for (int32_t n = r.begin; n < std::min(r.end, job_.task_count + 1); ++n)
          stands(n, fmt::format("ordinal {}", n));
      }
    }
    for (const TaskRow& task : tasks_) {
      stands(OrdinalOf(task.index), fmt::format("index {}", task.index));
    }
    auto wrong = std::ranges::find_if(times, [](int32_t n) { return n != 1; });
    if (!outside.empty()) {
      Wrong("job.tasks", fmt::format("{} tasks and no other", job_.task_count), outside);
    } else if (wrong != times.end()) {
      const auto index = indices_[static_cast<size_t>(wrong - times.begin())];
      Wrong("job.tasks", "each task once", fmt::format("index {} stands {} times", index, *wrong));
    }
    if (job_.ranges[1].empty() != job_.hold_reason.empty()) {
      Wrong("job.tasks", "a reason while tasks of a range are held, and only then",
            fmt::format("\"{}\", held {}", job_.hold_reason, job_.ranges[1].ToString()));
    }
  }

  void CheckCounts() {
    counts_.assign(kStates.size(), 0);
    for (size_t i = 0; i < job_.ranges.size(); ++i)
      counts_[kRangeStates[i]] += job_.ranges[i].size();
    for (const TaskRow& task : tasks_) {
      const size_t state = StateNumber(task.state);
      if (state < kStates.size()) ++counts_[state];
    }
    if (counts_ != job_.counts) {
      Wrong("job.counts", fmt::format("{}", fmt::join(counts_, " ")),
            fmt::format("{}", fmt::join(job_.counts, " ")));
    }
  }

  int32_t LowestOf(const RangeSet& ordinals) const {
    if (ordinals.empty()) return INT32_MAX;
    const int32_t last = static_cast<int32_t>(indices_.size()) - 1;
    return indices_[static_cast<size_t>(std::min(ordinals.First(), last))];
  }

  std::string_view ExpectedState() const {
    for (size_t s = kLiveFirst; s < kTerminalFirst; ++s) {
      if (counts_[s] > 0) return indices_.size() == 1 ? kStates[s] : "RUNNING";
    }
    if (counts_[0] > 0) return "PENDING";
    if (counts_[1] > 0) return "HELD";
    if (counts_[kCompleted] == static_cast<int64_t>(indices_.size())) return "COMPLETED";
    // All over, not all completed: the lowest index that is not.
    std::string_view state = "CANCELLED";
    int32_t lowest = LowestOf(job_.ranges[2]);
    if (const int32_t expired = LowestOf(job_.ranges[3]); expired < lowest) {
      lowest = expired;
      state = "DEADLINE";
    }
    for (const TaskRow& task : tasks_) {
      if (task.state == "COMPLETED" || task.index >= lowest) continue;
      lowest = task.index;
      state = task.state;
    }
    return state;
  }

  void CheckState() {
    const std::string_view state = ExpectedState();
    if (state != job_.state) Wrong("job.state", std::string(state), job_.state);
    Timestamp last = job_.submitted_at;
    for (const TaskRow& task : tasks_) last = std::max(last, task.ended_at);
    const bool over = StateNumber(state) >= kTerminalFirst;
    if (!over) {
      if (job_.ended_at) Wrong("job.state", "no end yet", FormatUtc(job_.ended_at));
      return;
    }
    // Tasks that ended in a range left no time of their own.
    const bool exact = job_.ranges[2].empty() && job_.ranges[3].empty();
    const bool fits =
        exact ? job_.ended_at == last : last <= job_.ended_at && job_.ended_at <= core_now_;
    if (!fits) {
      Wrong("job.state", fmt::format("over {} {}", exact ? "at" : "from", FormatUtc(last)),
            job_.ended_at ? FormatUtc(job_.ended_at) : "no end");
    }
  }

  const JobRow& job_;
  const std::vector<TaskRow>& tasks_;
  Timestamp core_now_;
  Findings& findings_;
  std::vector<int32_t> indices_;
  std::vector<int64_t> counts_;
};

}  // namespace

Status CheckJobs(db::Connection& connection, Timestamp core_now, Findings& findings) {
  Stream jobs(connection, "jobs");
  Stream tasks(connection, "tasks");
  std::optional<TaskRow> ahead;
  const auto read = [&] {
    ahead.reset();
    if (!tasks.Next()) return;
    db::Row& row = tasks.row();
    ahead = TaskRow{row.Int(), row.Int32(), row.Text(), row.At()};
  };
  const auto orphan = [&] {
    findings.Add("job.tasks", "tasks", fmt::format("{}_{}", ahead->job, ahead->index), "a job",
                 "none");
    read();
  };
  read();
  while (jobs.Next()) {
    const JobRow job = ReadJob(jobs.row());
    std::vector<TaskRow> rows;
    while (ahead && ahead->job < job.id) orphan();
    while (ahead && ahead->job == job.id) {
      rows.push_back(*ahead);
      read();
    }
    JobCheck(job, rows, core_now, findings).Run();
  }
  while (ahead) orphan();
  return jobs.status().ok() ? tasks.status() : jobs.status();
}

}  // namespace pinka::check
