#include "tests/support/position_facts.h"

#include <algorithm>

#include "scheduler/core/state.h"

namespace pinka::test {
namespace {

using Tables = sim::FakeStore::Tables;

class Reader {
 public:
  Reader(const Tables& tables, Timestamp start_at, Timestamp end_at)
      : t_(tables), start_at_(start_at), end_at_(end_at) {}

  PositionFacts Read() {
    ReadPeople();
    ReadPackages();
    ReadBills();
    std::vector<const TransferRow*> entries;
    for (const auto& [id, row] : t_.transfers) {
      if (row.at < end_at_) entries.push_back(&row);
    }
    std::ranges::stable_sort(entries, {}, &TransferRow::at);
    for (const TransferRow* row : entries) {
      if (row->asset == kCurrency)
        ReadMoney(*row);
      else
        ReadHours(*row);
    }
    FlushUses();
    return std::move(facts_);
  }

 private:
  void ReadPeople() {
    Timestamp since_end;
    for (const auto& [start, month] : t_.months) {
      if (start >= start_at_ || !month.settled_at) continue;
      facts_.since = start;
      since_end = month.end_at;
    }
    since_end_ = since_end;
    for (const auto& [id, row] : t_.members) facts_.people[id].removed = row.removed;
    for (const auto& [key, row] : t_.positions) {
      if (facts_.since && key.first == facts_.since)
        facts_.people[row.member].overhead = row.overhead;
    }
    for (const auto& [id, row] : t_.payments) {
      if (row.month >= start_at_) continue;
      facts_.people[row.from].settled += row.amount;
      facts_.people[row.to].settled -= row.amount;
    }
  }

  void ReadPackages() {
    for (const auto& [id, row] : t_.packages) {
      if (!row.payer || row.bought_at >= end_at_) continue;
      facts_.packages[id].payer = row.payer;
      inventories_[row.inventory] = id;
    }
    for (const auto& [key, row] : t_.portions) {
      if (!facts_.packages.contains(row.package)) continue;
      facts_.packages[row.package].parts[row.member];
      portions_[t_.lots.at(row.lot).account] = key;
    }
  }

  void ReadBills() {
    for (const auto& [id, row] : t_.invoices) {
      if (!row.payer || row.booked_at >= end_at_) continue;
      facts_.bills[id].payer = row.payer;
      facts_.bills[id].rest = row.total - row.charges;
    }
  }

  void ReadMoney(const TransferRow& row) {
    Side(row, row.debit, row.credit, -row.amount);
    Side(row, row.credit, row.debit, row.amount);
    const AccountRow& from = t_.accounts.at(row.debit);
    const AccountRow& to = t_.accounts.at(row.credit);
    if (row.kind == TransferKind::kRefund && to.kind == AccountKind::kOverheadOther)
      return ReadCostBack(row, MemberId(from.owner.id));
    const bool from_lot = from.kind == AccountKind::kLot;
    const bool to_lot = to.kind == AccountKind::kLot;
    if (from_lot && to_lot)
      return Step({PoolStep::What::kMove, from.owner, to.owner, {}, row.amount});
    if (from_lot) Gives(row, from, to);
    if (to_lot) Receives(row, from, to);
  }

  // What `account` gains or loses: spending, and inventories with what is on their other side.
  void Side(const TransferRow& row, AccountId account, AccountId other, Money change) {
    const AccountRow& of = t_.accounts.at(account);
    if (of.kind == AccountKind::kSpent && row.at >= since_end_)
      facts_.people[MemberId(of.owner.id)].used += change;
    if (of.kind == AccountKind::kSpent && facts_.bills.contains(row.invoice))
      facts_.bills[row.invoice].spent[MemberId(of.owner.id)] += change;
    auto inventory = inventories_.find(account);
    if (inventory == inventories_.end()) return;
    PaidPackage& package = facts_.packages[inventory->second];
    package.left += change;
    const AccountRow& to = t_.accounts.at(other);
    const MemberId member(to.owner.id);
    if (to.kind == AccountKind::kSpent) package.parts[member].spent -= change;
    if (to.kind == AccountKind::kLapsed) package.parts[member].lapsed -= change;
    if (to.kind == AccountKind::kOverheadLapsed) package.overhead -= change;
  }

  // Hours whose package has ended were given back: what they had cost is overhead now.
  void ReadCostBack(const TransferRow& row, MemberId member) {
    auto package = facts_.packages.find(PackageOf(t_.transfers.at(row.linked).asset));
    if (package == facts_.packages.end()) return;
    package->second.parts[member].spent -= row.amount;
    package->second.overhead += row.amount;
  }

  void Gives(const TransferRow& row, const AccountRow& from, const AccountRow& to) {
    const bool corrects = row.kind != TransferKind::kWithdraw;
    const MemberId member(to.kind == AccountKind::kPaidIn ? to.owner.id : 0);
    if (to.kind == AccountKind::kSpent) {
      uses_[{from.owner, MemberId(to.owner.id)}] += row.amount;
    } else if (to.kind == AccountKind::kLapsed) {
      Step({PoolStep::What::kLapse, from.owner, {}, {}, row.amount});
    } else if (corrects) {
      Step({PoolStep::What::kIn, from.owner, {}, member, -row.amount});
    } else {
      Step({member ? PoolStep::What::kPaidOut : PoolStep::What::kOut,
            from.owner,
            {},
            member,
            row.amount});
    }
  }

  void Receives(const TransferRow& row, const AccountRow& from, const AccountRow& to) {
    if (from.kind == AccountKind::kSpent) {
      uses_[{to.owner, MemberId(from.owner.id)}] -= row.amount;
      return;
    }
    const MemberId member(from.kind == AccountKind::kPaidIn ? from.owner.id : 0);
    Step({PoolStep::What::kIn, to.owner, {}, member, row.amount});
  }

  void ReadHours(const TransferRow& row) {
    const auto portion = [&](AccountId account) -> PaidPackage::Part* {
      auto it = portions_.find(account);
      if (it == portions_.end()) return nullptr;
      return &facts_.packages[it->second.first].parts[it->second.second];
    };
    if (row.kind == TransferKind::kLapse) return;
    if (auto* part = portion(row.debit)) part->unused_ms -= row.amount.micros();
    if (auto* part = portion(row.credit)) part->unused_ms += row.amount.micros();
  }

  void Step(PoolStep step) {
    FlushUses();
    facts_.steps.push_back(step);
  }

  void FlushUses() {
    for (const auto& [key, amount] : uses_) {
      if (amount != Money())
        facts_.steps.push_back({PoolStep::What::kUse, key.first, {}, key.second, amount});
    }
    uses_.clear();
  }

  const Tables& t_;
  Timestamp start_at_;
  Timestamp end_at_;
  Timestamp since_end_;
  PositionFacts facts_;
  std::map<AccountId, PackageId> inventories_;
  std::map<AccountId, std::pair<PackageId, MemberId>> portions_;
  std::map<std::pair<Owner, MemberId>, Money> uses_;
};

}  // namespace

PositionFacts FactsOf(const Tables& tables, Timestamp start_at, Timestamp end_at) {
  return Reader(tables, start_at, end_at).Read();
}

}  // namespace pinka::test
