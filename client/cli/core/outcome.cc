#include "client/cli/core/outcome.h"

#include <algorithm>

#include "client/cli/core/errors.h"

namespace pinka::cli {
namespace {

bool IsArray(const v1::Job& job) { return !job.array().empty() || job.task_count() > 1; }

// The index in "17_3"; -1 if there is none.
int IndexOf(const v1::Task& task) {
  const size_t bar = task.id().rfind('_');
  return bar == std::string::npos ? -1 : std::atoi(task.id().c_str() + bar + 1);
}

const v1::Task* FindTask(const v1::Job& job, int index) {
  for (const v1::Task& task : job.tasks()) {
    if (IndexOf(task) == index) return &task;
  }
  return nullptr;
}

// The tasks that were asked for and have rows.
std::vector<const v1::Task*> TasksOf(const Watched& watched) {
  std::vector<const v1::Task*> tasks;
  for (const v1::Task& task : watched.job.tasks()) {
    if (watched.slice.indices.empty() || watched.slice.indices.Contains(IndexOf(task))) {
      tasks.push_back(&task);
    }
  }
  return tasks;
}

// The one task that is meant, where it is one.
bool IsOneTask(const Watched& watched) {
  if (!watched.slice.indices.empty()) return watched.slice.indices.size() == 1;
  return !IsArray(watched.job);
}

int CodeOfTask(v1::TaskState::Value state, bool has_exit, int exit_code, bool has_signal,
               int signal) {
  if (has_signal && signal > 0) return 128 + signal;
  if (has_exit && exit_code != 0) return exit_code;
  if (state == v1::TaskState::COMPLETED) return 0;
  return has_exit ? kExitFailure : kExitOwnFailure;
}

int CodeOfOne(const Watched& watched) {
  const std::vector<const v1::Task*> tasks = TasksOf(watched);
  if (tasks.empty()) return CodeOfTask(watched.job.state(), false, 0, false, 0);
  const v1::Task& task = *tasks[0];
  if (!task.has_exit_code() && !task.has_signal() && !task.attempts().empty()) {
    const v1::Attempt& last = *task.attempts().rbegin();
    return CodeOfTask(task.state(), last.has_exit_code(), last.exit_code(), last.has_signal(),
                      last.signal());
  }
  return CodeOfTask(task.state(), task.has_exit_code(), task.exit_code(), task.has_signal(),
                    task.signal());
}

bool AllCompleted(const Watched& watched) {
  if (watched.slice.indices.empty()) return watched.job.state() == v1::TaskState::COMPLETED;
  const std::vector<const v1::Task*> tasks = TasksOf(watched);
  return static_cast<int64_t>(tasks.size()) == watched.slice.indices.size() &&
         std::all_of(tasks.begin(), tasks.end(), [](const v1::Task* task) {
           return task->state() == v1::TaskState::COMPLETED;
         });
}

}  // namespace

bool IsTerminal(v1::TaskState::Value state) {
  switch (state) {
    case v1::TaskState::COMPLETED:
    case v1::TaskState::FAILED:
    case v1::TaskState::TIMEOUT:
    case v1::TaskState::OUT_OF_MEMORY:
    case v1::TaskState::CANCELLED:
    case v1::TaskState::NODE_FAIL:
    case v1::TaskState::PREEMPTED:
    case v1::TaskState::DEADLINE:
    case v1::TaskState::BUDGET:
      return true;
    default:  // open on the wire: a state we do not know is not taken for an end
      return false;
  }
}

bool IsOver(const Watched& watched) {
  if (IsTerminal(watched.job.state())) return true;
  if (watched.slice.indices.empty()) return false;
  for (const RangeSet::Range& range : watched.slice.indices.ranges()) {
    for (int32_t index = range.begin; index < range.end; ++index) {
      const v1::Task* task = FindTask(watched.job, index);
      if (task == nullptr || !IsTerminal(task->state())) return false;
    }
  }
  return true;
}

int ExitCodeOf(const std::vector<Watched>& watched) {
  if (watched.size() == 1 && IsOneTask(watched[0])) return CodeOfOne(watched[0]);
  return std::all_of(watched.begin(), watched.end(), AllCompleted) ? 0 : kExitFailure;
}

std::string Describe(const Watched& watched) {
  std::string text = std::to_string(watched.job.id());
  const std::vector<const v1::Task*> tasks = TasksOf(watched);
  if (!IsOneTask(watched) || tasks.empty()) {
    const std::string reason = watched.job.reason();
    return text + " " + StateName(watched.job.state()) + (reason.empty() ? "" : ", " + reason);
  }
  if (!watched.slice.indices.empty()) text = tasks[0]->id();
  const std::string end = EndText(*tasks[0]);
  return text + " " + StateName(tasks[0]->state()) + (end.empty() ? "" : ", " + end);
}

std::string StateName(v1::TaskState::Value state) { return v1::TaskState::Value_Name(state); }

std::string AttemptStateName(v1::AttemptState::Value state) {
  return v1::AttemptState::Value_Name(state);
}

std::string EndText(const v1::Task& task) {
  if (task.has_signal() && task.signal() > 0) return "signal " + std::to_string(task.signal());
  if (task.has_exit_code()) return "exit " + std::to_string(task.exit_code());
  return "";
}

}  // namespace pinka::cli
