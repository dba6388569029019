#include "db/reads_months.h"

#include <map>
#include <string>

#include "db/columns_ledger.h"

namespace pinka::db {

// One row of position_facts.
struct Fact {
  std::string what;
  int64_t n = 0;
  Timestamp at;
  Owner pool;
  Owner other;
  MemberId member;
  Money amount;
};

template <class Binder, RowOf<Fact> R>
void Bind(Binder& b, R& row) {
  b(row.what);
  b(row.n);
  b.Maybe(row.at);
  b(row.pool);
  b(row.other);
  b(row.member);
  b(row.amount);
}

namespace {

bool TakePerson(const Fact& fact, PositionFacts* facts) {
  PositionFacts::Person& person = facts->people[fact.member];
  if (fact.what == "person") return person.removed = fact.n != 0, true;
  if (fact.what == "used") return person.used = fact.amount, true;
  if (fact.what == "overhead") return person.overhead = fact.amount, true;
  if (fact.what == "settled") return person.settled = fact.amount, true;
  return false;
}

bool TakeBill(const Fact& fact, PositionFacts* facts) {
  PaidBill& bill = facts->bills[InvoiceId(fact.n)];
  if (fact.what == "bill") return bill.payer = fact.member, bill.rest = fact.amount, true;
  return bill.spent[fact.member] = fact.amount, true;
}

bool TakePackage(const Fact& fact, PositionFacts* facts) {
  PaidPackage& package = facts->packages[PackageId(fact.n)];
  if (fact.what == "package") return package.payer = fact.member, true;
  if (fact.what == "left") return package.left = fact.amount, true;
  if (fact.what == "overhead_lapsed") return package.overhead = fact.amount, true;
  PaidPackage::Part& part = package.parts[fact.member];
  if (fact.what == "spent") return part.spent = fact.amount, true;
  if (fact.what == "lapsed") return part.lapsed = fact.amount, true;
  if (fact.what == "unused") return part.unused_ms = fact.amount.micros(), true;
  return false;
}

Status Take(const Fact& fact, PositionFacts* facts) {
  static const std::map<std::string, PoolStep::What> kSteps = {
      {"in", PoolStep::What::kIn},       {"out", PoolStep::What::kOut},
      {"move", PoolStep::What::kMove},   {"paid_out", PoolStep::What::kPaidOut},
      {"lapse", PoolStep::What::kLapse}, {"use", PoolStep::What::kUse}};
  if (fact.what == "since") {
    facts->since = fact.at;
    return OkStatus();
  }
  if (auto step = kSteps.find(fact.what); step != kSteps.end()) {
    facts->steps.push_back({step->second, fact.pool, fact.other, fact.member, fact.amount});
    return OkStatus();
  }
  if (fact.what.starts_with("bill")) return TakeBill(fact, facts), OkStatus();
  const bool known = fact.n > 1 ? TakePackage(fact, facts) : TakePerson(fact, facts);
  return known ? OkStatus() : Internal("a fact that nobody knows: " + fact.what);
}

}  // namespace

StatusOr<ClosedMonth> ReadMonth(ReadPool& pool, Timestamp start_at) {
  Params at;
  at.At(start_at);
  auto rows = pool.Rows<MonthRow>("month_at", at);
  if (!rows.ok()) return rows.status();
  Params month;
  month.At(start_at);
  auto positions = pool.Rows<PositionRow>("list_positions", month);
  if (!positions.ok()) return positions.status();
  auto payments = ListPayments(pool, start_at, true);
  if (!payments.ok()) return payments.status();
  ClosedMonth closed{{}, *std::move(positions), *std::move(payments)};
  if (!rows->empty()) closed.row = rows->front();
  return closed;
}

StatusOr<std::vector<PaymentRow>> ListPayments(ReadPool& pool, std::optional<Timestamp> month,
                                               bool all) {
  Params params;
  params.MaybeAt(month.value_or(Timestamp())).Bool(all);
  return pool.Rows<PaymentRow>("list_payments", params);
}

StatusOr<PositionFacts> ReadPositionFacts(ReadPool& pool, Timestamp start_at, Timestamp end_at) {
  Params params;
  params.At(start_at).At(end_at);
  auto rows = pool.Rows<Fact>("position_facts", params, ReadPool::Plan::kAnew);
  if (!rows.ok()) return rows.status();
  PositionFacts facts;
  for (const Fact& fact : *rows) {
    if (Status status = Take(fact, &facts); !status.ok()) return status;
  }
  return facts;
}

}  // namespace pinka::db
