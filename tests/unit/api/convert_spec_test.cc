#include "scheduler/api/convert_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "pinka/v1/agent.pb.h"
#include "scheduler/api/convert_job.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/status_table.h"

namespace pinka::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Specs : public ::testing::Test {
 protected:
  Specs() {
    AddTier(1, "cpu", 0, "0.38");
    AddTier(2, "t4", 1, "1.50");
    board_.project_names[7] = "licence-lm";
    spec_.add_argv("true");
    spec_.add_tiers("t4");
  }
  void AddTier(int64_t id, const char* name, int32_t gpus, const char*) {
    Board::Tier tier;
    tier.row.id = TierId(id);
    tier.row.name = name;
    tier.row.unit_gpus = gpus;
    tier.row.unit_cpus = 4;
    tier.rates.emplace_back(Source::kOnDemand, Rate::MicrosPerUnitHour(12'000'000));
    board_.tiers.push_back(tier);
  }
  std::string Refused() {
    const auto job = ConvertSpec(spec_, board_);
    return job.ok() ? "" : Message(job.status());
  }

  Board board_;
  v1::JobSpec spec_;
};

TEST_F(Specs, BecomeRequests) {
  spec_.set_name("训练-ü-🚀");
  spec_.set_project("licence-lm");
  spec_.set_array("0-9%2");
  spec_.set_time_limit_ms(3'600'000);
  spec_.set_class_(v1::JobSpec::debug);
  spec_.add_requeue_exit(85);
  const auto job = ConvertSpec(spec_, board_);
  ASSERT_TRUE(job.ok()) << Message(job.status());
  EXPECT_EQ(job->tier, TierId(2));
  EXPECT_EQ(job->project, ProjectId(7));
  EXPECT_EQ(job->name, "训练-ü-🚀");
  EXPECT_EQ(job->time_limit, Duration::Hours(1));
  EXPECT_EQ(job->grace, Duration::Seconds(30));
  EXPECT_EQ(job->klass, JobClass::kDebug);
  EXPECT_EQ(CountTasks(*job, board_), 10);
}

TEST_F(Specs, BecomeAnArrayOverTheirSweep) {
  spec_.add_argv("--lr={lr}");
  spec_.add_sweep("lr=0.10,0.1");
  spec_.add_sweep("seed=1..3");
  const auto job = ConvertSpec(spec_, board_);
  ASSERT_TRUE(job.ok()) << Message(job.status());
  EXPECT_EQ(job->array, "0-5");
  EXPECT_EQ(CountTasks(*job, board_), 6);
  EXPECT_EQ(job->command, "--sweep lr=0.10,0.1 --sweep seed=1..3 -- true '--lr={lr}'");
  v1::Payload payload;
  ASSERT_TRUE(payload.ParseFromString(job->payload.bytes));
  ASSERT_EQ(payload.sweep_size(), 2);
  EXPECT_EQ(payload.argv(1), "--lr={lr}") << "filled in on the box";
  EXPECT_EQ(payload.sweep(1).values(2), "3");
  spec_.set_array("0-5");
  EXPECT_THAT(Refused(), HasSubstr("an array or a sweep"));
  spec_.clear_array();
  board_.lab.max_array = 5;
  EXPECT_THAT(Refused(), HasSubstr("more than the 5 tasks"));
}

TEST_F(Specs, KeepTheWarningAndRefuseOneThatNobodyCatches) {
  spec_.set_signal("main:USR1@5m");
  const auto job = ConvertSpec(spec_, board_);
  ASSERT_TRUE(job.ok()) << Message(job.status());
  v1::Payload payload;
  ASSERT_TRUE(payload.ParseFromString(job->payload.bytes));
  EXPECT_EQ(payload.signal(), "main:USR1@5m");
  v1::JobSpec again;
  ASSERT_TRUE(SpecFromPayload(job->payload.bytes, &again));
  EXPECT_EQ(again.signal(), "main:USR1@5m");
  spec_.set_signal("KILL@5m");
  EXPECT_THAT(Refused(), HasSubstr("no process can catch"));
}

TEST_F(Specs, AreRefusedWhereOnlySomeTaskWouldBeTooLong) {
  spec_.add_argv("{x}" + std::string(kMostString - 3, 'a'));
  spec_.add_sweep("x=1,22,333");
  EXPECT_TRUE(ConvertSpec(spec_, board_).ok());
  spec_.set_sweep(0, "x=1,4444");
  EXPECT_THAT(Refused(), HasSubstr("argument 1"));
}

TEST_F(Specs, PackArgumentsByteForByte) {
  const std::string bytes("a\xff\xfe b\n'\"", 8);
  spec_.add_argv(bytes);
  spec_.add_argv("");
  auto* var = spec_.add_env();
  var->set_name("K");
  var->set_value("v=\xff");
  const auto job = ConvertSpec(spec_, board_);
  ASSERT_TRUE(job.ok()) << Message(job.status());
  v1::Payload payload;
  ASSERT_TRUE(payload.ParseFromString(job->payload.bytes));
  EXPECT_THAT(payload.argv(), ::testing::ElementsAre("true", bytes, ""));
  EXPECT_THAT(payload.env(), ::testing::ElementsAre("K=v=\xff"));
  EXPECT_EQ(job->payload.hash, Sha256Hex(job->payload.bytes));
  EXPECT_EQ(ConvertSpec(spec_, board_)->payload.hash, job->payload.hash);
}

TEST_F(Specs, TakeTheLongestStringAndNoLonger) {
  spec_.add_argv(std::string(kMostString, 'x'));
  EXPECT_EQ(Refused(), "");
  spec_.mutable_argv(1)->push_back('x');
  EXPECT_THAT(Refused(), HasSubstr("argument 1 of the command has 131072 bytes"));
  EXPECT_THAT(Refused(), HasSubstr("at most 131071"));
}

TEST_F(Specs, RefuseAnEnvironmentThatNoMachineTakes) {
  for (int i = 0; i < 3'000; ++i) {
    auto* var = spec_.add_env();
    var->set_name("V" + std::to_string(i));
    var->set_value(std::string(1'024, 'x'));
  }
  EXPECT_THAT(Refused(), HasSubstr("the command and its environment have 31"));
}

TEST_F(Specs, RefuseAScriptThatIsTooLong) {
  spec_.set_script(std::string(kMostScript, '#'));
  EXPECT_EQ(Refused(), "");
  spec_.mutable_script()->push_back('#');
  EXPECT_THAT(Refused(), HasSubstr("the script has 4194305 bytes; at most 4194304"));
}

TEST_F(Specs, NeverRepeatASecret) {
  auto* var = spec_.add_env();
  var->set_name("TOKEN");
  var->set_value("s3cr3t-93" + std::string(200'000, 'x'));
  EXPECT_THAT(Refused(), HasSubstr("TOKEN"));
  EXPECT_THAT(Refused(), Not(HasSubstr("s3cr3t")));
  var->set_value(std::string("s3cr3t\0", 7));
  EXPECT_THAT(Refused(), Not(HasSubstr("s3cr3t")));
  EXPECT_NE(Refused(), "");
}

TEST_F(Specs, RefuseNamesThatBreakALine) {
  for (const char* name : {"bad\xff\xfename", "a\nb", "a\tb", "\033[31mred", "x\u202Ey"}) {
    spec_.set_name(name);
    EXPECT_NE(Refused(), "") << name;
  }
  std::string long_name;
  for (int i = 0; i < 101; ++i) long_name += "训";
  spec_.set_name(long_name);
  EXPECT_THAT(Refused(), HasSubstr("101 characters"));
  long_name.resize(300);
  spec_.set_name(long_name);
  EXPECT_EQ(Refused(), "");
}

TEST_F(Specs, RefuseWhatHasNoMeaning) {
  const auto refused_with = [this](auto change) {
    const v1::JobSpec before = spec_;
    change();
    const std::string text = Refused();
    spec_ = before;
    return text;
  };
  EXPECT_THAT(refused_with([&] { spec_.clear_argv(); }), HasSubstr("no command"));
  EXPECT_THAT(refused_with([&] { spec_.set_argv(0, std::string("a\0b", 3)); }), HasSubstr("zero"));
  EXPECT_NE(refused_with([&] { spec_.set_gpus(-1); }), "");
  EXPECT_NE(refused_with([&] { spec_.set_time_limit_ms(INT64_MAX); }), "");
  EXPECT_NE(refused_with([&] { spec_.set_memory_bytes(-5); }), "");
  EXPECT_NE(refused_with([&] { spec_.add_requeue_exit(256); }), "");
  EXPECT_NE(refused_with([&] { spec_.set_array("9-1"); }), "");
  EXPECT_NE(refused_with([&] { spec_.set_array("0-9999999"); }), "");
  EXPECT_NE(refused_with([&] { spec_.set_chdir("relative"); }), "");
  EXPECT_NE(refused_with([&] { spec_.add_tiers("cpu"); }), "");
  EXPECT_NE(refused_with([&] { spec_.add_env()->set_name("A=B"); }), "");
  EXPECT_NE(refused_with([&] { spec_.add_env()->set_name("PINKA_JOB_ID"); }), "");
  EXPECT_NE(refused_with([&] { spec_.add_env(); }), "");
}

TEST_F(Specs, NameTheNearestTier) {
  spec_.set_tiers(0, "t5");
  const auto job = ConvertSpec(spec_, board_);
  EXPECT_THAT(Message(job.status()), HasSubstr("did you mean t4"));
  EXPECT_EQ(ToWire(job.status()).status.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(Specs, FindATierWhereNoneIsNamed) {
  spec_.clear_tiers();
  EXPECT_EQ(ConvertSpec(spec_, board_)->tier, TierId(1));
  spec_.set_gpus(1);
  EXPECT_EQ(ConvertSpec(spec_, board_)->tier, TierId(2));
}

TEST_F(Specs, AreQuotedAtTheRateInForce) {
  spec_.set_gpus(2);
  spec_.set_time_limit_ms(3 * 3'600'000);
  v1::Quote quote;
  FillQuote(*ConvertSpec(spec_, board_), board_, &quote);
  EXPECT_EQ(quote.at_most(), "72.000000");
  EXPECT_EQ(quote.rate(), "12.000000");
  EXPECT_EQ(quote.units(), 2);
}

TEST_F(Specs, AreQuotedByTheUsualRunAndAtMostTheirCeiling) {
  spec_.set_gpus(2);
  spec_.set_time_limit_ms(3 * 3'600'000);
  spec_.set_name("train");
  spec_.set_max_cost("60.5");
  v1::Quote quote;
  const db::UsualRun usual{"name", 1'800'000, 12};
  FillQuote(*ConvertSpec(spec_, board_), board_, &quote, std::nullopt, usual);
  EXPECT_EQ(quote.at_most(), "60.500000");
  EXPECT_EQ(quote.likely(), "12.000000");
  EXPECT_EQ(quote.likely_from(), "the median of 12 runs of yours named train");
  const db::UsualRun longer{"tier", 99'000'000, 1};
  FillQuote(*ConvertSpec(spec_, board_), board_, &quote, std::nullopt, longer);
  EXPECT_EQ(quote.likely(), "60.500000") << "never above what it can cost";
  EXPECT_EQ(quote.likely_from(), "one run of yours on tier t4");
}

TEST_F(Specs, CeilingsAreAboveNothing) {
  spec_.set_max_cost("12.5");
  spec_.set_max_rate("9");
  const auto job = ConvertSpec(spec_, board_);
  ASSERT_TRUE(job.ok()) << Message(job.status());
  EXPECT_EQ(job->max_cost, Money::Micros(12'500'000));
  EXPECT_EQ(job->max_rate, Rate::MicrosPerUnitHour(9'000'000));
  spec_.set_max_cost("0");
  EXPECT_THAT(Message(ConvertSpec(spec_, board_).status()), HasSubstr("--max-cost"));
}

TEST(Slices, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(ConvertSlice("36")->job, JobId(36));
  EXPECT_EQ(ConvertSlice("36_[1-3,7]")->indices.size(), 4);
  EXPECT_FALSE(ConvertSlice("36_").ok());
  EXPECT_FALSE(ConvertSlice("x").ok());
}

TEST_F(Specs, SayWhenTheyMayStart) {
  spec_.set_dependency("afterok:17,after:@prep+30m");
  spec_.set_keep_on_invalid_dep(true);
  spec_.mutable_begin_at()->set_seconds(1'000);
  spec_.mutable_deadline_at()->set_seconds(2'000);
  spec_.set_night(true);
  spec_.set_ref("train-1");
  const auto job = ConvertSpec(spec_, board_);
  ASSERT_TRUE(job.ok()) << Message(job.status());
  EXPECT_EQ(job->dependency, "afterok:17,after:@prep+30m");
  EXPECT_TRUE(job->keep_invalid);
  EXPECT_TRUE(job->night);
  EXPECT_EQ(job->begin_at, Timestamp::Seconds(1'000));
  EXPECT_EQ(job->deadline, Timestamp::Seconds(2'000));
  EXPECT_EQ(job->ref, "train-1");
}

TEST_F(Specs, WithDependenciesOrTimesThatCannotBeAreRefused) {
  spec_.set_dependency("afterwards:17");
  EXPECT_THAT(Refused(), HasSubstr("no kind of dependency"));
  spec_.set_dependency(std::string(kMostDependency + 1, '1'));
  EXPECT_THAT(Refused(), HasSubstr("at most 65536"));
  spec_.clear_dependency();
  for (const char* ref : {"a b", "a:b", "a,b", "@a", "a+5m"}) {
    spec_.set_ref(ref);
    EXPECT_THAT(Refused(), HasSubstr("a ref has")) << ref;
  }
  spec_.clear_ref();
  spec_.mutable_begin_at()->set_seconds(-1);
  EXPECT_THAT(Refused(), HasSubstr("begin time"));
  spec_.clear_begin_at();
  spec_.mutable_deadline_at()->set_seconds(int64_t{1} << 60);
  EXPECT_THAT(Refused(), HasSubstr("deadline"));
}

}  // namespace
}  // namespace pinka::api
