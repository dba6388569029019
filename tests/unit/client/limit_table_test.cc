#include "client/cli/core/limit_table.h"

#include <gtest/gtest.h>

#include "client/cli/core/table.h"

namespace pinka::cli {
namespace {

v1::Limit Used(int32_t percent) {
  v1::Limit limit;
  limit.set_resource("money");
  limit.set_amount("40.000000");
  limit.set_percent(percent);
  return limit;
}

TEST(UseBar, IsFullAtAHundred) {
  EXPECT_EQ(UseBar(Used(0)), "[----------]   0 %");
  EXPECT_EQ(UseBar(Used(9)), "[----------]   9 %");
  EXPECT_EQ(UseBar(Used(64)), "[######----]  64 %");
  EXPECT_EQ(UseBar(Used(100)), "[##########] 100 %");
  EXPECT_EQ(UseBar(Used(250)), "[##########] 250 %");
  v1::Limit open = Used(0);
  open.set_amount("unlimited");
  EXPECT_EQ(UseBar(open), "");
}

TEST(LimitNotes, TellTheLastThresholdTheBlockAndTheRaise) {
  v1::Limit limit = Used(85);
  EXPECT_EQ(LimitNotes(limit, "CNY"), "");
  limit.add_crossed(50);
  limit.add_crossed(80);
  limit.set_block_at(95);
  limit.set_raised_from("30.000000");
  EXPECT_EQ(LimitNotes(limit, "CNY"), "80 % crossed, nothing new from 95 %, raised, then ¥30.00");
  limit.set_resource("running_units");
  limit.set_raised_from("4");
  EXPECT_EQ(LimitNotes(limit, "CNY"), "80 % crossed, nothing new from 95 %, raised, then 4");
}

}  // namespace
}  // namespace pinka::cli
