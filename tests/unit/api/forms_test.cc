#include "scheduler/api/forms.h"

#include <gtest/gtest.h>

#include "pinka/v1/job.pb.h"
#include "pinka/v1/ledger.pb.h"

namespace pinka::api {
namespace {

TEST(Forms, NamesAreForPeopleAndForPaths) {
  EXPECT_TRUE(CheckName("王芳", "member").ok());
  EXPECT_TRUE(CheckName("alice", "member").ok());
  for (const char* bad : {"", "lab", "any", "a:b", "a/b", " a", "a ", "-a", "a\nb", "a\xff"})
    EXPECT_FALSE(CheckName(bad, "member").ok()) << bad;
}

TEST(Forms, TextMayBeEmpty) { EXPECT_TRUE(CheckText("", 10, "comment").ok()); }

TEST(Forms, AmountsAreAboveZero) {
  EXPECT_EQ(PositiveMoney("12.5", "amount")->micros(), 12'500'000);
  for (const char* bad : {"", "0", "-1", "1e3", "01", "1.0000001", "¥5"})
    EXPECT_FALSE(PositiveMoney(bad, "amount").ok()) << bad;
}

TEST(Forms, TheKeyHashesAllButTheRequestId) {
  v1::SubmitJobsRequest request;
  request.set_request_id("run-42");
  request.add_specs()->add_argv("true");
  const RequestKey first = *KeyOf(request);
  EXPECT_EQ(first.key, "run-42");
  request.set_request_id("run-43");
  EXPECT_EQ(KeyOf(request)->hash, first.hash);
  request.mutable_specs(0)->set_argv(0, "false");
  EXPECT_NE(KeyOf(request)->hash, first.hash);
}

TEST(Forms, TheKeyTellsVerbsApart) {
  v1::DepositRequest deposit;
  v1::WithdrawRequest withdraw;
  deposit.set_request_id("k");
  withdraw.set_request_id("k");
  EXPECT_NE(KeyOf(deposit)->hash, KeyOf(withdraw)->hash);
}

TEST(Forms, AKeyIsShortAndPrintable) {
  v1::ResubmitJobRequest request;
  EXPECT_EQ(KeyOf(request)->key, "");
  request.set_request_id(std::string(201, 'x'));
  EXPECT_FALSE(KeyOf(request).ok());
  request.set_request_id("a\nb");
  EXPECT_FALSE(KeyOf(request).ok());
}

TEST(Forms, InstantsGoBothWays) {
  for (int64_t micros : {int64_t{1'764'483'427'123'456}, int64_t{-1}, int64_t{1}})
    EXPECT_EQ(FromProto(ToProto(Timestamp::Micros(micros))).micros(), micros);
}

TEST(Forms, MillisecondsAreBounded) {
  EXPECT_EQ(BoundedMillis(INT64_MAX, Duration::Seconds(20)), Duration::Seconds(20));
  EXPECT_EQ(BoundedMillis(-5, Duration::Seconds(20)), Duration());
}

}  // namespace
}  // namespace pinka::api
