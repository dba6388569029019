#include "client/cli/core/amount.h"

#include <algorithm>
#include <numeric>

#include "base/parse.h"

namespace pinka::cli {
namespace {

constexpr int64_t kMicrosPerCent = 10'000;

int64_t FloorCents(int64_t micros) {
  const int64_t cents = micros / kMicrosPerCent;
  return micros % kMicrosPerCent < 0 ? cents - 1 : cents;
}

}  // namespace

std::string Amount(const std::string& wire, const std::string& currency) {
  if (wire.empty()) return "-";
  const auto money = ParseWireMoney(wire);
  return money.ok() ? FormatAmount(*money, currency) : wire;
}

Money MoneyOf(const std::string& wire) {
  const auto money = ParseWireMoney(wire);
  return money.ok() ? *money : Money();
}

Money RoundToCents(Money amount) {
  return Money::Micros(MulDivRound(amount.micros(), 1, kMicrosPerCent) * kMicrosPerCent);
}

std::vector<Money> SpreadCents(const std::vector<Money>& amounts) {
  return SpreadCentsTo(amounts,
                       RoundToCents(std::accumulate(amounts.begin(), amounts.end(), Money())));
}

std::vector<Money> SpreadCentsTo(const std::vector<Money>& amounts, Money total) {
  if (amounts.empty()) return {};
  int64_t given = 0;
  std::vector<int64_t> cents;
  for (const Money amount : amounts) {
    cents.push_back(FloorCents(amount.micros()));
    given += cents.back();
  }
  std::vector<size_t> order(amounts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto rest = [&](size_t i) { return amounts[i].micros() - cents[i] * kMicrosPerCent; };
    return rest(a) > rest(b);
  });
  int64_t left = total.micros() / kMicrosPerCent - given;
  for (size_t i = 0; left > 0; ++i, --left) ++cents[order[i % order.size()]];
  std::reverse(order.begin(), order.end());  // where there is too much, the smallest give
  for (size_t i = 0; left < 0; ++i, ++left) --cents[order[i % order.size()]];
  std::vector<Money> spread;
  for (const int64_t c : cents) spread.push_back(Money::Micros(c * kMicrosPerCent));
  return spread;
}

}  // namespace pinka::cli
