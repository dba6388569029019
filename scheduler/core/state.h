// Everything core knows: the rows, and indexes computed from them. Verbs change rows through the
// functions of their stage (task.h, attempt.h, holds.h …), which keep the indexes true.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/core/changes.h"
#include "scheduler/core/dependency.h"
#include "scheduler/core/rows.h"
#include "scheduler/core/table.h"

namespace pinka {

using RequestId = std::pair<MemberId, std::string>;

// Whose use and whose queue: a member's work in one project, or in none.
struct ShareKey {
  MemberId member;
  ProjectId project;
  friend auto operator<=>(const ShareKey&, const ShareKey&) = default;
};

struct SpendKey {
  MemberId member;
  ProjectId project;
  TierId tier;
  Period period;
  Timestamp start_at;
  friend auto operator<=>(const SpendKey&, const SpendKey&) = default;
};
using ThresholdKey = std::tuple<LimitId, MemberId, int32_t, Timestamp>;
struct AccountKey {
  AccountKind kind;
  Owner owner;
  AssetId asset;
  int64_t of;  // of kind lot and inventory: the lot's or package's number, each has one
  friend auto operator<=>(const AccountKey&, const AccountKey&) = default;
};

// A job's place in its queue: higher key first, then submit time, then id. The key is exact and
// does not change with time (fair_share.h, "Order").
struct QueuePlace {
  Int128 key = 0;
  Timestamp submitted_at;
  JobId job;
  friend bool operator<(const QueuePlace& a, const QueuePlace& b) {
    if (a.key != b.key) return a.key > b.key;
    if (a.submitted_at != b.submitted_at) return a.submitted_at < b.submitted_at;
    return a.job < b.job;
  }
};

// The waiting jobs of one member and project in one tier.
struct Queue {
  std::set<QueuePlace> young;   // below the age cap
  std::set<QueuePlace> capped;  // at the age cap
  bool empty() const { return young.empty() && capped.empty(); }
};

// What is taken of a node by attempts that have not ended.
struct NodeUse {
  int32_t units = 0;
  std::set<int32_t> gpus;
  std::set<AttemptId> attempts;  // not forgotten, ended ones included: its orders
  int32_t live = 0;
};

// The nodes of a tier that are not removed: how many are paid for in each way, and how wide they
// are.
struct TierNodes {
  std::array<int32_t, 5> by_source = {};
  std::map<int32_t, int32_t> by_units;  // how many nodes of so many units
  friend bool operator==(const TierNodes&, const TierNodes&) = default;
};

// Sums over the open attempts of a member in a project, for fair share (fair_share.h).
struct OpenUse {
  Int128 weight = 0;                     // sum of w
  Int128 weight_at_start = 0;            // sum of w * decay(reference - start)
  std::map<Timestamp, Int128> by_start;  // sums of w by ordered_at
};

// What counts against limits now, per member, project and tier.
struct OpenSums {
  Money money;          // open holds less what is posted of them
  int64_t unit_ms = 0;  // units x limit of open attempts
  int32_t units = 0;    // running
  int64_t queued = 0;   // tasks that wait: PENDING or HELD
};
using OpenKey = std::tuple<MemberId, ProjectId, TierId>;

struct JobIndex {
  std::vector<int32_t> indices;     // ordinal -> array index; empty: the same number
  std::set<int32_t> waiting_again;  // indices of tasks with a row that are PENDING
  int32_t live = 0;                 // tasks with an open attempt
  Dependency waits;                 // waits_on, read
  RangeSet ready;                   // ordinals that terms for each task apart have let through
  Timestamp timer;                  // its place in `timers`; none: it has none
};

// How work with a deadline uses spot (deadline.h). A running lab has kSlack; the others are what it
// is measured against.
enum class SpotRule : int8_t { kSlack, kUniform, kSwitch, kOnDemand };

// Parts of the policy that a simulation may leave out, to see what each brings. A running lab has
// them all.
struct Policy {
  bool fair_share = true;  // without it and the others: first in, first out
  bool age = true;
  bool job_class = true;
  bool size = true;
  bool backfill = true;
  bool preemption = true;
  SpotRule spot = SpotRule::kSlack;
};

struct State {
  Timestamp now;
  Policy policy;
  LabRow lab;
  bool lab_touched = false;

  Table<MemberId, MemberRow> members;
  Table<ProjectId, ProjectRow> projects;
  Table<TierId, TierRow> tiers;
  Table<NodeId, NodeRow> nodes;
  Table<NodeId, HardwareRow> hardware;  // of nodes that are checked
  Table<JobId, JobRow> jobs;
  Table<TaskId, TaskRow> tasks;
  Table<AttemptId, AttemptRow> attempts;
  Table<AttemptId, HoldRow> holds;  // open
  Table<std::pair<AttemptId, int32_t>, HoldLineRow> hold_lines;
  Table<LotId, LotRow> lots;
  Table<PackageId, PackageRow> packages;  // not closed
  Table<std::pair<PackageId, MemberId>, PortionRow> portions;
  Table<Timestamp, MonthRow> closed_months;  // by start
  Table<PaymentId, PaymentRow> payments;
  Table<LimitId, LimitRow> limits;
  Table<ThresholdKey, ThresholdRow> thresholds;  // of periods that go on
  Table<EndReason, PayerRow> payers;
  Table<std::string, CardRow> cards;
  Table<RentalId, RentalRow> rentals;  // open, or closed in the last 75 days
  Table<InvoiceId, InvoiceRow> invoices;
  Table<std::pair<InvoiceId, int32_t>, InvoiceLineRow> invoice_lines;  // not explained yet
  Table<SpendKey, SpendRow> spend;
  Table<ShareKey, UsageRow> usage;
  std::map<AccountId, AccountRow> accounts;
  std::map<RequestId, RequestRow> requests;
  std::map<AttemptId, SettlementRow> settlements;
  std::map<TransferId, Money> amended;                                   // AmendedRow, by entry
  std::map<RentalId, CoveredRow> covered;                                // by bills so far
  std::map<std::pair<TierId, Source>, std::vector<RateRow>> rates;       // by valid_from
  std::map<std::pair<TierId, Source>, std::vector<BillingRow>> billing;  // by valid_from
  std::vector<PeriodRow> nights;                                         // by start
  std::vector<PeriodRow> days;                                           // by start
  std::vector<PeriodRow> months;                                         // by start

  Changes out;                          // appended rows of this batch
  std::map<LotId, LotRow> lots_before;  // lots as this batch found them
  std::set<LotId> lots_guarded;         // a hold was made on them in this batch
  std::set<NodeId> orders_changed;      // nodes to publish
  std::vector<AttemptId> holds_closed;  // leave memory at the end of this batch
  std::vector<PackageId> packages_closed;
  std::vector<AttemptId> forgotten;  // likewise, where their job has left
  Timestamp next_date;               // time.cc: the next boundary or lot end; 0: not computed

  // Indexes.
  std::map<std::string, MemberId> member_by_name;
  std::map<std::string, ProjectId> project_by_name;
  std::map<std::string, TierId> tier_by_name;
  std::map<std::string, NodeId> node_by_name;
  std::map<NodeId, RentalId> open_rentals;  // at most one a node
  std::map<AccountKey, AccountId> account_by_key;
  std::map<JobId, JobIndex> job_index;
  std::map<TierId, std::map<ShareKey, Queue>> queues;
  std::map<TierId, int32_t> tier_units;  // of nodes that are not removed
  std::map<TierId, TierNodes> tier_nodes;
  std::map<NodeId, NodeUse> node_use;
  // Open attempts that others may interrupt: scavenger, spot, and package hours, borrowed or not.
  std::map<TierId, std::set<AttemptId>> interruptible;
  // Open attempts of jobs with a deadline.
  std::map<TierId, std::set<AttemptId>> against_time;
  std::set<JobId> freed;  // jobs with freed_at
  std::map<ShareKey, OpenUse> open_use;
  std::map<OpenKey, OpenSums> open_sums;
  std::set<std::pair<Timestamp, JobId>> age_caps;    // when a waiting job stops growing older
  std::set<std::pair<Timestamp, JobId>> ended_jobs;  // when it leaves memory
  std::set<std::pair<Timestamp, JobId>> timers;      // when time alone may let it start, or end it
  std::map<JobId, std::set<JobId>> dependants;       // of jobs that have not ended
  std::map<std::pair<MemberId, int64_t>, std::set<JobId>> namesakes;  // not ended, by name_hash
  std::set<JobId> recheck;  // what they wait for has moved: judged before the command is over
  std::set<TaskId> recheck_tasks;
  std::set<std::pair<Timestamp, RequestId>> request_ends;
  std::set<TierId> to_plan;  // tiers where something changed since the last pass
};

inline MemberId KeyOf(const MemberRow& r) { return r.id; }
inline SpendKey KeyOf(const SpendRow& r) {
  return {r.member, r.project, r.tier, r.period, r.start_at};
}
inline OpenKey KeyOf(const AttemptRow& r) { return {r.member, r.project, r.tier}; }
inline ShareKey KeyOf(const UsageRow& r) { return {r.member, r.project}; }
inline ThresholdKey KeyOf(const ThresholdRow& r) {
  return {r.limit, r.member, r.percent, r.start_at};
}
inline OpenKey KeyOf(const JobRow& r) { return {r.member, r.project, r.tier}; }
inline ShareKey ShareKeyOf(const JobRow& r) { return {r.member, r.project}; }
inline ShareKey ShareKeyOf(const AttemptRow& r) { return {r.member, r.project}; }

// How long an ended job stays in memory.
inline constexpr Duration kKeepEnded = Duration::Minutes(10);
// A job request's key gives the first answer for a day; for one more it is known to be too old.
inline constexpr Duration kKeepRequest = Duration::Hours(24);
inline constexpr Duration kKnowRequest = Duration::Hours(48);
inline constexpr Duration kKeepSpend = Duration::Days(75);
inline constexpr AssetId kCurrency{1};

// A package's unit-time. Ids of packages are above 1: the lab's founder has that.
inline AssetId AssetOf(PackageId package) { return AssetId(package.value()); }
// None for the currency.
inline PackageId PackageOf(AssetId asset) {
  return asset == kCurrency ? PackageId() : PackageId(asset.value());
}

// Rows in, indexes built.
State LoadState(const Snapshot& snapshot);
// Rows out, sorted by key: what a load at this moment would give.
Snapshot ExportState(const State& state);

// Names for messages.
std::string MemberName(const State& state, MemberId id);
std::string TierName(const State& state, TierId id);
std::string OwnerName(const State& state, const Owner& owner);  // "alice", "project:p", "lab"
std::string TaskName(const State& state, const TaskId& id);     // "17" for a plain job, "17_3"

// The calendar's rows of one kind.
std::vector<PeriodRow>& PeriodsOf(State& state, Period kind);
// The period of `kind` that contains `at`; null where the calendar does not reach.
const PeriodRow* PeriodAt(const State& state, Period kind, Timestamp at);
// The end of the last closed month: nothing is dated before it. The epoch where none is closed.
Timestamp ClosedUntil(const State& state);
// "2026-09", of the instant at which a month of the lab's zone starts.
std::string MonthName(Timestamp start_at);
// The rate in force at `at`; nothing where there is none.
std::optional<Rate> RateAt(const State& state, TierId tier, Source source, Timestamp at);

void Log(State& state, std::string entity, std::string id, std::string what,
         std::string detail = "", MemberId actor = {});
// Every tier: budgets, limits, shares or the calendar changed.
void PlanAll(State& state);
// Every tier where somebody waits: the order may have moved.
void PlanWaiting(State& state);

int64_t TakeId(State& state);

}  // namespace pinka
