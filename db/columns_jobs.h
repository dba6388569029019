// The columns of jobs and what they leave behind, in the order of their queries.
#pragma once

#include "db/bind.h"

namespace pinka::db {

template <class Binder, RowOf<PayloadRow> R>
void Bind(Binder& b, R& row) {
  b(row.hash);
  b.Bytes(row.bytes);
}

template <class Binder, RowOf<JobRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.member);
  b.Maybe(row.project);
  b(row.tier);
  b(row.units);
  b(row.gpus);
  b(row.cpus);
  b(row.memory);
  b(row.time_limit);
  b(row.grace);
  b(row.source);
  b(row.klass);
  b(row.nice);
  b(row.retries);
  b(row.no_requeue);
  b(row.requeue_exit);
  b(row.payload);
  b(row.array);
  b(row.task_count);
  b(row.max_running);
  b(row.submitted_at);
  b(row.eligible_at);
  b(row.pending);
  b(row.held);
  b(row.cancelled);
  b(row.expired);
  b(row.hold_reason);
  b(row.state);
  b.Maybe(row.ended_at);
  b(row.counts);
  b(row.dependency);
  b(row.waits_on);
  b(row.keep_invalid);
  b(row.name_hash);
  b.Maybe(row.begin_at);
  b(row.night);
  b.Maybe(row.deadline);
  b(row.max_cost);
  b(row.max_rate);
  b(row.charged);
  b(row.gate_skipped);
  b.Maybe(row.freed_at);
  b(row.code);
  b(row.need_cuda);
}

template <class Binder, RowOf<JobTextRow> R>
void Bind(Binder& b, R& row) {
  b(row.job);
  b(row.name);
  b(row.comment);
  b(row.chdir);
  b(row.output);
}

// add_jobs: a job that no batch has written.
struct NewJob {
  const JobRow& row;
  const JobTextRow& text;
};

template <class Binder, RowOf<NewJob> R>
void Bind(Binder& b, R& job) {
  Bind(b, job.row);
  b(job.text.name);
  b(job.text.comment);
  b(job.text.chdir);
  b(job.text.output);
}

template <class Binder, RowOf<TaskRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.state);
  b(row.hold_reason);
  b(row.attempts);
  b(row.retries_used);
  b(row.infra_restarts);
  b(row.exited);
  b(row.exit_code);
  b(row.signal);
  b(row.end_reason);
  b.Maybe(row.ended_at);
  b(row.run_agains);
}

template <class Binder, RowOf<FileSetRow> R>
void Bind(Binder& b, R& row) {
  b(row.attempt);
  b(row.kind);
  b(row.generation);
  b(row.root);
  b(row.files);
  b(row.bytes);
  b(row.kept_at);
}

template <class Binder, RowOf<AttemptRow> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.node);
  b(row.member);
  b.Maybe(row.project);
  b(row.tier);
  b(row.units);
  b(row.gpus);
  b(row.state);
  b(row.want);
  b(row.stop_reason);
  b(row.source);
  b(row.rate);
  b(row.weight);
  b(row.time_limit);
  b(row.grace);
  b(row.ordered_at);
  b.Maybe(row.started_at);
  b.Maybe(row.ended_at);
  b(row.metered_ms);
  b.Maybe(row.metered_at);
  b(row.overrun_ms);
  b(row.log_bytes);
  b(row.end_reason);
  b(row.exited);
  b(row.exit_code);
  b(row.signal);
  b(row.message);
  b(row.forgotten);
  b(row.checkpoint_ms);
  b(row.peak_memory);
  b.Maybe(row.uploaded_at);
  b(row.start_within);
  b(row.fence);
  b(row.peak_gpu_memory);
}

template <class Binder, RowOf<RequestRow> R>
void Bind(Binder& b, R& row) {
  b(row.member);
  b(row.key);
  b(row.body_hash);
  b(row.at);
  b(row.money);
  b(row.first);
  b(row.count);
}

template <class Binder, RowOf<EventRow> R>
void Bind(Binder& b, R& row) {
  b(row.at);
  b(row.entity);
  b(row.id);
  b(row.what);
  b(row.detail);
  b.Maybe(row.actor);
}

}  // namespace pinka::db
