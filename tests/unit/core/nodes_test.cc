// nodes.cc and report.cc: registration, identity, reboots, silence, removal, what agents say.
#include "scheduler/core/nodes.h"

#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  Lab() {
    w.Deposit("lab", 10'000);
    w.AddNode("box", "a100", 2);
  }
  NodeState State() const { return w.store().tables().nodes.at(box).state; }
  JobId Running() {
    const JobId job = w.Submit("alice", w.Job("a100"));
    w.Run(job);
    return job;
  }
  Reply Node(NodeVerb verb, bool dead = false) {
    return w.Do(ChangeNode{w.Admin(), {}, "box", verb, "", dead});
  }
  CoreWorld w;
  NodeId box = w.state().node_by_name.empty() ? NodeId() : w.Node("box");
};

TEST(UnitsOfNode, ComeFromWhatTheTierCounts) {
  TierRow tier;
  tier.unit_gpus = 2;
  NodeFacts facts;
  facts.gpus.resize(5);
  EXPECT_EQ(UnitsOfNode(tier, facts), 2);
  tier.unit_gpus = 0;
  tier.unit_cpus = 4;
  facts.cpus = 11;
  EXPECT_EQ(UnitsOfNode(tier, facts), 2);
  facts.units = 7;
  EXPECT_EQ(UnitsOfNode(tier, facts), 7);
}

TEST(Node, JoinsWithATokenAndIsReadyWhenItsAgentSpeaks) {
  Lab lab;
  lab.box = lab.w.Node("box");
  EXPECT_EQ(lab.State(), NodeState::kReady);
  AgentReport stranger;
  stranger.node = "nobody";
  EXPECT_EQ(lab.w.Do(stranger).reason, Reason::kNoSuchNode);
}

TEST(Node, IsDrainedWhenItsLastWorkEndsAndComesBackOnResume) {
  Lab lab;
  lab.box = lab.w.Node("box");
  const JobId job = lab.Running();
  lab.Node(NodeVerb::kDrain);
  EXPECT_EQ(lab.State(), NodeState::kDraining);
  EXPECT_TRUE(lab.w.Agent("box").orders.drain) << "the agent is told";
  const JobId waits = lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_EQ(lab.w.StateOf(waits), TaskState::kPending);
  lab.w.Exit(job, 0);
  EXPECT_EQ(lab.State(), NodeState::kDrained);
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kDrained) << "an admin's drain stands";
  lab.Node(NodeVerb::kResume);
  EXPECT_EQ(lab.w.StateOf(waits), TaskState::kStarting);
}

TEST(Node, WhoseAgentStopsIsReadyAgainWithItsNextProcess) {
  Lab lab;
  lab.box = lab.w.Node("box");
  AgentReport& report = lab.w.Agent("box").report;
  report.draining = true;
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kDrained);
  const size_t events = lab.w.store().tables().events.size();
  lab.w.Report("box");
  EXPECT_EQ(lab.w.store().tables().events.size(), events) << "a repeat is no event";
  report.draining = false;
  ++report.incarnation;
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kReady);
}

TEST(Node, ThatIsUnfitTakesNothingNewUntilItIsFitAgain) {
  Lab lab;
  lab.box = lab.w.Node("box");
  const JobId job = lab.Running();
  AgentReport& report = lab.w.Agent("box").report;
  report.unfit = "/work has less than 256M of room left";
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kDraining);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kRunning) << "what runs, runs on";
  const JobId waits = lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_EQ(lab.w.StateOf(waits), TaskState::kPending);
  lab.Node(NodeVerb::kResume);
  EXPECT_EQ(lab.w.StateOf(waits), TaskState::kPending) << "nobody resumes a full disk";
  report.unfit.clear();
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kReady);
  EXPECT_EQ(lab.w.StateOf(waits), TaskState::kStarting);
}

TEST(Node, ThatWasDrainedByNameStaysSoWhenItIsFitAgain) {
  Lab lab;
  lab.box = lab.w.Node("box");
  AgentReport& report = lab.w.Agent("box").report;
  report.unfit = "its clock is 10m fast";
  lab.w.Report("box");
  lab.Node(NodeVerb::kDrain);
  report.unfit.clear();
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kDrained);
}

TEST(Orders, HoldAJobToWhatItsUnitsPayForUnlessItAskedForLess) {
  Lab lab;
  lab.box = lab.w.Node("box");
  const TierRow& tier = lab.w.state().tiers.Get(lab.w.state().nodes.Get(lab.box).tier);
  const JobId usual = lab.w.Submit("alice", lab.w.Job("a100"));
  JobRequest small = lab.w.Job("a100");
  small.cpus = 1;
  small.memory = int64_t{1} << 30;
  const JobId asked = lab.w.Submit("alice", small);
  for (const NodeOrders::Order& order : lab.w.Agent("box").orders.orders) {
    const bool is_usual = order.attempt.id.job == usual;
    EXPECT_TRUE(is_usual || order.attempt.id.job == asked);
    EXPECT_EQ(order.cpus, is_usual ? tier.unit_cpus : 1);
    EXPECT_EQ(order.memory, is_usual ? tier.unit_memory : int64_t{1} << 30);
    EXPECT_FALSE(order.cut_by_budget);
  }
  EXPECT_EQ(lab.w.Agent("box").orders.orders.size(), 2u);
}

TEST(Silence, IsNotFailure) {
  Lab lab;
  lab.box = lab.w.Node("box");
  const JobId job = lab.Running();
  lab.w.Do(NodeSilent{lab.box, {}});
  EXPECT_EQ(lab.State(), NodeState::kUnreachable);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kUnknown);
  lab.w.Advance(Duration::Days(3));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kUnknown) << "time alone decides nothing";
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kReady);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kRunning);
}

TEST(Silence, WithdrawsAtOnceWhatNoAnswerHasCarried) {
  Lab lab;
  const JobId carried = lab.w.Submit("alice", lab.w.Job("a100"));
  const JobId never = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Do(NodeSilent{lab.w.Node("box"), {lab.w.Attempt(never)}});
  EXPECT_EQ(lab.w.StateOf(never), TaskState::kPending);
  EXPECT_EQ(lab.w.StateOf(carried), TaskState::kUnknown);
  EXPECT_FALSE(lab.w.AttemptOf(carried).started_at) << "nobody has seen it run";
}

TEST(ProvenOver, EndsTheAttemptAndLetsTheTaskGoOnElsewhere) {
  Lab lab;
  lab.box = lab.w.Node("box");
  const JobId job = lab.Running();
  const AttemptId first = lab.w.Attempt(job);
  lab.w.Do(NodeSilent{lab.box, {}});
  lab.w.AddNode("other", "a100", 1);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kUnknown);
  lab.w.Do(AttemptsProvenOver{{first}, EndReason::kNodeLost});
  EXPECT_EQ(lab.State(), NodeState::kLost);
  EXPECT_EQ(lab.w.AttemptOf(job).node, lab.w.Node("other"));
  // The box is back after all, and says what became of it: recorded, nothing changes.
  ObservedAttempt* seen = &lab.w.Agent("box").report.attempts.emplace_back();
  seen->id = first;
  seen->state = ObservedAttempt::State::kEnded;
  seen->end_reason = EndReason::kExited;
  seen->exited = true;
  lab.w.Report("box");
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_TRUE(
      lab.w.store().tables().attempts.at(first).message.ends_with("(late result recorded)"));
}

TEST(Reboot, EndsWhatRanAndKeepsWhatIsOnItsWay) {
  Lab lab;
  const JobId ran = lab.Running();
  const JobId ordered = lab.w.Submit("alice", lab.w.Job("a100"));
  AgentReport& report = lab.w.Agent("box").report;
  report.boot_id = "boot 2";
  ++report.incarnation;
  report.attempts.clear();
  lab.w.Report("box");
  EXPECT_EQ(lab.w.store().tables().attempts.at({ran, 0, 1}).end_reason, EndReason::kNodeRebooted);
  EXPECT_EQ(lab.w.StateOf(ran), TaskState::kStarting);
  EXPECT_EQ(lab.w.Attempt(ran).number, 2);
  EXPECT_EQ(lab.w.Attempt(ordered).number, 1);
}

TEST(Records, ThatAreGoneWithoutARebootAreALostSupervisor) {
  Lab lab;
  const JobId job = lab.Running();
  lab.w.Agent("box").report.attempts.clear();
  lab.w.Report("box");
  EXPECT_EQ(lab.w.store().tables().attempts.at({job, 0, 1}).end_reason, EndReason::kSupervisorLost);
}

TEST(Absence, OfWhatHadStartedIsALossNotAWithdrawal) {
  Lab lab;
  const JobId job = lab.Running();
  lab.w.Agent("box").Find(lab.w.Attempt(job))->state = ObservedAttempt::State::kAbsent;
  lab.w.Report("box");
  EXPECT_EQ(lab.w.store().tables().attempts.at({job, 0, 1}).end_reason, EndReason::kSupervisorLost);
}

TEST(Identity, OfAnotherInstanceIsRefusedWhileWorkOfTheOldOneMayRun) {
  Lab lab;
  const JobId job = lab.Running();
  AgentReport other = lab.w.Agent("box").report;
  other.instance = "a copy";
  EXPECT_EQ(lab.w.Do(other).reason, Reason::kNodeTaken);
  other.boot_id = "boot 2";
  other.attempts.clear();
  EXPECT_EQ(lab.w.Do(other).reason, Reason::kNodeTaken) << "the old machine is heard";
  lab.w.Do(NodeSilent{lab.w.Node("box"), {}});
  EXPECT_EQ(lab.w.Do(other).reason, Reason::kOk) << "the old machine's work is over for certain";
  EXPECT_EQ(lab.w.Attempt(job).number, 2);
}

TEST(Identity, OfAnOlderProcessIsStale) {
  Lab lab;
  AgentReport& report = lab.w.Agent("box").report;
  report.incarnation = 5;
  lab.w.Report("box");
  report.incarnation = 4;
  EXPECT_EQ(lab.w.Report("box").reason, Reason::kStale);
}

TEST(Identity, OfACopiedStateDirectoryIsTold) {
  Lab lab;
  AgentReport copy = lab.w.Agent("box").report;
  copy.boot_id = "another machine's";
  const Reply refused = lab.w.Do(copy);
  EXPECT_EQ(refused.reason, Reason::kNodeTaken);
  EXPECT_NE(refused.detail.find("copy of this state directory"), std::string::npos);
}

TEST(Records, OfAnotherLabRunAreUnknownAndMayBeForgotten) {
  Lab lab;
  const JobId job = lab.Running();
  lab.w.Agent("box").report.lab_run = "another";
  const Reply reply = lab.w.Report("box");
  EXPECT_EQ(reply.unknown, (std::vector<AttemptId>{{job, 0, 1}}));
  EXPECT_EQ(lab.w.Attempt(job).number, 2);
}

TEST(Remove, IsRefusedWhileWorkRunsUnlessTheMachineIsDead) {
  Lab lab;
  lab.box = lab.w.Node("box");
  const JobId job = lab.Running();
  EXPECT_EQ(lab.Node(NodeVerb::kRemove).reason, Reason::kNodeBusy);
  EXPECT_EQ(lab.Node(NodeVerb::kRemove, true).reason, Reason::kOk);
  EXPECT_EQ(lab.w.AttemptOf(job).end_reason, EndReason::kNodeLost);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  EXPECT_EQ(lab.w.Report("box").reason, Reason::kNoSuchNode);
  lab.w.AddNode("box", "a100", 1);
  EXPECT_NE(lab.w.Node("box"), lab.box) << "the name is free again";
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
}

TEST(Survivors, DrainTheNode) {
  Lab lab;
  const JobId job = lab.Running();
  lab.w.Agent("box").Find(lab.w.Attempt(job))->survivors = true;
  lab.w.Exit(job, 0);
  EXPECT_TRUE(lab.w.state().nodes.Get(lab.w.Node("box")).drain_wanted);
}

TEST(Evacuation, PutsRunningWorkBackInTheQueueUntilTheAgentsReturn) {
  Lab lab;
  const JobId job = lab.Running();
  lab.w.Do(Evacuate{});
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStopping);
  lab.w.End(job, EndReason::kNodeDrain);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  EXPECT_EQ(lab.w.store().tables().tasks.at({job, 0}).infra_restarts, 0);
  ++lab.w.Agent("box").report.incarnation;
  lab.w.Report("box");
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
}

TEST(PlayedReclaim, SendsWhatRunsElsewhereAndDrainsTheNode) {
  Lab lab;
  const ChangeNode play{lab.w.Admin(), {}, "box", NodeVerb::kReclaim, "", false};
  EXPECT_EQ(lab.w.Do(play).reason, Reason::kBadRequest) << "nothing runs there";
  const JobId job = lab.Running();
  lab.w.AddNode("other", "a100", 1);
  EXPECT_EQ(lab.w.Do(play).reason, Reason::kOk);
  EXPECT_EQ(lab.w.AttemptOf(job).stop_reason, StopReason::kReclaim);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStopping);
  lab.w.End(job, EndReason::kCancelledByUser);  // as an agent says that it was asked to
  EXPECT_EQ(lab.w.store().tables().attempts.at({job, 0, 1}).end_reason, EndReason::kSpotReclaim);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
  EXPECT_EQ(lab.w.AttemptOf(job).node, lab.w.Node("other"));
  EXPECT_TRUE(lab.w.state().nodes.Get(lab.w.Node("box")).drain_wanted);
}

TEST(Meters, NeverGoBack) {
  Lab lab;
  const JobId job = lab.Running();
  lab.w.Advance(Duration::Minutes(5));
  lab.w.Do(StoreMeters{{{lab.w.Attempt(job), 200'000, 10}}});
  lab.w.Do(StoreMeters{{{lab.w.Attempt(job), 100'000, 20}}});
  EXPECT_EQ(lab.w.AttemptOf(job).metered_ms, 200'000);
  EXPECT_EQ(lab.w.AttemptOf(job).log_bytes, 20);
  lab.w.Do(StoreMeters{{{{JobId(99), 0, 1}, 1, 1}}});  // nobody's: nothing happens
}

}  // namespace
}  // namespace pinka::test
