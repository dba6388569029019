// join.cc: names, instances and keys, bound once.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

const std::string kToken(64, 'a');
const std::string kKey(64, 'b');

struct Lab {
  Reply Token(const std::string& hash = kToken, Duration valid = Duration::Hours(1)) {
    AddNode add;
    add.actor = w.Admin();
    add.node = "n1";
    add.tier = w.Tier("a100");
    add.join_hash = hash;
    add.join_until = w.now + valid;
    return w.Do(add);
  }
  Reply Join(const std::string& instance = "i-1", const std::string& key = kKey,
             const std::string& token = kToken, const std::string& boot = "boot 1") {
    return w.Do(JoinNode{token, key, instance, boot});
  }
  Reply Hear(const std::string& instance, int64_t incarnation = 1,
             const std::string& boot = "boot 1") {
    AgentReport report;
    report.node = "n1";
    report.instance = instance;
    report.incarnation = incarnation;
    report.boot_id = boot;
    report.facts.tier = w.Tier("a100");
    report.facts.gpus = {{0, "gpu-0", "a100", 80'000}};
    return w.Do(report);
  }
  const NodeRow& Node() { return w.state().nodes.Get(w.Node("n1")); }
  AttemptRow RunOne() {
    w.Deposit("lab", 1'000);
    const JobId job = w.Submit("alice", w.Job("a100"));
    return w.AttemptOf(job);
  }
  CoreWorld w;
};

TEST(Join, BindsNameInstanceAndKey) {
  Lab lab;
  EXPECT_EQ(lab.Token().reason, Reason::kOk);
  EXPECT_EQ(lab.Node().state, NodeState::kJoining);
  EXPECT_EQ(lab.Join().reason, Reason::kOk);
  EXPECT_EQ(lab.Node().instance, "i-1");
  EXPECT_EQ(lab.Node().key_hash, kKey);
  EXPECT_EQ(lab.Hear("i-1").reason, Reason::kOk);
  EXPECT_EQ(lab.Node().state, NodeState::kReady);
  EXPECT_EQ(lab.Hear("i-2").reason, Reason::kNodeTaken) << "the key was given to i-1";
}

TEST(Join, WorksOnceAndARepeatOfTheSameBoxGetsTheSameAnswer) {
  Lab lab;
  lab.Token();
  const Reply first = lab.Join();
  EXPECT_EQ(lab.Join().first, first.first);
  for (const Reply& other : {lab.Join("i-2"), lab.Join("i-1", std::string(64, 'c'))}) {
    EXPECT_EQ(other.reason, Reason::kNotPermitted);
    EXPECT_NE(other.detail.find("used"), std::string::npos) << other.detail;
  }
  EXPECT_EQ(lab.Node().key_hash, kKey);
}

TEST(Join, EndsWithItsTime) {
  Lab lab;
  lab.Token(kToken, Duration::Minutes(10));
  lab.w.Advance(Duration::Minutes(10));
  const Reply late = lab.Join();
  EXPECT_EQ(late.reason, Reason::kNotPermitted);
  EXPECT_NE(late.detail.find("ended at"), std::string::npos) << late.detail;
}

TEST(Join, TakesOnlyTheNewestTokenOfANode) {
  Lab lab;
  lab.Token();
  lab.Token(std::string(64, 'd'));
  EXPECT_EQ(lab.Join().reason, Reason::kNotPermitted);
  EXPECT_EQ(lab.Join("i-1", kKey, std::string(64, 'd')).reason, Reason::kOk);
  EXPECT_EQ(lab.Join("i-1", kKey, "").reason, Reason::kNotPermitted);
}

TEST(Join, AnewReplacesTheKeyAndKeepsTheInstance) {
  Lab lab;
  lab.Token();
  lab.Join();
  lab.Hear("i-1", 5);
  lab.RunOne();
  lab.Token(std::string(64, 'd'));
  EXPECT_EQ(lab.Join("i-1", std::string(64, 'e'), std::string(64, 'd')).reason, Reason::kOk);
  EXPECT_EQ(lab.Node().key_hash, std::string(64, 'e'));
  EXPECT_EQ(lab.Hear("i-1", 5).reason, Reason::kOk) << "its work goes on";
}

TEST(Join, UnderANameWhoseWorkMayRunIsRefused) {
  Lab lab;
  lab.Token();
  lab.Join();
  lab.Hear("i-1", 5);
  const AttemptRow attempt = lab.RunOne();
  lab.Token(std::string(64, 'd'));
  const auto another = [&](const std::string& boot) {
    return lab.Join("i-2", std::string(64, 'e'), std::string(64, 'd'), boot);
  };
  EXPECT_EQ(another("boot 2").reason, Reason::kNodeTaken) << "the old box is heard";
  lab.w.Do(NodeSilent{lab.w.Node("n1"), {}});
  EXPECT_EQ(another("boot 1").reason, Reason::kNodeTaken) << "the same boot: it may run yet";
  EXPECT_EQ(another("boot 2").reason, Reason::kOk);
  EXPECT_EQ(lab.Hear("i-2", 1, "boot 2").reason, Reason::kOk) << "it counts its starts anew";
  EXPECT_NE(lab.w.state().attempts.Get(attempt.id).state, AttemptState::kRunning);
}

TEST(Join, IsRevokedWithTheNode) {
  Lab lab;
  lab.Token();
  lab.w.Do(ChangeNode{lab.w.Admin(), {}, "n1", NodeVerb::kRemove, "", false});
  EXPECT_EQ(lab.Join().reason, Reason::kNotPermitted);
  EXPECT_EQ(lab.w.Do(RotateKey{"n1", kKey, "i-1"}).reason, Reason::kNoSuchNode);
}

TEST(Keys, AreRotated) {
  Lab lab;
  lab.Token();
  lab.Join();
  const std::string next(64, 'f');
  EXPECT_EQ(lab.w.Do(RotateKey{"n1", next, "i-2"}).reason, Reason::kNodeTaken) << "a stolen copy";
  EXPECT_EQ(lab.Node().key_hash, kKey);
  EXPECT_EQ(lab.w.Do(RotateKey{"n1", next, "i-1"}).reason, Reason::kOk);
  EXPECT_EQ(lab.Node().key_hash, std::string(64, 'f'));
}

TEST(Nodes, AreAddedByAdminsToKnownTiersAndKeepTierAndSource) {
  Lab lab;
  AddNode add;
  add.actor = lab.w.By("alice");
  add.node = "n1";
  add.tier = lab.w.Tier("t4");
  EXPECT_EQ(lab.w.Do(add).reason, Reason::kNotPermitted);
  add.actor = lab.w.Admin();
  add.tier = TierId(99);
  EXPECT_EQ(lab.w.Do(add).reason, Reason::kNoSuchTier);
  add.tier = lab.w.Tier("t4");
  EXPECT_EQ(lab.w.Do(add).reason, Reason::kOk);
  add.tier = lab.w.Tier("a100");
  EXPECT_EQ(lab.w.Do(add).reason, Reason::kConflict);
  add.tier = lab.w.Tier("t4");
  add.source = Source::kSpot;
  EXPECT_EQ(lab.w.Do(add).reason, Reason::kConflict);
}

}  // namespace
}  // namespace pinka::test
