// A pipeline on a desk: a lab in a fake store, a clock that stands still, commits that do what the
// test says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scheduler/runtime/pipeline/pipeline.h"
#include "scheduler/sim/fake_store.h"
#include "tests/support/core_world.h"

namespace pinka::test {

// What becomes of a commit.
enum class Fate { kLands, kRefused, kLostBefore, kLostAfter };

class Desk {
 public:
  Desk() : now(At(2026, 9, 30, 12)) {
    CoreWorld w(now);
    w.AddProject("nlp", {"alice", "bob"});
    w.Deposit("lab", 300);
    w.AddNode("n1", "a100", 4);
    w.AddNode("n2", "t4", 4);
    store = w.store();
    Load();
  }

  void Load() { pipeline.Load(store.Load(), 1, store.batch()); }
  uint64_t Offer(Command command, Lane lane = Lane::kClient) {
    EXPECT_TRUE(pipeline.Offer(++last_id, std::move(command), lane));
    return last_id;
  }

  // One batch to its end; `fate` is asked once for each commit. False where there was none.
  bool Turn() {
    if (!pipeline.HasWork()) return false;
    const auto batch = pipeline.Next(now);
    if (batch) {
      EXPECT_TRUE(pipeline.TakeAnswers().empty()) << "answered before the commit";
      EXPECT_TRUE(pipeline.TakeOrders().empty()) << "ordered before the commit";
      Commit(*batch);
    }
    for (auto& answer : pipeline.TakeAnswers()) {
      EXPECT_LE(answer.outcome.batch, store.batch()) << "answered ahead of the store";
      EXPECT_TRUE(answers.emplace(answer.id, answer.outcome).second) << "answered twice";
    }
    orders = pipeline.TakeOrders();
    for (std::string& alarm : pipeline.TakeAlarms()) alarms.push_back(std::move(alarm));
    return true;
  }
  void Settle(int turns = 1'000) {
    while (turns > 0 && Turn()) --turns;
    EXPECT_GT(turns, 0) << "it does not come to rest";
  }

  Timestamp now;
  sim::FakeStore store;
  Pipeline pipeline;
  std::function<Fate(const Batch&)> fate = [](const Batch&) { return Fate::kLands; };
  std::map<uint64_t, Outcome> answers;
  std::vector<NodeOrders> orders;  // of the last turn
  std::vector<std::string> alarms;
  uint64_t last_id = 0;
  int commits = 0;

 private:
  void Commit(const Batch& batch) {
    ++commits;
    Fate what = fate(batch);
    if (what == Fate::kLands || what == Fate::kLostAfter) {
      const auto refused = store.Commit(batch.number, batch.core_now, batch.changes);
      EXPECT_FALSE(refused) << *refused;
    }
    switch (what) {
      case Fate::kLands:
        return pipeline.Committed();
      case Fate::kRefused:
        pipeline.Refused("planted");
        return Load();
      case Fate::kLostBefore:
        pipeline.NotThere();
        return Load();
      case Fate::kLostAfter:
        // The row says that it landed; whoever found out loads anew.
        pipeline.Committed();
        return Load();
    }
  }
};

}  // namespace pinka::test
