#include "scheduler/api/convert_agent.h"

#include <gtest/gtest.h>

#include "scheduler/api/agent_sync.h"

namespace pinka::api {
namespace {

v1::SynchronizeRequest Request() {
  v1::SynchronizeRequest request;
  request.set_instance("i1");
  request.set_incarnation(3);
  request.set_boot_id("b1");
  request.mutable_facts()->set_tier("t4");
  auto* gpu = request.mutable_facts()->add_gpus();
  gpu->set_uuid("GPU-1");
  auto* seen = request.add_attempts();
  seen->mutable_name()->set_job_id(17);
  seen->mutable_name()->set_number(1);
  seen->set_state(v1::ObservedAttempt::ENDED);
  seen->set_end_reason("Exited");
  seen->set_exit_code(3);
  seen->set_metered_ms(1'000);
  return request;
}

Board Lab() {
  Board board;
  Board::Tier tier;
  tier.row.id = TierId(2);
  tier.row.name = "t4";
  board.tiers.push_back(tier);
  return board;
}

TEST(AgentReports, SayWhatIsSeenOnTheNodeOfTheToken) {
  const auto report = ConvertReport(Request(), "n1", Lab());
  ASSERT_TRUE(report.ok()) << Message(report.status());
  EXPECT_EQ(report->node, "n1");
  EXPECT_EQ(report->facts.tier, TierId(2));
  ASSERT_EQ(report->attempts.size(), 1u);
  EXPECT_EQ(ToString(report->attempts[0].id), "17_0.1");
  EXPECT_EQ(report->attempts[0].end_reason, EndReason::kExited);
  EXPECT_TRUE(report->attempts[0].exited);
  EXPECT_EQ(report->attempts[0].exit_code, 3);
}

TEST(AgentReports, OfAnUnknownTierAreForCoreToRefuse) {
  v1::SynchronizeRequest request = Request();
  request.mutable_facts()->set_tier("h100");
  EXPECT_FALSE(ConvertReport(request, "n1", Lab())->facts.tier);
}

TEST(AgentReports, ThatCannotBeAreRefused) {
  const auto refused = [](auto change) {
    v1::SynchronizeRequest request = Request();
    change(request);
    return !ConvertReport(request, "n1", Lab()).ok();
  };
  EXPECT_TRUE(refused([](auto& r) { r.clear_instance(); }));
  EXPECT_TRUE(refused([](auto& r) { r.clear_boot_id(); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_incarnation(-1); }));
  EXPECT_TRUE(refused([](auto& r) { r.mutable_attempts(0)->clear_name(); }));
  EXPECT_TRUE(refused([](auto& r) { r.mutable_attempts(0)->clear_state(); }));
  EXPECT_TRUE(refused([](auto& r) { r.mutable_attempts(0)->set_end_reason("Bored"); }));
  EXPECT_TRUE(refused([](auto& r) { r.set_instance("a\nb"); }));
}

TEST(AgentReports, HaveTheirNumbersBounded) {
  v1::SynchronizeRequest request = Request();
  request.mutable_attempts(0)->set_metered_ms(-7);
  request.mutable_attempts(0)->set_overrun_ms(99);
  request.mutable_attempts(0)->set_message("a\033[31m" + std::string(9'000, 'x'));
  const auto report = ConvertReport(request, "n1", Lab());
  EXPECT_EQ(report->attempts[0].metered_ms, 0);
  EXPECT_EQ(report->attempts[0].overrun_ms, 0);
  request.mutable_attempts(0)->set_metered_ms(50);
  request.mutable_attempts(0)->set_checkpoint_ms(99);
  EXPECT_EQ(ConvertReport(request, "n1", Lab())->attempts[0].checkpoint_ms, 50);
  EXPECT_LT(report->attempts[0].message.size(), 2'000u);
  EXPECT_EQ(report->attempts[0].message.find('\033'), std::string::npos);
}

TEST(AgentReports, TellOfAClockThatIsOffByMoreThanAMinute) {
  const Timestamp now = Timestamp::Seconds(1'000'000);
  const auto said = [&](int64_t off_s) {
    return ClockTrouble((now + Duration::Seconds(off_s)).micros(), now);
  };
  EXPECT_EQ(said(0), "");
  EXPECT_EQ(said(60), "");
  EXPECT_EQ(said(-60), "");
  EXPECT_EQ(said(600), "its clock is 10m fast");
  EXPECT_EQ(said(-610), "its clock is 10m slow");
  EXPECT_EQ(said(86'400), "its clock is 1d fast");
  EXPECT_EQ(ClockTrouble(0, now), "") << "an older agent does not say";
}

TEST(AgentAnswers, SayRunStopAndForget) {
  AgentBoard::Answer answer;
  answer.term = 4;
  answer.sequence = 9;
  answer.orders.version = 7;
  const auto add = [&](int64_t job, Want want, StopReason reason) {
    NodeOrders::Order order;
    order.attempt.id = {JobId(job), 0, 1};
    order.attempt.want = want;
    order.attempt.stop_reason = reason;
    order.attempt.time_limit = Duration::Hours(1);
    answer.orders.orders.push_back(order);
  };
  add(1, Want::kRun, StopReason::kNone);
  add(2, Want::kStop, StopReason::kCancelByAdmin);
  add(3, Want::kForget, StopReason::kNone);
  v1::SynchronizeResponse out;
  FillAnswer(answer, {{JobId(3), 0, 1}, {JobId(99), 0, 1}}, &out);
  EXPECT_EQ(out.term(), 4);
  EXPECT_EQ(out.desired_version(), 7);
  ASSERT_EQ(out.attempts_size(), 4);
  EXPECT_EQ(out.attempts(0).want(), v1::DesiredAttempt::RUN);
  EXPECT_EQ(out.attempts(0).time_limit_ms(), 3'600'000);
  EXPECT_EQ(out.attempts(0).limit_reason(), "");
  EXPECT_EQ(out.attempts(1).want(), v1::DesiredAttempt::STOP);
  EXPECT_EQ(out.attempts(1).stop_reason(), "Cancel");
  EXPECT_EQ(out.attempts(2).want(), v1::DesiredAttempt::FORGET);
  EXPECT_EQ(out.attempts(3).name().job_id(), 99);
  EXPECT_EQ(out.attempts(3).want(), v1::DesiredAttempt::FORGET);
}

TEST(SyncOrders, DropWhatWasOvertaken) {
  SyncOrder order;
  EXPECT_TRUE(order.Accept("n1", "i1", 1, 5));
  EXPECT_TRUE(order.Accept("n1", "i1", 1, 5));  // a repeat
  EXPECT_FALSE(order.Accept("n1", "i1", 1, 4));
  EXPECT_TRUE(order.Accept("n1", "i1", 2, 1));
  EXPECT_FALSE(order.Accept("n1", "i1", 1, 9));
  EXPECT_TRUE(order.Accept("n2", "i1", 1, 1));
  EXPECT_TRUE(order.Accept("n1", "i2", 1, 1));  // another instance is core's to judge
}

}  // namespace
}  // namespace pinka::api
