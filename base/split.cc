#include "base/split.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace pinka {
namespace {

__extension__ typedef __int128 Wide;
}  // namespace

std::vector<int64_t> SplitByShares(int64_t whole, const std::vector<int64_t>& shares) {
  PINKA_CHECK(whole >= 0, "only what is there can be split");
  Wide sum = 0;
  for (int64_t share : shares) {
    PINKA_CHECK(share >= 0, "a share is not negative");
    sum += share;
  }
  PINKA_CHECK(sum > 0, "somebody has a share");
  std::vector<int64_t> parts;
  std::vector<Wide> remainders;
  int64_t left = whole;
  for (int64_t share : shares) {
    const Wide exact = Wide{whole} * share;
    parts.push_back(static_cast<int64_t>(exact / sum));
    remainders.push_back(exact % sum);
    left -= parts.back();
  }
  std::vector<size_t> order(shares.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  for (size_t i = 0; left > 0; ++i, --left) ++parts[order[i]];
  return parts;
}

std::vector<Money> SplitCents(Money whole, const std::vector<int64_t>& shares) {
  PINKA_CHECK(IsWholeCents(whole), "people hand each other whole cents");
  std::vector<Money> parts;
  for (int64_t cents : SplitByShares(whole.micros() / kCent, shares))
    parts.push_back(Money::Micros(cents * kCent));
  return parts;
}

bool IsWholeCents(Money amount) { return amount.micros() % kCent == 0; }

}  // namespace pinka
