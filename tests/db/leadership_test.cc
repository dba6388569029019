#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/store.h"
#include "tests/db/sample.h"
#include "tests/support/postgres.h"

namespace pinka::db {
namespace {

using pinka::testing::At;
using Kind = CommitResult::Kind;
using ::testing::HasSubstr;

class Leadership : public ::testing::Test {
 protected:
  // As if the holder had not renewed for 4 s.
  void Expire() {
    Connection admin(url_, "");
    ASSERT_TRUE(admin
                    .Script("UPDATE leader SET renewed_at = clock_timestamp() - "
                            "interval '4 seconds'")
                    .ok());
  }
  std::string url_ = pinka::testing::FreshDatabase();
  Store one_{url_};
  Store two_{url_};
};

TEST_F(Leadership, AFreeRowIsTakenAndAHeldOneNamesItsHolder) {
  EXPECT_EQ(one_.AcquireLeadership("one", "10.0.0.1:7").value(), 1);
  StatusOr<int64_t> second = two_.AcquireLeadership("two", "10.0.0.2:7");
  EXPECT_TRUE(absl::IsFailedPrecondition(second.status()));
  EXPECT_THAT(Message(second.status()), HasSubstr("10.0.0.1:7"));
}

TEST_F(Leadership, TheSameHolderRaisesItsOwnTerm) {
  EXPECT_EQ(one_.AcquireLeadership("one", "a").value(), 1);
  EXPECT_EQ(one_.AcquireLeadership("one", "a").value(), 2);
  EXPECT_FALSE(one_.Renew(1).value());
  EXPECT_TRUE(one_.Renew(2).value());
}

TEST_F(Leadership, AnExpiredRowIsTakenAndTheOldLeaderCommitsNothing) {
  ASSERT_EQ(one_.AcquireLeadership("one", "a").value(), 1);
  ASSERT_TRUE(one_.Commit({1, 1, At(1)}, {}).done());
  Expire();
  ASSERT_EQ(two_.AcquireLeadership("two", "b").value(), 2);
  Changes changes = pinka::testing::SampleChanges();
  EXPECT_EQ(one_.Commit({1, 2, At(2)}, changes).kind, Kind::kNotLeader);
  EXPECT_TRUE(absl::IsFailedPrecondition(one_.LoadSnapshot(1).status()));
  EXPECT_TRUE(two_.LoadSnapshot(2)->second.members.empty());
  EXPECT_TRUE(two_.Commit({2, 2, At(2)}, changes).done());
}

TEST_F(Leadership, ResigningFreesTheRowAtOnce) {
  ASSERT_EQ(one_.AcquireLeadership("one", "a").value(), 1);
  ASSERT_TRUE(one_.Resign(1).ok());
  EXPECT_EQ(two_.AcquireLeadership("two", "b").value(), 2);
}

TEST_F(Leadership, RenewingKeepsTheRow) {
  ASSERT_EQ(one_.AcquireLeadership("one", "a").value(), 1);
  Expire();
  EXPECT_TRUE(one_.Renew(1).value());
  EXPECT_FALSE(two_.AcquireLeadership("two", "b").ok());
}

TEST_F(Leadership, LandedTellsWhichBatchesAreThere) {
  ASSERT_EQ(one_.AcquireLeadership("one", "a").value(), 1);
  ASSERT_TRUE(one_.Commit({1, 1, At(1)}, {}).done());
  EXPECT_TRUE(one_.Landed(1, 1).value());
  EXPECT_FALSE(one_.Landed(1, 2).value());
}

TEST_F(Leadership, LandedStaysTrueToTheOldTermAfterTheNextOneWentOn) {
  ASSERT_EQ(one_.AcquireLeadership("one", "a").value(), 1);
  ASSERT_TRUE(one_.Commit({1, 1, At(1)}, {}).done());
  ASSERT_EQ(one_.AcquireLeadership("one", "a").value(), 2);
  ASSERT_TRUE(one_.Commit({2, 2, At(1)}, {}).done());
  EXPECT_TRUE(one_.Landed(1, 1).value());
  EXPECT_FALSE(one_.Landed(1, 2).value());  // number 2 is the new term's
  EXPECT_TRUE(one_.Landed(2, 2).value());
}

TEST_F(Leadership, AKilledConnectionIsTroubleAndTheNextCallConnectsAnew) {
  ASSERT_EQ(one_.AcquireLeadership("one", "a").value(), 1);
  Connection admin(url_, "");
  ASSERT_TRUE(admin
                  .Script("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                          "WHERE datname = current_database() AND pid <> pg_backend_pid()")
                  .ok());
  CommitResult result = one_.Commit({1, 1, At(1)}, {});
  EXPECT_TRUE(result.kind == Kind::kLost || result.kind == Kind::kInDoubt) << result.message;
  EXPECT_FALSE(one_.Landed(1, 1).value());
  EXPECT_TRUE(one_.Commit({1, 1, At(1)}, {}).done());
}

}  // namespace
}  // namespace pinka::db
