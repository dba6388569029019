#include "scheduler/core/core.h"

#include <algorithm>

#include "scheduler/core/deadline.h"
#include "scheduler/core/digest.h"
#include "scheduler/core/forget.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/preempt.h"
#include "scheduler/core/verbs.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

// What the database holds and memory need not: rows that this batch has closed.
void DropClosed(State& state) {
  for (const AttemptId& id : std::exchange(state.holds_closed, {})) {
    state.holds.Drop(id);
    std::vector<int32_t> lines;
    const auto& rows = state.hold_lines.rows();
    for (auto it = rows.lower_bound({id, 0}); it != rows.end() && it->first.first == id; ++it) {
      lines.push_back(it->first.second);
    }
    for (int32_t n : lines) state.hold_lines.Drop({id, n});
  }
  for (PackageId id : std::exchange(state.packages_closed, {})) {
    state.packages.Drop(id);
    std::vector<MemberId> members;
    const auto& rows = state.portions.rows();
    for (auto it = rows.lower_bound({id, MemberId()}); it != rows.end() && it->first.first == id;
         ++it) {
      members.push_back(it->first.second);
    }
    for (MemberId member : members) state.portions.Drop({id, member});
  }
  std::vector<std::pair<InvoiceId, int32_t>> explained;
  for (const auto& [key, line] : state.invoice_lines.rows()) {
    if (line.unknown == Money()) explained.push_back(key);
  }
  for (const auto& key : explained) state.invoice_lines.Drop(key);
  std::vector<LotId> lots;
  for (const auto& [id, lot] : state.lots.rows()) {
    if (lot.lapsed) lots.push_back(id);
  }
  for (LotId id : lots) state.lots.Drop(id);
  ForgetJobs(state);  // also what ended by a timer long ago, and is written now
  // An ended attempt whose job has left memory goes with its node's record of it.
  for (const AttemptId& id : std::exchange(state.forgotten, {})) {
    if (state.jobs.Find(id.job)) continue;
    state.attempts.Drop(id);
    state.settlements.erase(id);
  }
}

// Known lots go by moves; what else changed of them goes by flags.
void CollectLots(State& state, Changes& changes) {
  for (const auto& [id, before] : state.lots_before) {
    const LotRow& after = state.lots.Get(id);
    LotMove move{id, after.credited - before.credited, after.posted - before.posted,
                 after.held - before.held, state.lots_guarded.contains(id)};
    const bool moved = move.credited != Money() || move.posted != Money() || move.held != Money();
    if (moved || move.guarded) changes.lot_moves.push_back(move);
    if (after.lapsed != before.lapsed || after.ends_at != before.ends_at)
      changes.lot_flags.push_back(after);
  }
  state.lots.TakeTouched();
  state.lots_before.clear();
  state.lots_guarded.clear();
}

// The same payload many times in a batch is written once.
void DropRepeats(std::vector<PayloadRow>& payloads) {
  std::set<std::string> seen;
  std::erase_if(payloads, [&](const PayloadRow& row) { return !seen.insert(row.hash).second; });
}

NodeOrders::Order OrderOf(const State& state, const AttemptRow& attempt) {
  NodeOrders::Order order;
  order.attempt = attempt;
  const TierRow& tier = state.tiers.Get(attempt.tier);
  order.tier = tier.name;
  order.user = MemberName(state, attempt.member);
  const NodeRow& node = state.nodes.Get(attempt.node);
  for (int32_t index : attempt.gpus) {
    auto gpu = std::ranges::find(node.gpus, index, &Gpu::index);
    if (gpu != node.gpus.end()) order.gpu_uuids.push_back(gpu->uuid);
  }
  order.gpus = static_cast<int32_t>(attempt.gpus.size());
  order.restart_count = attempt.id.number - 1;
  if (const JobRow* job = state.jobs.Find(attempt.id.job)) {
    order.payload = job->payload;
    // What was asked for; else the share of the machine that its units pay for.
    order.cpus = job->cpus > 0 ? job->cpus : attempt.units * tier.unit_cpus;
    order.memory = job->memory > 0 ? job->memory : attempt.units * tier.unit_memory;
    order.cut_by_budget = attempt.time_limit < job->time_limit;
    order.array_size = job->array.empty() ? 0 : job->task_count;
  }
  return order;
}

NodeOrders OrdersOf(const State& state, const NodeRow& node) {
  NodeOrders orders;
  orders.node = node.id;
  orders.name = node.name;
  orders.version = node.version;
  orders.drain = node.drain_wanted;
  if (const HardwareRow* hardware = state.hardware.Find(node.id))
    orders.verify = hardware->demanded;
  auto use = state.node_use.find(node.id);
  if (use == state.node_use.end()) return orders;
  for (const AttemptId& id : use->second.attempts)
    orders.orders.push_back(OrderOf(state, state.attempts.Get(id)));
  return orders;
}

}  // namespace

Core::Core(const Snapshot& snapshot, const Policy& policy) : state_(LoadState(snapshot)) {
  state_.policy = policy;
}

Reply Core::Apply(const Command& command, Timestamp now) {
  AdvanceTo(state_, std::max(now, state_.now));
  Reply reply = std::visit([this](const auto& c) { return Do(state_, c); }, command);
  SettleWaits(state_);  // what followed from it for others, in the same pass
  return reply;
}

bool Core::Schedule(int64_t max_rows) {
  while (!state_.to_plan.empty()) {
    const TierId tier = *state_.to_plan.begin();
    bool started = false;
    // A start moves shares and with them the order, a preemption moves promises: passes follow
    // until one changes nothing.
    for (bool again = true; std::exchange(again, false);) {
      TierPass pass(state_, tier);
      while (auto start = pass.Next()) {
        OrderAttempt(state_, *start);
        again = true;
        if (!std::exchange(started, true)) PlanWaiting(state_);  // in every tier
        if (TouchedRows() >= max_rows) return true;
      }
      if (again) continue;
      while (const auto preemption = NextPreemption(state_, tier)) {
        Preempt(state_, *preemption);
        again = true;
      }
      while (const auto move = NextMove(state_, tier)) {
        StartMove(state_, *move);
        again = true;
      }
    }
    state_.to_plan.erase(tier);
  }
  return false;
}

int64_t Core::TouchedRows() const {
  const State& s = state_;
  const size_t touched =
      s.members.touched() + s.tiers.touched() + s.nodes.touched() + s.jobs.touched() +
      s.tasks.touched() + s.attempts.touched() + s.holds.touched() + s.hold_lines.touched() +
      s.lots.touched() + s.packages.touched() + s.portions.touched() + s.limits.touched() +
      s.thresholds.touched() + s.payers.touched() + s.cards.touched() + s.rentals.touched() +
      s.closed_months.touched() + s.payments.touched() + s.invoices.touched() +
      s.invoice_lines.touched() + s.spend.touched() + s.usage.touched() + s.hardware.touched();
  return static_cast<int64_t>(touched) + s.out.rows();
}

Changes Core::TakeChanges() {
  State& s = state_;
  Changes changes = std::exchange(s.out, Changes());
  CollectLots(s, changes);
  DropRepeats(changes.payloads);
  if (std::exchange(s.lab_touched, false)) changes.lab.push_back(s.lab);
  changes.members = s.members.TakeTouched();
  changes.projects = s.projects.TakeTouched();
  changes.tiers = s.tiers.TakeTouched();
  changes.nodes = s.nodes.TakeTouched();
  changes.hardware = s.hardware.TakeTouched();
  changes.jobs = s.jobs.TakeTouched();
  changes.tasks = s.tasks.TakeTouched();
  changes.attempts = s.attempts.TakeTouched();
  changes.holds = s.holds.TakeTouched();
  changes.hold_lines = s.hold_lines.TakeTouched();
  changes.packages = s.packages.TakeTouched();
  changes.portions = s.portions.TakeTouched();
  changes.months = s.closed_months.TakeTouched();
  changes.payments = s.payments.TakeTouched();
  changes.invoices = s.invoices.TakeTouched();
  changes.invoice_lines = s.invoice_lines.TakeTouched();
  changes.limits = s.limits.TakeTouched();
  changes.rentals = s.rentals.TakeTouched();
  changes.thresholds = s.thresholds.TakeTouched();
  changes.payers = s.payers.TakeTouched();
  changes.cards = s.cards.TakeTouched();
  changes.spend = s.spend.TakeTouched();
  changes.usage = s.usage.TakeTouched();
  DropClosed(s);
  return changes;
}

std::vector<NodeOrders> Core::TakeOrders() {
  std::vector<NodeOrders> orders;
  for (NodeId id : state_.orders_changed) orders.push_back(OrdersOf(state_, state_.nodes.Get(id)));
  state_.orders_changed.clear();
  return orders;
}

std::vector<NodeOrders> Core::AllOrders() const {
  std::vector<NodeOrders> orders;
  for (const auto& [id, node] : state_.nodes.rows()) {
    if (!node.removed) orders.push_back(OrdersOf(state_, node));
  }
  return orders;
}

Timestamp Core::NextWakeup() const { return NextDue(state_); }

std::string Core::Digest() const { return DigestOf(ExportState(state_)); }

}  // namespace pinka
