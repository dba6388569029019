// The columns of the lab, its people and machines, in the order of their queries.
#pragma once

#include "db/bind.h"

namespace pinka::db {

template <class Binder, RowOf<LabRow> R>
void Bind(Binder& b, R& row) {
  b(row.run);
  b(row.name);
  b(row.currency);
  b(row.timezone);
  b(row.openness);
  b(row.confirm_above);
  b(row.half_life_h);
  b(row.weight_fair);
  b(row.weight_age);
  b(row.weight_class);
  b(row.weight_size);
  b(row.max_array);
  b(row.next_id);
  b(row.next_job);
  b(row.next_transfer);
  b(row.usage_hour);
  b(row.night_from_min);
  b(row.night_to_min);
}

template <class Binder, RowOf<MemberRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.name);
  b(row.share);
  b(row.admin);
  b(row.removed);
}

template <class Binder, RowOf<ProjectRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.name);
  b(row.members);
  b(row.share);
}

template <class Binder, RowOf<TierRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.name);
  b(row.purpose);
  b(row.unit_gpus);
  b(row.unit_cpus);
  b(row.unit_memory);
  b(row.default_time);
  b(row.max_time);
  b(row.staging_limit);
  b(row.fence);
  b(row.absent);
  b(row.simulated_units);
  b.Maybe(row.gate);
  b(row.gate_within);
  b(row.gate_refuses);
  b(row.min_run);
  b(row.advice_refuses);
  b(row.on_demand_after);
}

template <class Binder, RowOf<CardRow> R>
void Bind(Binder& b, R& row) {
  b(row.name);
  b(row.low);
  b(row.high);
  b(row.priced_on);
  b(row.good_for);
  b(row.observation);
  b(row.observed_on);
  b(row.memory_mib);
  b(row.fp32_gflops);
  b(row.fp16_gflops);
  b(row.bandwidth_gbs);
  b(row.power_w);
  b(row.bf16);
  b(row.absent);
}

template <class Binder, RowOf<RateRow> R>
void Bind(Binder& b, R& row) {
  b(row.tier);
  b(row.source);
  b(row.valid_from);
  b(row.rate);
}

template <class Binder, RowOf<PeriodRow> R>
void Bind(Binder& b, R& row) {
  b(row.kind);
  b(row.start_at);
  b(row.end_at);
}

template <class Binder, RowOf<NodeRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.name);
  b(row.tier);
  b(row.state);
  b(row.reason);
  b(row.drain_wanted);
  b(row.simulated);
  b(row.units);
  b(row.cpus);
  b(row.memory);
  b(row.gpus);
  b(row.instance);
  b(row.incarnation);
  b(row.boot_id);
  b(row.version);
  b(row.removed);
  b(row.source);
  b(row.unfit);
  b(row.key_hash);
  b(row.join_hash);
  b.Maybe(row.join_until);
  b(row.join_used);
  b(row.cuda);
}

template <class Binder, RowOf<TokenRow> R>
void Bind(Binder& b, R& row) {
  b(row.hash);
  b.Maybe(row.member);
  b(row.created_at);
  b(row.revoked);
}

}  // namespace pinka::db
