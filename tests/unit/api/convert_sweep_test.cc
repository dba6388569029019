#include "scheduler/api/convert_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::api {
namespace {

using ::testing::HasSubstr;

TEST(ConvertSweep, IsCheckedWhole) {
  v1::JobSpec spec;
  EXPECT_TRUE(ConvertSweep(spec, 10)->empty());
  spec.add_sweep("a=1..3");
  spec.add_sweep("b=x,y");
  EXPECT_EQ(ConvertSweep(spec, 6)->size(), 2u);
  EXPECT_THAT(Message(ConvertSweep(spec, 5).status()), HasSubstr("more than the 5 tasks"));
  spec.add_sweep("A=1");
  EXPECT_THAT(Message(ConvertSweep(spec, 6).status()), HasSubstr("PINKA_SWEEP_A"));
  spec.set_sweep(2, "c");
  EXPECT_THAT(Message(ConvertSweep(spec, 6).status()), HasSubstr("a key and values"));
}

TEST(ConvertSweep, GoesIntoThePayloadAndBack) {
  v1::JobSpec spec;
  spec.add_sweep(R"(opt=adam,"a,b",{"k":1})");
  const auto keys = *ConvertSweep(spec, 10);
  v1::Payload payload;
  PackSweep(keys, &payload);
  EXPECT_EQ(SweepOf(payload), keys);
}

TEST(ConvertSweep, IsMeasuredByItsLongestValues) {
  v1::JobSpec spec;
  spec.add_argv("{a}{b}");
  spec.add_sweep("a=1,22");
  spec.add_sweep("b=333,4");
  const v1::JobSpec longest = LongestOf(spec, *ConvertSweep(spec, 10));
  EXPECT_EQ(longest.argv(0), "22333");
  ASSERT_EQ(longest.env_size(), 2);
  EXPECT_EQ(longest.env(1).name(), "PINKA_SWEEP_B");
}

}  // namespace
}  // namespace pinka::api
