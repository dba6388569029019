#include "scheduler/core/digest.h"

#include "base/hash.h"
#include "fmt/format.h"

namespace pinka {
namespace {

// One row as text: every member, in order, behind its table's name.
class Line {
 public:
  explicit Line(std::string& out, std::string_view table) : out_(out) { out_ += table; }
  ~Line() { out_ += '\n'; }

  template <class... T>
  void Put(const T&... values) {
    (One(values), ...);
  }

 private:
  void Text(std::string_view text) {
    const fmt::format_int size(text.size());
    out_ += ' ';
    out_.append(size.data(), size.size());
    out_ += ':';
    out_ += text;
  }
  void One(const std::string& v) { Text(v); }
  void One(int64_t v) {
    const fmt::format_int text(v);
    Text({text.data(), text.size()});
  }
  void One(int32_t v) { One(int64_t{v}); }
  void One(bool v) { Text(v ? "1" : "0"); }
  void One(Int128 v) {
    Text(fmt::format("{}/{}", static_cast<int64_t>(v >> 64), static_cast<uint64_t>(v)));
  }
  void One(Timestamp v) { One(v.micros()); }
  void One(Duration v) { One(v.micros()); }
  void One(Money v) { One(v.micros()); }
  void One(Rate v) { One(v.micros_per_unit_hour()); }
  void One(const RangeSet& v) { Text(v.ToString()); }
  void One(const Owner& v) { Put(static_cast<int>(v.kind), v.id); }
  void One(const AttemptId& v) { Text(ToString(v)); }
  void One(const TaskId& v) { Text(ToString(v)); }
  void One(const BillingRule& v) {
    Put(v.rate, v.stopped_rate, v.minimum, v.block, v.rounding, v.round_at, v.round_to, v.cut,
        v.cut_offset, v.disk, v.egress, v.notice);
  }
  void One(const Gpu& v) { Put(v.index, v.uuid, v.name, v.memory_mib, v.fault); }
  template <class Tag, class Rep>
  void One(Strong<Tag, Rep> v) {
    One(static_cast<int64_t>(v.value()));
  }
  template <class E>
  requires std::is_enum_v<E>
  void One(E v) { One(static_cast<int>(v)); }
  template <class T>
  void One(const std::vector<T>& v) {
    One(static_cast<int64_t>(v.size()));
    for (const T& item : v) One(item);
  }

  std::string& out_;
};

void Dump(std::string& out, const LabRow& r) {
  Line(out, "lab")
      .Put(r.run, r.name, r.currency, r.timezone, r.openness, r.confirm_above, r.half_life_h,
           r.weight_fair, r.weight_age, r.weight_class, r.weight_size, r.max_array, r.next_id,
           r.next_job, r.next_transfer, r.usage_hour, r.night_from_min, r.night_to_min);
}
void Dump(std::string& out, const MemberRow& r) {
  Line(out, "member").Put(r.id, r.name, r.share, r.admin, r.removed);
}
void Dump(std::string& out, const ProjectRow& r) {
  Line(out, "project").Put(r.id, r.name, r.members, r.share);
}
void Dump(std::string& out, const TierRow& r) {
  Line(out, "tier")
      .Put(r.id, r.name, r.purpose, r.unit_gpus, r.unit_cpus, r.unit_memory, r.default_time,
           r.max_time, r.staging_limit, r.fence, r.absent, r.simulated_units, r.gate, r.gate_within,
           r.gate_refuses, r.min_run, r.advice_refuses, r.on_demand_after);
}
void Dump(std::string& out, const RateRow& r) {
  Line(out, "rate").Put(r.tier, r.source, r.valid_from, r.rate);
}
void Dump(std::string& out, const PeriodRow& r) {
  Line(out, "period").Put(r.kind, r.start_at, r.end_at);
}
void Dump(std::string& out, const NodeRow& r) {
  Line(out, "node")
      .Put(r.id, r.name, r.tier, r.state, r.reason, r.drain_wanted, r.simulated, r.units, r.cpus,
           r.memory, r.gpus, r.instance, r.incarnation, r.boot_id, r.version, r.removed, r.source,
           r.unfit, r.key_hash, r.join_hash, r.join_until, r.join_used, r.cuda);
}
void Dump(std::string& out, const HardwareRow& r) {
  Line(out, "hardware")
      .Put(r.node, r.check, r.verdict, r.finding, r.waits, r.accepted, r.demanded, r.answered);
}
void Dump(std::string& out, const JobRow& r) {
  Line(out, "job")
      .Put(r.id, r.member, r.project, r.tier, r.units, r.gpus, r.cpus, r.memory, r.time_limit,
           r.grace, r.source, r.klass, r.nice, r.retries, r.no_requeue, r.requeue_exit, r.payload,
           r.array, r.task_count, r.max_running, r.submitted_at, r.eligible_at, r.pending, r.held,
           r.cancelled, r.expired, r.hold_reason, r.state, r.ended_at, r.counts, r.dependency,
           r.waits_on, r.keep_invalid, r.name_hash, r.begin_at, r.night, r.deadline, r.max_cost,
           r.max_rate, r.charged, r.gate_skipped, r.freed_at, r.code, r.need_cuda);
}
void Dump(std::string& out, const TaskRow& r) {
  Line(out, "task")
      .Put(r.id, r.state, r.hold_reason, r.attempts, r.retries_used, r.infra_restarts, r.exited,
           r.exit_code, r.signal, r.end_reason, r.ended_at, r.run_agains);
}
void Dump(std::string& out, const AttemptRow& r) {
  Line(out, "attempt")
      .Put(r.id, r.node, r.member, r.project, r.tier, r.units, r.gpus, r.state, r.want,
           r.stop_reason, r.source, r.rate, r.weight, r.time_limit, r.grace, r.ordered_at,
           r.started_at, r.ended_at, r.metered_ms, r.metered_at, r.overrun_ms, r.log_bytes,
           r.end_reason, r.exited, r.exit_code, r.signal, r.message, r.forgotten, r.checkpoint_ms,
           r.peak_memory, r.uploaded_at, r.start_within, r.fence, r.peak_gpu_memory);
}
void Dump(std::string& out, const AccountRow& r) {
  Line(out, "account").Put(r.id, r.kind, r.owner, r.asset);
}
void Dump(std::string& out, const LotRow& r) {
  Line(out, "lot")
      .Put(r.id, r.account, r.asset, r.owner, r.tier, r.starts_at, r.ends_at, r.credited, r.posted,
           r.held, r.credit_limit, r.lapsed, r.payer);
}
void Dump(std::string& out, const PackageRow& r) {
  Line(out, "package")
      .Put(r.id, r.tier, r.kind, r.provider, r.payer, r.price, r.total_ms, r.units, r.bought_at,
           r.starts_at, r.ends_at, r.split, r.borrow, r.borrow_ms, r.lapse_to, r.inventory,
           r.used_ms, r.moved, r.lapsed, r.closed_at);
}
void Dump(std::string& out, const PortionRow& r) {
  Line(out, "portion")
      .Put(r.package, r.member, r.share, r.total_ms, r.cost, r.lot, r.borrowed_ms, r.borrowing_ms,
           r.lapsed_ms, r.lapsed);
}
void Dump(std::string& out, const MonthRow& r) {
  Line(out, "month")
      .Put(r.start_at, r.end_at, r.closed_at, r.forced, r.by, r.settled_at, r.spread, r.settled_by);
}
void Dump(std::string& out, const PaymentRow& r) {
  Line(out, "payment")
      .Put(r.id, r.month, r.from, r.to, r.amount, r.state, r.proposed_at, r.paid_at, r.ref,
           r.transfer);
}
void Dump(std::string& out, const HoldRow& r) {
  Line(out, "hold")
      .Put(r.attempt, r.asset, r.amount, r.posted, r.state, r.at, r.closed_at, r.reason);
}
void Dump(std::string& out, const HoldLineRow& r) {
  Line(out, "line").Put(r.attempt, r.n, r.lot, r.amount, r.posted);
}
void Dump(std::string& out, const SettlementRow& r) {
  Line(out, "settlement").Put(r.attempt, r.at, r.charged, r.lab, r.metered_ms, r.hash, r.payer);
}
void Dump(std::string& out, const LimitRow& r) {
  Line(out, "limit")
      .Put(r.id, r.resource, r.of, r.scope, r.member, r.tier, r.period, r.unlimited, r.amount,
           r.until, r.absent, r.starts_at, r.notify_at, r.block_at);
}
void Dump(std::string& out, const BillingRow& r) {
  Line(out, "billing").Put(r.tier, r.source, r.valid_from, r.provider, r.rule);
}
void Dump(std::string& out, const RentalRow& r) {
  Line(out, "rental")
      .Put(r.id, r.node, r.tier, r.source, r.provider, r.instance, r.units, r.rule, r.disk_gb,
           r.opened_at, r.closed_at, r.by_hand, r.posted_at, r.billed, r.members, r.lab, r.idle,
           r.rounding, r.disk, r.variance, r.used_ms, r.since_members, r.since_lab, r.since_used_ms,
           r.stopped, r.egress_bytes, r.egress);
}
void Dump(std::string& out, const ThresholdRow& r) {
  Line(out, "threshold").Put(r.limit, r.member, r.percent, r.start_at, r.at);
}
void Dump(std::string& out, const PayerRow& r) { Line(out, "payer").Put(r.reason, r.payer); }
void Dump(std::string& out, const CardRow& r) {
  Line(out, "card")
      .Put(r.name, r.low, r.high, r.priced_on, r.good_for, r.observation, r.observed_on,
           r.memory_mib, r.fp32_gflops, r.fp16_gflops, r.bandwidth_gbs, r.power_w, r.bf16,
           r.absent);
}
void Dump(std::string& out, const SpendRow& r) {
  Line(out, "spend").Put(r.member, r.project, r.tier, r.period, r.start_at, r.charged, r.unit_ms);
}
void Dump(std::string& out, const UsageRow& r) {
  Line(out, "usage").Put(r.member, r.amount, r.project);
}
void Dump(std::string& out, const RequestRow& r) {
  Line(out, "request").Put(r.member, r.key, r.body_hash, r.at, r.money, r.first, r.count);
}
void Dump(std::string& out, const InvoiceRow& r) {
  Line(out, "invoice")
      .Put(r.id, r.provider, r.ref, r.starts_at, r.ends_at, r.payer, r.total, r.charges, r.at, r.by,
           r.booked_at);
}
void Dump(std::string& out, const InvoiceLineRow& r) {
  Line(out, "invoice_line")
      .Put(r.invoice, r.n, r.kind, r.instance, r.text, r.starts_at, r.ends_at, r.amount, r.rental,
           r.unknown, r.charges, r.idle, r.rounding, r.disk, r.variance, r.egress);
}
void Dump(std::string& out, const CoveredRow& r) {
  Line(out, "covered")
      .Put(r.rental, r.until, r.disk_until, r.charges, r.idle, r.rounding, r.disk, r.variance,
           r.egress_until, r.egress);
}
void Dump(std::string& out, const AmendedRow& r) { Line(out, "amended").Put(r.entry, r.change); }

template <class Row>
void DumpAll(std::string& out, const std::vector<Row>& rows) {
  for (const Row& row : rows) Dump(out, row);
}

}  // namespace

std::string DumpOf(const Snapshot& s) {
  std::string out = fmt::format("now {}\n", s.now.micros());
  Dump(out, s.lab);
  DumpAll(out, s.members);
  DumpAll(out, s.projects);
  DumpAll(out, s.tiers);
  DumpAll(out, s.rates);
  DumpAll(out, s.periods);
  DumpAll(out, s.nodes);
  DumpAll(out, s.hardware);
  DumpAll(out, s.jobs);
  DumpAll(out, s.tasks);
  DumpAll(out, s.attempts);
  DumpAll(out, s.accounts);
  DumpAll(out, s.lots);
  DumpAll(out, s.packages);
  DumpAll(out, s.portions);
  DumpAll(out, s.months);
  DumpAll(out, s.payments);
  DumpAll(out, s.holds);
  DumpAll(out, s.hold_lines);
  DumpAll(out, s.settlements);
  DumpAll(out, s.limits);
  DumpAll(out, s.billing);
  DumpAll(out, s.rentals);
  DumpAll(out, s.thresholds);
  DumpAll(out, s.payers);
  DumpAll(out, s.cards);
  DumpAll(out, s.spend);
  DumpAll(out, s.usage);
  DumpAll(out, s.requests);
  DumpAll(out, s.invoices);
  DumpAll(out, s.invoice_lines);
  DumpAll(out, s.covered);
  DumpAll(out, s.amended);
  return out;
}

std::string DigestOf(const Snapshot& snapshot) { return Sha256Hex(DumpOf(snapshot)); }

}  // namespace pinka
