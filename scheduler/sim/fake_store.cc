#include "scheduler/sim/fake_store.h"

#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/reconcile.h"
#include "scheduler/core/state.h"

namespace pinka::sim {

template <class Map, class Row>
void FakeStore::Upsert(Map& map, const typename Map::key_type& key, const Row& row) {
  auto it = map.find(key);
  if (it == map.end()) {
    undo_.push_back([&map, key] { map.erase(key); });
    map.emplace(key, row);
  } else {
    undo_.push_back([&map, key, before = it->second] { map.insert_or_assign(key, before); });
    it->second = row;
  }
}

template <class Map, class Row>
void FakeStore::Insert(const char* table, Map& map, const typename Map::key_type& key,
                       const Row& row) {
  if (map.contains(key)) return Refuse(fmt::format("{}: the key is taken", table));
  Upsert(map, key, row);
}

void FakeStore::Refuse(std::string why) {
  if (!refusal_) refusal_ = std::move(why);
}

std::optional<std::string> FakeStore::Commit(int64_t number, Timestamp core_now,
                                             const Changes& changes) {
  if (number != batch_ + 1) return fmt::format("batch {} has no place after {}", number, batch_);
  refusal_.reset();
  const LabRow lab = t_.lab;
  const size_t events = t_.events.size();
  const size_t checks = t_.hardware_checks.size();
  WriteLab(changes);
  WriteJobs(changes);
  WriteLedger(changes);
  WriteMonths(changes);
  WriteRentals(changes);
  WriteInvoices(changes);
  WriteRequests(changes);
  JudgeJobs(changes);
  JudgeLedger(changes);
  JudgePackages(changes);
  if (refusal_) {
    for (auto it = undo_.rbegin(); it != undo_.rend(); ++it) (*it)();
    t_.lab = lab;
    t_.events.resize(events);
    t_.hardware_checks.resize(checks);
  } else {
    batch_ = number;
    core_now_ = std::max(core_now_, core_now);
  }
  undo_.clear();
  return std::exchange(refusal_, std::nullopt);
}

void FakeStore::WriteLab(const Changes& c) {
  for (const LabRow& row : c.lab) t_.lab = row;
  for (const MemberRow& row : c.members) Upsert(t_.members, row.id, row);
  for (const ProjectRow& row : c.projects) Upsert(t_.projects, row.id, row);
  for (const TierRow& row : c.tiers) Upsert(t_.tiers, row.id, row);
  for (const NodeRow& row : c.nodes) {
    if (!t_.tiers.contains(row.tier)) Refuse("nodes: no such tier");
    Upsert(t_.nodes, row.id, row);
  }
  for (const HardwareRow& row : c.hardware) {
    if (!t_.nodes.contains(row.node)) Refuse("hardware: no such node");
    Upsert(t_.hardware, row.node, row);
  }
  for (const RateRow& row : c.rates)
    Insert("rates", t_.rates, {row.tier, row.source, row.valid_from}, row);
  for (const PeriodRow& row : c.periods)
    Insert("periods", t_.periods, {row.kind, row.start_at}, row);
  for (const TokenRow& row : c.tokens) Insert("tokens", t_.tokens, row.hash, row);
  t_.hardware_checks.insert(t_.hardware_checks.end(), c.hardware_checks.begin(),
                            c.hardware_checks.end());
  t_.events.insert(t_.events.end(), c.events.begin(), c.events.end());
}

void FakeStore::WriteJobs(const Changes& c) {
  std::set<std::string> payloads;
  for (const PayloadRow& row : c.payloads) {
    if (!t_.payloads.contains(row.hash)) Upsert(t_.payloads, row.hash, row);
  }
  std::set<JobId> texts;
  for (const JobRow& row : c.jobs) {
    if (!t_.payloads.contains(row.payload)) Refuse("jobs: no such payload");
    Upsert(t_.jobs, row.id, row);
  }
  for (const JobTextRow& row : c.job_texts) {
    if (!texts.insert(row.job).second) Refuse("job_texts: a row twice in one statement");
    if (!t_.jobs.contains(row.job)) Refuse("job_texts: no such job");
    Upsert(t_.job_texts, row.job, row);
  }
  for (const TaskRow& row : c.tasks) {
    if (!t_.jobs.contains(row.id.job)) Refuse("tasks: no such job");
    Upsert(t_.tasks, row.id, row);
  }
  for (const AttemptRow& row : c.attempts) {
    if (!t_.tasks.contains({row.id.job, row.id.index})) Refuse("attempts: no such task");
    if (!t_.nodes.contains(row.node)) Refuse("attempts: no such node");
    Upsert(t_.attempts, row.id, row);
  }
  for (const FileSetRow& row : c.file_sets) {
    if (!t_.attempts.contains(row.attempt)) Refuse("file_sets: no such attempt");
    Upsert(t_.file_sets, {row.attempt, row.kind, row.generation}, row);
  }
}

void FakeStore::WriteLedger(const Changes& c) {
  for (const AccountRow& row : c.accounts) Insert("accounts", t_.accounts, row.id, row);
  for (const LotRow& row : c.new_lots) {
    if (!t_.accounts.contains(row.account)) Refuse("lots: no such account");
    Insert("lots", t_.lots, row.id, row);
  }
  for (const LotRow& row : c.lot_flags) {
    auto it = t_.lots.find(row.id);
    if (it == t_.lots.end()) {
      Refuse("lots: no such lot");
      continue;
    }
    LotRow next = it->second;
    next.lapsed = row.lapsed;
    next.ends_at = row.ends_at;
    Upsert(t_.lots, row.id, next);
  }
  MoveLots(c);
  for (const PackageRow& row : c.packages) Upsert(t_.packages, row.id, row);
  for (const PortionRow& row : c.portions)
    Upsert(t_.portions, PortionKey{row.package, row.member}, row);
  for (const HoldRow& row : c.holds) Upsert(t_.holds, row.attempt, row);
  for (const HoldLineRow& row : c.hold_lines)
    Upsert(t_.hold_lines, LineKey{row.attempt, row.n}, row);
  for (const HoldCutRow& row : c.hold_cuts) {
    HoldCutRow cut = row;
    const std::pair key(LineKey{row.attempt, row.n}, row.at);
    if (auto known = t_.hold_cuts.find(key); known != t_.hold_cuts.end())
      cut.amount += known->second.amount;
    Upsert(t_.hold_cuts, key, cut);
  }
  for (const SettlementRow& row : c.settlements)
    Insert("settlements", t_.settlements, row.attempt, row);
  for (const TransferRow& row : c.transfers) {
    if (!t_.months.empty() && row.at < t_.months.rbegin()->second.end_at)
      Refuse("transfers: dated in a closed month");
    Insert("transfers", t_.transfers, row.id, row);
  }
  for (const LimitRow& row : c.limits) Upsert(t_.limits, row.id, row);
  for (const ThresholdRow& row : c.thresholds) {
    if (!t_.limits.contains(row.limit)) Refuse("thresholds: no such limit");
    Insert("thresholds", t_.thresholds, {row.limit, row.member, row.percent, row.start_at}, row);
  }
  for (const PayerRow& row : c.payers) Upsert(t_.payers, row.reason, row);
  for (const CardRow& row : c.cards) Upsert(t_.cards, row.name, row);
  for (const SpendRow& row : c.spend)
    Upsert(t_.spend, {row.member, row.project, row.tier, row.period, row.start_at}, row);
  for (const UsageRow& row : c.usage) Upsert(t_.usage, {row.member, row.project}, row);
}

void FakeStore::WriteMonths(const Changes& c) {
  for (const MonthRow& row : c.months) {
    if (row.closed_at < row.end_at) Refuse("months: closed before its end");
    Upsert(t_.months, row.start_at, row);
  }
  std::map<Timestamp, Money> sums;
  for (const PositionRow& row : c.positions) {
    if (!t_.months.contains(row.month)) Refuse("positions: no such month");
    if (!t_.members.contains(row.member)) Refuse("positions: no such member");
    sums[row.month] += row.position;
    Insert("positions", t_.positions, {row.month, row.member}, row);
  }
  for (const auto& [month, sum] : sums) {
    if (sum != Money()) Refuse("positions: they do not come to nothing");
  }
  for (const PaymentRow& row : c.payments) {
    if (!t_.months.contains(row.month)) Refuse("payments: no such month");
    const bool paid = row.state == PaymentState::kPaid;
    if (paid != static_cast<bool>(row.paid_at) || paid != t_.transfers.contains(row.transfer))
      Refuse("payments: paid without an entry");
    Upsert(t_.payments, row.id, row);
  }
}

void FakeStore::WriteRentals(const Changes& c) {
  for (const BillingRow& row : c.billing)
    Insert("billing", t_.billing, {row.tier, row.source, row.valid_from}, row);
  for (const RentalRow& row : c.rentals) {
    if (!t_.nodes.contains(row.node)) Refuse("rentals: no such node");
    if (row.members + row.lab + row.idle + row.rounding + row.variance != row.billed)
      Refuse("rentals: the parts are not the bill");
    if (row.closed_at && row.posted_at != row.closed_at) Refuse("rentals: closed and not posted");
    Upsert(t_.rentals, row.id, row);
  }
  std::set<NodeId> open;
  for (const auto& [id, row] : t_.rentals) {
    if (!row.closed_at && !open.insert(row.node).second) Refuse("rentals: two open of one node");
  }
}

void FakeStore::WriteInvoices(const Changes& c) {
  for (const InvoiceRow& row : c.invoices) {
    for (const auto& [id, known] : t_.invoices) {
      if (known.provider == row.provider && known.ref == row.ref)
        Refuse("invoices: the same bill twice");
    }
    Insert("invoices", t_.invoices, row.id, row);
  }
  for (const InvoiceLineRow& row : c.invoice_lines) {
    const std::pair key(row.invoice, row.n);
    if (!t_.invoices.contains(row.invoice)) Refuse("invoice_lines: no such invoice");
    InvoiceLineRow line = row;
    if (auto known = t_.invoice_lines.find(key); known != t_.invoice_lines.end()) {
      line = known->second;
      line.unknown = row.unknown;
    }
    if (line != row) Refuse("invoice_lines: only what is unknown of one changes");
    Upsert(t_.invoice_lines, key, row);
  }
}

std::vector<CoveredRow> FakeStore::Covered() const {
  std::map<RentalId, CoveredRow> covered;
  for (const auto& [key, line] : t_.invoice_lines) {
    if (line.rental) Cover(line, &covered[line.rental]);
  }
  std::vector<CoveredRow> rows;
  for (const auto& [id, row] : covered) rows.push_back(row);
  return rows;
}

void FakeStore::MoveLots(const Changes& c) {
  for (const LotMove& move : c.lot_moves) {
    auto it = t_.lots.find(move.lot);
    if (it == t_.lots.end()) {
      Refuse("lots: no such lot");
      continue;
    }
    LotRow next = it->second;
    next.credited += move.credited;
    next.posted += move.posted;
    next.held += move.held;
    const Money available = next.credited - next.posted - next.held + next.credit_limit;
    if (move.guarded && available < Money()) Refuse(fmt::format("floor: lot {}", move.lot.value()));
    if (next.posted < Money()) Refuse("lots: posted below zero");
    if (next.held < Money()) Refuse("lots: held below zero");
    Upsert(t_.lots, move.lot, next);
  }
}

void FakeStore::WriteRequests(const Changes& c) {
  for (const RequestRow& row : c.requests) {
    auto known = t_.requests.find({row.member, row.key});
    const bool stands = known != t_.requests.end() &&
                        (known->second.money || known->second.at + kKeepRequest > row.at);
    if (stands) Refuse(fmt::format("request {} is known", row.key));
    Upsert(t_.requests, {row.member, row.key}, row);
  }
}

void FakeStore::JudgeJobs(const Changes& c) {
  for (const JobRow& row : c.jobs) {
    const bool waits = !row.pending.empty() || !row.held.empty();
    if (IsTerminal(row.state) != static_cast<bool>(row.ended_at)) Refuse("jobs: jobs_ended");
    if (IsTerminal(row.state) && waits) Refuse("jobs: something waits at the end");
    const bool overlap =
        !row.pending.Intersect(row.held).empty() || !row.pending.Intersect(row.cancelled).empty() ||
        !row.held.Intersect(row.cancelled).empty() ||
        !row.expired.Intersect(row.cancelled).empty() ||
        !row.expired.Intersect(row.pending).empty() || !row.expired.Intersect(row.held).empty();
    if (overlap) Refuse("jobs: ranges overlap");
  }
  for (const TaskRow& row : c.tasks) {
    if (IsTerminal(row.state) != static_cast<bool>(row.ended_at)) Refuse("tasks: tasks_ended");
    if (!row.exited && (row.exit_code != 0 || row.signal != 0)) Refuse("tasks: exit not known");
  }
  for (const AttemptRow& row : c.attempts) {
    const bool ended = row.state == AttemptState::kEnded;
    if (ended != static_cast<bool>(row.ended_at)) Refuse("attempts: attempts_ended");
    if (ended != (row.end_reason != EndReason::kNone)) Refuse("attempts: no reason");
    if (row.state == AttemptState::kRunning && !row.started_at) Refuse("attempts: not started");
    if (row.overrun_ms < 0 || row.overrun_ms > row.metered_ms) Refuse("attempts: overrun");
    if (row.forgotten && !ended) Refuse("attempts: forgotten alive");
    if (row.uploaded_at && (!row.forgotten || row.uploaded_at < row.ended_at))
      Refuse("attempts: uploaded before its end");
    if (!row.exited && (row.exit_code != 0 || row.signal != 0)) Refuse("attempts: exit not known");
    if (ended) continue;
    auto it = t_.attempts.lower_bound({row.id.job, row.id.index, 0});
    for (;
         it != t_.attempts.end() && it->first.job == row.id.job && it->first.index == row.id.index;
         ++it) {
      if (it->first != row.id && !it->second.ended_at) Refuse("attempts: two live of one task");
    }
  }
}

void FakeStore::JudgeLedger(const Changes& c) {
  std::set<AttemptId> touched;
  for (const HoldRow& row : c.holds) {
    touched.insert(row.attempt);
    if (!t_.attempts.contains(row.attempt)) Refuse("holds: no such attempt");
    if (row.posted > row.amount || row.posted < Money()) Refuse("holds: charge beyond the hold");
    if ((row.state == HoldState::kOpen) == static_cast<bool>(row.closed_at))
      Refuse("holds: holds_closed");
  }
  for (const HoldLineRow& row : c.hold_lines) {
    touched.insert(row.attempt);
    if (!t_.lots.contains(row.lot)) Refuse("hold_lines: no such lot");
    if (row.posted > row.amount || row.posted < Money()) Refuse("hold_lines: beyond the line");
  }
  for (const AttemptId& id : touched) {
    auto hold = t_.holds.find(id);
    if (hold == t_.holds.end()) {
      Refuse("hold_lines: no such hold");
      continue;
    }
    Money amount;
    Money posted;
    for (auto it = t_.hold_lines.lower_bound({id, 0});
         it != t_.hold_lines.end() && it->first.first == id; ++it) {
      amount += it->second.amount;
      posted += it->second.posted;
    }
    if (amount != hold->second.amount || posted != hold->second.posted)
      Refuse(fmt::format("hold lines do not add up: {}", ToString(id)));
  }
  for (const SettlementRow& row : c.settlements) {
    auto hold = t_.holds.find(row.attempt);
    const bool closed = hold != t_.holds.end() && hold->second.closed_at;
    if (!closed || row.charged > hold->second.amount) Refuse("settlement against its hold");
    if (row.charged < Money() || row.lab < Money()) Refuse("settlements: negative");
  }
  JudgeTransfers(c);
}

void FakeStore::JudgeTransfers(const Changes& c) {
  bool linked = false;
  for (const TransferRow& row : c.transfers) {
    if (row.amount <= Money() || row.debit == row.credit) Refuse("transfers: nothing moves");
    if (row.unit_ms < 0) Refuse("transfers: negative unit time");
    if (!t_.accounts.contains(row.debit) || !t_.accounts.contains(row.credit))
      Refuse("transfers: no such account");
    else if (t_.accounts.at(row.debit).asset != row.asset ||
             t_.accounts.at(row.credit).asset != row.asset)
      Refuse("transfers: an account of another asset");
    if (row.attempt.job && !t_.attempts.contains(row.attempt)) Refuse("transfers: no such attempt");
    const bool links = row.kind == TransferKind::kRefund || row.kind == TransferKind::kCorrect;
    if (links != static_cast<bool>(row.linked)) Refuse("transfers: transfers_linked");
    if (row.linked && (row.linked >= row.id || !t_.transfers.contains(row.linked)))
      Refuse("transfers: linked to nothing before it");
    linked = linked || links;
  }
  if (!linked || refusal_) return;
  for (const auto& [id, change] : Amended()) {
    if (t_.transfers.at(id).amount + change < Money())
      Refuse(fmt::format("more is given back than there is of transfer {}", id.value()));
  }
}

std::map<TransferId, Money> FakeStore::Amended() const {
  std::map<TransferId, Money> sums;
  for (const auto& [id, row] : t_.transfers) {
    if (!row.linked) continue;
    const TransferRow& of = t_.transfers.at(row.linked);
    if (of.asset != row.asset) continue;  // what hours had cost
    const Money change = row.debit == of.debit ? row.amount : -row.amount;
    sums[of.id] += change;
    if (of.kind == TransferKind::kRefund) sums[of.linked] -= change;
  }
  return sums;
}

void FakeStore::JudgePackages(const Changes& c) {
  for (const PackageRow& row : c.packages) {
    if (!t_.tiers.contains(row.tier)) Refuse("packages: no such tier");
    if (!t_.accounts.contains(row.inventory)) Refuse("packages: no such account");
    if (row.used_ms < 0 || row.used_ms > row.total_ms) Refuse("packages: used beyond the whole");
    if (row.moved + row.lapsed > row.price) Refuse("packages: more cost than the price");
  }
  for (const PortionRow& row : c.portions) {
    if (!t_.packages.contains(row.package)) Refuse("portions: no such package");
    if (!t_.lots.contains(row.lot)) Refuse("portions: no such lot");
    if (row.borrowed_ms < 0 || row.borrowing_ms < 0) Refuse("portions: borrowed below zero");
  }
}

bool FakeStore::PeriodGoesOn(const ThresholdRow& row) const {
  const LimitRow& limit = t_.limits.at(row.limit);
  if (limit.absent) return false;
  if (limit.period == Period::kNone) return true;
  if (limit.period == Period::kDated) return limit.until > core_now_;
  auto after = t_.periods.upper_bound({limit.period, row.start_at});
  return after != t_.periods.begin() && std::prev(after)->first.first == limit.period &&
         std::prev(after)->second.end_at > std::max(core_now_, row.start_at);
}

// A dated limit counts by days: they stay as long as it does.
Timestamp FakeStore::SpendFrom() const {
  Timestamp from = core_now_ - kKeepSpend;
  for (const auto& [id, row] : t_.limits) {
    if (row.period == Period::kDated && !row.absent && row.until > core_now_)
      from = std::min(from, row.starts_at);
  }
  return from;
}

Snapshot FakeStore::Load() const {
  Snapshot s;
  s.now = core_now_;
  s.lab = t_.lab;
  const auto all = [](const auto& map, auto& rows, const auto& live) {
    for (const auto& [key, row] : map) {
      if (live(row)) rows.push_back(row);
    }
  };
  const auto any = [](const auto&) { return true; };
  const auto in_memory = [this](JobId id) {
    const JobRow& job = t_.jobs.at(id);
    return !job.ended_at || job.ended_at + kKeepEnded > core_now_;
  };
  const auto of_live = [&](const AttemptId& id) {
    return in_memory(id.job) || !t_.attempts.at(id).forgotten;
  };
  all(t_.members, s.members, any);
  all(t_.projects, s.projects, any);
  all(t_.tiers, s.tiers, any);
  all(t_.rates, s.rates, any);
  all(t_.periods, s.periods,
      [this](const PeriodRow& r) { return r.end_at > core_now_ - kKeepSpend; });
  all(t_.billing, s.billing, any);
  all(t_.rentals, s.rentals, [this](const RentalRow& r) {
    return !r.closed_at || r.closed_at > core_now_ - Duration::Days(75);
  });
  all(t_.nodes, s.nodes, [](const NodeRow& r) { return !r.removed; });
  all(t_.hardware, s.hardware,
      [this](const HardwareRow& r) { return !t_.nodes.at(r.node).removed; });
  all(t_.jobs, s.jobs, [&](const JobRow& r) { return in_memory(r.id); });
  all(t_.tasks, s.tasks, [&](const TaskRow& r) { return in_memory(r.id.job); });
  all(t_.attempts, s.attempts, [&](const AttemptRow& r) { return of_live(r.id); });
  all(t_.settlements, s.settlements, [&](const SettlementRow& r) { return of_live(r.attempt); });
  all(t_.holds, s.holds, [](const HoldRow& r) { return !r.closed_at; });
  all(t_.hold_lines, s.hold_lines,
      [this](const HoldLineRow& r) { return !t_.holds.at(r.attempt).closed_at; });
  all(t_.accounts, s.accounts, any);
  all(t_.lots, s.lots, [](const LotRow& r) { return !r.lapsed; });
  all(t_.packages, s.packages, [](const PackageRow& r) { return !r.closed_at; });
  all(t_.portions, s.portions,
      [this](const PortionRow& r) { return !t_.packages.at(r.package).closed_at; });
  all(t_.months, s.months, any);
  all(t_.payments, s.payments, any);
  all(t_.invoices, s.invoices, any);
  all(t_.invoice_lines, s.invoice_lines,
      [](const InvoiceLineRow& r) { return r.unknown != Money(); });
  s.covered = Covered();
  all(t_.limits, s.limits, [](const LimitRow& r) { return !r.absent; });
  all(t_.thresholds, s.thresholds, [this](const ThresholdRow& r) { return PeriodGoesOn(r); });
  all(t_.payers, s.payers, any);
  all(t_.cards, s.cards, any);
  const Timestamp from = SpendFrom();
  all(t_.spend, s.spend,
      [&](const SpendRow& r) { return r.period == Period::kNone || r.start_at >= from; });
  all(t_.usage, s.usage, any);
  all(t_.requests, s.requests,
      [this](const RequestRow& r) { return r.money || r.at + kKnowRequest > core_now_; });
  for (const auto& [id, change] : Amended()) s.amended.push_back({id, change});
  return s;
}

}  // namespace pinka::sim
