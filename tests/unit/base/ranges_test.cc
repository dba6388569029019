#include "base/ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Refusal {
  const char* text;
  const char* says;
};

RangeSet Set(const char* text) { return RangeSet::Parse(text).value(); }

TEST(RangeSet, JoinsRangesThatOverlapOrTouch) {
  struct Case {
    const char* before;
    int32_t begin, end;
    const char* after;
  };
  for (const Case& c :
       {Case{"", 3, 5, "3-4"}, Case{"0-2", 3, 5, "0-4"}, Case{"5-9", 3, 5, "3-9"},
        Case{"0-2,5-9", 3, 5, "0-9"}, Case{"0-1,7-9", 3, 5, "0-1,3-4,7-9"},
        Case{"0-9", 3, 5, "0-9"}, Case{"1,3,5,7", 0, 9, "0-8"}, Case{"1", 4, 4, "1"}}) {
    RangeSet set = Set(c.before);
    set.InsertRange(c.begin, c.end);
    EXPECT_EQ(set.ToString(), c.after) << c.before;
  }
}

TEST(RangeSet, CutsHolesAndEnds) {
  struct Case {
    const char* before;
    int32_t begin, end;
    const char* after;
  };
  for (const Case& c :
       {Case{"0-9", 3, 5, "0-2,5-9"}, Case{"0-9", 0, 5, "5-9"}, Case{"0-9", 5, 10, "0-4"},
        Case{"0-9", 0, 10, ""}, Case{"0-2,5-9,12", 1, 13, "0"},
        Case{"0-2,5-9,12", 2, 6, "0-1,6-9,12"}, Case{"5-9", 0, 3, "5-9"},
        Case{"5-9", 20, 30, "5-9"}, Case{"", 0, 9, ""}, Case{"5-9", 7, 7, "5-9"}}) {
    RangeSet set = Set(c.before);
    set.EraseRange(c.begin, c.end);
    EXPECT_EQ(set.ToString(), c.after)
        << c.before << " without [" << c.begin << ", " << c.end << ")";
  }
}

TEST(RangeSet, KnowsSizeFirstAndMembers) {
  RangeSet set = Set("2-3,7,10-19");
  EXPECT_EQ(set.size(), 13);
  EXPECT_EQ(set.First(), 2);
  EXPECT_TRUE(set.Contains(7));
  EXPECT_FALSE(set.Contains(8));
  EXPECT_FALSE(set.Contains(20));
  EXPECT_FALSE(set.empty());
  EXPECT_TRUE(RangeSet::Of(4, 4).empty());
  EXPECT_EQ(RangeSet::Of(0, 1'000'000).ranges().size(), 1u);
}

TEST(RangeSet, PrintsInclusiveEndsAsPeopleWriteThem) {
  EXPECT_EQ(Set("0-99,105,110-119").ToString(), "0-99,105,110-119");
  EXPECT_EQ(Set("5,4,3,1-3").ToString(), "1-5");
  EXPECT_EQ(Set("1,2").ToString(), "1-2");
  EXPECT_EQ(Set("2147483646").ToString(), "2147483646");
  EXPECT_EQ(Set("").ToString(), "");
}

TEST(RangeSet, RefusesWhatIsNoListAndSaysWhy) {
  for (const Refusal& r :
       {Refusal{",", "write whole numbers"}, Refusal{"1,", "write whole numbers"},
        Refusal{"a", "write whole numbers"}, Refusal{"-1", "write whole numbers"},
        Refusal{"1-", "write whole numbers"}, Refusal{"1--2", "write whole numbers"},
        Refusal{"1 ,2", "write whole numbers"}, Refusal{"3-1", "it runs backwards"},
        Refusal{"0-9:2", "a step is not allowed here"},
        Refusal{"2147483647", "write whole numbers"},
        Refusal{"99999999999999999999", "write whole numbers"}}) {
    Status status = RangeSet::Parse(r.text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << r.text;
    EXPECT_THAT(Message(status), HasSubstr(r.says)) << r.text;
  }
}

TEST(RangeSet, ReadsALongListInAnyOrderQuickly) {
  std::string text;
  for (int n = 400'000; n > 0; n -= 2) text += std::to_string(n) + ",";
  EXPECT_EQ(RangeSet::Parse(text + "0")->size(), 200'001);
}

TEST(RangeSetDeathTest, RefusesARangeOfNoOrdinals) {
  RangeSet set;
  EXPECT_DEATH(set.InsertRange(5, 4), "not negative or backwards");
  EXPECT_DEATH(set.InsertRange(-1, 4), "not negative or backwards");
  EXPECT_DEATH(set.First(), "an empty set has no first");
}

// ---- array specs ----

TEST(ParseArraySpec, ReadsNumbersRangesStepsAndTheThrottle) {
  EXPECT_THAT(ParseArraySpec("7", 100)->indices, ElementsAre(7));
  EXPECT_THAT(ParseArraySpec("0-3", 100)->indices, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ParseArraySpec("0-9:4", 100)->indices, ElementsAre(0, 4, 8));
  EXPECT_THAT(ParseArraySpec("9,0-2,1-3:2,9", 100)->indices, ElementsAre(0, 1, 2, 3, 9));
  EXPECT_EQ(ParseArraySpec("0-3", 100)->max_running, 0);
  EXPECT_EQ(ParseArraySpec("0-3%2", 100)->max_running, 2);
  EXPECT_THAT(ParseArraySpec("2147483646", 100)->indices, ElementsAre(2'147'483'646));
  EXPECT_THAT(ParseArraySpec("0-2147483646:2147483646", 2)->indices, ElementsAre(0, 2'147'483'646));
}

TEST(ParseArraySpec, RefusesMistakesAndSaysWhy) {
  for (const Refusal& r :
       {Refusal{"", "write whole numbers"}, Refusal{"%4", "write whole numbers"},
        Refusal{"5-1", "it runs backwards"}, Refusal{"0-9:0", "its step must be 1 or more"},
        Refusal{"0-9:-1", "its step must be 1 or more"},
        Refusal{"0-9:", "its step must be 1 or more"}, Refusal{"3:2", "a step needs a range"},
        Refusal{"-3", "write whole numbers"}, Refusal{"0-9%0", "how many tasks may run at once"},
        Refusal{"0-9%", "how many tasks may run at once"},
        Refusal{"0-9%2%3", "how many tasks may run at once"},
        Refusal{"0-9%-2", "how many tasks may run at once"},
        Refusal{"4294967296", "write whole numbers"}, Refusal{"1;2", "write whole numbers"},
        Refusal{"0-10", "lists more than 10 indices"},
        Refusal{"0-9,10", "lists more than 10 indices"},
        Refusal{"0-2147483646", "lists more than 10 indices"}}) {
    Status status = ParseArraySpec(r.text, 10).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << r.text;
    EXPECT_THAT(Message(status), HasSubstr(r.says)) << r.text;
  }
}

TEST(ParseArraySpec, CountsWhatRemainsAfterDuplicatesCollapse) {
  EXPECT_EQ(ParseArraySpec("0-9,0-9,0-9", 10)->indices.size(), 10u);
  EXPECT_EQ(ParseArraySpec("0-999999", 1'000'000)->indices.size(), 1'000'000u);
}

TEST(ParseArraySpec, BoundsTheWorkOfASpecThatRepeatsItself) {
  std::string text = "0-999999";
  for (int i = 0; i < 1'000; ++i) text += ",0-999999";
  EXPECT_FALSE(ParseArraySpec(text, 1'000'000).ok());
}

// ---- slices ----

TEST(ParseJobSlice, ReadsAJobOrSomeOfItsIndices) {
  EXPECT_EQ(ParseJobSlice("36")->job, 36);
  EXPECT_TRUE(ParseJobSlice("36")->indices.empty());
  EXPECT_EQ(ParseJobSlice("36_1")->indices, Set("1"));
  EXPECT_EQ(ParseJobSlice("36_[1-3,7]")->indices, Set("1-3,7"));
  EXPECT_EQ(ParseJobSlice("36_[5]")->job, 36);
}

TEST(ParseJobSlice, RefusesEverythingElse) {
  for (const char* text :
       {"",          "0",        "-3",     "+3",   " 3",   "3 ",    "03",
        "36_",       "36_-1",    "36_[]",  "36_[", "36_]", "36_[1", "36_1]",
        "36_[1]x",   "36_[3-1]", "36_1-3", "36.1", "abc",  "36_a",  "9223372036854775808",
        "36_[0-9:2]"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseJobSlice(text).status())) << text;
  }
  EXPECT_EQ(Message(ParseJobSlice("abc").status()),
            "\"abc\" does not name a job: write 36, 36_1 or 36_[1-3,7]");
}

}  // namespace
}  // namespace pinka
