#include "scheduler/sim/spot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFile[] =
    "t_s,zone,instances_up,end_s\n0,east_v100_1,0,900\n900,east_v100_1,3,2100\n"
    "2100,east_v100_1,1,3000\n0,west_v100_1,2,3000\n";

TEST(Spot, ReadsEveryZoneByTime) {
  const auto spot = ParseSpot(kFile, "s.csv", "");
  ASSERT_TRUE(spot.ok()) << Message(spot.status());
  EXPECT_THAT(spot->zones, ElementsAre("east_v100_1", "west_v100_1"));
  EXPECT_THAT(spot->most, ElementsAre(3, 2));
  ASSERT_EQ(spot->changes.size(), 4u);
  EXPECT_EQ(spot->changes[1].zone, 1);
  EXPECT_EQ(spot->changes[1].up, 2);
  EXPECT_EQ(spot->changes[3].at_ms, 2'100'000);
  EXPECT_EQ(spot->changes[3].up, 1);
}

TEST(Spot, KeepsOneZone) {
  const auto spot = ParseSpot(kFile, "s.csv", "west_v100_1");
  ASSERT_TRUE(spot.ok());
  EXPECT_THAT(spot->zones, ElementsAre("west_v100_1"));
  EXPECT_EQ(spot->changes.size(), 1u);
}

TEST(Spot, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THAT(Message(ParseSpot(kFile, "s.csv", "north").status()),
              HasSubstr("no zone north; it has east_v100_1, west_v100_1"));
  EXPECT_THAT(Message(ParseSpot("a,b\n1,2\n", "s.csv", "").status()), HasSubstr("line 1"));
  EXPECT_THAT(Message(ParseSpot("t_s,zone,instances_up\n1,z,1.5\n", "s.csv", "").status()),
              AllOf(HasSubstr("line 2"), HasSubstr("900,us-east-2b,3")));
  EXPECT_THAT(Message(ParseSpot("t_s,zone,instances_up\n", "s.csv", "").status()),
              HasSubstr("holds no lines"));
}

}  // namespace
}  // namespace pinka::sim
