#include "client/cli/core/outcome.h"

#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using State = v1::TaskState;

// A plain job with one task that ended so.
Watched Plain(State::Value state, std::optional<int> code, std::optional<int> signal) {
  Watched watched;
  watched.slice.job = 17;
  watched.job.set_id(17);
  watched.job.set_task_count(1);
  watched.job.set_state(state);
  v1::Task& task = *watched.job.add_tasks();
  task.set_id("17_0");
  task.set_state(state);
  if (code) task.set_exit_code(*code);
  if (signal) task.set_signal(*signal);
  return watched;
}

Watched Array(std::vector<State::Value> states) {
  Watched watched;
  watched.slice.job = 36;
  watched.job.set_id(36);
  watched.job.set_array("0-" + std::to_string(states.size() - 1));
  watched.job.set_task_count(static_cast<int>(states.size()));
  watched.job.set_state(State::COMPLETED);
  for (size_t i = 0; i < states.size(); ++i) {
    v1::Task& task = *watched.job.add_tasks();
    task.set_id("36_" + std::to_string(i));
    task.set_state(states[i]);
    task.set_exit_code(states[i] == State::COMPLETED ? 0 : 3);
    if (states[i] != State::COMPLETED) watched.job.set_state(states[i]);
  }
  return watched;
}

TEST(ExitCodeOf, IsTheTasksOwnCode) {
  EXPECT_EQ(ExitCodeOf({Plain(State::COMPLETED, 0, 0)}), 0);
  EXPECT_EQ(ExitCodeOf({Plain(State::FAILED, 3, 0)}), 3);
  EXPECT_EQ(ExitCodeOf({Plain(State::FAILED, 125, 0)}), 125);
  EXPECT_EQ(ExitCodeOf({Plain(State::FAILED, 255, 0)}), 255);
}

TEST(ExitCodeOf, IsThe128PlusASignalAsAShellHasIt) {
  EXPECT_EQ(ExitCodeOf({Plain(State::FAILED, 0, 9)}), 137);
  EXPECT_EQ(ExitCodeOf({Plain(State::CANCELLED, std::nullopt, 15)}), 143);
}

TEST(ExitCodeOf, NeverCallsALimitOrACancelSuccess) {
  EXPECT_EQ(ExitCodeOf({Plain(State::TIMEOUT, 0, 0)}), 1);
  EXPECT_EQ(ExitCodeOf({Plain(State::OUT_OF_MEMORY, 0, 0)}), 1);
}

TEST(ExitCodeOf, IsOursWhereTheTaskNeverRan) {
  EXPECT_EQ(ExitCodeOf({Plain(State::CANCELLED, std::nullopt, std::nullopt)}), 125);
  Watched no_rows = Plain(State::CANCELLED, std::nullopt, std::nullopt);
  no_rows.job.clear_tasks();
  EXPECT_EQ(ExitCodeOf({no_rows}), 125);
}

TEST(ExitCodeOf, LooksAtTheLastAttemptWhereTheTaskSaysNothing) {
  Watched watched = Plain(State::FAILED, std::nullopt, std::nullopt);
  watched.job.mutable_tasks(0)->add_attempts()->set_exit_code(1);
  watched.job.mutable_tasks(0)->add_attempts()->set_exit_code(7);
  EXPECT_EQ(ExitCodeOf({watched}), 7);
}

TEST(ExitCodeOf, OfSeveralIsZeroOnlyIfAllCompleted) {
  const Watched good = Plain(State::COMPLETED, 0, 0);
  const Watched bad = Plain(State::FAILED, 3, 0);
  EXPECT_EQ(ExitCodeOf({good, good}), 0);
  EXPECT_EQ(ExitCodeOf({good, bad}), 1);
  EXPECT_EQ(ExitCodeOf({Array({State::COMPLETED, State::COMPLETED})}), 0);
  EXPECT_EQ(ExitCodeOf({Array({State::COMPLETED, State::FAILED})}), 1);
  EXPECT_EQ(ExitCodeOf({Array({State::FAILED})}), 1) << "an array of one is an array";
}

TEST(ExitCodeOf, OfOneTaskOfAnArrayIsItsOwn) {
  Watched watched = Array({State::COMPLETED, State::FAILED});
  watched.slice = *ParseJobSlice("36_1");
  EXPECT_EQ(ExitCodeOf({watched}), 3);
  watched.slice = *ParseJobSlice("36_0");
  EXPECT_EQ(ExitCodeOf({watched}), 0);
  watched.slice = *ParseJobSlice("36_[0-1]");
  EXPECT_EQ(ExitCodeOf({watched}), 1);
}

TEST(IsOver, LooksOnlyAtTheTasksAskedFor) {
  Watched watched = Array({State::COMPLETED, State::RUNNING});
  watched.job.set_state(State::RUNNING);
  EXPECT_FALSE(IsOver(watched));
  watched.slice = *ParseJobSlice("36_0");
  EXPECT_TRUE(IsOver(watched));
  watched.slice = *ParseJobSlice("36_[0-1]");
  EXPECT_FALSE(IsOver(watched));
  watched.slice = *ParseJobSlice("36_5");
  EXPECT_FALSE(IsOver(watched)) << "a task without a row still waits";
}

TEST(Describe, SaysHowItEnded) {
  EXPECT_EQ(Describe(Plain(State::FAILED, 3, 0)), "17 FAILED, exit 3");
  EXPECT_EQ(Describe(Plain(State::FAILED, 0, 9)), "17 FAILED, signal 9");
  EXPECT_EQ(Describe(Array({State::COMPLETED, State::FAILED})), "36 FAILED");
}

}  // namespace
}  // namespace pinka::cli
