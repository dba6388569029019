// Every COMMIT of a random history fails in each of three ways, one run a failure. Whatever fails,
// replies and books are those of the run where nothing did.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "scheduler/core/digest.h"
#include "scheduler/sim/audit.h"
#include "tests/support/core_random.h"
#include "tests/unit/pipeline/desk.h"

namespace pinka::test {
namespace {

// What happens: at each instant some commands come.
struct Moment {
  Duration pause;
  std::vector<std::pair<Command, Lane>> commands;
};

std::vector<Moment> Record(uint64_t seed, int moments) {
  RandomCommands random(seed);
  Desk desk;
  std::vector<Moment> history;
  for (int n = 0; n < moments; ++n) {
    Moment moment;
    // Whole minutes: then a load, which plans at once, plans nothing that a running core would not.
    moment.pause = Duration::Minutes(1 + random.NextPause().seconds() / 60);
    desk.now = desk.now + moment.pause;
    for (uint64_t k = 1 + random.random().Below(4); k > 0; --k) {
      Command command = random.Next(desk.pipeline.core().state(), desk.store);
      const Lane lane = std::holds_alternative<AgentReport>(command) ? Lane::kAgent : Lane::kClient;
      moment.commands.emplace_back(command, lane);
      desk.Offer(std::move(command), lane);
    }
    desk.Settle();
    history.push_back(std::move(moment));
  }
  return history;
}

void Replay(const std::vector<Moment>& history, Desk& desk) {
  for (const Moment& moment : history) {
    desk.now = desk.now + moment.pause;
    for (const auto& [command, lane] : moment.commands) desk.Offer(command, lane);
    desk.Settle();
  }
}

// Rows without what counts batches: a replay publishes orders in smaller steps.
std::string Rows(const sim::FakeStore& store) {
  Snapshot s = store.Load();
  for (NodeRow& node : s.nodes) node.version = 0;
  return DumpOf(s);
}

std::string Said(const Desk& desk) {
  std::string said;
  for (const auto& [id, outcome] : desk.answers) {
    const Reply& r = outcome.reply;
    said += fmt::format("{}: {} {} {} {} {}\n", id, static_cast<int>(outcome.kind), Name(r.reason),
                        r.first, r.count, r.repeated);
  }
  return said;
}

// A reply that says a job is queued is a job in the store.
void ExpectTruth(const std::vector<Moment>& history, const Desk& desk) {
  uint64_t id = 0;
  for (const Moment& moment : history) {
    for (const auto& [command, lane] : moment.commands) {
      const Outcome& outcome = desk.answers.at(++id);
      if (!std::holds_alternative<SubmitJobs>(command) || outcome.reply.reason != Reason::kOk)
        continue;
      for (int64_t n = 0; n < outcome.reply.count; ++n)
        EXPECT_TRUE(desk.store.tables().jobs.contains(JobId(outcome.reply.first + n)));
    }
  }
  EXPECT_EQ(desk.answers.size(), id);
}

class CommitFaults : public testing::TestWithParam<uint64_t> {};

TEST_P(CommitFaults, ChangeNeitherRepliesNorBooks) {
  const std::vector<Moment> history = Record(GetParam(), 30);
  Desk straight;
  Replay(history, straight);
  ExpectTruth(history, straight);
  const std::string rows = Rows(straight.store);
  const std::string said = Said(straight);
  for (Fate fate : {Fate::kRefused, Fate::kLostBefore, Fate::kLostAfter}) {
    for (int at = 1; at <= straight.commits; ++at) {
      SCOPED_TRACE(fmt::format("way {} at commit {}", static_cast<int>(fate), at));
      Desk desk;
      desk.fate = [&](const Batch&) { return desk.commits == at ? fate : Fate::kLands; };
      Replay(history, desk);
      ASSERT_EQ(Said(desk), said);
      ASSERT_EQ(Rows(desk.store), rows);
      ExpectTruth(history, desk);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CommitFaults, testing::Range<uint64_t>(1, 7));

TEST(CommitFault, ManyInARowStillLeaveOneTruth) {
  for (uint64_t seed = 50; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Moment> history = Record(seed, 40);
    Desk straight;
    Replay(history, straight);
    Desk desk;
    SeededRandom dice(seed);
    desk.fate = [&](const Batch&) {
      const uint64_t n = dice.Below(10);
      return n < 6 ? Fate::kLands : n < 8 ? Fate::kLostBefore : Fate::kLostAfter;
    };
    Replay(history, desk);
    ASSERT_EQ(Said(desk), Said(straight));
    ASSERT_EQ(Rows(desk.store), Rows(straight.store));
    for (const std::string& v : sim::AuditBooks(desk.store)) ADD_FAILURE() << v;
  }
}

}  // namespace
}  // namespace pinka::test
