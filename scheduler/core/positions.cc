#include "scheduler/core/positions.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/check.h"
#include "base/split.h"

namespace pinka {
namespace {

constexpr MemberId kOutside;

using Part = std::pair<MemberId, Money>;

// `whole` by weights above 0, ties by member id, the outside last; nothing where there are none.
std::vector<Part> ByWeight(Money whole, const std::map<MemberId, Money>& weights) {
  std::vector<Part> parts;
  std::vector<int64_t> shares;
  const auto add = [&](MemberId member, Money weight) {
    if (weight <= Money()) return;
    parts.emplace_back(member, Money());
    shares.push_back(weight.micros());
  };
  for (const auto& [member, weight] : weights) {
    if (member) add(member, weight);
  }
  if (auto it = weights.find(kOutside); it != weights.end()) add(kOutside, it->second);
  if (parts.empty()) return parts;
  const std::vector<int64_t> split = SplitByShares(whole.micros(), shares);
  for (size_t i = 0; i < parts.size(); ++i) parts[i].second = Money::Micros(split[i]);
  return parts;
}

// `whole` by what each has; beyond what they have in all it is the outside's. Funds that are
// overdrawn give nothing.
std::vector<Part> ProRata(Money whole, const std::map<MemberId, Money>& funds) {
  Money all;
  for (const auto& [member, money] : funds) all += std::max(money, Money());
  const Money covered = std::min(whole, all);
  std::vector<Part> parts = ByWeight(covered, funds);
  if (whole > covered) parts.emplace_back(kOutside, whole - covered);
  return parts;
}

// Positions as they grow.
class Sheet {
 public:
  Sheet(const PositionFacts& facts, Timestamp month) : facts_(facts) {
    for (const auto& [id, person] : facts.people) {
      rows_[id].month = month;
      rows_[id].member = id;
      rows_[id].settled = person.settled;
    }
  }

  void Take(const PoolStep& step) {
    switch (step.what) {
      case PoolStep::What::kIn:
        Fund(step.pool, step.member, step.amount);
        if (step.member) rows_.at(step.member).paid += step.amount;
        return;
      case PoolStep::What::kOut:
        for (const auto& [funder, part] : TakeOut(step)) {
          if (funder) rows_.at(funder).paid -= part;
        }
        return;
      case PoolStep::What::kPaidOut:
        for (const auto& [funder, part] : TakeOut(step)) {
          if (funder) rows_.at(step.member).paid -= part;
        }
        return;
      case PoolStep::What::kLapse:
        for (const auto& [funder, part] : Draw(step.pool, step.amount)) {
          if (funder) rows_.at(funder).lapsed += part;
        }
        return;
      case PoolStep::What::kMove:
        for (const auto& [funder, part] : Draw(step.pool, step.amount)) Fund(step.to, funder, part);
        return;
      case PoolStep::What::kUse:
        return Use(step);
    }
  }

  void Take(const PaidPackage& package) {
    PositionRow& payer = rows_.at(package.payer);
    payer.paid += package.overhead + package.left;
    overhead_ += package.overhead;
    std::map<MemberId, Money> unused;
    for (const auto& [member, part] : package.parts) {
      unused[member] = Money::Micros(part.unused_ms);
      payer.paid += part.spent + part.lapsed;
      if (!member) continue;
      rows_.at(member).spent += part.spent;
      rows_.at(member).lapsed += part.lapsed;
    }
    for (const auto& [member, part] : ByWeight(package.left, unused))
      (member ? rows_.at(member).carried : overhead_) += part;
  }

  void Take(const PaidBill& bill) {
    rows_.at(bill.payer).paid += bill.rest;
    overhead_ += bill.rest;
    for (const auto& [member, part] : bill.spent) {
      rows_.at(member).spent += part;
      overhead_ -= part;
    }
  }

  void CarryPools() {
    for (const auto& [pool, funds] : pools_) {
      for (const auto& [funder, money] : funds) {
        if (funder) rows_.at(funder).carried += money;
      }
    }
  }

  // What of the overhead was shared out in earlier months stays as it was.
  void ShareOverhead(Spread spread) {
    Money before;
    for (const auto& [id, person] : facts_.people) {
      rows_.at(id).overhead = person.overhead;
      before += person.overhead;
    }
    const Money due = overhead_ - before;
    if (due == Money()) return;
    const auto [members, weights] = Weights(spread);
    const Money size = due < Money() ? -due : due;
    const Money rest = Money::Micros(size.micros() % kCent);
    std::vector<Money> shares = SplitCents(size - rest, weights);
    shares[static_cast<size_t>(std::ranges::max_element(weights) - weights.begin())] += rest;
    for (size_t i = 0; i < members.size(); ++i)
      rows_.at(members[i]).overhead += due < Money() ? -shares[i] : shares[i];
  }

  std::vector<PositionRow> Rows() {
    std::vector<PositionRow> rows;
    for (auto& [id, row] : rows_) {
      row.position = row.paid + row.settled - row.spent - row.overhead - row.lapsed - row.carried;
      PositionRow nothing;
      nothing.month = row.month;
      nothing.member = id;
      if (!facts_.people.at(id).removed || row != nothing) rows.push_back(row);
    }
    return rows;
  }

 private:
  void Fund(const Owner& pool, MemberId funder, Money money) { pools_[pool][funder] += money; }

  std::vector<Part> Draw(const Owner& pool, Money money) {
    std::vector<Part> parts = ProRata(money, pools_[pool]);
    for (const auto& [funder, part] : parts) pools_[pool][funder] -= part;
    return parts;
  }

  // What `step.member`, or the outside, takes out: the own part first, then pro rata.
  std::vector<Part> TakeOut(const PoolStep& step) {
    Money& own = pools_[step.pool][step.member];
    const Money first = std::max(std::min(own, step.amount), Money());
    own -= first;
    std::vector<Part> parts = Draw(step.pool, step.amount - first);
    parts.emplace_back(step.member, first);
    return parts;
  }

  void Use(const PoolStep& step) {
    std::map<MemberId, Money>& used = used_[{step.pool, step.member}];
    const bool back = step.amount < Money();
    const std::vector<Part> parts =
        back ? ProRata(-step.amount, used) : Draw(step.pool, step.amount);
    for (const auto& [funder, part] : parts) {
      if (back) Fund(step.pool, funder, part);
      const Money more = back ? -part : part;
      used[funder] += more;
      if (funder) rows_.at(step.member).spent += more;
    }
  }

  std::pair<std::vector<MemberId>, std::vector<int64_t>> Weights(Spread spread) const {
    std::vector<MemberId> members;
    std::vector<int64_t> weights;
    for (const auto& [id, person] : facts_.people) {
      members.push_back(id);
      int64_t weight = person.removed ? 0 : 1;
      if (spread == Spread::kUsage) weight = person.used.micros();
      if (spread == Spread::kContribution) weight = rows_.at(id).paid.micros();
      weights.push_back(std::max<int64_t>(weight, 0));
    }
    const bool none = std::ranges::count(weights, 0) == std::ssize(weights);
    if (none && spread != Spread::kEqual) return Weights(Spread::kEqual);
    if (none) std::ranges::fill(weights, 1);
    return {members, weights};
  }

  const PositionFacts& facts_;
  std::map<MemberId, PositionRow> rows_;
  std::map<Owner, std::map<MemberId, Money>> pools_;                      // what funders have left
  std::map<std::pair<Owner, MemberId>, std::map<MemberId, Money>> used_;  // of whom
  Money overhead_;
};

// Positions in whole cents that come to nothing together, each within a cent of the exact one.
std::vector<std::pair<MemberId, int64_t>> InCents(const std::vector<PositionRow>& rows) {
  struct Rounded {
    MemberId member;
    int64_t cents = 0;
    int64_t rest = 0;
  };
  std::vector<Rounded> rounded;
  int64_t short_by = 0;
  for (const PositionRow& row : rows) {
    const int64_t micros = row.position.micros();
    const int64_t rest = ((micros % kCent) + kCent) % kCent;
    rounded.push_back({row.member, (micros - rest) / kCent, rest});
    short_by -= rounded.back().cents;
  }
  std::ranges::sort(rounded, {}, [](const Rounded& r) { return std::pair(-r.rest, r.member); });
  std::vector<std::pair<MemberId, int64_t>> cents;
  for (const Rounded& r : rounded) cents.emplace_back(r.member, r.cents + (short_by-- > 0 ? 1 : 0));
  return cents;
}

}  // namespace

std::vector<PositionRow> PositionsOf(const PositionFacts& facts, Timestamp month, Spread spread) {
  Sheet sheet(facts, month);
  for (const PoolStep& step : facts.steps) sheet.Take(step);
  for (const auto& [id, package] : facts.packages) sheet.Take(package);
  for (const auto& [id, bill] : facts.bills) sheet.Take(bill);
  sheet.CarryPools();
  sheet.ShareOverhead(spread);
  std::vector<PositionRow> rows = sheet.Rows();
  PINKA_CHECK(AddUp(rows), "what members owe each other comes to nothing");
  return rows;
}

bool AddUp(const std::vector<PositionRow>& rows) {
  Money sum;
  for (const PositionRow& r : rows) {
    if (r.position != r.paid + r.settled - r.spent - r.overhead - r.lapsed - r.carried)
      return false;
    sum += r.position;
  }
  return sum == Money();
}

std::vector<Proposal> ProposePayments(const std::vector<PositionRow>& rows) {
  using Side = std::set<std::pair<int64_t, MemberId>>;  // the largest first, then by id
  Side debtors;
  Side creditors;
  for (const auto& [member, cents] : InCents(rows)) {
    if (cents < 0) debtors.emplace(cents, member);
    if (cents > 0) creditors.emplace(-cents, member);
  }
  std::vector<Proposal> proposals;
  while (!debtors.empty() && !creditors.empty()) {
    const auto [owes, from] = *debtors.begin();
    const auto [due, to] = *creditors.begin();
    debtors.erase(debtors.begin());
    creditors.erase(creditors.begin());
    const int64_t paid = std::min(-owes, -due);
    proposals.push_back({from, to, Money::Micros(paid * kCent)});
    if (owes + paid < 0) debtors.emplace(owes + paid, from);
    if (due + paid < 0) creditors.emplace(due + paid, to);
  }
  return proposals;
}

}  // namespace pinka
