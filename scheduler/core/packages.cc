#include "scheduler/core/packages.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/parse.h"
#include "base/split.h"
#include "fmt/format.h"
#include "scheduler/core/holds.h"

namespace pinka {
namespace {

constexpr Money kEverything = Money::Micros(INT64_MAX);

std::vector<const PortionRow*> PortionsOf(const State& state, PackageId package) {
  std::vector<const PortionRow*> portions;
  const auto& rows = state.portions.rows();
  for (auto it = rows.lower_bound({package, MemberId()});
       it != rows.end() && it->first.first == package; ++it) {
    portions.push_back(&it->second);
  }
  return portions;
}

const LotRow* LotOf(const State& state, const PortionRow& portion) {
  const LotRow* lot = state.lots.Find(portion.lot);
  return lot && !lot->lapsed && lot->ends_at > state.now ? lot : nullptr;
}

// What the rule lets the member draw beyond the own portion, after `drawn` of it is used.
Money Allowance(const PackageRow& package, int64_t drawn_ms) {
  switch (package.borrow) {
    case BorrowRule::kNone:
      return Money();
    case BorrowRule::kLimit:
      return Money::Micros(std::max<int64_t>(package.borrow_ms - drawn_ms, 0));
    case BorrowRule::kFree:
      return kEverything;
  }
  return Money();
}

// Other people's portions in the order in which they lend.
std::vector<const LotRow*> Lenders(const State& state, PackageId package, MemberId member) {
  std::vector<const LotRow*> lots;
  for (const PortionRow* portion : PortionsOf(state, package)) {
    if (portion->member == member) continue;
    if (const LotRow* lot = LotOf(state, *portion)) lots.push_back(lot);
  }
  std::ranges::sort(lots, {}, [](const LotRow* lot) {
    const int kind = lot->owner.kind == OwnerKind::kLab ? 0 : 1;
    return std::tuple(kind, -Available(*lot), lot->id);
  });
  return lots;
}

bool Over(const State& state, PackageId package) {
  for (const PortionRow* portion : PortionsOf(state, package)) {
    const LotRow* lot = state.lots.Find(portion->lot);
    if (lot && !lot->lapsed) return false;
  }
  return std::ranges::none_of(state.holds.rows(), [&](const auto& entry) {
    return entry.second.asset == AssetOf(package) && entry.second.state == HoldState::kOpen;
  });
}

// `used` more of the package (below 0: less), and what that moves of its price.
Money CostOf(PackageRow& package, Money used) {
  package.used_ms += used.micros();
  const Money target =
      Money::Micros(MulDivRound(package.price.micros(), package.used_ms, package.total_ms));
  return target - std::exchange(package.moved, target);
}

void LapseCost(State& state, const PackageRow& package, const PortionRow& portion, Money part,
               const AskedBy& by) {
  const bool lab = !portion.member || package.lapse_to == LapseTo::kOverhead;
  TransferRow row;
  row.kind = TransferKind::kLapse;
  row.debit = package.inventory;
  row.credit = lab ? AccountOf(state, AccountKind::kOverheadLapsed, OwnedByLab())
                   : AccountOf(state, AccountKind::kLapsed, OwnedBy(portion.member));
  row.amount = part;
  row.reason = by.person ? by.reason : "the package has ended";
  row.person = by.person;
  row.request_id = by.request_id;
  row.member = portion.member;
  row.tier = package.tier;
  row.source = Source::kPackage;
  row.payer = lab ? OwnedByLab() : OwnedBy(portion.member);
  AppendTransfer(state, std::move(row));
}

}  // namespace

Rate RateOf(const PackageRow& package) {
  return Rate::MicrosPerUnitHour(MulDivRound(package.price.micros(), 3'600'000, package.total_ms));
}

Rate HoldRate(const AttemptRow& attempt) {
  return attempt.source == Source::kPackage ? Rate::MicrosPerUnitHour(3'600'000) : attempt.rate;
}

std::vector<PackageId> PackagesInReach(const State& state, MemberId member, TierId tier,
                                       Duration limit) {
  std::vector<PackageId> ids;
  for (const auto& [id, row] : state.packages.rows()) {
    const bool now = row.tier == tier && !row.closed_at && row.starts_at <= state.now &&
                     state.now + limit <= row.ends_at;
    if (now && state.portions.Find({id, member})) ids.push_back(id);
  }
  std::ranges::sort(ids, {},
                    [&](PackageId id) { return std::tuple(state.packages.Get(id).ends_at, id); });
  return ids;
}

std::vector<std::pair<LotId, Money>> PackageParts(const State& state, PackageId id, MemberId member,
                                                  Money amount) {
  std::vector<std::pair<LotId, Money>> parts;
  const auto draw = [&](const LotRow& lot, Money most) {
    const Money part = std::min({amount, most, Available(lot)});
    if (part <= Money()) return Money();
    parts.emplace_back(lot.id, part);
    amount -= part;
    return part;
  };
  const PortionRow* own = state.portions.Find({id, member});
  if (!own) return parts;
  if (const LotRow* lot = LotOf(state, *own)) draw(*lot, kEverything);
  Money allowed = Allowance(state.packages.Get(id), own->borrowed_ms + own->borrowing_ms);
  for (const LotRow* lot : Lenders(state, id, member)) {
    if (amount == Money() || allowed == Money()) break;
    allowed -= draw(*lot, allowed);
  }
  return parts;
}

Money InPackage(const State& state, PackageId package, MemberId member) {
  Money sum;
  for (const auto& [lot, part] : PackageParts(state, package, member, kEverything)) sum += part;
  return sum;
}

Money EverInPackage(const State& state, PackageId id, MemberId member, Duration limit) {
  const PackageRow& package = state.packages.Get(id);
  const PortionRow* own = state.portions.Find({id, member});
  if (!own || package.closed_at) return Money();
  if (std::max(state.now, package.starts_at) + limit > package.ends_at) return Money();
  Money mine;
  Money others;
  for (const PortionRow* portion : PortionsOf(state, id)) {
    const LotRow* lot = LotOf(state, *portion);
    if (lot) (portion == own ? mine : others) += lot->credited - lot->posted;
  }
  return mine + std::min(others, Allowance(package, own->borrowed_ms));
}

void CountBorrowed(State& state, MemberId member, LotId id, Money charged, Money held) {
  const LotRow* lot = state.lots.Find(id);
  if (!lot || lot->asset == kCurrency || lot->owner == OwnedBy(member)) return;
  const std::pair key(PackageOf(lot->asset), member);
  if (!state.portions.Find(key)) return;
  PortionRow& own = state.portions.Edit(key);
  own.borrowed_ms += charged.micros();
  own.borrowing_ms += held.micros();
}

void MoveCost(State& state, const AttemptRow& attempt, PackageId id, Money used, Timestamp at) {
  PackageRow& package = state.packages.Edit(id);
  const Money due = CostOf(package, used);
  if (due == Money()) return;
  TransferRow row = EntryOf(attempt);
  row.at = at;
  const AccountId spent = AccountOf(state, AccountKind::kSpent, OwnedBy(attempt.member));
  const bool back = due < Money();
  row.kind = back ? TransferKind::kReversal : TransferKind::kCharge;
  row.debit = back ? spent : package.inventory;
  row.credit = back ? package.inventory : spent;
  row.amount = back ? -due : due;
  row.payer = OwnedBy(attempt.member);
  if (back) row.reason = std::string(RuleOf(attempt.end_reason).text);
  AppendTransfer(state, std::move(row));
}

Money ReturnCost(State& state, PackageId id, Money hours, TransferRow row) {
  PackageRow& package = state.packages.Edit(id);
  const Money back = -CostOf(package, -hours);
  if (back == Money()) return back;
  row.asset = kCurrency;
  row.debit = AccountOf(state, AccountKind::kSpent, OwnedBy(row.member));
  row.credit = package.inventory;
  row.amount = back;
  AppendTransfer(state, std::move(row));
  return back;
}

void PortionLapsed(State& state, const LotRow& lot, Money rest) {
  if (lot.asset == kCurrency) return;
  const MemberId member =
      lot.owner.kind == OwnerKind::kMember ? MemberId(lot.owner.id) : MemberId();
  state.portions.Edit({PackageOf(lot.asset), member}).lapsed_ms += rest.micros();
}

void CloseIfOver(State& state, PackageId id, const AskedBy& by) {
  if (!state.packages.Find(id) || state.packages.Get(id).closed_at || !Over(state, id)) return;
  PackageRow& package = state.packages.Edit(id);
  const Money rest = package.price - package.moved;
  const std::vector<const PortionRow*> portions = PortionsOf(state, id);
  if (rest > Money()) {
    std::vector<int64_t> hours;
    for (const PortionRow* portion : portions) hours.push_back(portion->lapsed_ms);
    const std::vector<int64_t> parts = SplitByShares(rest.micros(), hours);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == 0) continue;
      const Money part = Money::Micros(parts[i]);
      LapseCost(state, package, *portions[i], part, by);
      state.portions.Edit({id, portions[i]->member}).lapsed = part;
    }
  }
  package.lapsed = rest;
  package.closed_at = state.now;
  state.packages_closed.push_back(id);
  Log(state, "package", std::to_string(id.value()), "closed",
      fmt::format("{} moved, {} lapsed", FormatWireMoney(package.moved), FormatWireMoney(rest)),
      by.person);
}

std::string FormatUnitHours(Money unit_ms) {
  const Money hours = Money::Micros(MulDivRound(unit_ms.micros(), 1'000'000, 3'600'000));
  const bool crumb = unit_ms > Money() && hours < Money::Micros(5'000);
  return (crumb ? "less than 0.01" : FormatMoney(hours)) + " unit-hours";
}

}  // namespace pinka
