#include "agent/wire.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace pinka {
namespace {

using Wire = v1::ObservedAttempt;

Observation Seen(Record::Phase phase) {
  Observation seen;
  seen.record.attempt = {.job = JobId(17), .index = 3, .number = 2};
  seen.record.phase = phase;
  return seen;
}

TEST(Wire, StatesAreWhatTheSchedulerKnows) {
  using Phase = Record::Phase;
  EXPECT_EQ(ToWire(Seen(Phase::kOrdered)).state(), Wire::STARTING);
  EXPECT_EQ(ToWire(Seen(Phase::kStarting)).state(), Wire::STARTING);
  EXPECT_EQ(ToWire(Seen(Phase::kRunning)).state(), Wire::RUNNING);
  EXPECT_EQ(ToWire(Seen(Phase::kStopping)).state(), Wire::STOPPING);
  EXPECT_EQ(ToWire(Seen(Phase::kEnded)).state(), Wire::ENDED);
  EXPECT_EQ(ToWire(Seen(Phase::kAbsent)).state(), Wire::ABSENT);
}

TEST(Wire, ALostAttemptIsReportedAsItWasUntilItsEndIsKnown) {
  Observation seen = Seen(Record::Phase::kLost);
  EXPECT_EQ(ToWire(seen).state(), Wire::STARTING);
  seen.started_at_us = 1;
  EXPECT_EQ(ToWire(seen).state(), Wire::RUNNING);
}

TEST(Wire, AnExitCodeIsSetOnlyWhenKnown) {
  Observation seen = Seen(Record::Phase::kEnded);
  seen.exit = {.reason = "LaunchFailed", .message = "m"};
  EXPECT_FALSE(ToWire(seen).has_exit_code());
  EXPECT_FALSE(ToWire(seen).has_signal());
  seen.exit.code = 0;
  EXPECT_TRUE(ToWire(seen).has_exit_code());
}

TEST(Wire, AnEndIsReportedOnceItsFilesAreKept) {
  Observation seen = Seen(Record::Phase::kEnded);
  seen.exit = {.reason = "Exited", .code = 0};
  seen.record.files_done = false;
  seen.checkpoint_ms = 500;
  EXPECT_EQ(ToWire(seen).state(), Wire::STOPPING);
  EXPECT_FALSE(ToWire(seen).has_exit_code());
  EXPECT_EQ(ToWire(seen).checkpoint_ms(), 500);
  seen.record.files_done = true;
  EXPECT_EQ(ToWire(seen).state(), Wire::ENDED);
  seen.files_message = "the store is full";
  EXPECT_EQ(ToWire(seen).message(), "files not kept: the store is full");
}

TEST(Wire, Exit85CountsOnlyWithAGenerationThatIsKept) {
  Observation seen = Seen(Record::Phase::kEnded);
  seen.exit = {.reason = "Exited", .code = 85};
  EXPECT_EQ(ToWire(seen).end_reason(), "Exited");
  EXPECT_NE(ToWire(seen).message(), "");
  seen.generations = 1;
  EXPECT_EQ(ToWire(seen).end_reason(), "RunAgain");
  EXPECT_EQ(ToWire(seen).exit_code(), 85);
  seen.exit.reason = "NodeDrain";
  EXPECT_EQ(ToWire(seen).end_reason(), "NodeDrain") << "who was made to end does not ask";
}

TEST(Wire, AMessageWithAnyBytesCanBeSent) {
  Observation seen = Seen(Record::Phase::kEnded);
  seen.exit = {.reason = "LaunchFailed", .message = "could not start: no such program: \xff\xfe"};
  Wire wire = ToWire(seen);
  EXPECT_TRUE(IsValidUtf8(wire.message()));
  EXPECT_TRUE(Wire().ParseFromString(wire.SerializeAsString()));
}

TEST(Wire, LinesThatAskForSomethingUnknownAreLeftAlone) {
  v1::SynchronizeResponse response;
  response.set_lab_run("run");
  v1::DesiredAttempt* stop = response.add_attempts();
  stop->mutable_name()->set_job_id(17);
  stop->set_want(v1::DesiredAttempt::STOP);
  response.add_attempts();
  Answer answer = FromWire(response, Duration::Seconds(5));
  ASSERT_EQ(answer.attempts.size(), 1u);
  EXPECT_EQ(answer.attempts[0].want, Desired::Want::kStop);
  EXPECT_EQ(answer.attempts[0].stop_reason, "Cancel");
  EXPECT_EQ(answer.request_sent_at, Duration::Seconds(5));
}

}  // namespace
}  // namespace pinka
