#include "scheduler/api/auth.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace pinka::api {
namespace {

class Tokens : public ::testing::Test {
 protected:
  StatusOr<std::optional<Principal>> LookUp(const std::string& hash) {
    ++lookups_;
    if (!down_.ok()) return down_;
    if (valid_ && hash == Sha256Hex("good")) return Principal{MemberId(1), "alice", false, "", {}};
    return std::nullopt;
  }

  FakeClock clock_{Timestamp::Seconds(1)};
  bool valid_ = true;
  Status down_;
  int lookups_ = 0;
  TokenCache cache_{clock_, [this](const std::string& hash) { return LookUp(hash); }};
};

TEST_F(Tokens, AreAskedForOnceInAWhile) {
  EXPECT_FALSE(cache_.Known("good"));
  EXPECT_EQ(cache_.Resolve("good")->name, "alice");
  EXPECT_EQ(cache_.Known("good")->name, "alice");
  EXPECT_EQ(cache_.Resolve("good")->name, "alice");
  EXPECT_EQ(lookups_, 1);
}

TEST_F(Tokens, AreNoGoodSoonAfterTheyAreRevoked) {
  ASSERT_TRUE(cache_.Resolve("good").ok());
  valid_ = false;
  clock_.Advance(Duration::Seconds(6));
  EXPECT_FALSE(cache_.Known("good"));
  EXPECT_TRUE(absl::IsUnauthenticated(cache_.Resolve("good").status()));
}

TEST_F(Tokens, ThatAreWrongAreNotKept) {
  EXPECT_TRUE(absl::IsUnauthenticated(cache_.Resolve("bad").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(cache_.Resolve("bad").status()));
  EXPECT_EQ(lookups_, 2);
}

TEST_F(Tokens, ThatAreMissingOrHugeAreNotLookedUp) {
  EXPECT_TRUE(absl::IsUnauthenticated(cache_.Resolve("").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(cache_.Resolve(std::string(10'000, 'x')).status()));
  EXPECT_EQ(lookups_, 0);
}

TEST_F(Tokens, FailClosedWithoutTheDatabase) {
  down_ = Unavailable("no database");
  EXPECT_TRUE(absl::IsUnavailable(cache_.Resolve("good").status()));
  down_ = OkStatus();
  EXPECT_TRUE(cache_.Resolve("good").ok());
}

TEST(BearerTokens, AreReadFromTheHeader) {
  EXPECT_EQ(BearerToken("Bearer abc"), "abc");
  EXPECT_EQ(BearerToken("bearer abc"), "");
  EXPECT_EQ(BearerToken("Basic abc"), "");
  EXPECT_EQ(BearerToken(""), "");
}

}  // namespace
}  // namespace pinka::api
