#include "scheduler/core/hardware.h"

#include <gtest/gtest.h>

#include "scheduler/core/nodes.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

using enum HardwareVerdict;

// A node of real cards, whose agent checks them.
struct Lab {
  explicit Lab(int32_t cards = 8) {
    w.Deposit("lab", 10'000);
    w.AddNode("box", "a100", cards);
    Check(kOk, "8 whole cards", "join");
  }
  AgentReport& Agent() { return w.Agent("box").report; }
  Reply Check(HardwareVerdict verdict, const std::string& why, const std::string& cause = "random",
              int64_t demand = 0) {
    Agent().hardware =
        HardwareReport{"1." + std::to_string(++checks), verdict, why, cause, demand, "evidence"};
    return w.Report("box");
  }
  const NodeRow& Node() const { return w.store().tables().nodes.at(w.Node("box")); }
  NodeState State() const { return Node().state; }
  const HardwareRow& Hardware() const { return w.store().tables().hardware.at(w.Node("box")); }
  size_t Evidence() const { return w.store().tables().hardware_checks.size(); }
  Reply Do(NodeVerb verb) { return w.Do(ChangeNode{w.Admin(), {}, "box", verb, "", false}); }

  CoreWorld w;
  int checks = 0;
};

TEST(Hardware, ThatIsWrongIsOutUntilSomebodyHasLooked) {
  Lab lab;
  EXPECT_EQ(lab.State(), NodeState::kReady);
  lab.Check(kMismatch, "claimed is a100, delivered is A800");
  EXPECT_EQ(lab.State(), NodeState::kQuarantined);
  EXPECT_EQ(lab.Node().reason, "claimed is a100, delivered is A800");
  lab.Check(kOk, "fine");
  EXPECT_EQ(lab.State(), NodeState::kQuarantined) << "a good check alone brings nothing back";
  lab.w.Reload();
  lab.Do(NodeVerb::kVerify);
  EXPECT_EQ(lab.w.Agent("box").orders.verify, 1) << "the agent is told";
  EXPECT_EQ(lab.State(), NodeState::kQuarantined);
  lab.Check(kOk, "fine", "demand", 1);
  EXPECT_EQ(lab.State(), NodeState::kReady);
  EXPECT_EQ(lab.Node().reason, "");
  EXPECT_EQ(lab.Hardware().answered, 1);
}

TEST(Hardware, ThatDoesNotAnswerComesBackByItself) {
  Lab lab;
  lab.Check(kUnusable, "nvidia-smi does not answer");
  EXPECT_EQ(lab.State(), NodeState::kQuarantined);
  lab.w.Report("box");
  EXPECT_EQ(lab.State(), NodeState::kQuarantined) << "a repeat says nothing new";
  lab.Check(kOk, "fine");
  EXPECT_EQ(lab.State(), NodeState::kReady);
}

TEST(Hardware, IsNeverReadyBeforeItsFirstCheck) {
  CoreWorld w;
  w.AddNode("good", "a100", 1);
  AgentReport fake = w.Agent("good").report;
  AddNode add;
  add.actor = w.Admin();
  add.node = "fake";
  add.tier = w.Tier("a100");
  add.key_hash = std::string(64, 'd');
  w.Do(add);
  fake.node = "fake";
  fake.instance = "another";
  fake.facts.gpus = {{0, "GPU-fake", "GRID A100X-20C", 20'480}};
  fake.hardware =
      HardwareReport{"1.1", kMismatch, "a slice of one A100X board", "join", 0, "$ nvidia-smi"};
  w.Do(fake);
  EXPECT_EQ(w.store().tables().nodes.at(w.Node("fake")).state, NodeState::kQuarantined);
  for (const EventRow& event : w.store().tables().events)
    EXPECT_FALSE(event.id == "fake" && event.what == "JOINING -> READY");
  ASSERT_EQ(w.store().tables().hardware_checks.size(), 1);
  EXPECT_EQ(w.store().tables().hardware_checks[0].evidence, "$ nvidia-smi");
}

TEST(Hardware, GetsNoWorkInQuarantineAndKeepsWhatRuns) {
  Lab lab;
  const JobId runs = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Run(runs);
  lab.Check(kMismatch, "wrong");
  const JobId waits = lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_EQ(lab.w.StateOf(waits), TaskState::kPending);
  EXPECT_EQ(lab.w.StateOf(runs), TaskState::kRunning);
  lab.Do(NodeVerb::kResume);
  EXPECT_EQ(lab.w.StateOf(waits), TaskState::kStarting);
}

TEST(Hardware, LetsAFindingPassThatAnAdminAccepted) {
  Lab lab;
  lab.Check(kMismatch, "RTX 9999 is no card of the catalogue");
  lab.Do(NodeVerb::kResume);
  EXPECT_EQ(lab.State(), NodeState::kReady);
  lab.Check(kMismatch, "RTX 9999 is no card of the catalogue");
  EXPECT_EQ(lab.State(), NodeState::kReady) << "the same, accepted";
  lab.Check(kMismatch, "a slice of one T4 board");
  EXPECT_EQ(lab.State(), NodeState::kQuarantined) << "another finding";
}

TEST(Hardware, LosesOneCardOfEightAlone) {
  Lab lab;
  std::vector<JobId> jobs;
  for (int n = 0; n < 8; ++n) {
    jobs.push_back(lab.w.Submit("alice", lab.w.Job("a100")));
    lab.w.Run(jobs.back());
  }
  lab.w.Advance(Duration::Minutes(10));
  const int32_t card = lab.w.AttemptOf(jobs[3]).gpus.at(0);
  lab.Agent().facts.gpus[static_cast<size_t>(card)].fault = "GPU is lost";
  lab.Check(kOk, "GPU 3 of 8: GPU is lost");
  EXPECT_EQ(lab.State(), NodeState::kReady);
  EXPECT_EQ(lab.Node().units, 7);
  lab.w.End(jobs[3], EndReason::kHardwareLost);
  EXPECT_EQ(lab.State(), NodeState::kReady) << "the other seven go on";
  EXPECT_EQ(lab.w.StateOf(jobs[3]), TaskState::kPending) << "it waits for another card";
  EXPECT_EQ(lab.w.JobOf(jobs[3]).charged, Money()) << "the lab pays";
  lab.w.Exit(jobs[0], 0);
  EXPECT_EQ(lab.w.StateOf(jobs[3]), TaskState::kStarting);
  EXPECT_NE(lab.w.AttemptOf(jobs[3]).gpus.at(0), card) << "never the sick card";
}

TEST(Hardware, DoesNotComeBackWithFewerCards) {
  Lab lab(4);
  std::vector<Gpu>& shown = lab.Agent().facts.gpus;
  const Gpu gone = shown[1];
  shown.erase(shown.begin() + 1);
  for (size_t i = 0; i < shown.size(); ++i) shown[i].index = static_cast<int32_t>(i);
  lab.Check(kOk, "3 whole cards", "return");
  ASSERT_EQ(lab.Node().gpus.size(), 4);
  EXPECT_NE(lab.Node().gpus[1].fault, "");
  EXPECT_EQ(lab.Node().gpus[1].uuid, gone.uuid);
  EXPECT_EQ(lab.Node().gpus[3].index, 3) << "indices stay with their cards";
  EXPECT_EQ(lab.Node().units, 3);
  lab.Do(NodeVerb::kResume);
  EXPECT_EQ(lab.Node().gpus.size(), 3) << "an admin has said that it is gone";
  lab.w.Report("box");
  EXPECT_EQ(lab.Node().gpus.size(), 3);
}

TEST(Hardware, OfAnotherMachineReplacesTheOld) {
  Lab lab(2);
  lab.Agent().facts.gpus = {{0, "GPU-new", "A100", 81'920}};
  lab.Check(kOk, "1 whole card", "join");
  ASSERT_EQ(lab.Node().gpus.size(), 1);
  EXPECT_EQ(lab.Node().gpus[0].fault, "");
  lab.Agent().facts.gpus.clear();
  lab.Check(kUnusable, "the driver is not loaded");
  EXPECT_EQ(lab.Node().gpus.size(), 1) << "registered, though nothing shows it";
}

TEST(Hardware, IsRefusedWhereAnotherNodeHasTheCard) {
  Lab lab(2);
  lab.w.AddNode("copy", "a100", 1);
  AgentReport& copy = lab.w.Agent("copy").report;
  copy.facts.gpus = {lab.Node().gpus[1]};
  copy.hardware = HardwareReport{"1.1", kOk, "1 whole card", "join", 0, "evidence"};
  lab.w.Report("copy");
  const NodeRow& row = lab.w.store().tables().nodes.at(lab.w.Node("copy"));
  EXPECT_EQ(row.state, NodeState::kQuarantined);
  EXPECT_NE(row.reason.find("registered by node box"), std::string::npos) << row.reason;
  EXPECT_EQ(lab.State(), NodeState::kReady) << "the first stays";
  copy.hardware->id = "1.2";
  copy.hardware->cause = "random";
  lab.w.Report("copy");
  EXPECT_EQ(row.state, NodeState::kQuarantined);
}

TEST(Hardware, KeepsEvidenceOfWhatIsNew) {
  Lab lab;
  EXPECT_EQ(lab.Evidence(), 1);
  lab.Check(kOk, "fine");
  EXPECT_EQ(lab.Evidence(), 1) << "the same again";
  lab.Check(kOk, "fine", "demand");
  EXPECT_EQ(lab.Evidence(), 2);
  lab.Check(kUnusable, "gone");
  EXPECT_EQ(lab.Evidence(), 3);
  lab.w.Report("box");
  EXPECT_EQ(lab.Evidence(), 3);
}

TEST(Hardware, CountsAttemptsThatItRefused) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  ObservedAttempt refused;
  refused.id = lab.w.Attempt(job);
  refused.state = ObservedAttempt::State::kAbsent;
  refused.end_reason = EndReason::kHardwareLost;
  lab.Agent().attempts = {refused};
  lab.w.Report("box");
  EXPECT_EQ(lab.w.store().tables().tasks.at({job, 0}).infra_restarts, 1);
}

TEST(MergeGpus, KeepsIndicesWithTheirCards) {
  const std::vector<Gpu> known = {{0, "a", "", 0}, {1, "b", "", 0}, {2, "c", "", 0}};
  const std::vector<Gpu> merged =
      MergeGpus(known, {{0, "c", "", 0}, {1, "a", "", 0}, {2, "d", "", 0}});
  ASSERT_EQ(merged.size(), 4);
  EXPECT_EQ(merged[0].uuid, "a");
  EXPECT_EQ(merged[2].uuid, "c");
  EXPECT_EQ(merged[2].index, 2);
  EXPECT_NE(merged[1].fault, "");
  EXPECT_EQ(merged[3].index, 3);
  EXPECT_EQ(MergeGpus(known, {{0, "x", "", 0}}).size(), 1);
  EXPECT_EQ(MergeGpus(known, {}).size(), 3);
  EXPECT_EQ(MergeGpus(merged, known)[1].fault, "") << "it is back";
}

}  // namespace
}  // namespace pinka::test
