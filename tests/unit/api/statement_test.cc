#include "scheduler/api/statement.h"

#include <gtest/gtest.h>

namespace pinka::api {
namespace {

// 2026-10-31T16:00:00Z: midnight in Shanghai.
const Timestamp kNovember = Timestamp::Seconds(1'793'462'400);

class StatementQueries : public ::testing::Test {
 protected:
  StatementQueries() {
    board_.member_names = {{1, "alice"}, {2, "王芳"}};
    board_.lab.timezone = "Asia/Shanghai";
  }
  StatusOr<StatementQuery> Ask(const Principal& who, Timestamp now = kNovember) {
    return ConvertStatement(request_, who, board_, now);
  }

  const Principal alice_{MemberId(1), "alice", false, "", {}};
  const Principal admin_{MemberId(2), "王芳", true, "", {}};
  Board board_;
  v1::GetStatementRequest request_;
};

TEST_F(StatementQueries, AreOfTheCallerAndTheMonthInProgress) {
  const auto query = Ask(alice_);
  ASSERT_TRUE(query.ok()) << query.status();
  EXPECT_EQ(query->member, MemberId(1));
  EXPECT_EQ(query->month, "2026-11");
  EXPECT_EQ(query->window.start, kNovember);
  EXPECT_EQ(Ask(alice_, kNovember - Duration::Micros(1))->month, "2026-10");
}

TEST_F(StatementQueries, OfOthersAreForAdmins) {
  request_.set_user("王芳");
  EXPECT_FALSE(Ask(alice_).ok());
  request_.set_user("alice");
  EXPECT_EQ(Ask(alice_)->member, MemberId(1));
  EXPECT_EQ(Ask(admin_)->member, MemberId(1));
  request_.set_user("nobody");
  EXPECT_FALSE(Ask(admin_).ok());
  request_.clear_user();
  request_.set_month("2026-13");
  EXPECT_FALSE(Ask(admin_).ok());
}

db::StatementEntry Line(const std::string& section, int64_t yuan) {
  db::StatementEntry entry;
  entry.section = section;
  entry.at = kNovember;
  entry.amount = Money::Whole(yuan);
  return entry;
}

TEST(StatementSections, AddUpToTheClosing) {
  db::Statement statement;
  statement.opening = Money::Whole(100);
  statement.entries = {Line("charge", -30),  Line("credit", 50), Line("elsewhere", 7),
                       Line("lapse", -5),    Line("other", -2),  Line("refund", 3),
                       Line("withdraw", -4), Line("credit", 1)};
  statement.entries[0].attempt = {JobId(36), 0, 2};
  statement.entries[0].rate = Rate::MicrosPerUnitHour(12'000'000);
  statement.entries[0].unit_ms = 9'000'000;
  statement.entries[2].other_owner = "project:vision";
  v1::GetStatementResponse out;
  FillStatement(statement, &out);
  EXPECT_EQ(out.opening(), "100.000000");
  EXPECT_EQ(out.closing(), "113.000000");
  EXPECT_EQ(out.credits().total(), "51.000000");
  EXPECT_EQ(out.credits().lines_size(), 2);
  EXPECT_EQ(out.charges().total(), "-30.000000");
  EXPECT_EQ(out.charges().lines(0).job(), "36_0.2");
  EXPECT_EQ(out.charges().lines(0).rate(), "12.000000");
  EXPECT_EQ(out.charges().lines(0).gpu_hours(), "2.500000");
  EXPECT_EQ(out.refunds().total(), "3.000000");
  EXPECT_EQ(out.withdrawals().total(), "-4.000000");
  EXPECT_EQ(out.lapses().total(), "-5.000000");
  EXPECT_EQ(out.other().total(), "-2.000000");
  EXPECT_EQ(out.elsewhere().total(), "7.000000") << "not of the member's own lots";
  EXPECT_EQ(out.elsewhere().lines(0).account(), "project:vision");
  EXPECT_EQ(out.elsewhere().lines(0).source(), "") << "no attempt";
}

}  // namespace
}  // namespace pinka::api
