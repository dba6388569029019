#include "db/reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "db/store.h"
#include "tests/db/sample.h"
#include "tests/support/postgres.h"

namespace pinka::db {
namespace {

using pinka::testing::At;
using pinka::testing::SampleChanges;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Reads : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string url = pinka::testing::FreshDatabase();
    Store store(url);
    int64_t term = store.AcquireLeadership("a", "b").value();
    Changes changes = SampleChanges();
    AddTransfers(&changes);
    CommitResult result = store.Commit({term, 1, At(100)}, changes);
    ASSERT_TRUE(result.done()) << result.message;
    result = store.Commit({term, 2, At(100)}, MoreJobs());
    ASSERT_TRUE(result.done()) << result.message;
    const auto loaded = store.LoadSnapshot(term);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    amended_ = loaded->second.amended;
    pool_ = new ReadPool(url, 2);
  }

  static void AddTransfers(Changes* c) {
    TransferRow overhead = pinka::testing::SampleTransfer(2);
    overhead.debit = AccountId(12);
    overhead.credit = AccountId(13);
    overhead.kind = TransferKind::kOverhead;
    overhead.payer = OwnedByLab();
    overhead.amount = Money::Micros(8);
    overhead.unit_ms = 1'000;
    TransferRow later = pinka::testing::SampleTransfer(3);
    later.at = At(86'400);
    later.attempt = {JobId(7), 2, 1};
    later.payer = OwnedBy(ProjectId(2));
    later.amount = Money::Micros(30);
    later.unit_ms = 2'000;
    TransferRow deposit = pinka::testing::SampleTransfer(4);
    deposit.kind = TransferKind::kDeposit;
    deposit.debit = AccountId(12);
    deposit.credit = AccountId(10);
    deposit.attempt = {};
    deposit.member = {};
    TransferRow refund = pinka::testing::SampleTransfer(5);
    refund.kind = TransferKind::kRefund;
    std::swap(refund.debit, refund.credit);
    refund.amount = Money::Micros(20);
    refund.unit_ms = 0;
    refund.linked = TransferId(1);
    TransferRow correction = refund;
    correction.id = TransferId(6);
    correction.kind = TransferKind::kCorrect;
    correction.amount = Money::Micros(5);
    correction.linked = TransferId(5);
    c->transfers.insert(c->transfers.end(), {overhead, later, deposit, refund, correction});
  }

  static Changes MoreJobs() {
    Changes c;
    for (int64_t id = 8; id <= 12; ++id) {
      JobRow job = pinka::testing::SampleJob(id);
      job.state = id % 2 == 0 ? TaskState::kPending : TaskState::kCompleted;
      if (id % 2 == 1) {
        job.ended_at = At(id);
        job.pending = job.held = {};
      }
      c.jobs.push_back(job);
    }
    for (int32_t index : {1, 2, 3, 6}) {
      TaskRow task = pinka::testing::SampleTask(9);
      task.id.index = index;
      task.ended_at = At(9);
      if (index != 3) task.state = TaskState::kCompleted;
      c.tasks.push_back(task);
    }
    return c;
  }

  static std::vector<int64_t> Ids(const JobFilter& filter) {
    std::vector<int64_t> ids;
    auto lines = ListJobs(*pool_, filter);
    EXPECT_TRUE(lines.ok()) << lines.status();
    if (lines.ok()) {
      for (const JobLine& line : *lines) ids.push_back(line.id.value());
    }
    return ids;
  }

  static inline std::vector<AmendedRow> amended_;
  static ReadPool* pool_;
};
ReadPool* Reads::pool_ = nullptr;

TEST_F(Reads, ListsLiveJobsAndAllOfThemInPages) {
  EXPECT_THAT(Ids({}), ElementsAre(7, 8, 10, 12));
  EXPECT_THAT(Ids({.all = true}), ElementsAre(7, 8, 9, 10, 11, 12));
  EXPECT_THAT(Ids({.all = true, .limit = 2}), ElementsAre(7, 8));
  EXPECT_THAT(Ids({.all = true, .after = JobId(8), .limit = 2}), ElementsAre(9, 10));
}

TEST_F(Reads, FiltersJobs) {
  EXPECT_THAT(Ids({.member = MemberId(1)}), ElementsAre(7, 8, 10, 12));
  EXPECT_THAT(Ids({.member = MemberId(2)}), IsEmpty());
  EXPECT_THAT(Ids({.user = "爱丽丝"}), ElementsAre(7, 8, 10, 12));
  EXPECT_THAT(Ids({.user = "bob"}), IsEmpty());
  EXPECT_THAT(Ids({.tier = "a100", .states = {TaskState::kRunning}}), ElementsAre(7));
  EXPECT_THAT(Ids({.tier = "t4"}), IsEmpty());
  EXPECT_THAT(Ids({.all = true, .since = At(10)}), ElementsAre(7, 8, 10, 11, 12));
}

TEST_F(Reads, ALineHasNamesMoneyAndCounts) {
  auto line = GetJobLine(*pool_, JobId(7));
  ASSERT_TRUE(line.ok() && line->has_value()) << line.status();
  const JobLine& job = **line;
  EXPECT_EQ(job.name, "名字");
  EXPECT_EQ(job.user, "爱丽丝");
  EXPECT_EQ(job.tier, "a100");
  EXPECT_EQ(job.project, "vision");
  EXPECT_EQ(job.charged, Money::Micros(70));
  EXPECT_EQ(job.committed, Money::Micros(930));
  EXPECT_TRUE(job.simulated);
  EXPECT_EQ(job.counts.size(), 15u);
  EXPECT_EQ(job.end_reason, EndReason::kNone);
}

TEST_F(Reads, AJobComesWholeWithWhoPaid) {
  auto read = GetJob(*pool_, JobId(7));
  ASSERT_TRUE(read.ok() && read->has_value()) << read.status();
  const JobDetail& job = **read;
  EXPECT_EQ(job.row, pinka::testing::SampleJob(7));
  EXPECT_EQ(job.text.output, "out-%j");
  EXPECT_EQ(job.tasks.size(), 2u);
  ASSERT_EQ(job.attempts.size(), 2u);
  EXPECT_EQ(job.attempts[0].row, pinka::testing::SampleAttempt(7, 1));
  EXPECT_EQ(job.attempts[0].node, "box-1");
  EXPECT_THAT(job.attempts[0].gpu_uuids, ElementsAre("GPU-0", "GPU-1"));
  ASSERT_EQ(job.attempts[0].payers.size(), 2u);
  EXPECT_EQ(job.attempts[0].payers[0].payer, "lab");
  EXPECT_EQ(job.attempts[0].payers[1].amount, Money::Micros(70));
  EXPECT_EQ(job.attempts[1].held, Money::Micros(930));
  EXPECT_EQ(job.attempts[1].payers[0].payer, "project:vision");
}

TEST_F(Reads, AJobThatIsNotThereIsNone) {
  auto read = GetJob(*pool_, JobId(404));
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->has_value());
}

TEST_F(Reads, EndedJobsAreThoseThatEnded) {
  auto ended = EndedJobs(*pool_, {7, 9, 404});
  ASSERT_TRUE(ended.ok()) << ended.status();
  ASSERT_EQ(ended->size(), 1u);
  EXPECT_EQ(ended->front().id, JobId(9));
  EXPECT_EQ(ended->front().state, TaskState::kCompleted);
  EXPECT_EQ(ended->front().ended_at, At(9));
  EXPECT_EQ(ended->front().name_hash, pinka::testing::SampleJob(9).name_hash);
  EXPECT_EQ(ended->front().ok.ToString(), "1-2,6");
  EXPECT_FALSE(ended->front().started_at) << "no attempt of it has begun";
}

TEST_F(Reads, CodeIsProvenWhereATaskOfItHasCompleted) {
  const std::string code = pinka::testing::SampleJob(9).code;
  const TierId tier = pinka::testing::SampleJob(9).tier;
  EXPECT_THAT(*ProvenTiers(*pool_, MemberId(1), code, At(9)), ElementsAre(tier));
  EXPECT_THAT(*ProvenTiers(*pool_, MemberId(1), code, At(10)), IsEmpty()) << "longer ago";
  EXPECT_THAT(*ProvenTiers(*pool_, MemberId(2), code, At(9)), IsEmpty()) << "somebody else's";
  EXPECT_THAT(*ProvenTiers(*pool_, MemberId(1), "other", At(9)), IsEmpty());
}

TEST_F(Reads, PayloadsAndEventsComeBackAsBytes) {
  auto payload = PayloadByHash(*pool_, pinka::testing::SamplePayload().hash);
  ASSERT_TRUE(payload.ok());
  EXPECT_EQ(*payload, pinka::testing::SamplePayload().bytes);
  EXPECT_FALSE(PayloadByHash(*pool_, "none")->has_value());
  auto events = EventsOf(*pool_, "job", "7");
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ(events->front().actor, "爱丽丝");
  EXPECT_EQ(events->front().batch, 1);
}

TEST_F(Reads, BalancesAreLotsAndOpenHolds) {
  auto balances = ReadBalances(*pool_);
  ASSERT_TRUE(balances.ok()) << balances.status();
  ASSERT_EQ(balances->lots.size(), 1u);
  EXPECT_EQ(balances->lots[0].owner, "project:vision");
  EXPECT_EQ(balances->lots[0].tier, "a100");
  EXPECT_EQ(balances->lots[0].row.credited, Money::Whole(100));
  ASSERT_EQ(balances->holds.size(), 1u);
  EXPECT_EQ(balances->holds[0].metered_ms, 49'000);
  EXPECT_EQ(balances->hold_lines.size(), 2u);
}

TEST_F(Reads, EntriesByAccountJobAndPage) {
  EntryFilter of_lab;
  of_lab.account = OwnedByLab();
  auto lab = ListEntries(*pool_, of_lab);
  ASSERT_TRUE(lab.ok()) << lab.status();
  ASSERT_EQ(lab->size(), 2u);
  EXPECT_EQ((*lab)[0].credit_kind, AccountKind::kOverheadNode);
  EXPECT_EQ((*lab)[1].row.id, TransferId(4));
  EXPECT_EQ((*lab)[1].credit_owner, "project:vision");
  EntryFilter of_job;
  of_job.job = JobId(7);
  of_job.after = TransferId(1);
  of_job.limit = 1;
  auto job = ListEntries(*pool_, of_job);
  ASSERT_TRUE(job.ok() && job->size() == 1);
  EXPECT_EQ(job->front().row.id, TransferId(2));
  EXPECT_EQ(job->front().node, "box-1");
  of_job.after = TransferId(4);
  EXPECT_EQ(ListEntries(*pool_, of_job)->front().row.linked, TransferId(1));
  EXPECT_EQ(HoldsOfJob(*pool_, JobId(7))->size(), 1u);
}

std::vector<int64_t> IdsOf(const StatusOr<std::vector<NamedEntry>>& entries) {
  std::vector<int64_t> ids;
  EXPECT_TRUE(entries.ok()) << entries.status();
  for (const NamedEntry& entry : *entries) ids.push_back(entry.row.id.value());
  return ids;
}

TEST_F(Reads, WhatAVerbNamesComesWithTheChargesOfItsAttempt) {
  EXPECT_THAT(IdsOf(EntryNamed(*pool_, TransferId(1))), ElementsAre(1));
  EXPECT_THAT(IdsOf(EntryNamed(*pool_, TransferId(5))), ElementsAre(1, 5));
  EXPECT_THAT(IdsOf(EntryNamed(*pool_, TransferId(4))), ElementsAre(4));
  EXPECT_THAT(IdsOf(EntryNamed(*pool_, TransferId(404))), IsEmpty());
  EXPECT_THAT(IdsOf(ChargesOf(*pool_, {JobId(7), 1, 1})), ElementsAre(1));
  EXPECT_THAT(IdsOf(ChargesOf(*pool_, {JobId(7), 1, 0})), ElementsAre(1));
  EXPECT_THAT(IdsOf(ChargesOf(*pool_, {JobId(7), 1, 2})), IsEmpty());
  const auto charge = EntryNamed(*pool_, TransferId(1));
  EXPECT_EQ((*charge)[0].row.amount, Money::Micros(70));
  EXPECT_EQ((*charge)[0].lot, LotId(20));
  EXPECT_EQ((*charge)[0].lot_tier, TierId(3));
  EXPECT_FALSE((*charge)[0].open);
  EXPECT_TRUE((*EntryNamed(*pool_, TransferId(3)))[0].open) << "its hold is open";
}

TEST_F(Reads, CoreLoadsWhatEntriesWereChangedBy) {
  // 20 refunded and 5 more by a correction of the refund: of the charge 25 less.
  EXPECT_THAT(amended_, ElementsAre(AmendedRow{TransferId(1), Money::Micros(-25)},
                                    AmendedRow{TransferId(5), Money::Micros(5)}));
}

TEST_F(Reads, UsageByMemberHasTheLabAsItsLastLine) {
  auto report = ReadUsage(*pool_, {});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->lines.size(), 2u);
  const UsageLine& alice = report->lines[0];
  EXPECT_EQ(alice.key, "爱丽丝");
  EXPECT_EQ(alice.amount, Money::Micros(75)) << "100 charged, 20 refunded and 5 more";
  EXPECT_EQ(alice.unit_ms, 100'000);
  EXPECT_EQ(alice.wall_ms, 50'000) << "two units";
  EXPECT_EQ(alice.jobs, 1);
  EXPECT_EQ(alice.attempts, 2);
  EXPECT_EQ(alice.median_wait, Duration::Seconds(10));
  EXPECT_EQ(alice.wasted, Money::Micros(45));
  EXPECT_TRUE(report->lines[1].lab);
  EXPECT_EQ(report->lines[1].amount, Money::Micros(8));
  EXPECT_EQ(report->total.amount, Money::Micros(83));
  EXPECT_EQ(report->total.jobs, 1);
  EXPECT_EQ(report->total.attempts, 2) << "the lab paid a part of one of them";
  EXPECT_EQ(SettledByMember(*pool_)->front().amount, Money::Micros(75));
}

TEST_F(Reads, UsageByDayIsClippedAndInTheLabsZone) {
  auto days = ReadUsage(*pool_, {.by = UsageBy::kDay});
  ASSERT_TRUE(days.ok());
  ASSERT_EQ(days->lines.size(), 3u);
  EXPECT_EQ(days->lines[0].key, "2026-11-30");
  EXPECT_EQ(days->lines[1].key, "2026-12-01");
  EXPECT_EQ(days->lines[1].amount, Money::Micros(30));
  UsageQuery first{.by = UsageBy::kDay, .member = MemberId(1), .from = At(50), .to = At(51)};
  auto clipped = ReadUsage(*pool_, first);
  ASSERT_EQ(clipped->lines.size(), 1u);
  EXPECT_EQ(clipped->lines.front().amount, Money::Micros(45));
  first.to = At(50);
  EXPECT_TRUE(ReadUsage(*pool_, first)->lines.empty());
}

TEST_F(Reads, UsageByEveryWordSumsToTheSame) {
  const std::map<std::string, std::string> keys = {
      {"member", "爱丽丝"}, {"project", "vision"}, {"tier", "a100"},     {"source", "spot"},
      {"node", "box-1"},    {"day", "2026-11-30"}, {"month", "2026-11"}, {"job", "7"}};
  for (const auto& [word, key] : keys) {
    auto report = ReadUsage(*pool_, {.by = *UsageByFromName(word)});
    ASSERT_TRUE(report.ok()) << word << report.status();
    Money sum;
    for (const UsageLine& line : report->lines) sum += line.amount;
    EXPECT_EQ(sum, Money::Micros(83)) << word;
    EXPECT_EQ(report->total.amount, sum) << word;
    EXPECT_EQ(report->lines.front().key, key);
    EXPECT_TRUE(report->lines.back().lab) << word;
  }
  EXPECT_FALSE(UsageByFromName("colour").has_value());
}

TEST_F(Reads, UsageIsFilteredByEachDimension) {
  UsageQuery all{
      .job = JobId(7), .project = "vision", .tier = "a100", .source = "spot", .node = "box-1"};
  EXPECT_EQ(ReadUsage(*pool_, all)->total.amount, Money::Micros(83));
  const auto empty = [](const UsageQuery& query) {
    auto report = ReadUsage(*pool_, query);
    return report.ok() && report->lines.empty() && report->total.amount == Money();
  };
  EXPECT_TRUE(empty({.job = JobId(8)}));
  EXPECT_TRUE(empty({.project = "nlp"}));
  EXPECT_TRUE(empty({.tier = "t4"}));
  EXPECT_TRUE(empty({.source = "owned"}));
  EXPECT_TRUE(empty({.node = "box-2"}));
  auto known = KnownUsageNames(*pool_, all);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_TRUE(known->project && known->tier && known->node);
  known = KnownUsageNames(*pool_, {.project = "nlp", .tier = "t4", .node = "box-2"});
  EXPECT_FALSE(known->project || known->tier || known->node);
}

TEST_F(Reads, TokensSayWhoseTheyAre) {
  auto alice = TokenByHash(*pool_, std::string(64, 'b'));
  ASSERT_TRUE(alice.ok() && alice->has_value()) << alice.status();
  EXPECT_EQ((*alice)->name, "爱丽丝");
  EXPECT_TRUE((*alice)->admin);
  EXPECT_TRUE((*alice)->removed);
  auto second = TokenByHash(*pool_, std::string(64, 'c'));
  ASSERT_TRUE(second.ok() && second->has_value()) << second.status();
  EXPECT_TRUE((*second)->revoked);
  EXPECT_FALSE(TokenByHash(*pool_, "x")->has_value());
}

TEST_F(Reads, NodesRatesLimitsAndTheBatch) {
  auto nodes = ListNodes(*pool_);
  ASSERT_TRUE(nodes.ok() && nodes->size() == 1) << nodes.status();
  EXPECT_EQ(nodes->front().row, pinka::testing::SampleNode());
  EXPECT_EQ(nodes->front().units_used, 2);
  EXPECT_EQ(nodes->front().gpus_used, 2);
  EXPECT_EQ(nodes->front().running, 1);
  EXPECT_TRUE(TierRates(*pool_, At(0))->empty());  // the tier is absent
  auto limits = ListLimits(*pool_);
  ASSERT_EQ(limits->size(), 1u);
  EXPECT_EQ(limits->front().scope, "project:vision");
  EXPECT_EQ(SpendAt(*pool_, At(0))->size(), 2u);
  EXPECT_EQ(LastBatch(*pool_).value(), 2);
  EXPECT_EQ(ListMembers(*pool_)->size(), 2u);
  EXPECT_EQ(ListProjects(*pool_)->size(), 1u);
}

TEST_F(Reads, RefuseToWrite) {
  EXPECT_FALSE(pool_->Exec("resign_leadership", Params().Int(1)).ok());
}

TEST_F(Reads, PackagesComeWithTheirPortions) {
  auto all = ReadPackages(*pool_);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->packages.size(), 1u);
  EXPECT_EQ(all->packages[0].tier, "a100");
  EXPECT_EQ(all->packages[0].payer, "爱丽丝");
  ASSERT_EQ(all->portions.size(), 1u);
  EXPECT_EQ(all->portions[0].owner, "爱丽丝");
  EXPECT_EQ(all->portions[0].row.total_ms, 700);
  EXPECT_EQ(all->portions[0].used_ms, 0) << "nothing runs on it";
  EXPECT_TRUE(ReadPackages(*pool_, PackageId(404))->packages.empty());
  EXPECT_EQ(ReadPackages(*pool_, PackageId(40), false)->portions.size(), 1u);
  EXPECT_TRUE(ReadPaidIn(*pool_)->empty()) << "nobody has brought anything in";
}

}  // namespace
}  // namespace pinka::db
