#include "scheduler/core/forget.h"

#include <iterator>
#include <vector>

namespace pinka {
namespace {

// False: some row of it is not written yet.
bool ForgetJob(State& state, JobId job) {
  std::vector<TaskId> tasks;
  std::vector<AttemptId> attempts;
  bool touched = state.jobs.Touched(job);
  const auto& task_rows = state.tasks.rows();
  for (auto it = task_rows.lower_bound({job, 0}); it != task_rows.end() && it->first.job == job;
       ++it) {
    tasks.push_back(it->first);
    touched = touched || state.tasks.Touched(it->first);
  }
  const auto& attempt_rows = state.attempts.rows();
  for (auto it = attempt_rows.lower_bound({job, 0, 0});
       it != attempt_rows.end() && it->first.job == job; ++it) {
    if (it->second.forgotten) attempts.push_back(it->first);
    touched = touched || state.attempts.Touched(it->first);
  }
  if (touched) return false;
  for (const AttemptId& id : attempts) {
    state.attempts.Drop(id);
    state.settlements.erase(id);
  }
  for (const TaskId& id : tasks) state.tasks.Drop(id);
  state.jobs.Drop(job);
  state.job_index.erase(job);
  return true;
}

}  // namespace

void ForgetJobs(State& state) {
  auto it = state.ended_jobs.begin();
  while (it != state.ended_jobs.end() && it->first <= state.now)
    it = ForgetJob(state, it->second) ? state.ended_jobs.erase(it) : std::next(it);
}

void ForgetRequests(State& state) {
  while (!state.request_ends.empty() && state.request_ends.begin()->first <= state.now) {
    state.requests.erase(state.request_ends.begin()->second);
    state.request_ends.erase(state.request_ends.begin());
  }
}

}  // namespace pinka
