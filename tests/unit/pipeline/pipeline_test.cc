#include "scheduler/runtime/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "tests/unit/pipeline/desk.h"

namespace pinka::test {
namespace {

Actor Someone(const Desk& desk, const std::string& name) {
  const State& state = desk.pipeline.core().state();
  return {state.member_by_name.at(name), name == "admin"};
}

Command SubmitBy(const Desk& desk, const std::string& name, const std::string& title = "job") {
  JobRequest job;
  job.tier = desk.pipeline.core().state().tier_by_name.at("a100");
  job.gpus = 1;
  job.time_limit = Duration::Hours(1);
  job.payload = {Sha256Hex(title), title};
  job.name = title;
  SubmitJobs command;
  command.actor = Someone(desk, name);
  command.jobs = {job};
  return command;
}

bool Mentions(const Batch& batch, const std::string& title) {
  return std::ranges::any_of(batch.changes.job_texts,
                             [&](const JobTextRow& row) { return row.name == title; });
}

TEST(Pipeline, AnswersOnlyAfterTheCommit) {
  Desk desk;
  desk.Settle();
  const uint64_t id = desk.Offer(SubmitBy(desk, "alice"));
  const auto batch = desk.pipeline.Next(desk.now);
  ASSERT_TRUE(batch);
  EXPECT_TRUE(desk.pipeline.TakeAnswers().empty());
  EXPECT_TRUE(desk.pipeline.TakeOrders().empty());
  EXPECT_TRUE(desk.pipeline.TakeChangedJobs().empty());
  EXPECT_FALSE(desk.pipeline.HasWork()) << "one batch at a time";
  desk.pipeline.Committed();
  const auto answers = desk.pipeline.TakeAnswers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].id, id);
  EXPECT_EQ(answers[0].outcome.batch, batch->number);
  EXPECT_EQ(desk.pipeline.TakeOrders().size(), 1u) << "the plan of the same batch";
  EXPECT_EQ(desk.pipeline.TakeChangedJobs().size(), 1u);
}

TEST(Pipeline, AnswersAtOnceWhatChangesNothing) {
  Desk desk;
  desk.Settle();
  desk.answers.clear();
  const int64_t before = desk.pipeline.batch();
  const uint64_t id = desk.Offer(ChangeNode{Someone(desk, "alice"), {}, "n1", {}, "", false});
  EXPECT_FALSE(desk.pipeline.Next(desk.now));
  const auto answers = desk.pipeline.TakeAnswers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].id, id);
  EXPECT_EQ(answers[0].outcome.reply.reason, Reason::kNotPermitted);
  EXPECT_EQ(answers[0].outcome.batch, before);
  EXPECT_EQ(desk.pipeline.batch(), before);
}

TEST(Pipeline, TakesFromBothLanesAndAgentsFirst) {
  Desk desk;
  desk.Settle();
  std::vector<uint64_t> clients;
  std::vector<uint64_t> agents;
  for (int n = 0; n < 300; ++n) clients.push_back(desk.Offer(Tick{}, Lane::kClient));
  for (int n = 0; n < 300; ++n) agents.push_back(desk.Offer(Tick{}, Lane::kAgent));
  desk.Turn();
  EXPECT_EQ(desk.answers.size(), Pipeline::kMaxCommands);
  EXPECT_TRUE(desk.answers.contains(agents[127]));
  EXPECT_FALSE(desk.answers.contains(agents[128]));
  EXPECT_TRUE(desk.answers.contains(clients[127]));
  desk.Settle();
  EXPECT_EQ(desk.answers.size(), 600u);
}

TEST(Pipeline, RefusesWhatAFullLaneCannotTake) {
  Desk desk;
  for (size_t n = 0; n < Pipeline::kMaxLane; ++n) desk.Offer(Tick{});
  EXPECT_FALSE(desk.pipeline.Offer(1'000'000, Tick{}, Lane::kClient));
  EXPECT_TRUE(desk.pipeline.Offer(1'000'001, Tick{}, Lane::kAgent));
}

TEST(Pipeline, CutsABatchThatIsFullAndKeepsTheOrder) {
  Desk desk;
  desk.Settle();
  SubmitJobs many = std::get<SubmitJobs>(SubmitBy(desk, "alice"));
  while (many.jobs.size() < 900) many.jobs.push_back(many.jobs.front());
  std::vector<uint64_t> ids;
  for (int n = 0; n < 4; ++n) ids.push_back(desk.Offer(many));
  desk.Turn();
  EXPECT_LT(desk.answers.size(), 4u);
  desk.Settle();
  int64_t last = 0;
  for (uint64_t id : ids) {
    EXPECT_GT(desk.answers.at(id).reply.first, last);
    last = desk.answers.at(id).reply.first;
  }
}

TEST(Pipeline, IsolatesRefusesAndAlarmsAPoisonCommand) {
  Desk desk;
  desk.Settle();
  desk.fate = [](const Batch& b) { return Mentions(b, "poison") ? Fate::kRefused : Fate::kLands; };
  std::vector<uint64_t> good;
  for (int n = 0; n < 3; ++n) good.push_back(desk.Offer(SubmitBy(desk, "alice")));
  const uint64_t poison = desk.Offer(SubmitBy(desk, "bob", "poison"));
  for (int n = 0; n < 3; ++n) good.push_back(desk.Offer(SubmitBy(desk, "carol")));
  desk.Settle(40);
  for (uint64_t id : good) EXPECT_EQ(desk.answers.at(id).kind, Outcome::Kind::kDone);
  EXPECT_EQ(desk.answers.at(poison).kind, Outcome::Kind::kPoisoned);
  EXPECT_EQ(desk.answers.at(poison).reply.reason, Reason::kPoison);
  ASSERT_EQ(desk.alarms.size(), 1u);
  EXPECT_NE(desk.alarms[0].find("planted"), std::string::npos);
  EXPECT_EQ(desk.store.tables().jobs.size(), 6u);
  EXPECT_LE(desk.commits, 12) << "a replay runs at most one batch";
  // And life goes on in whole batches.
  const int before = desk.commits;
  for (int n = 0; n < 5; ++n) desk.Offer(SubmitBy(desk, "alice"));
  desk.Settle();
  EXPECT_EQ(desk.commits, before + 1);
}

TEST(Pipeline, SurvivesAPlanThatTheStoreRefuses) {
  Desk desk;
  desk.Settle();
  desk.fate = [](const Batch& b) {
    return b.changes.holds.empty() ? Fate::kLands : Fate::kRefused;
  };
  const uint64_t id = desk.Offer(SubmitBy(desk, "alice"));
  desk.Settle(20);
  EXPECT_EQ(desk.answers.at(id).kind, Outcome::Kind::kDone) << "the submit is not to blame";
  EXPECT_EQ(desk.alarms.size(), 1u);
  const uint64_t more = desk.Offer(SubmitBy(desk, "bob"));
  desk.Settle(20);
  EXPECT_EQ(desk.answers.at(more).kind, Outcome::Kind::kDone) << "commands go on meanwhile";
  EXPECT_EQ(desk.alarms.size(), 1u);
  // The cause is gone: a minute later work starts.
  desk.fate = [](const Batch&) { return Fate::kLands; };
  desk.now = desk.now + Pipeline::kPlanPause;
  desk.Offer(Tick{});
  desk.Settle();
  EXPECT_EQ(desk.store.tables().attempts.size(), 2u);
}

TEST(Pipeline, PlansAtTheTimeOfTheTurnNotOfTheLastCommand) {
  Desk desk;
  desk.Settle();
  desk.pipeline.Offer(1, SubmitBy(desk, "alice"), Lane::kClient);
  const auto batch = desk.pipeline.Next(desk.now);
  ASSERT_TRUE(batch);
  desk.pipeline.NotThere();
  // Two hours pass before the scheduler is back and loads.
  desk.now = desk.now + Duration::Hours(2);
  desk.Load();
  desk.Settle();
  EXPECT_EQ(desk.store.tables().attempts.begin()->second.ordered_at, desk.now);
}

// Core is one thread: of two verbs in one batch the second sees what the first has left. What moves
// lots in the database is guarded as well.
TEST(Pipeline, LetsTwoAdminsSpendTheLastYuanOnce) {
  Desk desk;
  const Owner bob = OwnedBy(Someone(desk, "bob").member);
  const Actor admin = Someone(desk, "admin");
  const auto move = [&](const char* key, int64_t yuan) {
    return desk.Offer(
        pinka::Transfer{admin, {key, "h"}, OwnedByLab(), bob, Money::Whole(yuan), "why"});
  };
  const uint64_t first = move("t-1", 300);
  const uint64_t second = move("t-2", 300);
  const uint64_t withdraw =
      desk.Offer(pinka::Withdraw{admin, {"w-1", "h"}, OwnedByLab(), Money::Micros(1), "why"});
  bool guarded = false;
  desk.fate = [&](const Batch& batch) {
    for (const LotMove& m : batch.changes.lot_moves)
      guarded = guarded || (m.guarded && m.credited == -Money::Whole(300));
    return Fate::kLands;
  };
  desk.Settle();
  EXPECT_EQ(desk.answers.at(first).reply.reason, Reason::kOk);
  EXPECT_EQ(desk.answers.at(second).reply.reason, Reason::kInsufficient);
  EXPECT_EQ(desk.answers.at(withdraw).reply.reason, Reason::kInsufficient);
  EXPECT_TRUE(guarded);
  Money sum;
  for (const auto& [id, lot] : desk.store.tables().lots) sum += lot.credited;
  EXPECT_EQ(sum, Money::Whole(300));
}

// Both were read before either was decided.
TEST(Pipeline, LetsTwoAdminsRefundAChargeOnce) {
  CoreWorld w(At(2026, 9, 30, 12));
  w.Deposit("lab", 300);
  w.AddNode("n1", "a100", 4);
  const JobId job = w.Submit("alice", w.Job("a100"));
  w.Run(job);
  w.Advance(Duration::Minutes(40));
  w.Exit(job, 0);  // 8.00
  Desk desk;
  desk.now = w.now;
  desk.store = w.store();
  desk.Load();
  const auto entries = desk.store.ChargesOf({job, 0, 0});
  const Actor admin = Someone(desk, "admin");
  const auto refund = [&](const char* key) {
    return desk.Offer(pinka::Refund{admin, {key, "h"}, {}, "1_0", Money::Whole(5), "why", entries});
  };
  const uint64_t first = refund("r-1");
  const uint64_t second = refund("r-2");
  desk.Settle();
  EXPECT_EQ(desk.answers.at(first).reply.reason, Reason::kOk);
  EXPECT_EQ(desk.answers.at(second).reply.reason, Reason::kInsufficient);
}

TEST(Pipeline, AnswersEverybodyWhenDeposed) {
  Desk desk;
  desk.Settle();
  const uint64_t in_batch = desk.Offer(SubmitBy(desk, "alice"));
  ASSERT_TRUE(desk.pipeline.Next(desk.now));
  const uint64_t waiting = desk.Offer(Tick{});
  desk.pipeline.Deposed("10.0.0.2:7070");
  std::map<uint64_t, Outcome> answers;
  for (auto& a : desk.pipeline.TakeAnswers()) answers.emplace(a.id, a.outcome);
  ASSERT_EQ(answers.size(), 2u);
  for (uint64_t id : {in_batch, waiting}) {
    EXPECT_EQ(answers.at(id).kind, Outcome::Kind::kNotLeader);
    EXPECT_EQ(answers.at(id).leader, "10.0.0.2:7070");
  }
  EXPECT_FALSE(desk.pipeline.HasWork());
}

}  // namespace
}  // namespace pinka::test
