#include "db/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/columns_jobs.h"
#include "tests/db/sample.h"
#include "tests/support/postgres.h"

namespace pinka::db {
namespace {

using pinka::testing::At;
using pinka::testing::SampleChanges;
using pinka::testing::SampleSnapshot;
using Kind = CommitResult::Kind;
using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() {
    StatusOr<int64_t> term = store_.AcquireLeadership("a", "127.0.0.1:1");
    EXPECT_TRUE(term.ok()) << term.status();
    term_ = term.value_or(0);
  }
  CommitResult Commit(const Changes& changes) {
    CommitResult result = store_.Commit({term_, batch_ + 1, At(100)}, changes);
    if (result.done()) ++batch_;
    return result;
  }
  Snapshot Load() {
    auto loaded = store_.LoadSnapshot(term_);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    if (!loaded.ok()) return {};
    EXPECT_EQ(loaded->first, batch_);
    return loaded->second;
  }
  JobTextRow TextOf(JobId job) {
    Connection connection(url_, "session_reads");
    Params id;
    id.Int(job.value());
    StatusOr<Result> result = connection.Exec("get_job_text", id);
    EXPECT_TRUE(result.ok()) << result.status();
    std::vector<JobTextRow> texts;
    if (!result.ok()) return {};
    EXPECT_TRUE(RowBinder::Read(*result, &texts).ok());
    return texts.empty() ? JobTextRow{} : texts.front();
  }
  void CommitSample() {
    CommitResult result = Commit(SampleChanges());
    ASSERT_TRUE(result.done()) << result.sqlstate << " " << result.message;
  }

  std::string url_ = pinka::testing::FreshDatabase();
  Store store_{url_};
  int64_t term_ = 0;
  int64_t batch_ = 0;
};

TEST_F(StoreTest, LoadsAnEmptyDatabaseAsTheDefaults) {
  Snapshot s = Load();
  EXPECT_EQ(s.lab, LabRow{});
  EXPECT_TRUE(s.members.empty());
}

TEST_F(StoreTest, ComesBackWithEveryColumnAsItWasWritten) {
  CommitSample();
  Snapshot loaded = Load();
  Snapshot want = SampleSnapshot();
  EXPECT_EQ(loaded.now, want.now);
  EXPECT_EQ(loaded.lab, want.lab);
  EXPECT_EQ(loaded.members, want.members);
  EXPECT_EQ(loaded.projects, want.projects);
  EXPECT_EQ(loaded.tiers, want.tiers);
  EXPECT_EQ(loaded.rates, want.rates);
  EXPECT_EQ(loaded.billing, want.billing);
  EXPECT_EQ(loaded.rentals, want.rentals);
  EXPECT_EQ(loaded.periods, want.periods);
  EXPECT_EQ(loaded.nodes, want.nodes);
  EXPECT_EQ(loaded.jobs, want.jobs);
  EXPECT_EQ(loaded.tasks, want.tasks);
  EXPECT_EQ(loaded.attempts, want.attempts);
  EXPECT_EQ(loaded.holds, want.holds);
  EXPECT_EQ(loaded.hold_lines, want.hold_lines);
  EXPECT_EQ(loaded.accounts, want.accounts);
  EXPECT_EQ(loaded.lots, want.lots);
  EXPECT_EQ(loaded.packages, want.packages);
  EXPECT_EQ(loaded.portions, want.portions);
  EXPECT_EQ(loaded.months, want.months);
  EXPECT_EQ(loaded.payments, want.payments);
  EXPECT_EQ(loaded.invoices, want.invoices);
  EXPECT_EQ(loaded.invoice_lines, want.invoice_lines);
  EXPECT_EQ(loaded.covered, want.covered);
  EXPECT_EQ(loaded.limits, want.limits);
  EXPECT_EQ(loaded.thresholds, want.thresholds);
  EXPECT_EQ(loaded.payers, want.payers);
  EXPECT_EQ(loaded.cards, want.cards);
  EXPECT_EQ(loaded.spend, want.spend);
  EXPECT_EQ(loaded.usage, want.usage);
  EXPECT_EQ(loaded.requests, want.requests);
  EXPECT_EQ(loaded.settlements, want.settlements);
}

TEST_F(StoreTest, WritesTheSameRowsAgainAsUpdates) {
  CommitSample();
  Changes again;
  Snapshot s = SampleSnapshot();
  s.lab.next_job = 99;
  s.jobs[0].pending.EraseRange(1, 3);
  again.lab = {s.lab};
  again.members = s.members;
  again.projects = s.projects;
  again.tiers = s.tiers;
  again.nodes = s.nodes;
  again.jobs = s.jobs;
  again.job_texts = {{JobId(7), "", "", "", ""}};
  again.tasks = s.tasks;
  again.attempts = s.attempts;
  again.holds = s.holds;
  again.hold_lines = s.hold_lines;
  again.limits = s.limits;
  again.spend = s.spend;
  again.usage = s.usage;
  s.rentals[0].billed += Money::Micros(9);
  s.rentals[0].idle += Money::Micros(9);
  s.rentals[0].since_used_ms = 0;
  again.rentals = s.rentals;
  CommitResult result = Commit(again);
  ASSERT_TRUE(result.done()) << result.message;
  Snapshot loaded = Load();
  EXPECT_EQ(loaded.rentals, s.rentals);
  EXPECT_EQ(loaded.jobs, s.jobs);
  EXPECT_EQ(loaded.lab, s.lab);
}

TEST_F(StoreTest, AddsNewJobsBesideKnownOnesOnceItHasLoaded) {
  CommitSample();
  Snapshot s = Load();
  JobRow known = s.jobs.front();
  known.nice = 3;
  JobRow fresh = known;
  fresh.id = JobId(s.lab.next_job);
  fresh.pending = RangeSet::Of(0, 3);
  fresh.held = fresh.cancelled = fresh.expired = {};
  ++s.lab.next_job;
  Changes changes;
  changes.lab = {s.lab};
  changes.jobs = {known, fresh};
  changes.job_texts = {{fresh.id, "新", "c", "/a", "o"}, {known.id, "renamed", "", "", ""}};
  const CommitResult result = Commit(changes);
  ASSERT_TRUE(result.done()) << result.message;
  const Snapshot loaded = Load();
  EXPECT_EQ(loaded.jobs, changes.jobs);
  EXPECT_EQ(loaded.lab, s.lab);
  EXPECT_EQ(TextOf(fresh.id), changes.job_texts[0]);
  EXPECT_EQ(TextOf(known.id), changes.job_texts[1]);
  changes.lab[0].name = "another";  // more than counters
  changes.jobs = {fresh};           // which is known by now
  changes.job_texts.clear();
  ASSERT_TRUE(Commit(changes).done());
  EXPECT_EQ(Load().lab, changes.lab[0]);
  EXPECT_EQ(TextOf(fresh.id).name, "新");
}

TEST_F(StoreTest, ForgetsWhatARefusedBatchWouldHaveWritten) {
  CommitSample();
  Snapshot s = Load();
  JobRow fresh = s.jobs.front();
  fresh.id = JobId(s.lab.next_job);
  ++s.lab.next_job;
  Changes changes;
  changes.lab = {s.lab};
  changes.payloads = {{"another", "bytes"}};
  fresh.payload = "another";
  changes.jobs = {fresh};
  changes.jobs[0].counts.clear();
  ASSERT_EQ(Commit(changes).kind, Kind::kRefused);
  changes.jobs[0] = fresh;
  const CommitResult result = Commit(changes);  // payload, counters and job are sent again
  ASSERT_TRUE(result.done()) << result.message;
  EXPECT_EQ(Load().jobs.back(), fresh);
  EXPECT_EQ(Load().lab, s.lab);
}

TEST_F(StoreTest, JudgesManyNewJobsAsItJudgesOne) {
  CommitSample();
  Snapshot s = Load();
  Changes changes;
  for (int n = 0; n < 20; ++n) {
    JobRow job = s.jobs.front();
    job.id = JobId(s.lab.next_job + n);
    changes.jobs.push_back(job);
  }
  changes.jobs[13].payload = "nowhere";
  const CommitResult refused = Commit(changes);
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_THAT(refused.message, HasSubstr("jobs 21 refers to a row that is not there"));
  changes.jobs[13].payload = changes.jobs[0].payload;
  EXPECT_TRUE(Commit(changes).done());
}

TEST_F(StoreTest, AnEmptyBatchMovesTheNumberAndTheTime) {
  ASSERT_TRUE(Commit({}).done());
  ASSERT_TRUE(Commit({}).done());
  StatusOr<LeaderInfo> leader = store_.ReadLeader();
  ASSERT_TRUE(leader.ok());
  EXPECT_EQ(leader->batch, 2);
  EXPECT_EQ(leader->core_now, At(100));
  EXPECT_TRUE(leader->alive);
}

TEST_F(StoreTest, RefusesABatchOutOfTurn) {
  ASSERT_TRUE(Commit({}).done());
  EXPECT_EQ(store_.Commit({term_, 1, At(1)}, {}).kind, Kind::kNotLeader);
  EXPECT_EQ(store_.Commit({term_, 3, At(1)}, {}).kind, Kind::kNotLeader);
}

TEST_F(StoreTest, ARefusedBatchLeavesNothingAndTheNextOneGoesOn) {
  Changes bad = SampleChanges();
  bad.transfers[0].amount = Money{};
  CommitResult result = Commit(bad);
  EXPECT_EQ(result.kind, Kind::kRefused);
  EXPECT_EQ(result.sqlstate, "23514");
  Snapshot s = Load();
  EXPECT_TRUE(s.members.empty());
  EXPECT_TRUE(s.jobs.empty());
  CommitSample();
}

TEST_F(StoreTest, RefusesTextThatIsNotUtf8AsContent) {
  Changes bad = SampleChanges();
  bad.attempts[0].message = "\xff\xfe";
  EXPECT_EQ(Commit(bad).kind, Kind::kRefused);
}

TEST_F(StoreTest, TellsAnUnreachableDatabaseFromARefusal) {
  Store away("host=/nonexistent dbname=x connect_timeout=1");
  EXPECT_EQ(away.Commit({1, 1, At(1)}, {}).kind, Kind::kLost);
  EXPECT_TRUE(absl::IsUnavailable(away.Renew(1).status()));
}

TEST_F(StoreTest, KeepsAPayloadThatIsKnown) {
  CommitSample();
  Changes again;
  again.payloads = {{pinka::testing::SamplePayload().hash, "other"}};
  EXPECT_TRUE(Commit(again).done());
}

TEST_F(StoreTest, ReplacesAnExpiredRequestKeyAndRefusesOneThatStands) {
  Changes first;
  first.requests = {{MemberId(1), "k", "a", At(0), false, 1, 1},
                    {MemberId(1), "money", "a", At(0), true, 1, 1}};
  ASSERT_TRUE(Commit(first).done());
  Changes soon;
  soon.requests = {{MemberId(1), "k", "b", At(3'600), false, 2, 1}};
  CommitResult refused = Commit(soon);
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_THAT(refused.message, HasSubstr("request k"));
  soon.requests[0].at = At(90'000);
  EXPECT_TRUE(Commit(soon).done());
  Changes money;
  money.requests = {{MemberId(1), "money", "b", At(90'000), true, 2, 1}};
  EXPECT_EQ(Commit(money).kind, Kind::kRefused);
}

TEST_F(StoreTest, TheFloorOfALotRefusesTheWholeBatch) {
  CommitSample();  // available: 100 - 0.000070 - 0.000930 + 5
  Changes hold;
  hold.lot_moves = {{LotId(20), {}, {}, Money::Micros(104'999'000), true}};
  EXPECT_TRUE(Commit(hold).done());
  hold.lot_moves[0].held = Money::Micros(1);
  CommitResult refused = Commit(hold);
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_EQ(refused.sqlstate, "P0001");
  EXPECT_EQ(refused.message, "floor: lot 20");
  hold.lot_moves[0].guarded = false;  // what was decided before the money went
  EXPECT_TRUE(Commit(hold).done());
}

TEST_F(StoreTest, RefusesAMoveOfALotThatIsNotThere) {
  Changes move;
  move.lot_moves = {{LotId(404), Money::Whole(1), {}, {}, false}};
  EXPECT_EQ(Commit(move).message, "floor: lot 404");
}

TEST_F(StoreTest, FlagsOfALotLeaveItsAmountsAlone) {
  CommitSample();
  Changes flags;
  LotRow lot = pinka::testing::SampleLot();
  lot.ends_at = Timestamp::Never();
  flags.lot_flags = {lot};
  ASSERT_TRUE(Commit(flags).done());
  Snapshot s = Load();
  ASSERT_EQ(s.lots.size(), 2u);
  EXPECT_EQ(s.lots[0].ends_at, Timestamp::Never());
  EXPECT_EQ(s.lots[0].credited, Money::Whole(100));
}

TEST_F(StoreTest, SweepMakesPartitionsAndDropsOldEvents) {
  CommitSample();
  ASSERT_TRUE(store_.Sweep(At(86'400 * 60)).ok());
  ASSERT_TRUE(store_.Sweep(At(86'400 * 60)).ok());
  EXPECT_TRUE(store_.Sweep(At(int64_t{86'400} * 600)).ok());
}

}  // namespace
}  // namespace pinka::db
