#include "scheduler/core/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/core/board.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// a100 asks for a success on t4 within 30 days.
struct Gated {
  explicit Gated(bool refuses) {
    w.Deposit("lab", 100'000);
    w.AddNode("small", "t4", 4);
    w.AddNode("big", "a100", 4);
    w.AddNode("box", "cpu", 4);
    Gate("t4", refuses);
  }
  Reply Gate(const std::string& gate, bool refuses) {
    LabChange::Tier tier;
    tier.row = w.state().tiers.Get(w.Tier("a100"));
    tier.gate = gate;
    tier.row.gate_within = Duration::Days(30);
    tier.row.gate_refuses = refuses;
    LabChange change;
    change.tiers = {tier};
    return w.Do(ApplyLab{w.Admin(), {}, change, false});
  }
  JobRequest Job(const std::string& tier, const std::string& code = "train") {
    JobRequest request = w.Job(tier, Duration::Hours(1), tier == "cpu" ? 0 : 1);
    request.payload = {code, code};
    request.command = "-- python " + code + ".py";
    return request;
  }
  // Runs and ends it.
  void Try(const std::string& member, const std::string& tier, int32_t code = 0) {
    const JobId job = w.Submit(member, Job(tier));
    w.Run(job);
    w.Advance(Duration::Minutes(1));
    w.Exit(job, code);
  }
  Reason Final(const std::string& member = "alice") {
    return w.TrySubmit(member, Job("a100")).reason;
  }
  CoreWorld w;
};

TEST(Gate, RefusesWithTheCommandThatWouldSatisfyIt) {
  Gated lab(true);
  const Reply refused = lab.w.TrySubmit("alice", lab.Job("a100"));
  EXPECT_EQ(refused.reason, Reason::kSmokeTestNeeded);
  EXPECT_EQ(refused.detail,
            "tier a100 asks for a success of the same code on t4 within 30d, and there is none; "
            "try it first: pinka submit --tier t4 --time 10m -- python train.py; or say why it "
            "may pass with --skip-gate REASON");
  EXPECT_TRUE(lab.w.state().jobs.rows().empty());
  lab.Try("alice", "t4");
  EXPECT_EQ(lab.Final(), Reason::kOk);
}

TEST(Gate, ComparesTheTreeOfFilesWhereThereIsOne) {
  Gated lab(true);
  const auto job = [&](const std::string& tier, const std::string& command, const char* code) {
    JobRequest request = lab.Job(tier, command);
    request.code = code;
    return request;
  };
  const JobId tried = lab.w.Submit("alice", job("t4", "train --steps 10", "tree-1"));
  lab.w.Run(tried);
  lab.w.Advance(Duration::Minutes(1));
  lab.w.Exit(tried, 0);
  EXPECT_EQ(lab.w.TrySubmit("alice", job("a100", "train --steps 10", "tree-2")).reason,
            Reason::kSmokeTestNeeded)
      << "the same words, other code";
  EXPECT_EQ(lab.w.TrySubmit("alice", job("a100", "train --steps 10", "")).reason,
            Reason::kSmokeTestNeeded);
  EXPECT_EQ(lab.w.TrySubmit("alice", job("a100", "train --steps 3000", "tree-1")).reason,
            Reason::kOk);
}

TEST(Gate, CountsOnlyAnOwnSuccessOfTheSameCodeOnAnEqualOrHarderTier) {
  Gated lab(true);
  lab.Try("alice", "cpu");
  EXPECT_EQ(lab.Final(), Reason::kSmokeTestNeeded) << "a tier below the gate's";
  lab.Try("alice", "t4", 1);
  EXPECT_EQ(lab.Final(), Reason::kSmokeTestNeeded) << "a failure";
  lab.Try("bob", "t4");
  EXPECT_EQ(lab.Final(), Reason::kSmokeTestNeeded) << "somebody else's";
  EXPECT_EQ(lab.Final("bob"), Reason::kOk);
  JobRequest other = lab.Job("a100", "other");
  EXPECT_EQ(lab.w.TrySubmit("bob", other).reason, Reason::kSmokeTestNeeded) << "other code";
  other.skip_gate = "profiled by hand";
  const JobId skipped = lab.w.Submit("bob", other);
  lab.w.Run(skipped);
  lab.w.Exit(skipped, 0);
  other.skip_gate = "";
  EXPECT_EQ(lab.w.TrySubmit("bob", other).reason, Reason::kOk) << "it has run on the tier itself";
}

TEST(Gate, TakesWhatTheDatabaseKnowsOfJobsThatHaveLeftMemory) {
  Gated lab(true);
  lab.Try("alice", "t4");
  lab.w.Advance(Duration::Hours(1));
  EXPECT_EQ(lab.Final(), Reason::kSmokeTestNeeded) << "left memory, and nothing is attached";
  SubmitJobs command;
  command.actor = lab.w.By("alice");
  command.jobs = {lab.Job("a100"), lab.Job("a100")};
  command.proven = {lab.w.Tier("t4"), lab.w.Tier("cpu")};
  EXPECT_EQ(lab.w.Do(command).reason, Reason::kSmokeTestNeeded) << "all or nothing";
  command.proven[1] = lab.w.Tier("a100");
  EXPECT_EQ(lab.w.Do(command).reason, Reason::kOk);
}

TEST(Gate, ThatOnlyWarnsWarns) {
  Gated lab(false);
  Reply reply = lab.w.TrySubmit("alice", lab.Job("a100"));
  ASSERT_EQ(reply.reason, Reason::kOk);
  ASSERT_EQ(reply.warnings.size(), 1u);
  EXPECT_THAT(reply.warnings[0], HasSubstr("would like a success of the same code on t4"));
  EXPECT_FALSE(lab.w.JobOf(JobId(reply.first)).gate_skipped);
  lab.Try("alice", "t4");
  reply = lab.w.TrySubmit("alice", lab.Job("a100"));
  EXPECT_EQ(reply.warnings, std::vector<std::string>{""});
}

TEST(Gate, IsPassedByWithAReasonThatIsWrittenDown) {
  Gated lab(true);
  JobRequest request = lab.Job("a100");
  request.skip_gate = "the deadline is tonight";
  const JobId job = lab.w.Submit("alice", request);
  EXPECT_TRUE(lab.w.JobOf(job).gate_skipped);
  int told = 0;
  for (const EventRow& event : lab.w.store().tables().events) {
    told += event.what == "gate skipped" && event.detail == "the deadline is tonight" &&
            event.actor == lab.w.Member("alice");
  }
  EXPECT_EQ(told, 1);
  lab.Try("alice", "t4");
  EXPECT_FALSE(lab.w.JobOf(lab.w.Submit("alice", request)).gate_skipped) << "nothing was skipped";
}

TEST(Gate, IsToldAndSetByTheLabFile) {
  Gated lab(true);
  lab.w.Advance(Duration::Seconds(1));
  EXPECT_THAT(lab.Gate("t4", true).lines, IsEmpty());
  lab.w.Advance(Duration::Seconds(1));
  EXPECT_THAT(lab.Gate("cpu", false).lines,
              Contains("tier a100: gate asks for a success on t4 within 30d -> would like a "
                       "success on cpu within 30d"));
  EXPECT_EQ(lab.Final(), Reason::kOk);
  lab.w.Advance(Duration::Seconds(1));
  EXPECT_THAT(lab.Gate("", false).lines, Contains(HasSubstr("-> none")));
  EXPECT_EQ(lab.Gate("h100", false).reason, Reason::kNoSuchTier);
  EXPECT_EQ(lab.Gate("a100", false).reason, Reason::kBadRequest);
}

TEST(Gate, ReadsInAQuote) {
  Gated lab(true);
  const JobRequest request = lab.Job("a100");
  EXPECT_EQ(QuoteJob(lab.w.state(), lab.w.By("alice"), request).refusal, Reason::kSmokeTestNeeded);
  EXPECT_EQ(QuoteJob(lab.w.state(), lab.w.By("alice"), request, lab.w.Tier("t4")).refusal,
            Reason::kOk);
}

}  // namespace
}  // namespace pinka::test
