// package buy: hours of one tier, paid by one and split among many.
#include <algorithm>
#include <set>

#include "base/parse.h"
#include "base/split.h"
#include "fmt/format.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// Above these nothing is sold; every product with them stays within 128 bits.
constexpr int64_t kMostHoursMs = int64_t{100'000'000} * 3'600'000;
constexpr Money kMostPrice = Money::Whole(1'000'000'000'000);
constexpr size_t kMostMembers = 10'000;

Reply Bad(std::string sentence) { return Refuse(Reason::kBadRequest, std::move(sentence)); }

std::optional<Reply> RefuseDates(const State& state, const BuyPackage& command) {
  if (command.ends_at <= state.now || !command.ends_at)
    return Bad("the package ends in the past; --until says until when its hours can be used");
  if (command.starts_at && command.starts_at >= command.ends_at)
    return Bad("the package starts at its end or after it; check --starts and --until");
  return std::nullopt;
}

std::optional<Reply> RefuseMembers(const State& state, const BuyPackage& command) {
  std::set<MemberId> named;
  Int128 sum = 0;
  for (const BuyPackage::Share& part : command.shares) {
    const MemberRow* member = part.member ? state.members.Find(part.member) : nullptr;
    if (part.member && (!member || member->removed))
      return Refuse(Reason::kNoSuchMember, "a share is for somebody who is no member of the lab");
    if (!named.insert(part.member).second)
      return Bad(fmt::format("{} has two shares; name each member once",
                             part.member ? member->name : std::string("lab")));
    if (part.share < 0) return Bad("a share is 0 or more");
    sum += part.share;
  }
  named.erase(MemberId());
  if (named.empty()) return Bad("nobody has a part in it; name the members with --members a,b");
  if (named.size() > kMostMembers) return Bad("that is more members than a package can have");
  const auto unlike = [&](const auto& part) { return part.share != command.shares[0].share; };
  if (command.split == SplitRule::kEqual && std::ranges::any_of(command.shares, unlike))
    return Bad("an equal split gives everybody the same share; say the shares as in a=1,b=2");
  if (sum == 0 && command.split == SplitRule::kContribution)
    return Bad("none of the members has paid anything in; say who gave what with --contribution");
  if (sum == 0) return Bad("all shares are 0; give somebody a part");
  const MemberRow* payer = command.payer ? state.members.Find(command.payer) : nullptr;
  if (command.payer && !payer) return Refuse(Reason::kNoSuchMember, "no such payer");
  return std::nullopt;
}

// units x period, in unit-milliseconds; 0 where the period is not known.
int64_t CapacityMs(const State& state, const BuyPackage& command) {
  const Timestamp from = command.starts_at ? command.starts_at : state.now;
  const Int128 ms = Int128{command.units} * (command.ends_at - from).millis();
  return ms > kMostHoursMs ? kMostHoursMs + 1 : static_cast<int64_t>(ms);
}

std::optional<Reply> RefuseHours(const State& state, const BuyPackage& command, int64_t total_ms) {
  if (command.kind == PackageKind::kCapacity && command.units <= 0)
    return Bad("a machine for a period needs --units, how many side by side");
  if (command.kind == PackageKind::kHours && command.units != 0)
    return Bad("a count of hours has no units; use --kind capacity for a machine for a period");
  if (total_ms <= 0) return Bad("a package has more than 0 hours");
  if (total_ms > kMostHoursMs) return Bad("that is more hours than a lab can count");
  const bool capacity = command.kind == PackageKind::kCapacity;
  if (capacity && total_ms != CapacityMs(state, command)) {
    return Bad(fmt::format("{} unit(s) for the period are {}, not {}; leave --hours out",
                           command.units,
                           FormatUnitHours(Money::Micros(CapacityMs(state, command))),
                           FormatUnitHours(Money::Micros(total_ms))));
  }
  if (command.price <= Money() || command.price > kMostPrice)
    return Bad("a price is more than 0 and an amount that somebody could pay");
  if (!IsWholeCents(command.price))
    return Bad("a price is whole cents, for it is split among people in cents");
  const bool limited = command.borrow == BorrowRule::kLimit;
  if (limited ? command.borrow_ms <= 0 : command.borrow_ms != 0)
    return Bad("--borrow is none, free, or a number of unit-hours above 0");
  if (command.reason.empty()) return Bad("say why with --reason; it stays with the entries");
  return std::nullopt;
}

TransferRow Purchase(const BuyPackage& command, AssetId asset, Money amount) {
  TransferRow row;
  row.kind = TransferKind::kPurchase;
  row.asset = asset;
  row.amount = amount;
  row.reason = command.reason;
  row.person = command.actor.member;
  row.request_id = command.request.key;
  row.tier = command.tier;
  row.source = Source::kPackage;
  return row;
}

// The price, from who paid it into the inventory.
void PostPrice(State& state, const BuyPackage& command, AccountId inventory) {
  TransferRow row = Purchase(command, kCurrency, command.price);
  const bool member = static_cast<bool>(command.payer);
  row.debit = member ? AccountOf(state, AccountKind::kPaidIn, OwnedBy(command.payer))
                     : AccountOf(state, AccountKind::kExternal, OwnedByLab());
  row.credit = inventory;
  row.member = command.payer;
  row.payer = member ? OwnedBy(command.payer) : OwnedByLab();
  AppendTransfer(state, std::move(row));
}

LotId PostHours(State& state, const BuyPackage& command, AssetId asset, MemberId member,
                Money hours) {
  const Owner owner = member ? OwnedBy(member) : OwnedByLab();
  const LotId lot = OpenLot(state, owner, command.tier, state.now, command.ends_at, {}, asset);
  if (hours == Money()) return lot;
  TransferRow row = Purchase(command, asset, hours);
  row.debit = AccountOf(state, AccountKind::kExternal, OwnedByLab(), asset);
  row.credit = state.lots.Get(lot).account;
  row.member = member;
  row.payer = owner;
  AppendTransfer(state, std::move(row));
  MoveLot(state, lot, hours, Money(), Money());
  return lot;
}

// Portions in the order of members, the lab's last: ties of the split go to the first.
int64_t PostPortions(State& state, const BuyPackage& command, const PackageRow& package) {
  std::vector<BuyPackage::Share> parts = command.shares;
  std::ranges::sort(parts, {},
                    [](const auto& part) { return std::pair(!part.member, part.member); });
  std::vector<int64_t> shares;
  for (const auto& part : parts) shares.push_back(part.share);
  const std::vector<int64_t> hours = SplitByShares(package.total_ms, shares);
  const std::vector<Money> costs = SplitCents(package.price, shares);
  int64_t entries = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    PortionRow row;
    row.package = package.id;
    row.member = parts[i].member;
    row.share = shares[i];
    row.total_ms = hours[i];
    row.cost = costs[i];
    row.lot = PostHours(state, command, AssetOf(package.id), row.member, Money::Micros(hours[i]));
    state.portions.Put({row.package, row.member}, row);
    entries += hours[i] > 0 ? 1 : 0;
  }
  return entries;
}

}  // namespace

Reply Do(State& state, const BuyPackage& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "packages are bought by admins");
  const TierRow* tier = state.tiers.Find(command.tier);
  if (!tier || tier->absent)
    return Refuse(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
  if (auto refused = RefuseDates(state, command)) return *refused;
  if (auto refused = RefuseMembers(state, command)) return *refused;
  const bool derived = command.kind == PackageKind::kCapacity && command.total_ms == 0;
  const int64_t total_ms = derived ? CapacityMs(state, command) : command.total_ms;
  if (auto refused = RefuseHours(state, command, total_ms)) return *refused;

  PackageRow row;
  row.id = PackageId(TakeId(state));
  row.tier = command.tier;
  row.kind = command.kind;
  row.provider = command.provider;
  row.payer = command.payer;
  row.price = command.price;
  row.total_ms = total_ms;
  row.units = command.units;
  row.bought_at = state.now;
  row.starts_at = command.starts_at ? command.starts_at : state.now;
  row.ends_at = command.ends_at;
  row.split = command.split;
  row.borrow = command.borrow;
  row.borrow_ms = command.borrow_ms;
  row.lapse_to = command.lapse_to;
  row.inventory =
      AccountOf(state, AccountKind::kInventory, OwnedByLab(), kCurrency, row.id.value());
  state.packages.Put(row.id, row);
  PostPrice(state, command, row.inventory);
  Reply reply;
  reply.first = row.id.value();
  reply.count = 1 + PostPortions(state, command, row);
  Log(state, "package", std::to_string(row.id.value()), "bought",
      fmt::format("{} of {} for {}", FormatUnitHours(Money::Micros(total_ms)), tier->name,
                  FormatWireMoney(command.price)),
      command.actor.member);
  PlanAll(state);
  Remember(state, command.actor, command.request, true, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
