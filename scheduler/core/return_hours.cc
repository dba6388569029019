#include "scheduler/core/return_hours.h"

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/packages.h"

namespace pinka {
namespace {

// What an attempt was charged in hours and for them, less what its settle took back, and the hours
// of it that were given back since.
struct Charged {
  int64_t hours_ms = 0;
  int64_t back_ms = 0;
  Money cost;
};

Charged ChargedTo(const State& state, const std::vector<NamedEntry>& entries,
                  const AttemptId& attempt) {
  Charged sum;
  for (const NamedEntry& entry : entries) {
    const TransferRow& row = entry.row;
    const bool charge = row.kind == TransferKind::kCharge;
    if (row.attempt != attempt || (!charge && row.kind != TransferKind::kReversal)) continue;
    const Money amount = charge ? row.amount : -row.amount;
    if (!IsHours(entry)) {
      sum.cost += amount;
      continue;
    }
    sum.hours_ms += amount.micros();
    const auto amended = state.amended.find(row.id);
    if (amended != state.amended.end()) sum.back_ms -= amended->second.micros();
  }
  return sum;
}

// The part of the cost that `hours` more stand for: whatever is given back in whatever pieces sums
// to the whole.
Money PartOfCost(const Charged& charged, Money hours) {
  if (charged.hours_ms <= 0) return Money();
  const auto upto = [&](int64_t ms) {
    return MulDivRound(charged.cost.micros(), ms, charged.hours_ms);
  };
  return Money::Micros(upto(charged.back_ms + hours.micros()) - upto(charged.back_ms));
}

void ToOverhead(State& state, const NamedEntry& charge, Money cost, TransferRow row,
                HoursBack* back) {
  const Money hours = row.amount;
  TransferRow money = row;
  row.credit = AccountOf(state, AccountKind::kOverheadOther, OwnedByLab(), row.asset);
  AppendTransfer(state, std::move(row));
  back->to_lab += hours;
  if (cost == Money()) return;
  money.asset = kCurrency;
  money.debit = AccountOf(state, AccountKind::kSpent, OwnedBy(charge.row.member));
  money.credit = AccountOf(state, AccountKind::kOverheadOther, OwnedByLab());
  money.amount = cost;
  AppendTransfer(state, std::move(money));
  back->to_overhead += cost;
}

}  // namespace

std::string Describe(const State& state, const HoursBack& back) {
  std::string text;
  if (back.to_portions > Money()) {
    text = fmt::format("{} went back into the package, with the {} that they had cost",
                       FormatUnitHours(back.to_portions),
                       FormatAmount(back.to_inventory, state.lab.currency));
  }
  if (back.to_lab > Money()) {
    text += fmt::format(
        "{}{} cannot go back, since the package has ended: what they had cost, {}, "
        "is the lab's overhead now",
        text.empty() ? "" : "; ", FormatUnitHours(back.to_lab),
        FormatAmount(back.to_overhead, state.lab.currency));
  }
  return text;
}

void ReturnHours(State& state, const std::vector<NamedEntry>& entries, const NamedEntry& charge,
                 Money hours, const TransferRow& verb, HoursBack* back) {
  const Charged charged = ChargedTo(state, entries, charge.row.attempt);
  TransferRow row = LinkedTo(charge, Direction::kBack, verb);
  row.amount = hours;
  const bool open = LiveLot(state, charge) != nullptr;
  state.amended[charge.row.id] -= hours;
  if (!open) return ToOverhead(state, charge, PartOfCost(charged, hours), std::move(row), back);
  MoveLot(state, charge.lot, Money(), -hours, Money());
  CountBorrowed(state, charge.row.member, charge.lot, -hours, Money());
  AppendTransfer(state, row);
  back->to_portions += hours;
  back->to_inventory += ReturnCost(state, PackageOf(charge.row.asset), hours, std::move(row));
}

}  // namespace pinka
