#include "scheduler/check/funds.h"

#include <algorithm>

namespace pinka::check {

std::vector<Wide> InProportion(Wide whole, const std::vector<Wide>& shares) {
  Wide all = 0;
  for (Wide share : shares) all += share;
  std::vector<Wide> parts;
  std::vector<Wide> rests;
  if (all == 0) return parts;
  Wide given = 0;
  for (Wide share : shares) {
    parts.push_back(whole * share / all);
    rests.push_back(whole * share - parts.back() * all);
    given += parts.back();
  }
  for (; given < whole; ++given) {
    const auto most = std::ranges::max_element(rests);
    ++parts[static_cast<size_t>(most - rests.begin())];
    *most = -1;
  }
  return parts;
}

Shares ByWeight(Wide whole, const std::map<int64_t, Wide>& weights) {
  Shares order;
  for (const auto& weight : weights) {
    if (weight.second > 0) order.push_back(weight);
  }
  std::ranges::sort(order, {}, [](const auto& w) { return std::pair(w.first == 0, w.first); });
  std::vector<Wide> sizes;
  for (const auto& [member, weight] : order) sizes.push_back(weight);
  const std::vector<Wide> parts = InProportion(whole, sizes);
  for (size_t i = 0; i < parts.size(); ++i) order[i].second = parts[i];
  return order;
}

Shares FromFunds(Wide whole, const std::map<int64_t, Wide>& funds) {
  Wide all = 0;
  for (const auto& [member, amount] : funds) all += std::max<Wide>(amount, 0);
  Shares parts = ByWeight(std::min(whole, all), funds);
  if (whole > all) parts.emplace_back(0, whole - all);
  return parts;
}

Shares Funds::Draw(const std::string& pool, Wide amount) {
  Shares parts = FromFunds(amount, pools_[pool]);
  for (const auto& [member, part] : parts) pools_[pool][member] -= part;
  return parts;
}

void Funds::Take(const MoneyEntry& entry) {
  if (entry.from.kind == "lot" && entry.to.kind == "spent") {
    pending_[{entry.from.owner, entry.to.id}] += entry.amount;
  } else if (entry.from.kind == "spent" && entry.to.kind == "lot") {
    pending_[{entry.to.owner, entry.from.id}] -= entry.amount;
  } else if (entry.from.kind == "lot") {
    Flush();
    Give(entry);
  } else if (entry.to.kind == "lot") {
    Flush();
    const int64_t member = entry.from.kind == "paid_in" ? entry.from.id : 0;
    pools_[entry.to.owner][member] += entry.amount;
    if (member != 0) paid[member] += entry.amount;
  }
}

// What leaves a lot, other than to be spent.
void Funds::Give(const MoneyEntry& entry) {
  const int64_t member = entry.to.kind == "paid_in" ? entry.to.id : 0;
  const bool corrected =
      entry.kind != "withdraw" && entry.to.kind != "lot" && entry.to.kind != "lapsed";
  if (corrected) {
    pools_[entry.from.owner][member] -= entry.amount;
    if (member != 0) paid[member] -= entry.amount;
    return;
  }
  Wide rest = entry.amount;
  if (entry.kind == "withdraw") {  // the own part of who takes it, be it the outside, goes first
    Wide& own = pools_[entry.from.owner][member];
    const Wide first = own > 0 ? std::min(own, rest) : 0;
    own -= first;
    rest -= first;
    if (member != 0) paid[member] -= first;
  }
  for (const auto& [funder, part] : Draw(entry.from.owner, rest)) {
    if (entry.to.kind == "lot") pools_[entry.to.owner][funder] += part;
    if (funder == 0 || entry.to.kind == "lot") continue;
    if (entry.to.kind == "lapsed")
      lapsed[funder] += part;
    else
      paid[member != 0 ? member : funder] -= part;
  }
}

void Funds::Flush() {
  for (const auto& [use, amount] : pending_) {
    std::map<int64_t, Wide>& used = used_[use];
    const int sign = amount < 0 ? -1 : 1;
    if (amount == 0) continue;
    const Shares parts = amount < 0 ? FromFunds(-amount, used) : Draw(use.first, amount);
    for (const auto& [funder, part] : parts) {
      if (amount < 0) pools_[use.first][funder] += part;
      used[funder] += sign * part;
      if (funder != 0) spent[use.second] += sign * part;
    }
  }
  pending_.clear();
}

std::map<int64_t, Wide> Funds::Left() const {
  std::map<int64_t, Wide> left;
  for (const auto& [pool, funds] : pools_) {
    for (const auto& [funder, amount] : funds) left[funder] += amount;
  }
  return left;
}

}  // namespace pinka::check
