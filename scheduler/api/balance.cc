#include "scheduler/api/balance.h"

#include <algorithm>

namespace pinka::api {
namespace {

// Metered by now at the hold's rate, at most the hold, less what is posted.
Money InFlight(const db::OpenHold& hold, Duration newest) {
  const int64_t metered_ms =
      std::max(hold.metered_ms - hold.overrun_ms, newest.millis() - hold.overrun_ms);
  const UnitTime time = UnitTime::Millis(std::max<int64_t>(metered_ms, 0) * hold.units);
  const Money cost = CostOverflows(time, hold.rate) ? hold.row.amount : Cost(time, hold.rate);
  return std::max(std::min(cost, hold.row.amount) - hold.row.posted, Money());
}

// By lot, over all open holds.
std::map<LotId, Money> SpreadInFlight(const db::Balances& balances, const MeterOf& meter_of) {
  std::map<AttemptId, std::vector<const HoldLineRow*>> lines;
  for (const HoldLineRow& line : balances.hold_lines) lines[line.attempt].push_back(&line);
  std::map<LotId, Money> by_lot;
  for (const db::OpenHold& hold : balances.holds) {
    Money rest = InFlight(hold, meter_of(hold.row.attempt));
    auto& own = lines[hold.row.attempt];
    std::ranges::sort(own, {}, &HoldLineRow::n);
    for (const HoldLineRow* line : own) {
      const Money part = std::min(rest, line->amount - line->posted);
      by_lot[line->lot] += part;
      rest -= part;
    }
  }
  return by_lot;
}

}  // namespace

Numbers& Numbers::operator+=(const Numbers& other) {
  credited += other.credited;
  settled += other.settled;
  in_flight += other.in_flight;
  committed += other.committed;
  available += other.available;
  credit_limit += other.credit_limit;
  return *this;
}

std::vector<LotNumbers> NumbersOfLots(const db::Balances& balances, const MeterOf& meter_of) {
  std::map<LotId, Money> in_flight = SpreadInFlight(balances, meter_of);
  std::vector<LotNumbers> out;
  for (const db::LotBalance& lot : balances.lots) {
    Numbers n;
    n.credited = lot.row.credited;
    n.settled = lot.row.posted;
    // Lots and holds are read one after the other: never more in flight than is held.
    n.in_flight = std::min(in_flight[lot.row.id], lot.row.held);
    n.committed = lot.row.held - n.in_flight;
    n.credit_limit = lot.row.credit_limit;
    n.available = n.credited - n.settled - lot.row.held + n.credit_limit;
    out.push_back({lot, n});
  }
  return out;
}

}  // namespace pinka::api
