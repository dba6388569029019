#include "scheduler/core/billing.h"

#include <algorithm>

namespace pinka {
namespace {

constexpr int64_t kMostMicros = 1'000'000'000'000'000'000;
constexpr int64_t kHourMicros = 3'600'000'000;
constexpr int64_t kGigabyte = 1'000'000'000;

int64_t CeilTo(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// n / d in multiples of `to`. n >= 0, d > 0.
Money Rounded(Int128 n, Int128 d, Rounding rounding, int64_t to) {
  const Int128 by = d * std::max<int64_t>(to, 1);
  const Int128 count = rounding == Rounding::kUp ? (n + by - 1) / by : (2 * n + by) / (2 * by);
  const Int128 micros = count * std::max<int64_t>(to, 1);
  return Money::Micros(static_cast<int64_t>(std::min<Int128>(micros, kMostMicros)));
}

int64_t Billable(const BillingRule& rule, int64_t span) {
  if (span <= 0) return 0;
  const int64_t block = std::max<int64_t>(rule.block.micros(), 1);
  return std::max(rule.minimum.micros(), CeilTo(span, block));
}

// Multiples of the cut, counted in the provider's zone, that lie at or before `at`.
int64_t CutsBefore(const BillingRule& rule, Timestamp at) {
  const int64_t local = at.micros() + rule.cut_offset.micros();
  const int64_t cut = rule.cut.micros();
  return local >= 0 ? local / cut : -((-local + cut - 1) / cut);
}

Timestamp CutAt(const BillingRule& rule, int64_t n) {
  return Timestamp::Micros(n * rule.cut.micros() - rule.cut_offset.micros());
}

// A bill as it grows, stretch by stretch.
class Sum {
 public:
  Sum(const BillingRule& rule, int64_t units)
      : rule_(rule), by_(Int128{units} * rule.rate.micros_per_unit_hour()) {}

  void Finished(Duration span, int64_t times = 1) {
    const Int128 n = by_ * Billable(rule_, span.micros());
    if (rule_.round_at == RoundAt::kBill) {
      exact_ += n * times;
    } else {
      rounded_ += Int128{Round(n).micros()} * times;
    }
  }
  void Going(Duration span) { going_ += by_ * span.micros(); }

  Money Total(Stretch last) const {
    // What is not final yet is told to the micro-unit.
    const bool whole = rule_.round_at == RoundAt::kBill && last == Stretch::kOver;
    const Int128 rest = exact_ + going_;
    const Money open = whole ? Round(rest) : Rounded(rest, kHourMicros, Rounding::kHalfAway, 1);
    const Int128 total = rounded_ + open.micros();
    return Money::Micros(static_cast<int64_t>(std::min<Int128>(total, kMostMicros)));
  }

 private:
  Money Round(Int128 n) const {
    return Rounded(n, kHourMicros, rule_.rounding, rule_.round_to.micros());
  }
  const BillingRule& rule_;
  const Int128 by_;     // micro-units x micros an hour
  Int128 exact_ = 0;    // of finished stretches that are rounded together, x an hour
  Int128 going_ = 0;    // of the one that goes on, x an hour
  Int128 rounded_ = 0;  // of finished stretches, micro-units
};

}  // namespace

Money BillOf(const BillingRule& rule, int64_t units, Timestamp opened_at, Timestamp upto,
             Stretch last) {
  Sum sum(rule, units);
  const auto end = [&](Duration span) {
    last == Stretch::kOver ? sum.Finished(span) : sum.Going(span);
  };
  if (upto <= opened_at) return {};
  if (rule.cut <= Duration()) {
    end(upto - opened_at);
    return sum.Total(last);
  }
  const int64_t first = CutsBefore(rule, opened_at) + 1;  // the first cut after the opening
  const int64_t before = CutsBefore(rule, upto);          // the last one at or before the end
  if (before < first) {
    end(upto - opened_at);
    return sum.Total(last);
  }
  sum.Finished(CutAt(rule, first) - opened_at);
  sum.Finished(rule.cut, before - first);
  end(upto - CutAt(rule, before));
  return sum.Total(last);
}

Money TimeCost(Rate rate, UnitTime time) {
  const Int128 n = Int128{std::max<int64_t>(time.millis(), 0)} * rate.micros_per_unit_hour();
  return Rounded(n, kHourMicros / 1'000, Rounding::kHalfAway, 1);
}

Money EgressCost(Money per_gb, int64_t bytes) {
  return Rounded(Int128{per_gb.micros()} * std::max<int64_t>(bytes, 0), kGigabyte,
                 Rounding::kHalfAway, 1);
}

Timestamp BoundUntil(const BillingRule& rule, Timestamp opened_at, Timestamp now) {
  const Timestamp until = PaidUntil(rule, opened_at, now);
  return until - now > rule.block || rule.block > Duration::Seconds(1) ? until : now;
}

Timestamp PaidUntil(const BillingRule& rule, Timestamp opened_at, Timestamp now) {
  const bool cuts = rule.cut > Duration();
  const Timestamp cut = cuts ? CutAt(rule, CutsBefore(rule, now)) : opened_at;
  const Timestamp from = std::max(opened_at, cut);
  const int64_t span = std::max<int64_t>((now - from).micros(), 1);  // the first block is taken
  const Timestamp until = from + Duration::Micros(Billable(rule, span));
  return cuts ? std::min(until, CutAt(rule, CutsBefore(rule, now) + 1)) : until;
}

Money LeastBill(const BillingRule& rule, int64_t units) {
  Sum sum(rule, units);
  sum.Finished(Duration::Micros(1));
  return sum.Total(Stretch::kOver);
}

}  // namespace pinka
