#include "client/cli/core/json.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "pinka/v1/job.pb.h"
#include "pinka/v1/report.pb.h"

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

v1::GetJobResponse FullAnswer() {
  v1::GetJobResponse answer;
  answer.mutable_as_of()->set_seconds(1'796'000'000);
  answer.mutable_as_of()->set_nanos(120'000'000);
  v1::Job& job = *answer.mutable_job();
  job.set_id(17);
  job.set_name("训练 \"x\" \\ \n\t\x01\x7f 🚀");
  job.set_state(v1::TaskState::COMPLETED);
  job.set_charged("0.333333");
  job.add_argv("\xff\x00z");
  job.add_env_names("A");
  (*job.mutable_task_states())["COMPLETED"] = 1;
  (*job.mutable_task_states())["FAILED"] = 2;
  v1::Task& task = *job.add_tasks();
  task.set_id("17_0");
  task.set_exit_code(0);
  v1::Attempt& attempt = *task.add_attempts();
  attempt.set_metered_ms(600'000);
  attempt.mutable_started_at()->set_seconds(1'796'000'001);
  attempt.add_payers()->set_payer("alice");
  return answer;
}

TEST(AppendJson, SaysWhatProtobufsOwnPrinterSays) {
  const v1::GetJobResponse answer = FullAnswer();
  std::string ours;
  AppendJson(answer, &ours);
  v1::GetJobResponse back;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(ours, &back).ok()) << ours;
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(answer, back)) << ours;
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string theirs;
  ASSERT_TRUE(google::protobuf::util::MessageToJsonString(answer, &theirs, options).ok());
  EXPECT_EQ(ours.size(), theirs.size()) << ours << "\n" << theirs;
}

TEST(AppendJson, PrintsZeroesBareEnumsAndIdsAsStrings) {
  v1::Job job;
  job.set_id(17);
  job.set_state(v1::TaskState::PENDING);
  std::string text;
  AppendJson(job, &text);
  EXPECT_THAT(text, HasSubstr("\"id\":\"17\""));
  EXPECT_THAT(text, HasSubstr("\"state\":\"PENDING\""));
  EXPECT_THAT(text, HasSubstr("\"position\":0"));
  EXPECT_THAT(text, HasSubstr("\"tasks\":[]"));
  EXPECT_THAT(text, HasSubstr("\"taskStates\":{}"));
  EXPECT_EQ(text.find("submittedAt"), std::string::npos) << "no time is no field";
}

TEST(AppendJson, OmitsAnExitCodeThatIsNotKnown) {
  v1::Task task;
  std::string text;
  AppendJson(task, &text);
  EXPECT_EQ(text.find("exitCode"), std::string::npos);
}

TEST(WrappedJson, HasSchemaAndTime) {
  EXPECT_THAT(WrappedJson(FullAnswer(), Timestamp()),
              StartsWith("{\"schema\":\"pinka.v1.GetJobResponse\",\"asOf\":\"2026-11-"));
  EXPECT_THAT(
      WrappedJson(v1::WhoAmIResponse(), Timestamp::Seconds(1)),
      StartsWith("{\"schema\":\"pinka.v1.WhoAmIResponse\",\"asOf\":\"1970-01-01T00:00:01Z\","
                 "\"name\":\"\""));
  EXPECT_EQ(WrappedJson(v1::WhoAmIRequest(), Timestamp::Seconds(1)),
            "{\"schema\":\"pinka.v1.WhoAmIRequest\",\"asOf\":\"1970-01-01T00:00:01Z\"}\n");
}

TEST(JsonString, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(JsonString("a\xff\xe4\xb8z中"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz中\"");
}

}  // namespace
}  // namespace pinka::cli
