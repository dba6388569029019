// runtime/agents.cc: silence, and what proves that an attempt is over (semantics.md 5).
#include "scheduler/runtime/agents.h"

#include <gtest/gtest.h>

#include <optional>

namespace pinka {
namespace {

const AttemptId kAttempt{JobId(17), 0, 1};
constexpr Duration kSilent = Duration::Seconds(40);

// A clock whose wall can be set without time passing.
class SetClock final : public Clock {
 public:
  Timestamp Now() const override { return Timestamp::Seconds(1'796'000'000) + up + stepped; }
  Duration Monotonic() const override { return up; }
  Duration Boottime() const override { return up; }
  Duration up = Duration::Hours(5);
  Duration stepped;
};

struct World {
  World() : board(clock, 3, "run", clock.Now()) { clock.up = clock.up + Duration::Seconds(1); }

  // An attempt with a limit of an hour, a grace of 30 s, and 31 min to start in.
  void Publish(Duration fence, Timestamp ordered_at, int64_t version = 1) {
    NodeOrders orders;
    orders.node = NodeId(1);
    orders.name = "n1";
    orders.version = version;
    NodeOrders::Order& order = orders.orders.emplace_back();
    order.attempt.id = kAttempt;
    order.attempt.ordered_at = ordered_at;
    order.attempt.time_limit = Duration::Hours(1);
    order.attempt.grace = Duration::Seconds(30);
    order.attempt.start_within = Duration::Minutes(31);
    order.attempt.fence = fence;
    board.Publish({orders});
  }
  void Order(Duration fence = {}) {
    NodeOrders known;
    known.node = NodeId(1);
    known.name = "n1";
    board.Publish({known});
    Publish(fence, clock.Now());
  }
  void Hear() {
    AgentReport report;
    report.node = "n1";
    board.Heard(report);
  }
  // True: the answer carried the order.
  bool Carry() {
    bool carried = false;
    board.WhenNews("n1", 0, {}, [&](const AgentBoard::Answer& answer) {
      carried = !answer.orders.orders.empty();
    });
    return carried;
  }
  bool OverAfter(Duration silence) {
    clock.up = clock.up + silence;
    board.TakeSilent(kSilent);
    return !board.ProvenOver().empty();
  }

  SetClock clock;
  AgentBoard board;
};

TEST(Silence, TellsWhatMayRunFromWhatNoAnswerHasCarried) {
  World carried;
  carried.Order();
  carried.Hear();
  ASSERT_TRUE(carried.Carry());
  carried.clock.up = carried.clock.up + kSilent;
  const auto silent = carried.board.TakeSilent(kSilent);
  ASSERT_EQ(silent.size(), 1u);
  EXPECT_EQ(silent[0].name, "n1");
  EXPECT_EQ(silent[0].unknown, std::vector<AttemptId>{kAttempt});
  EXPECT_TRUE(silent[0].never_carried.empty());
  EXPECT_TRUE(carried.board.TakeSilent(kSilent).empty()) << "told once";

  World never;
  never.Order();
  never.Hear();
  never.clock.up = never.clock.up + kSilent;
  const auto withdrawn = never.board.TakeSilent(kSilent);
  ASSERT_EQ(withdrawn.size(), 1u);
  EXPECT_EQ(withdrawn[0].never_carried, std::vector<AttemptId>{kAttempt});
  EXPECT_FALSE(never.Carry()) << "it is withdrawn for good";
}

TEST(Proof, OfAFenceIsItsTimeAndGraceAndAMinute) {
  World world;
  world.Order(Duration::Minutes(15));
  world.Hear();
  ASSERT_TRUE(world.Carry());
  EXPECT_FALSE(world.OverAfter(Duration::Minutes(15) + Duration::Seconds(90)));
  EXPECT_TRUE(world.OverAfter(Duration::Micros(1)));
}

TEST(Proof, OfLifeCountsFromTheLastAnswerThatCarriedTheOrder) {
  World world;
  world.Order();
  world.Hear();
  ASSERT_TRUE(world.Carry());
  const Duration life = Duration::Minutes(31 + 60) + Duration::Seconds(30 + 60);
  world.clock.up = world.clock.up + Duration::Minutes(40);
  world.Hear();
  ASSERT_TRUE(world.Carry());
  EXPECT_FALSE(world.OverAfter(life));
  EXPECT_TRUE(world.OverAfter(Duration::Micros(1)));
}

TEST(Proof, IsNothingThatAWallClockCouldGive) {
  World world;
  world.Order(Duration::Minutes(15));
  world.Hear();
  ASSERT_TRUE(world.Carry());
  world.clock.stepped = Duration::Days(2);
  EXPECT_TRUE(world.board.TakeSilent(kSilent).empty());
  world.clock.stepped = Duration() - Duration::Days(2);
  EXPECT_FALSE(world.OverAfter(Duration::Minutes(10)));
  EXPECT_TRUE(world.OverAfter(Duration::Minutes(10))) << "nor could it take one away";
}

TEST(Proof, IsOffOnceTheNodeIsHeard) {
  World world;
  world.Order(Duration::Minutes(15));
  world.Hear();
  ASSERT_TRUE(world.Carry());
  ASSERT_TRUE(world.OverAfter(Duration::Hours(1)));
  world.Hear();
  EXPECT_TRUE(world.board.ProvenOver().empty());
}

TEST(Proof, AssumesThatAnEarlierLeaderHasSentWhatItOrdered) {
  World world;
  world.Publish(Duration::Minutes(15), world.clock.Now() - Duration::Hours(9));
  world.clock.up = world.clock.up + kSilent;
  const auto silent = world.board.TakeSilent(kSilent);
  ASSERT_EQ(silent.size(), 1u);
  EXPECT_EQ(silent[0].unknown, std::vector<AttemptId>{kAttempt});
  EXPECT_FALSE(world.OverAfter(Duration::Minutes(15))) << "counted from the term's beginning";
  EXPECT_TRUE(world.OverAfter(Duration::Seconds(51)));
}

}  // namespace
}  // namespace pinka
