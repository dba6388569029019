#include "base/ids.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace pinka {
namespace {

static_assert(!std::is_convertible_v<JobId, MemberId>);
static_assert(!std::is_convertible_v<int64_t, JobId>);

TEST(Ids, PrintAsPeopleWriteThem) {
  EXPECT_EQ(ToString(AttemptId{JobId(17), 0, 1}), "17_0.1");
  EXPECT_EQ(ToString(TaskId{JobId(36), 7}), "36_7");
}

TEST(Ids, ReadBackWhatTheyPrint) {
  for (AttemptId id :
       {AttemptId{JobId(1), 0, 1}, AttemptId{JobId(INT64_MAX), INT32_MAX, INT32_MAX}}) {
    AttemptId read;
    ASSERT_TRUE(ParseAttemptId(ToString(id), &read));
    EXPECT_EQ(read, id);
  }
}

TEST(Ids, RefuseEveryOtherFormAndLeaveTheOutputAlone) {
  const AttemptId before{JobId(5), 5, 5};
  for (const char* text : {"",
                           "17",
                           "17_0",
                           "17_0.",
                           "17.1",
                           "_0.1",
                           "17_.1",
                           "17_0.1 ",
                           " 17_0.1",
                           "017_0.1",
                           "17_00.1",
                           "+17_0.1",
                           "17_-1.1",
                           "-17_0.1",
                           "0_0.1",
                           "17_0.0",
                           "17_0.1.1",
                           "17_2147483648.1",
                           "9223372036854775808_0.1",
                           "17_0.1x",
                           "17_[0].1"}) {
    AttemptId id = before;
    EXPECT_FALSE(ParseAttemptId(text, &id)) << text;
    EXPECT_EQ(id, before) << text;
  }
}

TEST(Ids, OrderByJobThenIndexThenNumber) {
  EXPECT_LT((AttemptId{JobId(1), 9, 9}), (AttemptId{JobId(2), 0, 1}));
  EXPECT_LT((AttemptId{JobId(1), 1, 9}), (AttemptId{JobId(1), 2, 1}));
  EXPECT_LT((AttemptId{JobId(1), 1, 1}), (AttemptId{JobId(1), 1, 2}));
}

TEST(Ids, ZeroIsNone) {
  EXPECT_FALSE(JobId());
  EXPECT_TRUE(JobId(1));
}

TEST(Ids, CanBeKeysOfAHashTable) {
  std::unordered_set<JobId> seen{JobId(1), JobId(2), JobId(1)};
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace pinka
