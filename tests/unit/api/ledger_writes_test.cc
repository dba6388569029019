#include "scheduler/api/ledger_writes.h"

#include <gtest/gtest.h>

namespace pinka::api {
namespace {

TEST(RefundName, IsAnEntryAnAttemptOrATask) {
  EXPECT_EQ(ParseRefundName("1204")->entry, TransferId(1204));
  EXPECT_FALSE(ParseRefundName("1204")->attempt.job);
  EXPECT_EQ(ParseRefundName("36_1.2")->attempt, (AttemptId{JobId(36), 1, 2}));
  EXPECT_FALSE(ParseRefundName("36_1.2")->entry);
  EXPECT_EQ(ParseRefundName("36_1")->attempt, (AttemptId{JobId(36), 1, 0})) << "every attempt";
  for (const char* bad : {"", "0", "-1", "36_", "36_1.", "36_1.0", "36_[1-3]", "_1", "x", "36_01",
                          "9223372036854775808"}) {
    EXPECT_FALSE(ParseRefundName(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace pinka::api
