#include "scheduler/api/convert_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "scheduler/api/forms.h"

namespace pinka::api {
namespace {

using ::testing::HasSubstr;

class Purchases : public ::testing::Test {
 protected:
  Purchases() {
    Board::Tier tier;
    tier.row.id = TierId(2);
    tier.row.name = std::string("a100");
    board_.tiers.push_back(tier);
    board_.member_names = {{5, "alice"}, {6, "bob"}, {7, "王芳"}};
    request_.set_request_id("k");
    request_.set_tier("a100");
    request_.set_hours("1000");
    request_.set_price("12000.00");
    *request_.mutable_until() = ToProto(Timestamp::Seconds(2'000'000'000));
    for (const char* name : {"alice", "bob", "王芳"}) request_.add_members(name);
    request_.set_reason("spring");
  }
  StatusOr<BuyPackage> Convert() { return ConvertPurchase(request_, board_, paid_in_); }
  std::string Refused() {
    const auto command = Convert();
    return command.ok() ? "" : Message(command.status());
  }
  void Shares(std::vector<std::pair<std::string, std::string>> shares) {
    request_.clear_members();
    request_.clear_shares();
    for (const auto& [name, share] : shares) {
      v1::Share* part = request_.add_shares();
      part->set_member(name);
      part->set_share(share);
    }
  }
  std::vector<int64_t> Weights() {
    std::vector<int64_t> weights;
    const StatusOr<BuyPackage> command = Convert();
    EXPECT_TRUE(command.ok()) << Message(command.status());
    if (!command.ok()) return weights;
    for (const BuyPackage::Share& part : command->shares) weights.push_back(part.share);
    return weights;
  }

  Board board_;
  std::map<MemberId, Money> paid_in_ = {{MemberId(5), Money::Whole(400)},
                                        {MemberId(6), Money::Whole(-3)}};
  v1::BuyPackageRequest request_;
};

TEST_F(Purchases, BecomeCommands) {
  request_.set_payer("王芳");
  request_.set_borrow("20");
  const auto command = Convert();
  ASSERT_TRUE(command.ok()) << Message(command.status());
  EXPECT_EQ(command->tier, TierId(2));
  EXPECT_EQ(command->total_ms, int64_t{1'000} * 3'600'000);
  EXPECT_EQ(command->price, Money::Whole(12'000));
  EXPECT_EQ(command->payer, MemberId(7));
  EXPECT_EQ(command->borrow, BorrowRule::kLimit);
  EXPECT_EQ(command->borrow_ms, 20 * 3'600'000);
  EXPECT_EQ(command->split, SplitRule::kEqual);
  EXPECT_EQ(Weights(), (std::vector<int64_t>{1, 1, 1}));
}

TEST_F(Purchases, AreSplitByWhatWasPaidInOrSaid) {
  request_.set_split("contribution");
  EXPECT_EQ(Weights(), (std::vector<int64_t>{400'000'000, 0, 0}));
  Shares({{"alice", "400.50"}, {"bob", "800"}});
  EXPECT_EQ(Weights(), (std::vector<int64_t>{400'500'000, 800'000'000}));
}

TEST_F(Purchases, AreSplitByWeightsOrByPartsOfOne) {
  request_.set_split("shares");
  Shares({{"alice", "1"}, {"bob", "2"}, {"lab", "4"}});
  EXPECT_EQ(Weights(), (std::vector<int64_t>{1'000'000, 2'000'000, 4'000'000}));
  EXPECT_FALSE(Convert()->shares[2].member) << "the lab's stay with nobody";
  Shares({{"alice", "0.333"}, {"bob", "0.333"}, {"王芳", "0.334"}});
  EXPECT_EQ(Weights(), (std::vector<int64_t>{333'000, 333'000, 334'000}));
  Shares({{"alice", "0.333"}, {"bob", "0.333"}, {"王芳", "0.333"}});
  EXPECT_THAT(Refused(), HasSubstr("do not add up"));
}

TEST_F(Purchases, AreRefusedWithOneSentence) {
  const struct {
    std::function<void(v1::BuyPackageRequest&)> spoil;
    const char* says;
  } table[] = {
      {[](auto& r) { r.set_request_id("\n"); }, "request id"},
      {[](auto& r) { r.set_tier("h100"); }, "no such tier"},
      {[](auto& r) { r.set_kind("weeks"); }, "hours or capacity"},
      {[](auto& r) { r.set_split("fair"); }, "equal, contribution"},
      {[](auto& r) { r.set_lapse_to("me"); }, "owner or to overhead"},
      {[](auto& r) { r.set_hours("many"); }, "the hours"},
      {[](auto& r) { r.set_hours("0"); }, "the hours"},
      {[](auto& r) { r.set_price("-1"); }, "the price"},
      {[](auto& r) { r.clear_until(); }, "--until"},
      {[](auto& r) { r.set_borrow("all"); }, "--borrow"},
      {[](auto& r) { r.set_payer("dave"); }, "no such member dave"},
      {[](auto& r) { r.add_members("dave"); }, "no such member dave"},
      {[](auto& r) { r.set_provider("a\x1b[31m"); }, "provider"},
      {[](auto& r) { r.set_reason("a\x07"); }, "reason"},
  };
  const v1::BuyPackageRequest good = request_;
  for (const auto& row : table) {
    request_ = good;
    row.spoil(request_);
    EXPECT_THAT(Refused(), HasSubstr(row.says));
  }
}

TEST(Portion, SaysWhereItsHoursAre) {
  db::PackageLine package;
  package.tier = std::string("a100");
  db::PortionLine line;
  line.row.total_ms = 10 * 3'600'000;
  line.row.borrowed_ms = 3'600'000;
  line.owner = std::string("王芳");
  line.posted_ms = 6 * 3'600'000;
  line.held_ms = 3'600'000;
  line.used_ms = 5 * 3'600'000;
  line.lent_ms = 2 * 3'600'000;
  v1::Portion portion;
  FillPortion(package, line, &portion);
  EXPECT_EQ(portion.total(), "10.000000");
  EXPECT_EQ(portion.used(), "5.000000");
  EXPECT_EQ(portion.borrowed(), "1.000000");
  EXPECT_EQ(portion.lent(), "2.000000");
  EXPECT_EQ(portion.held(), "1.000000");
  EXPECT_EQ(portion.left(), "3.000000") << "5 - 1 + 2 + 1 + 3 = 10";
}

}  // namespace
}  // namespace pinka::api
