#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/job_tree.h"
#include "agent/process/memory.h"
#include "agent/process/proc.h"

namespace pinka {
namespace {

TEST(Proc, ParsesNamesThatLookLikeFields) {
  std::string line = "42 (a) R 1 (b) S 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 98765 10 11";
  std::optional<ProcessInfo> info = ParseStat(line);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->id.pid, 42);
  EXPECT_EQ(info->state, 'S');
  EXPECT_EQ(info->parent, 7);
  EXPECT_EQ(info->threads, 3);
  EXPECT_EQ(info->id.start_ticks, 98765);
  for (const char* bad : {"", "42", "42 (a)", "42 (a) S", "x (a) S 1 2", "42 (a) S 1 2 3"}) {
    EXPECT_FALSE(ParseStat(bad).has_value()) << bad;
  }
}

TEST(Proc, AZombieWithThreadsIsAlive) {
  ProcessInfo info{.id = {}, .parent = 1, .state = 'Z', .threads = 2};
  EXPECT_FALSE(info.Dead());
  info.threads = 1;
  EXPECT_TRUE(info.Dead());
}

TEST(Proc, WeAreAliveAndAnotherStartTimeIsNotUs) {
  ProcessId self = Self();
  EXPECT_TRUE(IsAlive(self));
  ++self.start_ticks;
  EXPECT_FALSE(IsAlive(self));
  EXPECT_FALSE(SendSignal(self, 0));
  EXPECT_TRUE(SendSignal(Self(), 0));
}

TEST(Proc, AnEnvironmentMustHoldEveryMarkExactly) {
  std::string bytes("A=1\0B=2\0A=1\0", 12);
  EXPECT_TRUE(EnvironmentHolds(bytes, {"A=1", "B=2"}));
  EXPECT_FALSE(EnvironmentHolds(bytes, {"A=1", "C=3"}));
  EXPECT_FALSE(EnvironmentHolds(bytes, {"A="}));
  EXPECT_FALSE(EnvironmentHolds("", {"A=1"}));
}

TEST(Proc, AHandlerIsReadFromTheMask) {
  std::string status = "Name:\tx\nSigIgn:\t0000000000000002\nSigCgt:\t0000000000000a00\n";
  EXPECT_TRUE(StatusCatches(status, SIGUSR1));  // bit 9
  EXPECT_TRUE(StatusCatches(status, SIGUSR2));  // bit 11
  EXPECT_FALSE(StatusCatches(status, SIGINT));  // ignored is not caught
  EXPECT_FALSE(StatusCatches(status, SIGTERM));
  EXPECT_FALSE(StatusCatches("Name:\tx\n", SIGUSR1));
  EXPECT_FALSE(CatchesSignal(getpid(), SIGUSR2));
  signal(SIGUSR2, [](int) {});
  EXPECT_TRUE(CatchesSignal(getpid(), SIGUSR2));
  signal(SIGUSR2, SIG_DFL);
}

TEST(Memory, KilobytesAreReadByName) {
  std::string text = "VmRSS:\t 12 kB\nRssAnon:\t   34 kB\nRssShmem:\t0 kB\n";
  EXPECT_EQ(KilobyteLine(text, "RssAnon"), 34 * 1024);
  EXPECT_EQ(KilobyteLine(text, "VmRSS"), 12 * 1024);
  EXPECT_EQ(KilobyteLine(text, "Anon"), 0);
}

TEST(Memory, TheLargestProcessHasAName) {
  MemoryUse use = MemoryOf({Self()}, Sharing::kCountedOnce);
  EXPECT_EQ(use.largest, Self());
  EXPECT_EQ(use.name, NameOf(getpid()));
  EXPECT_GT(use.bytes, 0);
  EXPECT_EQ(MemoryOf({}, Sharing::kCountedEach).largest.pid, 0);
}

TEST(JobTree, NeverTouchesANeighbourOfAnotherLab) {
  std::vector<std::string> env = AttemptMarks("lab-a", "17_0.1");
  pid_t neighbour = fork();
  if (neighbour == 0) {
    const char* argv[] = {"sleep", "60", nullptr};
    const char* marks[] = {env[0].c_str(), env[1].c_str(), nullptr};
    execve("/bin/sleep", const_cast<char**>(argv), const_cast<char**>(marks));
    _exit(1);
  }
  while (!HasEnvironment(neighbour, env)) sched_yield();  // until exec has happened
  JobTree other(AttemptMarks("lab-b", "17_0.1"), Cgroup(), {});
  EXPECT_TRUE(other.KillPass());
  EXPECT_EQ(waitpid(neighbour, nullptr, WNOHANG), 0);
  JobTree ours(env, Cgroup(), {});
  ASSERT_EQ(ours.List().size(), 1u);
  EXPECT_FALSE(ours.KillPass());
  int status = 0;
  EXPECT_EQ(waitpid(neighbour, &status, 0), neighbour);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

}  // namespace
}  // namespace pinka
