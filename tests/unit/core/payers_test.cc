// Who pays (semantics.md 8): by the table, or as the lab says.
#include <gtest/gtest.h>

#include "scheduler/core/holds.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

using R = EndReason;

void SayPayer(CoreWorld& w, R reason, Payer payer) {
  LabChange change;
  change.payers.push_back({reason, payer});
  w.Apply(change);
}

struct Lab {
  CoreWorld w;
  Lab() {
    w.Deposit("lab", 1'000);
    w.AddNode("box", "a100", 4);
  }
  // Runs for `minutes` of its hour or so, says that it saved at `saved`, and ends.
  JobId Ended(R reason, int64_t minutes, int64_t saved, Duration limit = Duration::Hours(2)) {
    JobRequest request = w.Job("a100", limit);
    request.no_requeue = true;
    const JobId job = w.Submit("alice", request);
    w.Run(job);
    w.Advance(Duration::Minutes(minutes));
    w.AgentOf(w.Attempt(job)).Find(w.Attempt(job))->checkpoint_ms = saved * 60'000;
    w.End(job, reason);
    return job;
  }
  const SettlementRow& SettledAs(JobId job) {
    return w.store().tables().settlements.at(w.Attempt(job));
  }
};

TEST(Checkpoint, SplitsASpotAttemptBetweenMemberAndLab) {
  Lab lab;
  const JobId job = lab.Ended(R::kSpotReclaim, 60, 40);
  EXPECT_EQ(lab.SettledAs(job).charged, Money::Whole(8));
  EXPECT_EQ(lab.SettledAs(job).lab, Money::Whole(4));
  EXPECT_EQ(lab.SettledAs(job).payer, Payer::kCheckpoint);
  EXPECT_EQ(lab.w.Balance(AccountKind::kSpent, "alice"), Money::Whole(8));
  EXPECT_EQ(lab.w.Balance(AccountKind::kOverheadOther, "lab"), Money::Whole(4));
  EXPECT_EQ(lab.w.Balance(AccountKind::kOverheadOverrun, "lab"), Money());
  EXPECT_EQ(lab.w.JobOf(job).charged, Money::Whole(8));
  const auto overhead = lab.w.Transfers(TransferKind::kOverhead);
  ASSERT_EQ(overhead.size(), 1u);
  EXPECT_EQ(overhead[0].unit_ms, 20 * 60'000);
}

TEST(Checkpoint, TableOfEnds) {
  struct Case {
    R reason;
    int64_t saved;
    int64_t member, lab;  // yuan, of 60 minutes at 12.00
  };
  for (const Case& c : std::vector<Case>{{R::kSpotReclaim, 0, 12, 0},
                                         {R::kSpotReclaim, 60, 12, 0},
                                         {R::kPreempted, 15, 3, 9},
                                         {R::kNodeDrain, 30, 6, 6},
                                         {R::kCancelledByAdmin, 45, 9, 3},
                                         {R::kCancelledByUser, 45, 12, 0},
                                         {R::kOutOfMemory, 45, 12, 0},
                                         {R::kIdleGuard, 45, 12, 0},
                                         {R::kNodeLost, 45, 0, 12},
                                         {R::kDiskFull, 45, 0, 12},
                                         {R::kLaunchFailed, 45, 0, 12}}) {
    Lab lab;
    const JobId job = lab.Ended(c.reason, 60, c.saved);
    EXPECT_EQ(lab.SettledAs(job).charged, Money::Whole(c.member)) << Name(c.reason);
    EXPECT_EQ(lab.SettledAs(job).lab, Money::Whole(c.lab)) << Name(c.reason);
  }
}

TEST(Checkpoint, NeverGoesBackAndNeverAboveTheMeter) {
  Lab lab;
  CoreWorld& w = lab.w;
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(2)));
  w.Run(job);
  const AttemptId id = w.Attempt(job);
  const auto report = [&](int64_t metered, int64_t saved) {
    ObservedAttempt& seen = *w.AgentOf(id).Find(id);
    seen.metered_ms = metered;
    seen.checkpoint_ms = saved;
    w.Report("box");
    return w.AttemptOf(job).checkpoint_ms;
  };
  w.Advance(Duration::Minutes(10));
  EXPECT_EQ(report(600'000, 500'000), 500'000);
  EXPECT_EQ(report(600'000, 300'000), 500'000);
  EXPECT_EQ(report(600'000, 900'000), 600'000);
  EXPECT_EQ(report(9'999'999, 9'999'999), 600'000) << "the server's own times bound both";
  w.Reload();
  w.AgentOf(id).Find(id)->checkpoint_ms = 0;
  w.End(job, R::kSpotReclaim);  // and its task has another attempt
  EXPECT_EQ(w.store().tables().attempts.at(id).checkpoint_ms, 600'000);
}

TEST(Checkpoint, AcrossAMonthTakesBackWhatWasChargedAfterIt) {
  CoreWorld w(At(2026, 9, 30, 22));
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(9)));
  w.Run(job);
  const AttemptId id = w.Attempt(job);
  w.AdvanceTo(At(2026, 10, 1, 0, 1));
  w.Do(StoreMeters{{{id, 121 * 60'000, 0}}});
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(24));
  w.AdvanceTo(At(2026, 10, 1, 1));
  w.AgentOf(id).Find(id)->checkpoint_ms = 90 * 60'000;  // half an hour before the month's end
  w.End(job, R::kNodeDrain);
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Whole(18));
  EXPECT_EQ(w.Balance(AccountKind::kOverheadOther, "lab"), Money::Whole(18));
  ASSERT_EQ(w.Transfers(TransferKind::kReversal).size(), 1u);
  EXPECT_EQ(w.JobOf(job).charged, Money::Whole(18));
}

TEST(Checkpoint, SplitsTheHoursOfAPackage) {
  Lab lab;
  CoreWorld& w = lab.w;
  const PackageId id = w.Buy(w.Package("a100", 10, Money::Whole(100), {{"alice", 1}}));
  JobRequest request = w.Job("a100", Duration::Hours(2));
  request.source = Wish::kPackage;
  request.no_requeue = true;
  const JobId job = w.Submit("alice", request);
  w.Run(job);
  w.Advance(Duration::Hours(1));
  w.AgentOf(w.Attempt(job)).Find(w.Attempt(job))->checkpoint_ms = 40 * 60'000;
  w.End(job, R::kSpotReclaim);
  EXPECT_EQ(w.PackageOf(id).used_ms, 40 * 60'000) << "the lab gives back what was lost";
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "alice"), Money::Micros(6'666'667));
  EXPECT_EQ(w.JobOf(job).charged, Money()) << "a ceiling is of money";
}

TEST(Payers, OfTheLabAreFrozenInTheSettlement) {
  Lab lab;
  SayPayer(lab.w, R::kNodeLost, Payer::kMember);
  SayPayer(lab.w, R::kSpotReclaim, Payer::kLab);
  lab.w.Reload();
  const JobId lost = lab.Ended(R::kNodeLost, 60, 0);
  EXPECT_EQ(lab.SettledAs(lost).charged, Money::Whole(12));
  EXPECT_EQ(lab.SettledAs(lost).payer, Payer::kMember);
  const JobId reclaimed = lab.Ended(R::kSpotReclaim, 60, 40);
  EXPECT_EQ(lab.SettledAs(reclaimed).lab, Money::Whole(12));
  SayPayer(lab.w, R::kNodeLost, Payer::kLab);
  EXPECT_EQ(lab.SettledAs(lost).payer, Payer::kMember) << "what is settled stays";
  EXPECT_EQ(lab.SettledAs(lab.Ended(R::kNodeLost, 60, 0)).lab, Money::Whole(12));
}

TEST(Payers, AreToldAsADifference) {
  Lab lab;
  LabChange change;
  change.payers = {{R::kNodeLost, Payer::kLab}, {R::kPreempted, Payer::kMember}};
  const Reply dry = lab.w.Do(ApplyLab{lab.w.Admin(), {}, change, true});
  EXPECT_EQ(dry.lines, (std::vector<std::string>{"payer of Preempted: checkpoint -> member"}));
  EXPECT_TRUE(lab.w.state().payers.rows().empty());
  lab.w.Apply(change);
  EXPECT_TRUE(lab.w.Apply(change).lines.empty()) << "a second time there is nothing to do";
}

TEST(Payers, OfTheMembersOwnEndAreNotTheLabsToSay) {
  Lab lab;
  for (const EndRule& rule : EndRules()) {
    if (rule.reason == R::kNone) continue;
    LabChange change;
    change.payers = {{rule.reason, Payer::kLab}};
    const Reply reply = lab.w.Do(ApplyLab{lab.w.Admin(), {}, change, true});
    EXPECT_EQ(reply.reason, PayerIsOpen(rule.reason) ? Reason::kOk : Reason::kBadRequest)
        << rule.name;
  }
  EXPECT_FALSE(PayerIsOpen(R::kExited));
  EXPECT_FALSE(PayerIsOpen(R::kTimeLimit));
  EXPECT_FALSE(PayerIsOpen(R::kWithdrawn));
  EXPECT_TRUE(PayerIsOpen(R::kSpotReclaim));
  LabChange nobody;
  nobody.payers = {{R::kNodeLost, Payer::kNobody}};
  EXPECT_EQ(lab.w.Do(ApplyLab{lab.w.Admin(), {}, nobody, true}).reason, Reason::kBadRequest);
}

}  // namespace
}  // namespace pinka::test
