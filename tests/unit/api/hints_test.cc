#include "scheduler/api/hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::api {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMinuteMs = 60'000;
const TierId kT4(1);
const TierId kA100(2);

Board TwoTiers() {
  Board board;
  board.lab.currency = "CNY";
  const auto add = [&board](TierId id, const char* name, int64_t yuan) {
    Board::Tier& tier = board.tiers.emplace_back();
    tier.row.id = id;
    tier.row.name = name;
    tier.row.unit_gpus = 1;
    tier.row.unit_memory = int64_t{4} << 30;
    tier.row.default_time = Duration::Hours(1);
    tier.rates = {{Source::kOnDemand, Rate::MicrosPerUnitHour(yuan * 1'000'000)}};
  };
  add(kT4, "t4", 2);
  add(kA100, "a100-80", 12);
  return board;
}

struct Ask {
  Board board = TwoTiers();
  JobRequest request;
  v1::Quote quote;
  std::vector<db::PastRuns> past;
  std::optional<v1::Workload> workload;

  explicit Ask(TierId tier = kT4) {
    request.tier = tier;
    request.name = "train";
    quote.set_units(1);
    quote.set_source("on_demand");
    quote.set_likely("2.000000");
  }
  db::PastRuns& Past(const char* by, TierId tier, int64_t runs) {
    db::PastRuns& p = past.emplace_back();
    p.by = by;
    p.tier = tier;
    p.runs = runs;
    return p;
  }
  std::vector<v1::Hint> Hints() const {
    return HintsFor(request, workload ? &*workload : nullptr, board, quote, past);
  }
  // The text of the only one, of that kind.
  std::string Only(v1::Hint::Kind kind) const {
    const std::vector<v1::Hint> hints = Hints();
    if (hints.size() != 1 || hints[0].kind() != kind) {
      ADD_FAILURE() << hints.size() << " hints";
      return "";
    }
    return hints[0].text();
  }
};

TEST(Hints, SayNothingWithoutAReason) {
  Ask ask;
  EXPECT_TRUE(ask.Hints().empty());
  db::PastRuns& past = ask.Past("payload", kT4, 5);
  past.completed = 5;
  past.median_ms = past.longest_ms = 50 * kMinuteMs;
  EXPECT_TRUE(ask.Hints().empty());
  ask.request.tier = TierId(9);  // gone meanwhile
  EXPECT_TRUE(ask.Hints().empty());
}

TEST(Hints, GoByWhatARunOfTheSameCommandTookOfACard) {
  Ask ask;
  db::PastRuns& past = ask.Past("payload", kA100, 1);
  past.peak_gpu_memory = int64_t{17} << 30;
  EXPECT_THAT(ask.Only(v1::Hint::MEMORY),
              HasSubstr("one run of the same command on a100-80 used 17.0 GiB of a card; one of t4 "
                        "has "));
  past.peak_gpu_memory = int64_t{3} << 30;
  ask.workload.emplace();
  ask.workload->set_network("bert-large");
  ask.workload->set_batch(4'096);
  EXPECT_TRUE(ask.Hints().empty()) << "what was measured is better than the estimate";
  past.peak_gpu_memory = 0;
  EXPECT_EQ(ask.Hints().size(), 1U) << "the estimate alone";
  past.peak_gpu_memory = int64_t{17} << 30;
  past.by = "name";
  EXPECT_THAT(ask.Only(v1::Hint::MEMORY), HasSubstr("bert-large")) << "other work, perhaps";
}

TEST(Hints, TellOfOwnRunsThatRanOutOfMemory) {
  Ask ask;
  db::PastRuns& past = ask.Past("payload", kT4, 2);
  past.out_of_memory = 2;
  past.memory_units = 1;
  EXPECT_THAT(ask.Only(v1::Hint::MEMORY),
              HasSubstr("2 runs of the same command on t4 ran out of memory with 4 GiB"));
  ask.request.memory = int64_t{8} << 30;  // more than it had
  EXPECT_TRUE(ask.Hints().empty());
  ask.request.memory = 0;
  past.runs = 5;  // most of them did not
  EXPECT_TRUE(ask.Hints().empty());
}

TEST(Hints, TrustRunsOfTheSameNameOnlyWhereThereAreSome) {
  Ask ask;
  db::PastRuns& past = ask.Past("name", kT4, 2);
  past.out_of_memory = 2;
  past.memory_units = 1;
  EXPECT_TRUE(ask.Hints().empty());
  past.runs = past.out_of_memory = 3;
  EXPECT_THAT(ask.Only(v1::Hint::MEMORY), HasSubstr("3 runs named train on t4"));
}

TEST(Hints, TellOfALimitThatWasTooShortBefore) {
  Ask ask;
  db::PastRuns& past = ask.Past("payload", kT4, 1);
  past.timeouts = 1;
  past.timeout_limit = Duration::Hours(1);
  past.longest_ms = 60 * kMinuteMs;
  EXPECT_THAT(ask.Only(v1::Hint::TIME_LIMIT),
              HasSubstr("one run of the same command on t4 ended at a time limit, the longest at "
                        "1h; this one has 1h"));
  ask.request.time_limit = Duration::Hours(2);
  EXPECT_TRUE(ask.Hints().empty());
}

TEST(Hints, TellOfALimitThatIsFarTooLong) {
  Ask ask;
  ask.request.time_limit = Duration::Hours(24);
  db::PastRuns& past = ask.Past("payload", kT4, 4);
  past.completed = 4;
  past.median_ms = 11 * kMinuteMs;
  past.longest_ms = 12 * kMinuteMs;
  EXPECT_THAT(ask.Only(v1::Hint::SHORTER_LIMIT),
              HasSubstr("took at most 12m and this asks for 1d: --time 30m"));
  past.completed = past.runs = 2;
  EXPECT_TRUE(ask.Hints().empty());
  past.completed = 4;
  ask.request.time_limit = Duration::Minutes(47);
  EXPECT_TRUE(ask.Hints().empty());
}

TEST(Hints, NameATierOnWhichTheSameWorkCostLess) {
  Ask ask(kA100);
  ask.request.time_limit = Duration::Hours(1);
  db::PastRuns& past = ask.Past("payload", kT4, 1);
  past.completed = 1;
  past.median_ms = past.longest_ms = 120 * kMinuteMs;
  const std::vector<v1::Hint> hints = ask.Hints();
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0].kind(), v1::Hint::CHEAPER_TIER);
  EXPECT_EQ(hints[0].tier(), "t4");
  EXPECT_THAT(hints[0].text(), HasSubstr("completed on t4 in 2h for ¥4.00; here a task costs up to "
                                         "¥12.00: --tier t4"));
  // Here it takes ten minutes: 2.00 against 4.00.
  db::PastRuns& here = ask.Past("payload", kA100, 1);
  here.completed = 1;
  here.median_ms = here.longest_ms = 10 * kMinuteMs;
  EXPECT_TRUE(ask.Hints().empty());
}

TEST(Hints, NameNoCheaperTierForHoursThatArePaidFor) {
  Ask ask(kA100);
  ask.quote.set_source("package");
  db::PastRuns& past = ask.Past("payload", kT4, 1);
  past.completed = 1;
  past.median_ms = past.longest_ms = kMinuteMs;
  EXPECT_TRUE(ask.Hints().empty());
}

// 12.00 for at least an hour, five minutes of work (the guide, 5.1).
TEST(Hints, TellOfAMinimumThatCostsMoreThanTheWork) {
  Ask ask(kA100);
  ask.quote.set_likely("1.000000");
  ask.quote.set_min_block("12.000000");
  EXPECT_THAT(ask.Only(v1::Hint::MINIMUM_CHARGE),
              HasSubstr("at least ¥12.00 for a machine of a100-80, this job is worth ¥1.00"));
  ask.quote.set_likely("12.000000");
  EXPECT_TRUE(ask.Hints().empty());
}

TEST(Hints, JudgeAWorkloadByTheCardOfTheTier) {
  Ask ask;
  ask.workload.emplace();
  ask.workload->set_network("bert-base");
  ask.workload->set_batch(32);
  EXPECT_THAT(ask.Only(v1::Hint::MEMORY),
              HasSubstr("bert-base at batch 32 will not fit a card of t4"));
  ask.request.tier = kA100;
  EXPECT_TRUE(ask.Hints().empty());
  // The card that a machine reports counts before the tier's name.
  Board::Node& node = ask.board.nodes.emplace_back();
  node.row.tier = kA100;
  node.row.gpus.resize(1);
  node.row.gpus[0].name = "Tesla T4";
  EXPECT_THAT(ask.Only(v1::Hint::MEMORY), HasSubstr("will not fit a card of a100-80"));
}

TEST(CheckWorkload, RefusesWhatTheEstimateDoesNotKnow) {
  v1::JobSpec spec;
  EXPECT_TRUE(CheckWorkload(spec).ok());
  spec.mutable_workload()->set_network("bert-base");
  EXPECT_TRUE(CheckWorkload(spec).ok());
  spec.mutable_workload()->set_network("no such thing");
  EXPECT_FALSE(CheckWorkload(spec).ok());
}

}  // namespace
}  // namespace pinka::api
