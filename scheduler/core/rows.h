// Every fact that core holds, as the rows the database keeps: one struct a table, one member a
// column. Core's state is these rows and indexes computed from them, so recovery is a load
// (design.md 3). Amounts are in the asset's smallest unit; instants in microseconds UTC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/money.h"
#include "base/ranges.h"
#include "base/time.h"
#include "scheduler/core/bill_rows.h"
#include "scheduler/core/end_reason.h"
#include "scheduler/core/hardware_rows.h"
#include "scheduler/core/ledger_rows.h"
#include "scheduler/core/reason.h"
#include "scheduler/core/types.h"

namespace pinka {

__extension__ typedef __int128 Int128;

// The lab: one row. `*_next` are the next ids to give out.
struct LabRow {
  std::string run;  // 128-bit lab run id, hex
  std::string name;
  std::string currency = "CNY";
  std::string timezone = "Asia/Shanghai";
  Openness openness = Openness::kQueue;
  Money confirm_above = Money::Whole(50);
  int32_t half_life_h = 168;
  int32_t weight_fair = 10000;
  int32_t weight_age = 3000;
  int32_t weight_class = 2000;
  int32_t weight_size = 1000;
  int32_t max_array = 1'000'000;
  int64_t next_id =
      1;  // members, projects, tiers, nodes, lots, accounts, limits, payments, invoices
  int64_t next_job = 1;
  int64_t next_transfer = 1;
  Timestamp usage_hour;              // fair-share use is rolled up to here
  int32_t night_from_min = 23 * 60;  // of the day in the lab's zone
  int32_t night_to_min = 8 * 60;
  friend bool operator==(const LabRow&, const LabRow&) = default;
};

struct MemberRow {
  MemberId id;
  std::string name;
  int64_t share = 1;
  bool admin = false;
  bool removed = false;
  friend bool operator==(const MemberRow&, const MemberRow&) = default;
};

struct ProjectRow {
  ProjectId id;
  std::string name;
  std::vector<int64_t> members;  // MemberId values, sorted
  int64_t share = 0;             // among projects; all 0: fair share has one level
  friend bool operator==(const ProjectRow&, const ProjectRow&) = default;
};

struct TierRow {
  TierId id;
  std::string name;
  std::string purpose;
  int32_t unit_gpus = 0;
  int32_t unit_cpus = 1;
  int64_t unit_memory = 0;  // bytes; 0: not counted
  Duration default_time = Duration::Hours(1);
  Duration max_time = Duration::Days(7);
  Duration staging_limit = Duration::Minutes(30);
  Duration fence;               // 0: none
  bool absent = false;          // taken out of the lab; history stays
  int32_t simulated_units = 0;  // what `pinkad up` should simulate
  // The promotion gate: a recent success of the same code on a cheaper tier. No gate: none.
  TierId gate;
  Duration gate_within = Duration::Days(30);
  bool gate_refuses = false;                 // else it warns
  Duration min_run = Duration::Minutes(10);  // nothing is preempted before it has run that long
  bool advice_refuses = false;  // what will not fit or end in time is refused, else told
  int32_t on_demand_after = 0;  // spot machines lost under a task before it leaves them; 0: never
  friend bool operator==(const TierRow&, const TierRow&) = default;
};

// Insert only: a rate never changes, a later one takes over at valid_from.
struct RateRow {
  TierId tier;
  Source source = Source::kOnDemand;
  Timestamp valid_from;
  Rate rate;
  friend bool operator==(const RateRow&, const RateRow&) = default;
};

// A day or a month of the lab's zone, [start, end); written 25 months ahead by the runtime.
struct PeriodRow {
  Period kind = Period::kMonth;
  Timestamp start_at;
  Timestamp end_at;
  friend bool operator==(const PeriodRow&, const PeriodRow&) = default;
};

struct NodeRow {
  NodeId id;
  std::string name;
  TierId tier;
  NodeState state = NodeState::kJoining;
  std::string reason;         // why it drains, is lost …
  bool drain_wanted = false;  // an admin's drain stands over disconnects
  bool simulated = false;
  int32_t units = 0, cpus = 0;
  int64_t memory = 0;
  std::vector<Gpu> gpus;
  std::string instance;  // of the agent
  int64_t incarnation = 0;
  std::string boot_id;
  int64_t version = 0;  // of its desired state: raised with each change of an order
  bool removed = false;
  Source source = Source::kOnDemand;  // how its hours are paid for
  std::string unfit;                  // why its agent wants nothing new just now; "": it does
  std::string key_hash, join_hash;    // SHA-256 of its agent's key, of its newest join token
  Timestamp join_until;               // of that token
  bool join_used = false;             // then its instance and key are bound to each other
  int32_t cuda = 0;  // the newest that its driver serves, 12040 for 12.4; 0: not known
  friend bool operator==(const NodeRow&, const NodeRow&) = default;
};

struct JobRow {
  JobId id;
  MemberId member;
  ProjectId project;
  TierId tier;
  int32_t units = 1;
  int32_t gpus = 0;
  int32_t cpus = 0;
  int64_t memory = 0;
  Duration time_limit;
  Duration grace;
  Wish source = Wish::kAny;
  JobClass klass = JobClass::kNormal;
  int32_t nice = 0;
  int32_t retries = 0;
  bool no_requeue = false;
  std::vector<int32_t> requeue_exit;
  std::string payload;  // SHA-256 of argv, environment and script
  std::string code;     // the tree of files it was submitted with; "": none
  std::string array;    // the spec as written; "" for a plain job
  int32_t task_count = 1;
  int32_t max_running = 0;  // of tasks; 0: no throttle
  Timestamp submitted_at;
  Timestamp eligible_at;  // age counts from here
  // Ordinals of tasks without a row of their own; disjoint.
  RangeSet pending;
  RangeSet held;
  RangeSet cancelled;
  RangeSet expired;                  // ended DEADLINE
  Reason hold_reason = Reason::kOk;  // of `held`: HeldByUser, HeldByAdmin, InfraHoldMaxRequeue
  // Computed, kept for readers.
  TaskState state = TaskState::kPending;
  Timestamp ended_at;
  std::vector<int32_t> counts = std::vector<int32_t>(kTaskStates);  // tasks by TaskState
  // When it may start, beside its place in the queue.
  std::string dependency;  // as written (semantics.md 4); "": none
  std::string waits_on;    // what of it is open still, in the same language
  bool keep_invalid = false;
  int64_t name_hash = 0;  // of its name, for singleton; 0: no name
  Timestamp begin_at;     // none: at once
  bool night = false;     // in the calendar's nights only
  Timestamp deadline;     // none: no deadline
  // What it may cost.
  Money max_cost;  // all tasks and attempts together; 0: no ceiling
  Rate max_rate;   // per unit-hour; 0: no ceiling
  Money charged;   // so far, refunds and corrections aside
  bool gate_skipped = false;
  // Others were stopped, or it was itself, so that it starts (preempt.h, deadline.h); none once it
  // has: until then room is promised to it before everybody.
  Timestamp freed_at;
  int32_t need_cuda = 0;  // its node's driver must serve at least that; 0: any
  friend bool operator==(const JobRow&, const JobRow&) = default;
};

// Text of a job that core passes through and does not keep.
struct JobTextRow {
  JobId job;
  std::string name;
  std::string comment;
  std::string chdir;
  std::string output;
  friend bool operator==(const JobTextRow&, const JobTextRow&) = default;
};

struct PayloadRow {
  std::string hash;
  std::string bytes;  // a serialised pinka.v1.Payload
};

// A task that has had an attempt. While it waits again it is PENDING or HELD here, not in ranges.
struct TaskRow {
  TaskId id;
  TaskState state = TaskState::kPending;
  Reason hold_reason = Reason::kOk;
  int32_t attempts = 0;  // the newest attempt's number
  int32_t retries_used = 0;
  int32_t infra_restarts = 0;
  int32_t run_agains = 0;  // ends that asked to run again (exit 85)
  bool exited = false;     // exit_code and signal are known
  int32_t exit_code = 0;
  int32_t signal = 0;
  EndReason end_reason = EndReason::kNone;
  Timestamp ended_at;
  friend bool operator==(const TaskRow&, const TaskRow&) = default;
};

struct AttemptRow {
  AttemptId id;
  NodeId node;
  MemberId member;  // copied from the job: readers and limits group by them
  ProjectId project;
  TierId tier;
  int32_t units = 1;
  std::vector<int32_t> gpus;  // indices on the node
  AttemptState state = AttemptState::kOrdered;
  Want want = Want::kRun;
  StopReason stop_reason = StopReason::kNone;
  Source source = Source::kOnDemand;
  Rate rate;           // frozen
  int64_t weight = 0;  // fair-share weight of one unit-millisecond, Q16
  Duration time_limit;
  Duration grace;
  Timestamp ordered_at;
  Timestamp started_at;  // server's time of the report
  Timestamp ended_at;
  int64_t metered_ms = 0;  // last stored meter, milliseconds of run time
  Timestamp metered_at;
  int64_t overrun_ms = 0;  // part of it past the limit: the lab's
  int64_t log_bytes = 0;
  EndReason end_reason = EndReason::kNone;
  bool exited = false;
  int32_t exit_code = 0;
  int32_t signal = 0;
  std::string message;
  bool forgotten = false;     // the node has dropped its record
  int64_t checkpoint_ms = 0;  // run time at the newest valid checkpoint that it wrote itself
  int64_t peak_memory = 0;    // bytes, of all its processes together
  Timestamp uploaded_at;      // its node had nothing more of it: its log is whole at the scheduler
  Duration start_within, fence;  // frozen: proofs are about the order that was sent. No fence: 0
  int64_t peak_gpu_memory = 0;   // bytes, of the fullest of its cards; 0: not known
  friend bool operator==(const AttemptRow&, const AttemptRow&) = default;
};

struct LimitRow {
  LimitId id;
  LimitResource resource = LimitResource::kMoney;
  LimitOf of = LimitOf::kEach;
  Owner scope;      // lab, project, member
  MemberId member;  // with a project scope: a member in the project
  TierId tier;      // none: all tiers
  Period period = Period::kNone;
  bool unlimited = false;
  int64_t amount = 0;  // micro-units, units, tasks, or unit-milliseconds
  Timestamp until;     // a raise that ends by itself, the end of kDated; none: stands
  bool absent = false;
  Timestamp starts_at;             // of kDated
  std::vector<int32_t> notify_at;  // percent of the amount, rising; told once a period each
  int32_t block_at = 0;            // percent from which on nothing new starts; 0: 100
  friend bool operator==(const LimitRow&, const LimitRow&) = default;
};

// What was posted in one period, per member, project and tier: the limits' counters. Derived from
// transfers; the check recomputes it.
struct SpendRow {
  MemberId member;
  ProjectId project;
  TierId tier;
  Period period = Period::kMonth;
  Timestamp start_at;  // none for Period::kNone: since ever
  Money charged;
  int64_t unit_ms = 0;
  friend bool operator==(const SpendRow&, const SpendRow&) = default;
};

// Fair-share use of a member in a project: all ended work, and running work up to lab.usage_hour,
// decayed to usage_hour + 1 h, in the units of fair_share.h.
struct UsageRow {
  MemberId member;
  Int128 amount = 0;
  ProjectId project;  // none: work without a project
  friend bool operator==(const UsageRow&, const UsageRow&) = default;
};

// A threshold of a limit that was crossed: told once a period.
struct ThresholdRow {
  LimitId limit;
  MemberId member;  // of an `each` limit: whose use; none: of all
  int32_t percent = 0;
  Timestamp start_at;  // of the period; none: of kNone
  Timestamp at;
  friend bool operator==(const ThresholdRow&, const ThresholdRow&) = default;
};

// Who pays attempts that end so, where the lab says otherwise than the table of end_reason.h.
struct PayerRow {
  EndReason reason = EndReason::kNone;
  Payer payer = Payer::kMember;
  friend bool operator==(const PayerRow&, const PayerRow&) = default;
};

// What a lab knows of a card beside the catalogue: its price with the day it was read, what people
// saw; of a card that the catalogue lacks its facts as well. 0 and "": the catalogue's, or not
// known.
struct CardRow {
  std::string name;       // the catalogue's id, or its own
  Rate low;               // an hour of one card
  Rate high;              // 0: no range
  std::string priced_on;  // "2026-11-30"
  std::string good_for;
  std::string observation;
  std::string observed_on;
  int64_t memory_mib = 0;
  int64_t fp32_gflops = 0;
  int64_t fp16_gflops = 0;
  int64_t bandwidth_gbs = 0;
  int64_t power_w = 0;
  bool bf16 = false;
  bool absent = false;  // taken back: the catalogue's word counts again
  friend bool operator==(const CardRow&, const CardRow&) = default;
};

// An idempotency key and its first answer (semantics.md 11).
struct RequestRow {
  MemberId member;
  std::string key;
  std::string body_hash;
  Timestamp at;
  bool money = false;  // answers for ever; others 24 h
  int64_t first = 0;   // first job id, lot id …
  int64_t count = 0;
  friend bool operator==(const RequestRow&, const RequestRow&) = default;
};

// Passed through: authentication reads them from the database.
struct TokenRow {
  std::string hash;  // SHA-256 of the token
  MemberId member;   // whose it is; agents' keys lie with their nodes
  Timestamp created_at;
  bool revoked = false;
};

struct EventRow {
  Timestamp at;
  std::string entity;  // "job", "task", "attempt", "node", "member", "lab", "lot"
  std::string id;      // printed identity
  std::string what;    // "submitted", "PENDING -> STARTING"
  std::string detail;
  MemberId actor;  // none: pinka
};

}  // namespace pinka
