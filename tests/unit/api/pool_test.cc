#include "scheduler/api/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/parse.h"
#include "base/random.h"

namespace pinka::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 2026-10-31T16:00:00Z: midnight in Shanghai.
const Timestamp kNovember = Timestamp::Seconds(1'793'462'400);

class PoolQueries : public ::testing::Test {
 protected:
  PoolQueries() { board_.lab.timezone = "Asia/Shanghai"; }
  StatusOr<Month> Ask(const Principal& who) { return ConvertPool(request_, who, board_); }

  const Principal alice_{MemberId(1), "alice", false, "", {}};
  const Principal admin_{MemberId(2), "王芳", true, "", {}};
  Board board_;
  v1::GetPoolRequest request_;
};

TEST_F(PoolQueries, AreForAdminsAndInAnOpenLabForEverybody) {
  for (const Openness openness : {Openness::kClosed, Openness::kQueue, Openness::kOpen}) {
    board_.lab.openness = openness;
    EXPECT_TRUE(Ask(admin_).ok());
    EXPECT_EQ(Ask(alice_).ok(), openness == Openness::kOpen);
  }
}

TEST_F(PoolQueries, AreOfAMonthOrAWindow) {
  EXPECT_EQ(Ask(admin_)->end, Timestamp::Never());
  request_.set_month("2026-11");
  EXPECT_EQ(Ask(admin_)->start, kNovember);
  EXPECT_EQ(Ask(admin_)->end, kNovember + Duration::Hours(30 * 24));
  request_.mutable_from()->set_seconds(kNovember.micros() / 1'000'000);
  EXPECT_FALSE(Ask(admin_).ok()) << "both";
  request_.clear_month();
  EXPECT_EQ(Ask(admin_)->start, kNovember);
  request_.clear_from();
  request_.set_month("2026-13");
  EXPECT_FALSE(Ask(admin_).ok());
}

TEST(PoolParts, AreAHundredPercentByLargestRemainder) {
  const Money yuan = Money::Whole(1);
  // semantics.md 9: 4.00 + 5.00 used in a paid hour of 12.00, idle 3.00.
  EXPECT_THAT(PartsOfWhole({Money::Whole(9), {}, Money::Whole(3), {}}),
              ElementsAre(7'500, 0, 2'500, 0));
  EXPECT_THAT(PartsOfWhole({yuan, yuan, yuan}), ElementsAre(3'334, 3'333, 3'333));
  EXPECT_THAT(PartsOfWhole({yuan, Money::Whole(2)}), ElementsAre(3'333, 6'667));
  EXPECT_THAT(PartsOfWhole({Money::Whole(110), -Money::Whole(10)}), ElementsAre(11'000, -1'000))
      << "a bill below the price";
  EXPECT_THAT(PartsOfWhole({yuan, -yuan}), IsEmpty());
  EXPECT_THAT(PartsOfWhole({Money(), Money()}), IsEmpty());
}

TEST(PoolParts, SumToTheWholeWhateverTheyAre) {
  SeededRandom random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<Money> parts;
    for (int i = 0; i < 4; ++i) {
      const auto micros = static_cast<int64_t>(random.Next() % 1'000'000'000'000);
      parts.push_back(Money::Micros(i == 3 ? micros / 7 - 60'000'000'000 : micros));
    }
    const std::vector<int64_t> shares = PartsOfWhole(parts);
    if (shares.empty()) continue;
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), int64_t{0}), 10'000) << round;
    const int64_t whole = std::accumulate(parts.begin(), parts.end(), Money()).micros();
    for (size_t i = 0; i < parts.size(); ++i) {
      const int64_t exact = MulDivRound(parts[i].micros(), 10'000, whole);
      EXPECT_LE(std::abs(shares[i] - exact), 1) << round;
    }
  }
}

TEST(PoolRows, SumToTheTotal) {
  v1::GetPoolResponse out;
  FillPool(
      {kNovember, Timestamp::Never()},
      {{"a100", Money::Whole(12), Money::Whole(5), Money::Whole(4), Money::Whole(3), {}, 7'200'000},
       {"", -Money::Whole(2), {}, {}, {}, -Money::Whole(2), 0}},
      &out);
  ASSERT_EQ(out.rows_size(), 2);
  EXPECT_EQ(out.rows(0).used_percent(), "41.67");
  EXPECT_EQ(out.rows(0).wasted_percent(), "33.33");
  EXPECT_EQ(out.rows(0).idle_percent(), "25.00");
  EXPECT_EQ(out.rows(0).other_percent(), "0.00");
  EXPECT_EQ(out.rows(0).gpu_hours(), "2.000000");
  EXPECT_EQ(out.rows(1).used_percent(), "") << "nothing was paid";
  EXPECT_EQ(out.total().paid(), "10.000000");
  EXPECT_EQ(out.total().other_percent(), "-20.00");
  EXPECT_TRUE(out.has_from());
  EXPECT_FALSE(out.has_to());
}

}  // namespace
}  // namespace pinka::api
