#include "scheduler/api/convert_package.h"

#include <algorithm>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/status_table.h"
#include "scheduler/core/packages.h"

namespace pinka::api {
namespace {

constexpr int64_t kWhole = 1'000'000;  // micro-units: a share of 1

std::string Shown(const std::string& name) { return SanitizeForTerminal(FitColumns(name, 40)); }

StatusOr<MemberId> Member(const Board& board, const std::string& name) {
  const auto member = FindMember(board, name);
  if (member) return *member;
  return Refusal(Reason::kNoSuchMember,
                 fmt::format("no such member {}; `pinka admin member ls` lists them", Shown(name)));
}

// Shares as they stand: weights, amounts, or parts of 1 where any has decimals.
StatusOr<std::vector<BuyPackage::Share>> ConvertShares(const v1::BuyPackageRequest& request,
                                                       const Board& board, bool amounts) {
  std::vector<BuyPackage::Share> shares;
  bool decimals = false;
  Int128 sum = 0;
  for (const v1::Share& part : request.shares()) {
    StatusOr<Money> share = ParseWireMoney(part.share());
    if (!share.ok() || *share < Money()) {
      return Invalid(fmt::format("the share of {} is a number of 0 or more, as in 2 or 0.25",
                                 Shown(part.member())));
    }
    BuyPackage::Share row;
    if (part.member() != "lab" || amounts) {
      StatusOr<MemberId> member = Member(board, part.member());
      if (!member.ok()) return member.status();
      row.member = *member;
    }
    row.share = share->micros();
    decimals = decimals || row.share % kWhole != 0;
    sum += row.share;
    shares.push_back(row);
  }
  if (!amounts && decimals && sum != kWhole) {
    return Invalid(
        "shares with decimals are parts of 1 and do not add up to it; write whole weights, as in "
        "a=1,b=2, or parts that sum to 1");
  }
  return shares;
}

StatusOr<std::vector<BuyPackage::Share>> SharesOf(const v1::BuyPackageRequest& request,
                                                  const Board& board, SplitRule split,
                                                  const std::map<MemberId, Money>& paid_in) {
  const bool by_amount = split == SplitRule::kContribution;
  if (split == SplitRule::kShares || (by_amount && !request.shares().empty())) {
    if (!request.members().empty())
      return Invalid("the shares say who has a part; leave --members out, or split equally");
    return ConvertShares(request, board, by_amount);
  }
  std::vector<BuyPackage::Share> shares;
  for (const std::string& name : request.members()) {
    StatusOr<MemberId> member = Member(board, name);
    if (!member.ok()) return member.status();
    int64_t share = 1;
    if (by_amount) {
      const auto paid = paid_in.find(*member);
      share = paid == paid_in.end() ? 0 : std::max<int64_t>(paid->second.micros(), 0);
    }
    shares.push_back({*member, share});
  }
  return shares;
}

Status ConvertBorrow(const std::string& text, BuyPackage* command) {
  if (text.empty() || text == "none") return OkStatus();
  command->borrow = BorrowRule::kFree;
  if (text == "free") return OkStatus();
  StatusOr<int64_t> hours = ParseHours(text, "--borrow is none, free, or unit-hours");
  if (!hours.ok()) return hours.status();
  command->borrow = BorrowRule::kLimit;
  command->borrow_ms = *hours;
  return OkStatus();
}

Status ConvertTerms(const v1::BuyPackageRequest& request, BuyPackage* command) {
  if (!request.kind().empty() && !FromName(request.kind(), &command->kind))
    return Invalid("a package is of kind hours or capacity");
  if (!request.split().empty() && !FromName(request.split(), &command->split))
    return Invalid("a split is equal, contribution, or shares as in a=1,b=2");
  if (!request.lapse_to().empty() && !FromName(request.lapse_to(), &command->lapse_to))
    return Invalid("what is left lapses to owner or to overhead");
  if (!request.hours().empty()) {
    StatusOr<int64_t> hours = ParseHours(request.hours(), "the hours");
    if (!hours.ok()) return hours.status();
    command->total_ms = *hours;
  }
  command->units = request.units();
  StatusOr<Money> price = PositiveMoney(request.price(), "the price");
  if (!price.ok()) return price.status();
  command->price = *price;
  if (!request.has_until()) return Invalid("say until when its hours can be used: --until");
  command->ends_at = FromProto(request.until());
  if (request.has_starts_at()) command->starts_at = FromProto(request.starts_at());
  return ConvertBorrow(request.borrow(), command);
}

// "none", "free", or hours.
std::string BorrowText(const PackageRow& row) {
  return row.borrow == BorrowRule::kLimit ? WireHours(row.borrow_ms)
                                          : std::string(Name(row.borrow));
}

}  // namespace

StatusOr<BuyPackage> ConvertPurchase(const v1::BuyPackageRequest& request, const Board& board,
                                     const std::map<MemberId, Money>& paid_in) {
  BuyPackage command;
  StatusOr<RequestKey> key = KeyOf(request);
  if (!key.ok()) return key.status();
  command.request = *key;
  const Board::Tier* tier = FindTier(board, request.tier());
  if (!tier) return Refusal(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
  command.tier = tier->row.id;
  if (Status s = ConvertTerms(request, &command); !s.ok()) return s;
  if (!request.payer().empty()) {
    StatusOr<MemberId> payer = Member(board, request.payer());
    if (!payer.ok()) return payer.status();
    command.payer = *payer;
  }
  auto shares = SharesOf(request, board, command.split, paid_in);
  if (!shares.ok()) return shares.status();
  command.shares = *std::move(shares);
  if (Status s = CheckText(request.provider(), kMostNameChars, "provider"); !s.ok()) return s;
  command.provider = request.provider();
  if (Status s = CheckText(request.reason(), kMostTextChars, "reason"); !s.ok()) return s;
  command.reason = request.reason();
  return command;
}

void FillPackage(const db::PackageLine& line, v1::Package* out) {
  const PackageRow& row = line.row;
  out->set_id(row.id.value());
  out->set_tier(line.tier);
  out->set_kind(std::string(Name(row.kind)));
  out->set_provider(row.provider);
  out->set_payer(line.payer);
  out->set_price(FormatWireMoney(row.price));
  out->set_hours(WireHours(row.total_ms));
  out->set_units(row.units);
  out->set_rate(FormatWireMoney(Money::Micros(RateOf(row).micros_per_unit_hour())));
  SetTime(row.bought_at, [&] { return out->mutable_bought_at(); });
  SetTime(row.starts_at, [&] { return out->mutable_starts_at(); });
  SetTime(row.ends_at, [&] { return out->mutable_ends_at(); });
  SetTime(row.closed_at, [&] { return out->mutable_closed_at(); });
  out->set_split(std::string(Name(row.split)));
  out->set_borrow(BorrowText(row));
  out->set_lapse_to(std::string(Name(row.lapse_to)));
  out->set_used(WireHours(row.used_ms));
  out->set_moved(FormatWireMoney(row.moved));
  out->set_lapsed(FormatWireMoney(row.lapsed));
  out->set_inventory(FormatWireMoney(row.price - row.moved - row.lapsed));
}

void FillPortion(const db::PackageLine& package, const db::PortionLine& line, v1::Portion* out) {
  const PortionRow& row = line.row;
  out->set_package_id(row.package.value());
  out->set_owner(line.owner);
  out->set_tier(package.tier);
  out->set_total(WireHours(row.total_ms));
  out->set_used(WireHours(line.used_ms));
  out->set_borrowed(WireHours(row.borrowed_ms));
  out->set_lent(WireHours(line.lent_ms));
  out->set_held(WireHours(line.held_ms));
  out->set_left(WireHours(row.total_ms - line.posted_ms - line.held_ms - row.lapsed_ms));
  out->set_lapsed(WireHours(row.lapsed_ms));
  out->set_cost(FormatWireMoney(row.cost));
  out->set_spent(FormatWireMoney(line.spent));
  out->set_lapsed_cost(FormatWireMoney(row.lapsed));
  SetTime(package.row.ends_at, [&] { return out->mutable_ends_at(); });
  out->set_share(FormatWireMoney(Money::Micros(row.share)));
}

}  // namespace pinka::api
