// The agent's record of files that are kept, and what counts as a generation.
#include "agent/record/kept.h"

#include <gtest/gtest.h>

#include "agent/stager.h"

namespace pinka {
namespace {

TEST(Kept, ComesBackAsItWasWritten) {
  const Kept kept{.generations = 3,
                  .newest = 40,
                  .checkpoint_ms = 5'000,
                  .done = true,
                  .message = "the store\nis full"};
  const StatusOr<Kept> read = DecodeKept(Encode(kept));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->generations, 3);
  EXPECT_EQ(read->newest, 40);
  EXPECT_EQ(read->checkpoint_ms, 5'000);
  EXPECT_TRUE(read->done);
  EXPECT_EQ(read->message, kept.message);
  EXPECT_FALSE(DecodeKept(Encode(kept).substr(0, 40)).ok()) << "one that was cut short";
}

TEST(Generation, IsNamedByItsNumberAlone) {
  EXPECT_EQ(GenerationOf("gen-0"), 0);
  EXPECT_EQ(GenerationOf("gen-00000012"), 12);
  EXPECT_EQ(GenerationOf(GenerationName(123'456'789'012)), 123'456'789'012);
  for (const char* other : {"gen-", "gen--1", "gen-1.part", "gen-1x", "gen 1", "Gen-1", "12", "",
                            "gen-9999999999999999999"})
    EXPECT_EQ(GenerationOf(other), -1) << other;
}

}  // namespace
}  // namespace pinka
