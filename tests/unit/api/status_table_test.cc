#include "scheduler/api/status_table.h"

#include <gtest/gtest.h>

#include "pinka/v1/error.pb.h"

namespace pinka::api {
namespace {

v1::Error ErrorOf(const Status& status) {
  v1::Error error;
  EXPECT_TRUE(error.ParseFromString(ToWire(status).error_bin));
  return error;
}

TEST(StatusTable, HasARowForEveryReason) {
  for (int i = 0; i <= static_cast<int>(Reason::kPoison); ++i) {
    const auto reason = static_cast<Reason>(i);
    const StatusRow& row = RowOf(reason);
    EXPECT_EQ(row.name, Name(reason));
    EXPECT_GE(row.exit_code, 0);
    EXPECT_LE(row.exit_code, 7);
    EXPECT_EQ(row.exit_code == 0, reason == Reason::kOk) << row.name;
    EXPECT_EQ(row.code == grpc::StatusCode::OK, reason == Reason::kOk) << row.name;
    EXPECT_EQ(row.http == 200, reason == Reason::kOk) << row.name;
  }
}

TEST(StatusTable, HasARowForEveryTrouble) {
  for (int i = 0; i < kTroubles; ++i) {
    const StatusRow& row = RowOf(static_cast<Trouble>(i));
    EXPECT_FALSE(row.name.empty());
    EXPECT_NE(row.code, grpc::StatusCode::OK);
    EXPECT_GT(row.exit_code, 0);
    EXPECT_EQ(row.retry, row.code == grpc::StatusCode::UNAVAILABLE) << row.name;
    Reason reason;
    EXPECT_FALSE(FromName(row.name, &reason)) << row.name << " is a reason's name too";
  }
}

TEST(StatusTable, GivesTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(RowOf(Reason::kBadRequest).exit_code, 2);
  EXPECT_EQ(RowOf(Reason::kBudget).exit_code, 3);
  EXPECT_EQ(RowOf(Reason::kQueuedTasks).exit_code, 3);
  EXPECT_EQ(RowOf(Reason::kNoSuchJob).exit_code, 4);
  EXPECT_EQ(RowOf(Reason::kNotPermitted).exit_code, 5);
  EXPECT_EQ(RowOf(Trouble::kUnauthenticated).exit_code, 5);
  EXPECT_EQ(RowOf(Trouble::kDown).exit_code, 6);
  EXPECT_EQ(RowOf(Reason::kConflict).exit_code, 7);
}

TEST(StatusTable, CarriesARefusalToTheCaller) {
  const Status status = Refusal(Reason::kBudget, "needs 20.00, available 5.00");
  EXPECT_EQ(ToWire(status).status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(ToWire(status).status.error_message(), "needs 20.00, available 5.00");
  const v1::Error error = ErrorOf(status);
  EXPECT_EQ(error.reason(), "Budget");
  EXPECT_EQ(error.message(), "needs 20.00, available 5.00");
  EXPECT_EQ(error.exit_code(), 3);
  EXPECT_EQ(error.retry_after_ms(), 0);
}

TEST(StatusTable, SaysWhenToTryAgain) {
  const v1::Error error = ErrorOf(Refusal(Trouble::kBusy, "busy", Duration::Millis(200)));
  EXPECT_EQ(error.reason(), "Busy");
  EXPECT_EQ(error.retry_after_ms(), 200);
}

TEST(StatusTable, TakesBadInputAsItStands) {
  const v1::Error error = ErrorOf(Invalid("a bare number needs a unit"));
  EXPECT_EQ(error.reason(), "BadRequest");
  EXPECT_EQ(error.message(), "a bare number needs a unit");
  EXPECT_EQ(error.exit_code(), 2);
}

TEST(StatusTable, KeepsInnerFaultsInside) {
  EXPECT_EQ(ErrorOf(Internal("password=secret")).message().find("secret"), std::string::npos);
  EXPECT_EQ(ErrorOf(Unavailable("host=db")).message().find("host"), std::string::npos);
  EXPECT_GT(ErrorOf(Unavailable("host=db")).retry_after_ms(), 0);
}

}  // namespace
}  // namespace pinka::api
