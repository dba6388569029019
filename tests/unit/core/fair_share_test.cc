#include "scheduler/core/fair_share.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "scheduler/core/decay.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr long double kHour = 3'600'000.0L;

// A state with one tier of price 1 and the given members, at the start of an hour.
struct Lab {
  explicit Lab(int32_t half_life_h = 168) {
    state.now = At(2026, 9, 1);
    state.lab.half_life_h = half_life_h;
    state.lab.usage_hour = state.now;
    TierRow tier;
    tier.id = TierId(1);
    tier.unit_gpus = 1;
    state.tiers.Load(tier.id, tier);
  }
  MemberId Member(int64_t id, int64_t share) {
    MemberRow row;
    row.id = MemberId(id);
    row.share = share;
    state.members.Load(row.id, row);
    return row.id;
  }
  // Use of weight 1 a unit.
  AttemptRow Start(MemberId member, int32_t units, Timestamp at) {
    AttemptRow attempt;
    attempt.id = {JobId(++last), 0, 1};
    attempt.member = member;
    attempt.tier = TierId(1);
    attempt.units = units;
    attempt.weight = 1 << 16;
    attempt.ordered_at = at;
    state.attempts.Load(attempt.id, attempt);
    UseOpened(state, attempt);
    return attempt;
  }
  void End(AttemptRow attempt, Timestamp at) {
    attempt.ended_at = at;
    UseEnded(state, attempt);
  }
  void RollTo(Timestamp at) {
    while (UsageReference(state) <= at) {
      state.now = UsageReference(state);
      RollUsageHour(state);
    }
    state.now = at;
  }
  long double UnitHours(MemberId member) const {
    return static_cast<long double>(UseUnitMillis(state, member)) / kHour;
  }

  State state;
  int64_t last = 0;
};

// The formula itself, in floating point.
long double Formula(long double w, long double start_h, long double end_h, long double now_h,
                    long double h) {
  return w * h / std::log(2.0L) *
         (std::exp2(-(now_h - end_h) / h) - std::exp2(-(now_h - start_h) / h));
}

TEST(FairShareUse, OfAHundredGpuHoursOneHalfLifeAgoIs49897) {
  Lab lab;
  const MemberId m = lab.Member(1, 1);
  const AttemptRow a = lab.Start(m, 100, lab.state.now);
  lab.RollTo(lab.state.now + Duration::Hours(1));
  lab.End(a, lab.state.now);
  lab.RollTo(lab.state.now + Duration::Days(7));
  EXPECT_NEAR(static_cast<double>(lab.UnitHours(m)), 49.897, 0.0005);
}

TEST(FairShareUse, OfOneGpuForEverTendsTo34625) {
  Lab lab(24);
  const MemberId m = lab.Member(1, 1);
  lab.Start(m, 1, lab.state.now);
  lab.RollTo(lab.state.now + Duration::Days(60));
  EXPECT_NEAR(static_cast<double>(lab.UnitHours(m)), 34.625, 0.0005);
}

TEST(FairShareUse, RolledByTheHourIsTheDirectFormula) {
  SeededRandom random(3);
  for (int round = 0; round < 20; ++round) {
    Lab lab(static_cast<int32_t>(1 + random.Below(400)));
    const MemberId m = lab.Member(1, 1);
    const Timestamp zero = lab.state.now;
    long double expected = 0;
    const int64_t total_h = 200;
    std::vector<std::tuple<int64_t, int64_t, AttemptRow>> open;  // start s, end s
    for (int n = 0; n < 30; ++n) {
      const int64_t start = static_cast<int64_t>(random.Below(190 * 3600));
      const int64_t end = start + 120 + static_cast<int64_t>(random.Below(9 * 3600));
      open.emplace_back(start, end, AttemptRow());
    }
    std::vector<std::pair<int64_t, std::pair<bool, size_t>>> events;
    for (size_t i = 0; i < open.size(); ++i) {
      events.push_back({std::get<0>(open[i]), {false, i}});
      events.push_back({std::get<1>(open[i]), {true, i}});
    }
    std::sort(events.begin(), events.end());
    for (const auto& [second, what] : events) {
      const auto& [ends, i] = what;
      lab.RollTo(zero + Duration::Seconds(second));
      auto& [start, end, attempt] = open[i];
      if (ends) {
        lab.End(attempt, lab.state.now);
      } else {
        attempt = lab.Start(m, static_cast<int32_t>(1 + random.Below(8)), lab.state.now);
      }
    }
    lab.RollTo(zero + Duration::Hours(total_h));
    for (const auto& [start, end, attempt] : open) {
      expected +=
          Formula(attempt.units, static_cast<long double>(start) / 3600.0L,
                  static_cast<long double>(end) / 3600.0L, total_h, lab.state.lab.half_life_h);
    }
    EXPECT_NEAR(static_cast<double>(lab.UnitHours(m) / expected), 1.0, 1e-4)
        << "half-life " << lab.state.lab.half_life_h;
  }
}

TEST(FairShareUse, OfAStartCountsAMinuteAtOnce) {
  Lab lab;
  const MemberId m = lab.Member(1, 1);
  lab.Start(m, 2, lab.state.now);
  EXPECT_NEAR(static_cast<double>(lab.UnitHours(m)), 2.0 / 60, 1e-4);
  lab.state.now = lab.state.now + Duration::Seconds(30);
  EXPECT_NEAR(static_cast<double>(lab.UnitHours(m)), 2.0 / 60, 1e-4);
  lab.state.now = lab.state.now + Duration::Seconds(90);
  EXPECT_NEAR(static_cast<double>(lab.UnitHours(m)), 4.0 / 60, 1e-4);
}

TEST(FairShareUse, OfRunningWorkSurvivesAChangeOfTheHalfLife) {
  Lab lab;
  const MemberId m = lab.Member(1, 1);
  const AttemptRow a = lab.Start(m, 1, lab.state.now);
  lab.state.now = lab.state.now + Duration::Minutes(30);
  lab.state.lab.half_life_h = 24;
  HalfLifeChanged(lab.state);
  EXPECT_NEAR(static_cast<double>(lab.UnitHours(m)), 0.5, 0.01);
  lab.End(a, lab.state.now);
  EXPECT_NEAR(static_cast<double>(lab.UnitHours(m)), 0.5, 0.01);
}

JobRow Waiting(const Lab& lab, int64_t id, Duration waited, JobClass klass = JobClass::kNormal,
               int32_t nice = 0, int32_t units = 1) {
  JobRow job;
  job.id = JobId(id);
  job.tier = TierId(1);
  job.units = units;
  job.klass = klass;
  job.nice = nice;
  job.eligible_at = job.submitted_at = lab.state.now - waited;
  return job;
}

TEST(Priority, ShowsItsPartsAndTheySum) {
  Lab lab;
  lab.state.tier_units[TierId(1)] = 8;
  const uint64_t half = uint64_t{1} << 61;
  struct {
    Duration waited;
    JobClass klass;
    int32_t nice, units;
    int64_t fair, age, klass_points, size;
  } table[] = {
      {Duration(), JobClass::kNormal, 0, 1, 5000, 0, 1000, 125},
      {Duration::Hours(84), JobClass::kDebug, 100, 8, 5000, 1500, 2000, 1000},
      {Duration::Days(7), JobClass::kScavenger, -50, 2, 5000, 3000, 0, 250},
      {Duration::Days(30), JobClass::kNormal, 1, 99, 5000, 3000, 1000, 1000},
  };
  for (const auto& row : table) {
    const JobRow job = Waiting(lab, 1, row.waited, row.klass, row.nice, row.units);
    const Priority p = PriorityOf(lab.state, job, half);
    EXPECT_EQ(p.fair, row.fair);
    EXPECT_EQ(p.age, row.age);
    EXPECT_EQ(p.klass, row.klass_points);
    EXPECT_EQ(p.size, row.size);
    EXPECT_EQ(p.nice, row.nice);
    EXPECT_EQ(p.total, row.fair + row.age + row.klass_points + row.size - row.nice);
  }
}

TEST(Priority, OfTwoYoungJobsOfAMemberNeverChangesOrderWithTime) {
  SeededRandom random(4);
  for (int n = 0; n < 2'000; ++n) {
    Lab lab;
    lab.state.tier_units[TierId(1)] = 8;
    const auto any = [&](int64_t id) {
      return Waiting(lab, id, Duration::Micros(static_cast<int64_t>(random.Below(3'600'000'000))),
                     static_cast<JobClass>(random.Below(3)), static_cast<int32_t>(random.Below(3)),
                     static_cast<int32_t>(1 + random.Below(8)));
    };
    const JobRow a = any(1);
    const JobRow b = any(2);
    const bool before =
        PriorityOf(lab.state, a, 12345).exact > PriorityOf(lab.state, b, 12345).exact;
    EXPECT_EQ(before, YoungKey(lab.state, a) > YoungKey(lab.state, b));
    lab.state.now = lab.state.now + Duration::Days(6);
    EXPECT_EQ(before, PriorityOf(lab.state, a, 777).exact > PriorityOf(lab.state, b, 777).exact);
  }
}

TEST(Weight, IsThePriceRelativeToTheCheapestGpuTierTimesTheClass) {
  CoreWorld w;
  const auto weight = [&](const std::string& tier, JobClass klass) {
    const Rate rate = *RateAt(w.state(), w.Tier(tier), Source::kOnDemand, w.now);
    return UnitWeight(w.state(), w.Tier(tier), klass, rate);
  };
  EXPECT_EQ(weight("t4", JobClass::kNormal), 1 << 16);
  EXPECT_EQ(weight("a100", JobClass::kNormal), 6 << 16);
  EXPECT_EQ(weight("a100", JobClass::kScavenger), 3 << 16);
  EXPECT_EQ(weight("cpu", JobClass::kDebug), 6554);  // 0.20 / 2.00
}

}  // namespace
}  // namespace pinka::test
