#include "scheduler/core/lots.h"

#include <algorithm>
#include <tuple>

#include "scheduler/core/packages.h"

namespace pinka {
namespace {

bool InReach(const State& state, const LotRow& lot, MemberId member, ProjectId project,
             TierId tier) {
  if (lot.asset != kCurrency) return false;
  if (lot.starts_at > state.now || lot.ends_at <= state.now || lot.lapsed) return false;
  if (lot.tier && lot.tier != tier) return false;
  switch (lot.owner.kind) {
    case OwnerKind::kLab:
      return true;
    case OwnerKind::kProject:
      return project && lot.owner == OwnedBy(project);
    case OwnerKind::kMember:
      return lot.owner == OwnedBy(member);
  }
  return false;
}

// Smaller is burnt first.
auto BurnRank(const LotRow& lot) {
  const int breadth = 2 - static_cast<int>(lot.owner.kind);  // member, project, lab
  return std::tuple(breadth, lot.tier ? 0 : 1, lot.ends_at, lot.starts_at, lot.id);
}

// Whether an open hold has a line on the lot, be it used up.
bool OnOpenHold(const State& state, LotId id) {
  return std::ranges::any_of(state.hold_lines.rows(), [&](const auto& entry) {
    const HoldLineRow& line = entry.second;
    return line.lot == id && state.holds.Get(line.attempt).state == HoldState::kOpen;
  });
}

LotRow& EditLot(State& state, LotId id) {
  state.lots_before.try_emplace(id, state.lots.Get(id));
  return state.lots.Edit(id);
}

}  // namespace

std::vector<LotId> LotsInReach(const State& state, MemberId member, ProjectId project,
                               TierId tier) {
  std::vector<const LotRow*> reach;
  for (const auto& [id, lot] : state.lots.rows()) {
    if (InReach(state, lot, member, project, tier)) reach.push_back(&lot);
  }
  std::ranges::sort(reach, {}, [](const LotRow* lot) { return BurnRank(*lot); });
  std::vector<LotId> ids;
  for (const LotRow* lot : reach) ids.push_back(lot->id);
  return ids;
}

Money Available(const LotRow& lot) {
  return lot.credited - lot.posted - lot.held + lot.credit_limit;
}

void MoveLot(State& state, LotId id, Money credited, Money posted, Money held) {
  LotRow& lot = EditLot(state, id);
  lot.credited += credited;
  lot.posted += posted;
  lot.held += held;
  PINKA_CHECK(lot.held >= Money(), "a lot cannot hold less than nothing");
}

void HoldOnLot(State& state, LotId id, Money held) {
  MoveLot(state, id, Money(), Money(), held);
  state.lots_guarded.insert(id);
}

AccountId AccountOf(State& state, AccountKind kind, Owner owner, AssetId asset, int64_t of) {
  const AccountKey key{kind, owner, asset, of};
  auto it = state.account_by_key.find(key);
  if (it != state.account_by_key.end()) return it->second;
  const AccountId id(TakeId(state));
  AccountRow row{id, kind, owner, asset};
  state.accounts.emplace(id, row);
  state.account_by_key.emplace(key, id);
  state.out.accounts.push_back(row);
  return id;
}

LotId OpenLot(State& state, Owner owner, TierId tier, Timestamp starts_at, Timestamp ends_at,
              MemberId payer, AssetId asset) {
  const LotId id(TakeId(state));
  LotRow row;
  row.id = id;
  row.account = AccountOf(state, AccountKind::kLot, owner, asset, id.value());
  row.asset = asset;
  row.owner = owner;
  row.tier = tier;
  row.starts_at = starts_at;
  row.ends_at = ends_at;
  row.payer = payer;
  state.out.new_lots.push_back(row);
  state.lots.Load(id, row);
  return id;
}

void AppendTransfer(State& state, TransferRow row) {
  PINKA_CHECK(row.amount > Money(), "a transfer moves something");
  row.id = TransferId(state.lab.next_transfer++);
  state.lab_touched = true;
  if (!row.at) row.at = state.now;
  PINKA_CHECK(row.at >= ClosedUntil(state), "a closed month never changes");
  if (!row.asset) row.asset = kCurrency;
  state.out.transfers.push_back(std::move(row));
}

void LapseLot(State& state, LotId id, const AskedBy& by) {
  const LotRow& lot = state.lots.Get(id);
  const Money rest = lot.credited - lot.posted - lot.held;
  if (rest > Money()) {
    TransferRow row;
    row.kind = TransferKind::kLapse;
    row.asset = lot.asset;
    row.debit = lot.account;
    row.credit = AccountOf(state, AccountKind::kLapsed, lot.owner, lot.asset);
    row.amount = rest;
    row.reason = by.person ? by.reason : "the lot has ended";
    row.person = by.person;
    row.request_id = by.request_id;
    if (lot.asset != kCurrency) row.source = Source::kPackage;
    row.payer = lot.owner;
    if (lot.owner.kind == OwnerKind::kMember) row.member = MemberId(lot.owner.id);
    if (lot.owner.kind == OwnerKind::kProject) row.project = ProjectId(lot.owner.id);
    AppendTransfer(state, std::move(row));
    MoveLot(state, id, -rest, Money(), Money());
    PortionLapsed(state, state.lots.Get(id), rest);
  }
  // It stays open while a hold may still release or reverse into it.
  if (!OnOpenHold(state, id)) EditLot(state, id).lapsed = true;
}

void EndLot(State& state, LotId id, const AskedBy& by) {
  EditLot(state, id).ends_at = state.now;
  LapseLot(state, id, by);
}

void LapseIfOver(State& state, LotId id) {
  const LotRow& lot = state.lots.Get(id);
  if (lot.ends_at <= state.now && !lot.lapsed) LapseLot(state, id);
}

}  // namespace pinka
