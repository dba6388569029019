#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "base/money.h"
#include "base/parse.h"

namespace pinka {
namespace {

constexpr int64_t kYearMillis = int64_t{366} * 86'400'000;

Rate AnyRate() { return Rate::MicrosPerUnitHour(*rc::gen::inRange<int64_t>(0, 10'000'000'000)); }

RC_GTEST_PROP(CostProperty, CumulativePostingsSumToTheProductHoweverTheTimeIsCut, ()) {
  Rate rate = AnyRate();
  auto ticks = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 3'600'000));
  UnitTime total;
  Money posted;
  for (int64_t tick : ticks) {
    total = total + UnitTime::Millis(tick);
    Money posting = Cost(total, rate) - posted;
    RC_ASSERT(posting >= Money());
    posted += posting;
  }
  int64_t sum = std::accumulate(ticks.begin(), ticks.end(), int64_t{0});
  RC_ASSERT(posted == Cost(UnitTime::Millis(sum), rate));
}

RC_GTEST_PROP(CostProperty, IsWithinHalfAMicroUnitOfTheRealProduct, ()) {
  Rate rate = AnyRate();
  int64_t millis = *rc::gen::inRange<int64_t>(-kYearMillis, kYearMillis);
  long double real = static_cast<long double>(millis) *
                     static_cast<long double>(rate.micros_per_unit_hour()) / 3'600'000.0L;
  long double cost = static_cast<long double>(Cost(UnitTime::Millis(millis), rate).micros());
  RC_ASSERT(std::fabs(cost - real) <= 0.5001L);
}

RC_GTEST_PROP(CostProperty, IsOddInTime, ()) {
  Rate rate = AnyRate();
  int64_t millis = *rc::gen::inRange<int64_t>(0, kYearMillis);
  RC_ASSERT(Cost(UnitTime::Millis(-millis), rate) == -Cost(UnitTime::Millis(millis), rate));
}

RC_GTEST_PROP(CostProperty, NeverAbortsWhereItSaysItFits, (int64_t millis, int64_t micros)) {
  UnitTime time = UnitTime::Millis(millis);
  Rate rate = Rate::MicrosPerUnitHour(micros);
  if (CostOverflows(time, rate)) return;
  Cost(time, rate);
}

RC_GTEST_PROP(MoneyText, ReadsBackWhatTheWireSays, ()) {
  Money amount = Money::Micros(
      *rc::gen::inRange<int64_t>(-999'999'999'999'999'999, 1'000'000'000'000'000'000));
  RC_ASSERT(*ParseWireMoney(FormatWireMoney(amount)) == amount);
  RC_ASSERT(*ParseMoney(FormatWireMoney(amount)) == amount);
}

RC_GTEST_PROP(MoneyText, ShowsNoMoreThanHalfACentOff, ()) {
  Money amount = Money::Micros(*rc::gen::inRange<int64_t>(-1'000'000'000'000, 1'000'000'000'000));
  int64_t off = (*ParseMoney(FormatMoney(amount)) - amount).micros();
  RC_ASSERT(std::abs(off) <= 5'000);
}

RC_GTEST_PROP(DurationText, ReadsBackWhatItPrints, ()) {
  Duration span = Duration::Seconds(*rc::gen::inRange<int64_t>(0, int64_t{3'650} * 86'400 + 1));
  RC_ASSERT(*ParseDuration(FormatDuration(span)) == span);
}

}  // namespace
}  // namespace pinka
