#include "client/cli/core/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;

std::string Trailer(const std::string& reason, const std::string& message, int exit_code) {
  v1::Error error;
  error.set_reason(reason);
  error.set_message(message);
  error.set_exit_code(exit_code);
  return error.SerializeAsString();
}

TEST(FromRpc, BelievesTheServersOwnError) {
  const v1::Error error = ErrorOf(FromRpc(9, "bare", Trailer("Budget", "short by 5", 3), "h:1"));
  EXPECT_EQ(error.reason(), "Budget");
  EXPECT_EQ(error.message(), "short by 5");
  EXPECT_EQ(error.exit_code(), kExitBudget);
}

struct Row {
  int grpc_code;
  int exit_code;
};
class FromBareRpc : public ::testing::TestWithParam<Row> {};
TEST_P(FromBareRpc, HasTheExitCodeOfItsStatus) {
  const v1::Error error = ErrorOf(FromRpc(GetParam().grpc_code, "why", "", "h:1"));
  EXPECT_EQ(error.exit_code(), GetParam().exit_code);
  EXPECT_FALSE(error.message().empty());
}
INSTANTIATE_TEST_SUITE_P(Codes, FromBareRpc,
                         ::testing::Values(Row{1, 6}, Row{2, 1}, Row{3, 2}, Row{4, 6}, Row{5, 4},
                                           Row{6, 7}, Row{7, 5}, Row{8, 3}, Row{9, 1}, Row{10, 7},
                                           Row{12, 1}, Row{13, 1}, Row{14, 6}, Row{16, 5}));

TEST(FromRpc, NamesTheServerThatDoesNotAnswer) {
  EXPECT_THAT(ErrorOf(FromRpc(14, "refused", "", "lab:7070")).message(), HasSubstr("lab:7070"));
}

TEST(FromRpc, KnowsAConnectionThatBrokeWithinACall) {
  const Status broke = FromRpc(13, "Received RST_STREAM with error code 2", "", "h:1");
  EXPECT_EQ(ErrorOf(broke).exit_code(), kExitUnreachable);
}

TEST(FromRpc, SurvivesATrailerOfNonsense) {
  EXPECT_EQ(ErrorOf(FromRpc(5, "gone", "\xff\xff", "h:1")).exit_code(), kExitNotFound);
}

TEST(ErrorOf, TakesBadInputForUsage) {
  EXPECT_EQ(ErrorOf(Invalid("no")).exit_code(), kExitUsage);
  EXPECT_EQ(ErrorOf(Internal("no")).exit_code(), kExitFailure);
  EXPECT_EQ(ErrorOf(Refusal("X", "no", 4)).exit_code(), kExitNotFound);
}

TEST(FormatError, IsOneLineThatATerminalSurvives) {
  const v1::Error error = ErrorOf(Refusal("X", "a\nb\033[31m", 1));
  const std::string line = FormatError(error, false);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_EQ(line.find('\033'), std::string::npos);
}

TEST(FormatError, IsTheObjectOfTheContract) {
  EXPECT_EQ(
      FormatError(ErrorOf(Refusal("Budget", "short by \"5\"", 3)), true),
      "{\"error\":{\"reason\":\"Budget\",\"message\":\"short by \\\"5\\\"\",\"exitCode\":3}}\n");
}

}  // namespace
}  // namespace pinka::cli
