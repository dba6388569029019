#include "scheduler/core/entries.h"

#include <algorithm>

#include "scheduler/core/limits.h"
#include "scheduler/core/lots.h"

namespace pinka {
namespace {

Money AmendedBy(const State& state, TransferId id) {
  auto it = state.amended.find(id);
  return it == state.amended.end() ? Money() : it->second;
}

}  // namespace

const NamedEntry* FindEntry(const std::vector<NamedEntry>& entries, TransferId id) {
  for (const NamedEntry& entry : entries) {
    if (entry.row.id == id) return &entry;
  }
  return nullptr;
}

std::vector<ChargeLeft> ChargesLeft(const State& state, const std::vector<NamedEntry>& entries) {
  std::vector<ChargeLeft> charges;
  for (const NamedEntry& entry : entries) {
    if (entry.row.kind == TransferKind::kCharge) charges.push_back({&entry, entry.row.amount});
  }
  std::ranges::sort(charges, {}, [](const ChargeLeft& c) { return c.charge->row.id; });
  for (const NamedEntry& entry : entries) {
    if (entry.row.kind != TransferKind::kReversal) continue;
    Money rest = entry.row.amount;
    for (auto it = charges.rbegin(); it != charges.rend(); ++it) {
      const TransferRow& charge = it->charge->row;
      if (charge.attempt != entry.row.attempt || charge.debit != entry.row.credit) continue;
      const Money part = std::min(rest, it->left);
      it->left -= part;
      rest -= part;
    }
  }
  for (ChargeLeft& c : charges) c.left += AmendedBy(state, c.charge->row.id);
  return charges;
}

Money LeftOf(const State& state, const std::vector<NamedEntry>& entries, const NamedEntry& entry) {
  if (entry.row.kind != TransferKind::kCharge)
    return entry.row.amount + AmendedBy(state, entry.row.id);
  for (const ChargeLeft& c : ChargesLeft(state, entries)) {
    if (c.charge->row.id == entry.row.id) return c.left;
  }
  return {};
}

bool StillOpen(const State& state, const NamedEntry& entry) {
  return entry.open || (entry.row.attempt.job && state.holds.Find(entry.row.attempt));
}

bool IsHours(const NamedEntry& entry) { return entry.row.asset != kCurrency; }

bool IsCostOfHours(const NamedEntry& entry) {
  return !IsHours(entry) && entry.row.attempt.job && entry.row.source == Source::kPackage;
}

const LotRow* LiveLot(const State& state, const NamedEntry& entry) {
  const LotRow* lot = state.lots.Find(entry.lot);
  return lot && lot->ends_at > state.now ? lot : nullptr;
}

TransferRow LinkedTo(const NamedEntry& entry, Direction direction, TransferRow verb) {
  TransferRow row = entry.row;
  row.id = {};
  row.at = {};
  row.kind = verb.kind;
  row.reason = std::move(verb.reason);
  row.person = verb.person;
  row.request_id = std::move(verb.request_id);
  row.unit_ms = 0;
  row.linked = entry.row.id;
  if (direction == Direction::kBack) std::swap(row.debit, row.credit);
  return row;
}

void GiveBack(State& state, const NamedEntry& charge, Money amount, TransferRow row) {
  if (LiveLot(state, charge)) {
    MoveLot(state, charge.lot, Money(), -amount, Money());
  } else {
    const Owner owner = state.accounts.at(charge.row.debit).owner;
    const LotId lot = OpenLot(state, owner, charge.lot_tier, state.now, state.now + kRefundLotLives,
                              charge.lot_payer);
    MoveLot(state, lot, amount, Money(), Money());
    row.credit = state.lots.Get(lot).account;
  }
  row.amount = amount;
  CountSpend(state, {row.member, row.project, row.tier}, -amount, 0, state.now);
  state.amended[charge.row.id] -= amount;
  AppendTransfer(state, std::move(row));
}

}  // namespace pinka
