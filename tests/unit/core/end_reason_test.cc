// The one table of ends: what the task becomes, who pays, whether it goes on.
#include "scheduler/core/end_reason.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

enum class Pays { kMember, kLab };

struct Row {
  EndReason reason;
  TaskState state;    // with --no-requeue
  TaskState goes_on;  // without it
  Pays pays;          // for an hour of 12.00
  bool drains;
};

class Ends : public testing::TestWithParam<Row> {};

// One hour of an a100 that ends for `reason`.
struct Ended {
  Ended(EndReason reason, bool no_requeue) {
    w.Deposit("alice", 50);
    w.AddNode("box", "a100", 1);
    JobRequest request = w.Job("a100", Duration::Hours(2));
    request.no_requeue = no_requeue;
    job = w.Submit("alice", request);
    w.Run(job);
    w.Advance(Duration::Hours(1));
    if (reason == EndReason::kExited) {
      w.Exit(job, 1);
    } else {
      w.End(job, reason);
    }
  }
  CoreWorld w;
  JobId job;
};

TEST_P(Ends, AreWhatTheTableSays) {
  const Row& row = GetParam();
  Ended e(row.reason, true);
  EXPECT_EQ(e.w.StateOf(e.job), row.state);
  const SettlementRow& settled = e.w.store().tables().settlements.at({e.job, 0, 1});
  const Money hour = Money::Whole(12);
  EXPECT_EQ(settled.charged, row.pays == Pays::kMember ? hour : Money());
  EXPECT_EQ(settled.lab, row.pays == Pays::kLab ? hour : Money());
  if (IsTerminal(row.state)) {
    EXPECT_EQ(e.w.Available("alice"), Money::Whole(50) - settled.charged);
  }
  EXPECT_EQ(e.w.state().nodes.Get(e.w.Node("box")).drain_wanted, row.drains);
}

TEST_P(Ends, GoOnByThemselvesWhereTheTableSays) {
  const Row& row = GetParam();
  if (row.drains) return;  // it waits, for another node
  Ended e(row.reason, false);
  EXPECT_EQ(e.w.StateOf(e.job), row.goes_on) << Name(row.reason);
}

using S = TaskState;
using R = EndReason;
INSTANTIATE_TEST_SUITE_P(
    All, Ends,
    testing::Values(Row{R::kExited, S::kFailed, S::kFailed, Pays::kMember,
                        false},  // no exit code was told
                    Row{R::kTimeLimit, S::kTimeout, S::kTimeout, Pays::kMember, false},
                    Row{R::kOutOfMemory, S::kOutOfMemory, S::kOutOfMemory, Pays::kMember, false},
                    Row{R::kCancelledByUser, S::kCancelled, S::kCancelled, Pays::kMember, false},
                    Row{R::kCancelledByAdmin, S::kCancelled, S::kCancelled, Pays::kMember, false},
                    Row{R::kRunAgain, S::kFailed, S::kStarting, Pays::kMember, false},
                    Row{R::kBudget, S::kBudget, S::kBudget, Pays::kMember, false},
                    Row{R::kIdleGuard, S::kCancelled, S::kCancelled, Pays::kMember, false},
                    Row{R::kLaunchFailed, S::kFailed, S::kFailed, Pays::kLab, false},
                    Row{R::kStagingFailed, S::kNodeFail, S::kStarting, Pays::kLab, false},
                    Row{R::kHardwareWrong, S::kNodeFail, S::kPending, Pays::kLab, true},
                    Row{R::kHardwareLost, S::kNodeFail, S::kPending, Pays::kLab, true},
                    Row{R::kNodeLost, S::kNodeFail, S::kStarting, Pays::kLab, false},
                    Row{R::kNodeRebooted, S::kNodeFail, S::kStarting, Pays::kLab, false},
                    Row{R::kSupervisorLost, S::kNodeFail, S::kStarting, Pays::kLab, false},
                    Row{R::kDiskFull, S::kNodeFail, S::kStarting, Pays::kLab, false},
                    Row{R::kSpotReclaim, S::kPreempted, S::kStarting, Pays::kMember, false},
                    Row{R::kPreempted, S::kPreempted, S::kStarting, Pays::kMember, false},
                    Row{R::kNodeDrain, S::kPreempted, S::kStarting, Pays::kMember, false}),
    [](const auto& param) { return std::string(Name(param.param.reason)); });

TEST(Withdrawn, IsWhatNeverRanAndNobodyPays) {
  CoreWorld w;
  w.Deposit("alice", 50);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.End(job, EndReason::kWithdrawn);
  EXPECT_EQ(w.store().tables().attempts.at({job, 0, 1}).end_reason, EndReason::kWithdrawn);
  EXPECT_EQ(w.store().tables().holds.at({job, 0, 1}).state, HoldState::kVoided);
  EXPECT_EQ(w.StateOf(job), TaskState::kStarting) << "at once and uncounted";
}

TEST(Withdrawn, IsNotBelievedOfWorkThatRan) {
  Ended lost(EndReason::kWithdrawn, true);
  EXPECT_EQ(lost.w.AttemptOf(lost.job).end_reason, EndReason::kSupervisorLost);
  CoreWorld w;
  w.Deposit("alice", 50);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Change("alice", JobVerb::kCancel, job);
  w.End(job, EndReason::kWithdrawn);
  EXPECT_EQ(w.AttemptOf(job).end_reason, EndReason::kCancelledByUser);
}

TEST(Exited, WithoutAnExitThatAnybodyKnowsIsALostSupervisor) {
  CoreWorld w;
  w.Deposit("alice", 50);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.End(job, EndReason::kExited);
  EXPECT_EQ(w.store().tables().attempts.at({job, 0, 1}).end_reason, EndReason::kSupervisorLost);
}

TEST(EndRules, StandInTheOrderOfTheirEnumeratorsAndHaveDistinctNames) {
  int n = 0;
  for (const EndRule& rule : EndRules()) {
    EXPECT_EQ(static_cast<int>(rule.reason), n++);
    EXPECT_EQ(&RuleOf(rule.reason), &rule);
    EndReason back = EndReason::kNone;
    if (rule.name.empty()) continue;
    ASSERT_TRUE(FromName(rule.name, &back));
    EXPECT_EQ(back, rule.reason);
  }
  EXPECT_EQ(n, static_cast<int>(EndReason::kWithdrawn) + 1);
  EndReason untouched = EndReason::kBudget;
  EXPECT_FALSE(FromName("Nonsense", &untouched));
  EXPECT_EQ(untouched, EndReason::kBudget);
}

}  // namespace
}  // namespace pinka::test
