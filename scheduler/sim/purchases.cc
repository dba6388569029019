#include "scheduler/sim/purchases.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka::sim {
namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr Duration kWeek = Duration::Days(7);
constexpr Duration kPackageLasts = Duration::Days(365);

struct Parts {
  std::string tier;
  int64_t count = 0;
  bool hours = false;
  Money price;
};

StatusOr<Parts> Read(const std::string& text) {
  const Status wrong = Invalid(
      fmt::format("is \"{}\"; write TIER:HOURSh=PRICE for a package or TIER:UNITSu=PRICE for a "
                  "machine by the week, like a100:1000h=12000",
                  text));
  const size_t equals = text.rfind('=');
  const size_t colon = text.rfind(':', equals);
  if (equals == std::string::npos || colon == std::string::npos || equals < colon + 3) return wrong;
  Parts parts;
  parts.tier = text.substr(0, colon);
  const char kind = text[equals - 1];
  parts.hours = kind == 'h';
  const auto count = ParseInt(text.substr(colon + 1, equals - colon - 2), 1,
                              kind == 'h' ? 10'000'000 : 10'000, "it");
  const auto price = ParseMoney(text.substr(equals + 1));
  if ((kind != 'h' && kind != 'u') || !count.ok() || !price.ok() || *price < Money()) return wrong;
  parts.count = *count;
  parts.price = *price;
  return parts;
}

void BuyHours(const Parts& parts, ReplayInput* input) {
  BuyPackage buy;
  buy.total_ms = parts.count * kHourMs;
  buy.price = parts.price;
  buy.ends_at = input->start + kPackageLasts;
  buy.borrow = BorrowRule::kFree;
  buy.reason = "bought ahead";
  input->packages.push_back(buy);
  input->package_tiers.push_back(parts.tier);
}

// Its hours cost nobody anything: they are paid for by the week.
void RentUnits(const Parts& parts, LabChange::Tier& tier, ReplayInput* input) {
  input->nodes.push_back({parts.tier, 1, static_cast<int32_t>(parts.count), Source::kOwned});
  input->weekly_price += parts.price;
  if (std::ranges::find(tier.rates, Source::kOwned, &RateRow::source) != tier.rates.end()) return;
  RateRow& rate = tier.rates.emplace_back();
  rate.source = Source::kOwned;
}

}  // namespace

Status Buy(const std::string& text, ReplayInput* input) {
  const StatusOr<Parts> parts = Read(text);
  if (!parts.ok()) return parts.status();
  const auto tier = std::ranges::find_if(
      input->lab.tiers, [&](const LabChange::Tier& t) { return t.row.name == parts->tier; });
  if (tier == input->lab.tiers.end())
    return Invalid(fmt::format("names tier \"{}\", which the lab does not have", parts->tier));
  if (parts->hours) {
    BuyHours(*parts, input);
  } else {
    RentUnits(*parts, *tier, input);
  }
  return OkStatus();
}

Money PaidAhead(const ReplayInput& input, Timestamp end) {
  Money paid;
  for (const BuyPackage& buy : input.packages) paid += buy.price;
  const int64_t span = std::max<int64_t>((end - input.start).micros(), 0);
  const int64_t weeks = (span + kWeek.micros() - 1) / kWeek.micros();
  return paid + Money::Micros(input.weekly_price.micros() * std::max<int64_t>(weeks, 1));
}

}  // namespace pinka::sim
