// A box that its provider takes away: a real agent, real jobs, a service that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agent/inspect/run_program.h"
#include "tests/support/agent/agent_process.h"
#include "tests/support/agent/fake_scheduler.h"
#include "tests/support/agent/metadata_server.h"

namespace pinka::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Report = FakeScheduler::Report;

AttemptId Attempt(int64_t job = 17) { return {.job = JobId(job), .index = 0, .number = 1}; }

struct World {
  explicit World(const std::string& service)
      : metadata(service),
        agent(scheduler.address(), {"--simulate-gpus", "rtx3090:2", "--spot-notice", service,
                                    "--metadata-url", metadata.url()}) {}

  void Order(const std::string& script, int64_t job = 17) {
    v1::Payload payload;
    for (const auto& word : {std::string("sh"), std::string("-c"), script}) payload.add_argv(word);
    payload.add_env("MARKS=" + agent.Marks());
    scheduler.Run(Attempt(job), payload);
  }

  FakeScheduler scheduler;
  MetadataServer metadata;
  AgentProcess agent;
};

TEST(Reclaim, WhatRunsIsToldSavesAndEndsAndNothingNewStarts) {
  World world("aws");
  world.agent.Start();
  // Another job, which does not care, would run for the lead; this one leaves as soon as it is
  // told.
  world.Order(
      "trap 'cp ../notice.json $MARKS/notice; exit 85' USR2; "
      "touch $MARKS/up; while :; do sleep 0.02; done");
  ASSERT_TRUE(WaitForFile(world.agent.Marks() + "/up")) << world.agent.Output();
  world.metadata.Say("600");
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value()) << world.agent.Output();
  EXPECT_EQ(end->end_reason(), "SpotReclaim");
  EXPECT_EQ(end->exit_code(), 85);
  EXPECT_THAT(Slurp(world.agent.Marks() + "/notice"), HasSubstr("\"reason\":\"SpotReclaim\""));
  EXPECT_THAT(world.scheduler.last_request().unfit(),
              StartsWith("its provider takes it away at 2"));

  world.Order("touch $MARKS/second", 18);
  std::optional<Report> refused = world.scheduler.WaitEnd(Attempt(18));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->state(), Report::ABSENT);
  EXPECT_EQ(refused->end_reason(), "SpotReclaim");

  world.metadata.TakeBack();
  ASSERT_TRUE(world.scheduler.WaitGone(Attempt(18)));
  ASSERT_TRUE(world.scheduler.WaitUnfit(false));
  world.Order("touch $MARKS/third", 19);
  EXPECT_TRUE(WaitForFile(world.agent.Marks() + "/third")) << "it was withdrawn";
}

TEST(Reclaim, AJobThatStaysIsWarnedOnceThenTerminated) {
  World world("aliyun");
  world.Order(
      "trap 'echo warned >> $MARKS/said' USR2; trap 'echo term >> $MARKS/said; exit 0' TERM; "
      "touch $MARKS/up; while :; do sleep 0.02; done");
  world.agent.Start();
  ASSERT_TRUE(WaitForFile(world.agent.Marks() + "/up")) << world.agent.Output();
  world.metadata.Say("9");
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value()) << world.agent.Output();
  EXPECT_EQ(end->end_reason(), "SpotReclaim");
  EXPECT_EQ(end->exit_code(), 0);
  EXPECT_EQ(Slurp(world.agent.Marks() + "/said"), "warned\nterm\n");
}

TEST(Reclaim, ALateNoticeEndsWhatCatchesNothing) {
  World world("tencent");
  world.Order("trap '' TERM USR2; touch $MARKS/up; while :; do sleep 0.02; done");
  world.agent.Start();
  ASSERT_TRUE(WaitForFile(world.agent.Marks() + "/up")) << world.agent.Output();
  world.metadata.Say("late");
  std::optional<Report> end = world.scheduler.WaitEnd(Attempt());
  ASSERT_TRUE(end.has_value()) << world.agent.Output();
  EXPECT_EQ(end->end_reason(), "SpotReclaim");
  EXPECT_EQ(end->signal(), 9);
}

TEST(Reclaim, BadOptionsAreRefusedInOneSentence) {
  const std::pair<std::vector<std::string>, const char*> rows[] = {
      {{"--spot-notice", "ovh"}, "--spot-notice ovh is none of"},
      {{"--spot-notice", "command:/no/such"}, "there is no program /no/such"},
      {{"--spot-notice", "aws", "--metadata-url", "ftp://x"}, "--metadata-url ftp://x is no"},
      {{"--metadata-url", "http://x"}, "name it with --spot-notice"},
  };
  for (const auto& [options, sentence] : rows) {
    std::vector<std::string> argv = {Program("pinka-agent"), "--server", "127.0.0.1:1"};
    argv.insert(argv.end(), options.begin(), options.end());
    const inspect::Outcome outcome = inspect::RunProgram(argv, Duration::Seconds(30));
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(sentence));
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1);
  }
}

}  // namespace
}  // namespace pinka::test
