// kill -9 of the agent between every two steps of starting and ending an attempt, and of the
// supervisor at each of its own. A point passes only if the marker file of the task has exactly one
// line (none where it must never start), the exit code is true, its log is whole at the scheduler,
// and no process with its PINKA_ATTEMPT_ID and no control group of it is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "agent/process/job_tree.h"
#include "agent/record/attempt_dir.h"
#include "tests/support/agent/agent_process.h"
#include "tests/support/agent/fake_scheduler.h"

namespace pinka::test {
namespace {

using Report = FakeScheduler::Report;

AttemptId Attempt(int number = 1) { return {.job = JobId(17), .index = 0, .number = number}; }

// The job of all tests: waits for leave, says its line, ends with 7, having done all it can to
// leave something behind.
constexpr char kJob[] =
    "(setsid sh -c '(trap \"\" TERM; while :; do sleep 0.05; done) &' &)\n"
    "sleep 600 & kill -STOP $!\n"
    "touch $MARKS/up.$PINKA_ATTEMPT\n"
    "while [ ! -e $MARKS/go ]; do sleep 0.01; done\n"
    "echo $PINKA_ATTEMPT >> $MARKS/lines\n"
    "echo said\n"
    "exit 7\n";

class World {
 public:
  World() : agent(scheduler.address(), {"--simulate-gpus", "rtx3090:2"}) {}

  void Order(int number = 1) {
    v1::Payload payload;
    for (const char* word : {"sh", "-c", kJob}) payload.add_argv(word);
    payload.add_env("MARKS=" + agent.Marks());
    v1::DesiredAttempt desired;
    desired.add_gpu_uuids("SIM-n1-rtx3090-1");
    scheduler.Run(Attempt(number), payload, desired);
  }
  void LetGo() { Spill(agent.Marks() + "/go", ""); }
  bool WaitUp(int number = 1) {
    return WaitForFile(agent.Marks() + "/up." + std::to_string(number));
  }
  std::string Lines() const { return Slurp(agent.Marks() + "/lines"); }
  std::vector<ProcessId> Left(int number = 1) {
    std::vector<std::string> marks = AttemptMarks(scheduler.lab_run(), ToString(Attempt(number)));
    return JobTree(marks, Cgroup(), {}).List();
  }
  // Control groups of the attempt that are still there.
  std::vector<std::string> GroupsLeft(int number = 1) {
    std::vector<std::string> left =
        Cgroup::PathsFor("pinka-" + scheduler.lab_run() + "-" + ToString(Attempt(number)));
    std::erase_if(left, [](const std::string& path) { return !PathExists(path); });
    return left;
  }

  // Everything that must hold of an attempt that ran to its end.
  void ExpectRan(int number = 1) {
    std::optional<Report> end = scheduler.WaitEnd(Attempt(number));
    ASSERT_TRUE(end.has_value()) << agent.Output();
    EXPECT_EQ(end->state(), Report::ENDED);
    EXPECT_EQ(end->end_reason(), "Exited");
    EXPECT_TRUE(end->has_exit_code());
    EXPECT_EQ(end->exit_code(), 7);
    EXPECT_FALSE(end->survivors());
    EXPECT_TRUE(scheduler.WaitGone(Attempt(number))) << agent.Output();
    EXPECT_EQ(Lines(), std::to_string(number) + "\n");
    EXPECT_TRUE(scheduler.LogIsWhole(Attempt(number)));
    EXPECT_EQ(scheduler.Log(Attempt(number)), "said\n");
    EXPECT_EQ(Left(number).size(), 0u);
    EXPECT_THAT(GroupsLeft(number), testing::IsEmpty());
  }

  FakeScheduler scheduler;
  AgentProcess agent;
};

class AgentKilledOnTheWay : public testing::TestWithParam<const char*> {};
TEST_P(AgentKilledOnTheWay, RunsTheTaskOnceAndReportsTheTrueEnd) {
  World world;
  world.LetGo();
  world.Order();
  world.agent.Start(GetParam());
  ASSERT_TRUE(world.agent.WaitDeath()) << world.agent.Output();
  world.agent.Start();
  world.ExpectRan();
}
INSTANTIATE_TEST_SUITE_P(Torture, AgentKilledOnTheWay,
                         testing::Values("agent.sending", "agent.answered", "agent.before_order",
                                         "agent.directory", "agent.ordered", "agent.spawned",
                                         "agent.forgetting", "agent.forgotten"));

class AgentKilledWhileStopping : public testing::TestWithParam<const char*> {};
TEST_P(AgentKilledWhileStopping, EndsTheWholeTree) {
  World world;
  world.Order();
  world.agent.Start(GetParam());
  ASSERT_TRUE(world.WaitUp());
  world.scheduler.Stop(Attempt(), "Cancel", 200);
  ASSERT_TRUE(world.agent.WaitDeath()) << world.agent.Output();
  world.agent.Start();
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->end_reason(), "CancelledByUser");
  EXPECT_EQ(end->signal(), SIGTERM);
  EXPECT_TRUE(world.scheduler.WaitGone(Attempt()));
  EXPECT_EQ(world.Lines(), "");
  EXPECT_EQ(world.Left().size(), 0u);
  EXPECT_THAT(world.GroupsLeft(), testing::IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Torture, AgentKilledWhileStopping,
                         testing::Values("agent.stopping", "agent.stop_written",
                                         "agent.stop_sent"));

class AgentKilledWhileRefusing : public testing::TestWithParam<const char*> {};
TEST_P(AgentKilledWhileRefusing, NeverStartsTheAttempt) {
  World world;
  world.LetGo();
  world.scheduler.Stop(Attempt(), "Cancel", 200);
  world.agent.Start(GetParam());
  ASSERT_TRUE(world.agent.WaitDeath()) << world.agent.Output();
  world.scheduler.Cut(true);
  world.agent.Start();
  world.Order();  // the late copy of an order
  world.scheduler.Stop(Attempt(), "Cancel", 200);
  world.scheduler.Cut(false);
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->state(), Report::ABSENT);
  EXPECT_TRUE(world.scheduler.WaitGone(Attempt()));
  EXPECT_EQ(world.Lines(), "");
}
INSTANTIATE_TEST_SUITE_P(Torture, AgentKilledWhileRefusing,
                         testing::Values("agent.refusing", "agent.refused"));

class AgentKilledWhileBurying : public testing::TestWithParam<const char*> {};
TEST_P(AgentKilledWhileBurying, EndsWhatTheLostSupervisorLeft) {
  World world;
  world.Order();
  world.agent.Start(GetParam());
  ASSERT_TRUE(world.WaitUp());
  AttemptDir dir(world.agent.StateDir() + "/attempts/" + world.scheduler.lab_run() + "/17_0.1");
  std::optional<Claim> claim = dir.ReadClaim();
  ASSERT_TRUE(claim.has_value());
  ASSERT_TRUE(SendSignal({.pid = static_cast<pid_t>(claim->pid), .start_ticks = claim->start_ticks},
                         SIGKILL));
  ASSERT_TRUE(world.agent.WaitDeath()) << world.agent.Output();
  world.agent.Start();
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->end_reason(), "SupervisorLost");
  EXPECT_FALSE(end->has_exit_code());
  EXPECT_EQ(world.Left().size(), 0u);
  EXPECT_THAT(world.GroupsLeft(), testing::IsEmpty());
  world.Order(2);  // what a scheduler does then
  world.LetGo();
  world.ExpectRan(2);
}
INSTANTIATE_TEST_SUITE_P(Torture, AgentKilledWhileBurying,
                         testing::Values("agent.burying", "agent.killed"));

// Killed before its claim the supervisor is started again: the attempt itself goes on.
TEST(SupervisorKilled, BeforeItsClaimNothingIsLost) {
  World world;
  world.LetGo();
  world.Order();
  world.agent.Start("supervisor.detached");
  auto starting = [](const Report& r) { return r.state() == Report::STARTING; };
  ASSERT_TRUE(world.scheduler.WaitReport(Attempt(), starting).has_value());
  world.agent.Kill();
  world.agent.Start();
  world.ExpectRan();
}

// Killed before the main process has ended: the attempt is lost, and the next one does the work.
class SupervisorKilledEarly : public testing::TestWithParam<const char*> {};
TEST_P(SupervisorKilledEarly, LosesTheAttemptAndNothingElse) {
  World world;
  world.Order();
  world.agent.Start(std::string(GetParam()) + "@17_0.1");
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value()) << world.agent.Output();
  EXPECT_EQ(end->end_reason(), "SupervisorLost");
  EXPECT_EQ(world.Left().size(), 0u);
  EXPECT_THAT(world.GroupsLeft(), testing::IsEmpty());
  EXPECT_EQ(world.Lines(), "");
  world.Order(2);
  world.LetGo();
  world.ExpectRan(2);
}
INSTANTIATE_TEST_SUITE_P(Torture, SupervisorKilledEarly,
                         testing::Values("supervisor.launched", "supervisor.prepared",
                                         "supervisor.executed", "supervisor.started"));

// Killed once the main process's end is on disk: the truth survives.
class SupervisorKilledLate : public testing::TestWithParam<const char*> {};
TEST_P(SupervisorKilledLate, KeepsTheTrueExitCode) {
  World world;
  world.LetGo();
  world.Order();
  world.agent.Start(GetParam());
  world.ExpectRan();
}
INSTANTIATE_TEST_SUITE_P(Torture, SupervisorKilledLate,
                         testing::Values("supervisor.main_recorded", "supervisor.tree_gone",
                                         "supervisor.log_closed", "supervisor.exit_written"));

// The one instant in which nobody can know: the main process has ended, and the only one who was
// told is killed before it can write it down. Said as such, never as a success, never run twice.
TEST(SupervisorKilled, WithTheExitCodeInItsHandsSaysThatItIsLost) {
  World world;
  world.LetGo();
  world.Order();
  world.agent.Start("supervisor.main_ended");
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->end_reason(), "SupervisorLost");
  EXPECT_FALSE(end->has_exit_code());
  EXPECT_EQ(world.Lines(), "1\n");
  EXPECT_EQ(world.Left().size(), 0u);
  EXPECT_THAT(world.GroupsLeft(), testing::IsEmpty());
}

class SupervisorKilledStopping : public testing::TestWithParam<const char*> {};
TEST_P(SupervisorKilledStopping, StillEndsTheTree) {
  World world;
  world.Order();
  world.agent.Start(GetParam());
  ASSERT_TRUE(world.WaitUp());
  world.scheduler.Stop(Attempt(), "Cancel", 100);
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value());
  EXPECT_THAT(end->end_reason(), testing::AnyOf("SupervisorLost", "CancelledByUser"));
  EXPECT_TRUE(world.scheduler.WaitGone(Attempt()));
  EXPECT_EQ(world.Left().size(), 0u);
  EXPECT_THAT(world.GroupsLeft(), testing::IsEmpty());
  EXPECT_EQ(world.Lines(), "");
}
INSTANTIATE_TEST_SUITE_P(Torture, SupervisorKilledStopping,
                         testing::Values("supervisor.noticed", "supervisor.warned",
                                         "supervisor.terminated", "supervisor.killing"));

}  // namespace
}  // namespace pinka::test
