#include "scheduler/sim/chaos.h"

#include <gtest/gtest.h>

namespace pinka::sim {
namespace {

TEST(Chaos, IsTheSameHistoryForTheSameSeed) {
  const History a = RunHistory(7);
  const History b = RunHistory(7);
  EXPECT_EQ(a.trace, b.trace);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.faults, b.faults);
  EXPECT_NE(a.trace, RunHistory(8).trace);
}

TEST(Chaos, HasWorkAndTroubleInIt) {
  const History h = RunHistory(7);
  EXPECT_GT(h.jobs, 10);
  EXPECT_GT(h.attempts, h.jobs / 2);
  EXPECT_GT(h.faults, 500);
  EXPECT_TRUE(h.violations.empty()) << h.violations.front();
}

}  // namespace
}  // namespace pinka::sim
