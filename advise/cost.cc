#include "advise/cost.h"

#include <algorithm>
#include <cmath>

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka::advise {
namespace {

Money Times(Money price, double amount) {
  return Money::Micros(
      static_cast<int64_t>(std::llround(static_cast<double>(price.micros()) * amount)));
}

Money CostOf(Duration span, Rate rate) { return Cost(UnitTime::Of(1, span), rate); }

// watts x hours x price of a kWh.
Money Electricity(Duration span, int64_t watts, Money kwh) {
  return Money::Micros(MulDivRound(kwh.micros(), watts * span.seconds(), int64_t{1'000} * 3'600));
}

Money Wear(Duration span, Money an_hour) {
  return Money::Micros(MulDivRound(an_hour.micros(), span.seconds(), 3'600));
}

Status Judge(const CostAsk& ask) {
  if (ask.cloud <= Duration()) return Invalid("say how long the rented card takes: --cloud 2h");
  if (ask.local < Duration() || ask.watts < 0 || ask.epochs < 1 || ask.epochs > 1'000'000)
    return Invalid("times and watts are 0 or more, epochs 1 to 1000000");
  const bool negative = ask.kwh < Money() || ask.wear < Money() || ask.rate < Rate() ||
                        ask.egress < Money() || ask.disk < Rate() || ask.egress_gb < 0 ||
                        ask.disk_gb < 0;
  if (negative) return Invalid("prices and amounts are 0 or more");
  if (ask.block <= Duration() || ask.minimum < Duration())
    return Invalid("a block is more than 0s and a minimum 0s or more");
  const Duration longest = Duration::Days(3'650);
  if (ask.local > longest || ask.cloud > longest || ask.cloud * ask.epochs > longest)
    return Invalid("times are at most ten years together");
  return OkStatus();
}

void AddNotes(const CostAsk& ask, CostAnswer* a) {
  if (a->unused > Money()) {
    a->notes.push_back(
        fmt::format("the provider bills {} for {} of work: the rest of a block or "
                    "minimum is paid and unused",
                    FormatDuration(a->billed), FormatDuration(ask.cloud * ask.epochs)));
  }
  if (a->egress > Money() && a->egress > a->cloud)
    a->notes.push_back("bringing the data out costs more than the card");
  if (ask.local <= Duration()) return;
  a->notes.push_back(a->cloud_is_cheaper
                         ? "the rented card is cheaper and, where it is faster, sooner done"
                         : "the own machine is cheaper: rent only where a deadline pays for it");
  if (ask.wear == Money())
    a->notes.push_back("the own machine's price and wear are not counted; --wear counts them");
}

}  // namespace

Duration BilledTime(Duration used, Duration minimum, Duration block) {
  const int64_t b = block.micros();
  const int64_t blocks = used.micros() / b + (used.micros() % b > 0 ? 1 : 0);
  return std::max(minimum, Duration::Micros(blocks * b));
}

StatusOr<CostAnswer> CompareCost(const CostAsk& ask) {
  if (Status s = Judge(ask); !s.ok()) return s;
  CostAnswer a;
  const Duration local = ask.local * ask.epochs;
  const Duration cloud = ask.cloud * ask.epochs;
  a.local = Electricity(local, ask.watts, ask.kwh) + Wear(local, ask.wear);
  a.billed = BilledTime(cloud, ask.minimum, ask.block);
  a.cloud = CostOf(a.billed, ask.rate);
  a.unused = a.cloud - CostOf(cloud, ask.rate);
  a.egress = Times(ask.egress, ask.egress_gb);
  a.disk = Times(CostOf(a.billed, ask.disk), ask.disk_gb);
  a.cloud_total = a.cloud + a.egress + a.disk;
  a.saved = local > cloud ? local - cloud : Duration();
  a.cloud_is_cheaper = local > Duration() && a.cloud_total < a.local;
  if (a.saved > Duration() && !a.cloud_is_cheaper) {
    a.price_of_an_hour = Money::Micros(MulDivRound((a.cloud_total - a.local).micros(), 3'600,
                                                   std::max<int64_t>(a.saved.seconds(), 1)));
  }
  const Money left = a.local - a.egress - a.disk;
  if (left > Money())
    a.break_even = Rate::MicrosPerUnitHour(MulDivRound(left.micros(), 3'600, a.billed.seconds()));
  AddNotes(ask, &a);
  return a;
}

}  // namespace pinka::advise
