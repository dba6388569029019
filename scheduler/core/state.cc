#include "scheduler/core/state.h"

#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/nodes.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/task.h"
#include "scheduler/core/thresholds.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

template <class T>
void Append(const std::map<AttemptId, T>& from, std::vector<T>& to) {
  for (const auto& [key, row] : from) to.push_back(row);
}

template <class Key, class Row>
std::vector<Row> Rows(const Table<Key, Row>& table) {
  std::vector<Row> rows;
  rows.reserve(table.rows().size());
  for (const auto& [key, row] : table.rows()) rows.push_back(row);
  return rows;
}

void LoadLab(State& state, const Snapshot& s) {
  state.now = s.now;
  state.lab = s.lab;
  for (const MemberRow& row : s.members) {
    state.members.Load(row.id, row);
    state.member_by_name[row.name] = row.id;
  }
  for (const ProjectRow& row : s.projects) {
    state.projects.Load(row.id, row);
    state.project_by_name[row.name] = row.id;
  }
  for (const TierRow& row : s.tiers) {
    state.tiers.Load(row.id, row);
    state.tier_by_name[row.name] = row.id;
  }
  for (const RateRow& row : s.rates) state.rates[{row.tier, row.source}].push_back(row);
  for (auto& [key, history] : state.rates) std::ranges::sort(history, {}, &RateRow::valid_from);
  for (const BillingRow& row : s.billing) state.billing[{row.tier, row.source}].push_back(row);
  for (auto& [key, history] : state.billing)
    std::ranges::sort(history, {}, &BillingRow::valid_from);
  for (const PeriodRow& row : s.periods) PeriodsOf(state, row.kind).push_back(row);
  for (Period kind : {Period::kDay, Period::kMonth, Period::kNight})
    std::ranges::sort(PeriodsOf(state, kind), {}, &PeriodRow::start_at);
  for (const NodeRow& row : s.nodes) {
    if (row.removed) continue;
    state.nodes.Load(row.id, row);
    IndexNode(state, row);
  }
  for (const HardwareRow& row : s.hardware) state.hardware.Load(row.node, row);
}

void LoadMoney(State& state, const Snapshot& s) {
  for (const AccountRow& row : s.accounts) state.accounts.emplace(row.id, row);
  std::map<AccountId, LotId> lot_of;
  for (const LotRow& row : s.lots) {
    lot_of[row.account] = row.id;
    if (!row.lapsed) state.lots.Load(row.id, row);
  }
  std::map<AccountId, PackageId> package_of;
  for (const PackageRow& row : s.packages) {
    package_of[row.inventory] = row.id;
    state.packages.Load(row.id, row);
  }
  for (const PortionRow& row : s.portions) state.portions.Load({row.package, row.member}, row);
  for (const MonthRow& row : s.months) state.closed_months.Load(row.start_at, row);
  for (const PaymentRow& row : s.payments) state.payments.Load(row.id, row);
  for (const InvoiceRow& row : s.invoices) state.invoices.Load(row.id, row);
  for (const InvoiceLineRow& row : s.invoice_lines)
    state.invoice_lines.Load({row.invoice, row.n}, row);
  for (const CoveredRow& row : s.covered) state.covered[row.rental] = row;
  for (const auto& [id, row] : state.accounts) {
    const bool lot = row.kind == AccountKind::kLot;
    const bool inventory = row.kind == AccountKind::kInventory;
    const int64_t of = lot ? lot_of[id].value() : inventory ? package_of[id].value() : 0;
    if ((lot || inventory) && of == 0) continue;  // of what has lapsed or closed
    state.account_by_key[{row.kind, row.owner, row.asset, of}] = id;
  }
  for (const RentalRow& row : s.rentals) {
    state.rentals.Load(row.id, row);
    IndexRental(state, row);
  }
  for (const LimitRow& row : s.limits) {
    if (!row.absent) state.limits.Load(row.id, row);
  }
  for (const ThresholdRow& row : s.thresholds) state.thresholds.Load(KeyOf(row), row);
  for (const PayerRow& row : s.payers) state.payers.Load(row.reason, row);
  for (const CardRow& row : s.cards) state.cards.Load(row.name, row);
  for (const SpendRow& row : s.spend) state.spend.Load(KeyOf(row), row);
  for (const UsageRow& row : s.usage) state.usage.Load(KeyOf(row), row);
  for (const AmendedRow& row : s.amended) state.amended[row.entry] = row.change;
}

void LoadRequests(State& state, const Snapshot& s) {
  for (const RequestRow& row : s.requests) {
    const Timestamp ends = row.at + kKnowRequest;
    if (!row.money && ends <= state.now) continue;
    state.requests[{row.member, row.key}] = row;
    if (!row.money) state.request_ends.emplace(ends, RequestId(row.member, row.key));
  }
}

void LoadWork(State& state, const Snapshot& s) {
  for (const JobRow& row : s.jobs) state.jobs.Load(row.id, row);
  for (const TaskRow& row : s.tasks) state.tasks.Load(row.id, row);
  for (const AttemptRow& row : s.attempts) state.attempts.Load(row.id, row);
  for (const HoldRow& row : s.holds) state.holds.Load(row.attempt, row);
  for (const HoldLineRow& row : s.hold_lines) state.hold_lines.Load({row.attempt, row.n}, row);
  for (const SettlementRow& row : s.settlements) state.settlements.emplace(row.attempt, row);
  for (const auto& [id, row] : state.attempts.rows()) IndexAttempt(state, row);
  for (const auto& [id, row] : state.holds.rows()) {
    if (row.asset != kCurrency) continue;
    state.open_sums[KeyOf(state.attempts.Get(id))].money += row.amount - row.posted;
  }
  for (const auto& [id, row] : state.jobs.rows()) IndexJob(state, row);
  for (const auto& [id, row] : state.jobs.rows()) IndexWaits(state, row);
}

}  // namespace

State LoadState(const Snapshot& snapshot) {
  State state;
  LoadLab(state, snapshot);
  LoadMoney(state, snapshot);
  LoadRequests(state, snapshot);
  LoadWork(state, snapshot);
  PlanAll(state);
  return state;
}

Snapshot ExportState(const State& state) {
  Snapshot s;
  s.now = state.now;
  s.lab = state.lab;
  s.members = Rows(state.members);
  s.projects = Rows(state.projects);
  s.tiers = Rows(state.tiers);
  for (const auto& [key, history] : state.rates)
    s.rates.insert(s.rates.end(), history.begin(), history.end());
  // The calendar behind is dropped by a load and kept by a running core: not state.
  for (const auto* periods : {&state.days, &state.months, &state.nights}) {
    for (const PeriodRow& row : *periods) {
      if (row.end_at > state.now) s.periods.push_back(row);
    }
  }
  for (const auto& [id, row] : state.nodes.rows()) {
    if (!row.removed) s.nodes.push_back(row);
  }
  for (const auto& [id, row] : state.hardware.rows()) {
    if (!state.nodes.Get(id).removed) s.hardware.push_back(row);
  }
  s.jobs = Rows(state.jobs);
  s.tasks = Rows(state.tasks);
  s.attempts = Rows(state.attempts);
  s.holds = Rows(state.holds);
  s.hold_lines = Rows(state.hold_lines);
  for (const auto& [id, row] : state.accounts) s.accounts.push_back(row);
  s.lots = Rows(state.lots);
  s.packages = Rows(state.packages);
  s.portions = Rows(state.portions);
  s.months = Rows(state.closed_months);
  s.payments = Rows(state.payments);
  for (const auto& [key, history] : state.billing)
    s.billing.insert(s.billing.end(), history.begin(), history.end());
  for (const auto& [id, row] : state.rentals.rows()) {
    if (!row.closed_at || row.closed_at > state.now - kKeepRental) s.rentals.push_back(row);
  }
  s.invoices = Rows(state.invoices);
  s.invoice_lines = Rows(state.invoice_lines);
  for (const auto& [id, row] : state.covered) s.covered.push_back(row);
  for (const auto& [id, row] : state.limits.rows()) {
    if (!row.absent) s.limits.push_back(row);
  }
  for (const auto& [key, row] : state.thresholds.rows()) {
    if (GoesOn(state, row)) s.thresholds.push_back(row);
  }
  s.payers = Rows(state.payers);
  s.cards = Rows(state.cards);
  const Timestamp kept_from = SpendKeptFrom(state);
  for (const auto& [key, row] : state.spend.rows()) {
    if (row.period == Period::kNone || row.start_at >= kept_from) s.spend.push_back(row);
  }
  for (const auto& [id, row] : state.usage.rows()) s.usage.push_back(row);
  for (const auto& [id, row] : state.requests) {
    if (row.money || row.at + kKnowRequest > state.now) s.requests.push_back(row);
  }
  Append(state.settlements, s.settlements);
  for (const auto& [id, change] : state.amended) s.amended.push_back({id, change});
  return s;
}

std::string MemberName(const State& state, MemberId id) {
  const MemberRow* row = state.members.Find(id);
  return row ? row->name : "nobody";
}

std::string TierName(const State& state, TierId id) {
  const TierRow* row = state.tiers.Find(id);
  return row ? row->name : "";
}

std::string OwnerName(const State& state, const Owner& owner) {
  switch (owner.kind) {
    case OwnerKind::kLab:
      return "lab";
    case OwnerKind::kMember:
      return MemberName(state, MemberId(owner.id));
    case OwnerKind::kProject: {
      const ProjectRow* row = state.projects.Find(ProjectId(owner.id));
      return "project:" + (row ? row->name : "");
    }
  }
  return "";
}

std::string TaskName(const State& state, const TaskId& id) {
  const JobRow* job = state.jobs.Find(id.job);
  return job && job->array.empty() ? std::to_string(id.job.value()) : ToString(id);
}

std::vector<PeriodRow>& PeriodsOf(State& state, Period kind) {
  if (kind == Period::kDay) return state.days;
  return kind == Period::kNight ? state.nights : state.months;
}

const PeriodRow* PeriodAt(const State& state, Period kind, Timestamp at) {
  const auto& periods = kind == Period::kDay     ? state.days
                        : kind == Period::kNight ? state.nights
                                                 : state.months;
  auto it = std::ranges::upper_bound(periods, at, {}, &PeriodRow::start_at);
  if (it == periods.begin()) return nullptr;
  --it;
  return at < it->end_at ? &*it : nullptr;
}

Timestamp ClosedUntil(const State& state) {
  const auto& rows = state.closed_months.rows();
  return rows.empty() ? Timestamp() : rows.rbegin()->second.end_at;
}

// The middle of a month is in the same month in every zone.
std::string MonthName(Timestamp start_at) {
  int64_t days = (start_at + Duration::Days(15)).micros() / Duration::Days(1).micros();
  int64_t year = 1970;
  const auto leap = [&] { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); };
  for (; days >= (leap() ? 366 : 365); ++year) days -= leap() ? 366 : 365;
  int month = 1;
  for (const int64_t length : {31, leap() ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30}) {
    if (days < length) break;
    days -= length;
    ++month;
  }
  return fmt::format("{:04}-{:02}", year, month);
}

std::optional<Rate> RateAt(const State& state, TierId tier, Source source, Timestamp at) {
  auto history = state.rates.find({tier, source});
  if (history == state.rates.end()) return std::nullopt;
  auto it = std::ranges::upper_bound(history->second, at, {}, &RateRow::valid_from);
  if (it == history->second.begin()) return std::nullopt;
  return std::prev(it)->rate;
}

void Log(State& state, std::string entity, std::string id, std::string what, std::string detail,
         MemberId actor) {
  state.out.events.push_back(
      {state.now, std::move(entity), std::move(id), std::move(what), std::move(detail), actor});
}

void PlanAll(State& state) {
  for (const auto& [id, tier] : state.tiers.rows()) state.to_plan.insert(id);
  state.next_date = Timestamp();
}

void PlanWaiting(State& state) {
  for (const auto& [tier, queues] : state.queues) {
    if (!queues.empty()) state.to_plan.insert(tier);
  }
}

int64_t TakeId(State& state) {
  state.lab_touched = true;
  return state.lab.next_id++;
}

}  // namespace pinka
