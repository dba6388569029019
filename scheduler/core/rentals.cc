#include "scheduler/core/rentals.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/billing.h"
#include "scheduler/core/lots.h"

namespace pinka {
namespace {

std::string TextOf(RentalId id) { return std::to_string(id.value()); }

bool Remembered(const State& state, const RentalRow& row) {
  return !row.closed_at || row.closed_at > state.now - kKeepRental;
}

// The rental that was open on the attempt's node when it was ordered.
RentalId RentalOf(const State& state, const AttemptRow& attempt) {
  const auto open = state.open_rentals.find(attempt.node);
  if (open != state.open_rentals.end()) {
    const RentalRow& row = state.rentals.Get(open->second);
    if (!row.stopped && row.opened_at <= attempt.ordered_at) return row.id;
  }
  RentalId found;
  for (const auto& [id, row] : state.rentals.rows()) {
    const bool then = !row.stopped && row.node == attempt.node &&
                      row.opened_at <= attempt.ordered_at && row.closed_at > attempt.ordered_at;
    if (then && Remembered(state, row)) found = id;
  }
  return found;
}

bool Serves(const NodeRow& node) {
  return !node.removed && (node.state == NodeState::kReady || node.state == NodeState::kDraining ||
                           node.state == NodeState::kDrained);
}

// Moves `due` from outside to an account of the lab's side, or back where it is below zero.
void PostSide(State& state, const RentalRow& rental, AccountKind kind, Money due, Timestamp at,
              std::string reason) {
  if (due == Money()) return;
  TransferRow row;
  row.at = at;
  row.kind = TransferKind::kRental;
  row.rental = rental.id;
  row.node = rental.node;
  row.tier = rental.tier;
  row.source = rental.source;
  row.payer = OwnedByLab();
  row.reason = std::move(reason);
  row.debit = AccountOf(state, AccountKind::kExternal, OwnedByLab());
  row.credit = AccountOf(state, kind, OwnedByLab());
  row.amount = due > Money() ? due : -due;
  if (due < Money()) std::swap(row.debit, row.credit);
  AppendTransfer(state, std::move(row));
}

// Posts the rental up to `upto`, dated `at` or at the start of the first open month.
void Post(State& state, RentalId id, Timestamp upto, Timestamp at) {
  at = std::max(at, ClosedUntil(state));
  RentalRow& row = state.rentals.Edit(id);
  const RentalRow before = row;
  row.posted_at = upto;
  row.members += std::exchange(row.since_members, Money());
  row.lab += std::exchange(row.since_lab, Money());
  row.used_ms += std::exchange(row.since_used_ms, 0);
  const Duration up = upto - row.opened_at;
  const BillingRule rule = RuleOf(row);
  const Money time = TimeCost(rule.rate, UnitTime::Of(row.units, up));
  const Money used = TimeCost(rule.rate, UnitTime::Millis(row.used_ms));
  row.billed =
      BillOf(rule, row.units, row.opened_at, upto, row.closed_at ? Stretch::kOver : Stretch::kOpen);
  row.idle = time - used;
  row.rounding = row.billed - time;
  row.disk = TimeCost(rule.disk, UnitTime::Of(row.disk_gb, up));
  row.egress = EgressCost(rule.egress, row.egress_bytes);
  row.variance = used - row.members - row.lab;
  const RentalRow after = row;
  PostSide(state, after, AccountKind::kIdle, after.idle - before.idle, at,
           after.stopped ? "stopped and kept" : "up-time nobody used");
  PostSide(state, after, AccountKind::kRounding, after.rounding - before.rounding, at,
           "minimum, blocks and rounding");
  PostSide(state, after, AccountKind::kDisk, after.disk - before.disk, at, "rented disk");
  PostSide(state, after, AccountKind::kVariance, after.variance - before.variance, at,
           "the provider's rate against the tier's");
  PostSide(state, after, AccountKind::kEgress, after.egress - before.egress, at,
           "data that left the machine");
}

// Whether work in money on this node ran before `boundary` and has not been metered past it.
bool Unmetered(const State& state, NodeId node, Timestamp boundary) {
  const auto use = state.node_use.find(node);
  if (use == state.node_use.end()) return false;
  return std::ranges::any_of(use->second.attempts, [&](const AttemptId& id) {
    const AttemptRow& a = state.attempts.Get(id);
    return a.state != AttemptState::kEnded && a.source != Source::kPackage && a.started_at &&
           a.started_at < boundary && a.metered_at < boundary;
  });
}

void PostMonthOf(State& state, RentalId id, Timestamp boundary, bool all) {
  const RentalRow& row = state.rentals.Get(id);
  if (row.opened_at >= boundary || row.posted_at >= boundary) return;
  if (!all && Unmetered(state, row.node, boundary)) return;
  Post(state, id, boundary, boundary - Duration::Micros(1));
}

bool SameRule(const BillingRow& a, const BillingRow& b) {
  return a.rule == b.rule && a.provider == b.provider;
}

std::string Describe(const BillingRow& row) {
  const BillingRule& rule = row.rule;
  std::string text = FormatWireMoney(Money::Micros(rule.rate.micros_per_unit_hour())) +
                     " per unit-hour of " + (row.provider.empty() ? "nobody" : row.provider);
  if (rule.minimum > Duration()) text += ", at least " + FormatDuration(rule.minimum);
  if (rule.block > Duration::Seconds(1)) text += ", in blocks of " + FormatDuration(rule.block);
  if (rule.round_to > Money::Micros(1)) {
    text += fmt::format(
        ", rounded {} to {} {}", rule.rounding == Rounding::kUp ? "up" : "half away",
        FormatWireMoney(rule.round_to), rule.round_at == RoundAt::kSegment ? "each time" : "once");
  }
  if (rule.cut > Duration()) text += ", cut every " + FormatDuration(rule.cut);
  const auto also = [&](const char* what, int64_t micros) {
    if (micros > 0) text += fmt::format(", {} {}", what, FormatWireMoney(Money::Micros(micros)));
  };
  also("stopped", rule.stopped_rate.micros_per_unit_hour());
  also("disk per GB-hour", rule.disk.micros_per_unit_hour());
  also("egress per GB", rule.egress.micros());
  return text;
}

// The first instant that neither this rule's beginning nor a rental under it stands at.
Timestamp FreeFrom(const State& state, const BillingRow& rule) {
  Timestamp last = rule.valid_from;
  for (const auto& [id, row] : state.rentals.rows()) {
    if (row.tier == rule.tier && row.source == rule.source) last = std::max(last, row.opened_at);
  }
  return last + Duration::Micros(1);
}

}  // namespace

const BillingRow* BillingAt(const State& state, TierId tier, Source source, Timestamp at) {
  const auto history = state.billing.find({tier, source});
  if (history == state.billing.end()) return nullptr;
  auto it = std::ranges::upper_bound(history->second, at, {}, &BillingRow::valid_from);
  return it == history->second.begin() ? nullptr : &*std::prev(it);
}

RentalId StartRental(State& state, const NodeRow& node, const BillingRow& billing, Timestamp at) {
  RentalRow row;
  row.id = RentalId(TakeId(state));
  row.node = node.id;
  row.tier = node.tier;
  row.source = node.source;
  row.provider = billing.provider;
  row.units = node.units;
  row.rule = billing.rule;
  row.opened_at = at;
  state.rentals.Put(row.id, row);
  state.open_rentals[node.id] = row.id;
  Log(state, "rental", TextOf(row.id), "opened", node.name);
  return row.id;
}

void EndRental(State& state, RentalId id, Timestamp at) {
  RentalRow& row = state.rentals.Edit(id);
  row.closed_at = at;
  state.open_rentals.erase(row.node);
  Log(state, "rental", TextOf(id), "closed");
  Post(state, id, at, state.now);
}

RentalId KeepStopped(State& state, RentalId closed) {
  const RentalRow before = state.rentals.Get(closed);
  RentalRow row;
  row.id = RentalId(TakeId(state));
  row.node = before.node;
  row.tier = before.tier;
  row.source = before.source;
  row.provider = before.provider;
  row.instance = before.instance;
  row.units = before.units;
  row.rule = before.rule;
  row.disk_gb = before.disk_gb;
  row.opened_at = before.closed_at;
  row.by_hand = true;
  row.stopped = true;
  state.rentals.Put(row.id, row);
  state.open_rentals[row.node] = row.id;
  Log(state, "rental", TextOf(row.id), "stopped", "after rental " + TextOf(closed));
  return row.id;
}

void AddEgress(State& state, RentalId id, int64_t bytes) {
  RentalRow& row = state.rentals.Edit(id);
  row.egress_bytes = bytes;
  Post(state, id, row.closed_at, state.now);
}

BillingRule RuleOf(const RentalRow& row) {
  BillingRule rule = row.rule;
  if (!row.stopped) return rule;
  rule.rate = rule.stopped_rate;
  rule.minimum = Duration();
  return rule;
}

// A machine that serves again is stopped no more.
void OpenRentalOf(State& state, NodeId id) {
  const auto open = state.open_rentals.find(id);
  if (open != state.open_rentals.end()) {
    if (!state.rentals.Get(open->second).stopped) return;
    EndRental(state, open->second, state.now);
  }
  const NodeRow& node = state.nodes.Get(id);
  const BillingRow* billing = BillingAt(state, node.tier, node.source, state.now);
  if (billing) StartRental(state, node, *billing, state.now);
}

void CloseRentalOf(State& state, NodeId node) {
  const auto open = state.open_rentals.find(node);
  if (open != state.open_rentals.end()) EndRental(state, open->second, state.now);
}

void CountOnRental(State& state, const AttemptRow& attempt, TransferRow& row) {
  if (row.asset != kCurrency || attempt.source == Source::kPackage) return;
  row.rental = RentalOf(state, attempt);
  if (!row.rental) return;
  const bool back = row.kind == TransferKind::kReversal;
  RentalRow& rental = state.rentals.Edit(row.rental);
  (row.kind == TransferKind::kOverhead ? rental.since_lab : rental.since_members) +=
      back ? -row.amount : row.amount;
  rental.since_used_ms += back ? -row.unit_ms : row.unit_ms;
}

void PostAfter(State& state, const AttemptRow& attempt) {
  const RentalId id = RentalOf(state, attempt);
  if (!id) return;
  const RentalRow& row = state.rentals.Get(id);
  if (row.closed_at) {
    const bool more =
        row.since_members != Money() || row.since_lab != Money() || row.since_used_ms != 0;
    if (more) Post(state, id, row.closed_at, state.now);
    return;
  }
  const PeriodRow* month = PeriodAt(state, Period::kMonth, state.now);
  if (month) PostMonthOf(state, id, month->start_at, false);
}

void PostMonth(State& state, Timestamp boundary, bool all) {
  const std::map<NodeId, RentalId> open = state.open_rentals;
  for (const auto& [node, id] : open) PostMonthOf(state, id, boundary, all);
}

void ForgetRentals(State& state) {
  std::vector<RentalId> old;
  for (const auto& [id, row] : state.rentals.rows()) {
    if (!Remembered(state, row) && !state.rentals.Touched(id)) old.push_back(id);
  }
  for (RentalId id : old) state.rentals.Drop(id);
}

Duration PaidLeft(const State& state, NodeId node) {
  const auto open = state.open_rentals.find(node);
  if (open == state.open_rentals.end()) return {};
  const RentalRow& row = state.rentals.Get(open->second);
  if (row.stopped) return {};
  return std::max(PaidUntil(row.rule, row.opened_at, state.now) - state.now, Duration());
}

std::vector<std::string> ApplyBilling(State& state, TierId tier, const LabChange::Tier& wanted,
                                      bool make) {
  std::vector<std::string> lines;
  for (const BillingRow& billing : wanted.billing) {
    const BillingRow* now =
        tier ? BillingAt(state, tier, billing.source, Timestamp::Never()) : nullptr;
    if (now && SameRule(*now, billing)) continue;
    lines.push_back(fmt::format("tier {}: {} billed at {} -> {}", wanted.row.name,
                                Name(billing.source), now ? Describe(*now) : "nothing",
                                Describe(billing)));
    if (!make) continue;
    const bool first = !now;
    BillingRow row = billing;
    row.tier = tier;
    row.valid_from = state.now;
    auto& history = state.billing[{tier, row.source}];
    // Two changes in one instant: the later one waits for the next microsecond, as it does for
    // rentals of this instant, which have the rule from before it.
    if (!history.empty())
      row.valid_from = std::max(row.valid_from, FreeFrom(state, history.back()));
    history.push_back(row);
    state.out.billing.push_back(row);
    if (!first) continue;
    std::vector<NodeId> nodes;
    for (const auto& [id, node] : state.nodes.rows()) {
      if (node.tier == tier && node.source == row.source && Serves(node)) nodes.push_back(id);
    }
    for (NodeId id : nodes) OpenRentalOf(state, id);
  }
  return lines;
}

std::string BadRule(const BillingRule& rule) {
  constexpr int64_t kMostRate = 100'000'000'000;  // 100,000 an hour
  const auto rate = [](Rate r) { return r >= Rate() && r.micros_per_unit_hour() <= kMostRate; };
  if (!rate(rule.rate) || !rate(rule.stopped_rate) || !rate(rule.disk))
    return "rates are from 0 to 100000 an hour";
  if (rule.egress < Money() || rule.egress > Money::Whole(100'000))
    return "egress is from 0 to 100000 a GB";
  const Duration most = Duration::Days(31);
  if (rule.minimum < Duration() || rule.minimum > most || rule.block > most ||
      rule.block < Duration::Millis(1))
    return "minimum and block are up to 31 days, and a block is not nothing";
  if (rule.cut != Duration() && (rule.cut < Duration::Minutes(1) || rule.cut > most))
    return "a cut comes every minute to every 31 days";
  if (rule.cut_offset < Duration::Hours(-14) || rule.cut_offset > Duration::Hours(14))
    return "zones lie within 14 hours of Greenwich";
  if (rule.round_to < Money::Micros(1) || rule.round_to > Money::Whole(1'000))
    return "amounts are rounded to 0.000001 up to 1000";
  if (rule.notice < Duration() || rule.notice > most) return "a notice is up to 31 days";
  return "";
}

void IndexRental(State& state, const RentalRow& row) {
  if (!row.closed_at) state.open_rentals[row.node] = row.id;
}

}  // namespace pinka
