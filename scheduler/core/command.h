// What can be asked of core, and what it answers. A command is validated in form by its sender;
// core judges it against state. Text that core does not judge (names, comments) passes through.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/core/agent_report.h"
#include "scheduler/core/file_set.h"
#include "scheduler/core/rows.h"

namespace pinka {

// Who asks. The lab's own timers have member 0 and admin.
struct Actor {
  MemberId member;
  bool admin = false;
};

// An idempotency key: the same key and hash give the first answer, another hash conflicts.
struct RequestKey {
  std::string key;   // "": none
  std::string hash;  // SHA-256 of the decoded command
};

// Facts of ended jobs that a request names, read beforehand and attached (prefetch, then decide).
// A job that the database does not know either is attached with no member.
struct EndedJob {
  JobId id;
  MemberId member;
  TaskState state = TaskState::kCompleted;
  int64_t name_hash = 0;
  Timestamp started_at;  // its first task; none: none ever did
  RangeSet ok;           // indices of tasks that ended 0
};

struct JobRequest {
  TierId tier;
  ProjectId project;
  int32_t gpus = 0;
  int32_t cpus = 0;
  int64_t memory = 0;
  Duration time_limit;  // zero: the tier's default
  Duration grace = Duration::Seconds(30);
  Wish source = Wish::kAny;
  JobClass klass = JobClass::kNormal;
  int32_t nice = 0;
  int32_t retries = 0;
  bool no_requeue = false;
  std::vector<int32_t> requeue_exit;
  std::string array;  // canonical spec, already parsed by the sender; "" plain
  PayloadRow payload;
  std::string name;
  std::string comment;
  std::string chdir;
  std::string output;
  std::string ref;         // what others of the same command call it
  std::string dependency;  // of job ids and of refs; "": none
  bool keep_invalid = false;
  Timestamp begin_at;
  bool night = false;
  Timestamp deadline;
  Money max_cost;
  Rate max_rate;
  std::string code;       // the tree of files it comes with; "": none
  int32_t need_cuda = 0;  // 12040 for 12.4; 0: any
  std::string skip_gate;  // why it may pass the promotion gate; "": it may not
  std::string command;    // as submit takes it, from options of the code on: for messages
};

struct SubmitJobs {
  Actor actor;
  RequestKey request;
  std::vector<JobRequest> jobs;  // all or nothing
  std::vector<EndedJob> ended;   // attached: those that dependencies name
  std::vector<TierId> proven;    // attached, one a job: the tier of a recent success of its code
};

enum class JobVerb : int8_t { kCancel, kHold, kRelease, kRequeue };

struct Slice {
  JobId job;
  RangeSet indices;  // array indices; empty: the whole job
};

struct ChangeJobs {
  Actor actor;
  RequestKey request;
  JobVerb verb = JobVerb::kCancel;
  std::vector<Slice> slices;
  std::string reason;
  std::vector<EndedJob> ended;  // attached
};

struct EditJob {
  Actor actor;
  RequestKey request;
  JobId job;
  bool set_time = false;
  Duration time_limit;
  bool set_text = false;
  JobTextRow text;  // the whole new row, read and changed by the sender
  bool set_dependency = false;
  std::string dependency;  // "": none any more
  TierId tier;             // none: as it is
  std::vector<EndedJob> ended;
};

// Meters alone, stored at least once a minute: one command for all nodes.
struct StoreMeters {
  struct Meter {
    AttemptId id;
    int64_t metered_ms = 0;
    int64_t log_bytes = 0;
  };
  std::vector<Meter> meters;
};

// An attempt's files are whole in the blob store. Said by the agent of its node; `metered_ms` is
// the attempt's meter now, `checkpoint_ms` what it was when the generation was written.
// `given`: a higher generation of an earlier attempt, which this one was given; else -1.
struct KeepFiles {
  std::string node;
  FileSetRow files;  // kept_at is core's
  int64_t metered_ms = 0;
  int64_t checkpoint_ms = 0;
  int64_t given = -1;
};

// No Synchronize for a while. `never_carried`: orders that no answer has brought and none will.
struct NodeSilent {
  NodeId node;
  std::vector<AttemptId> never_carried;
};

// The time an order was last carried or the node last heard decides proofs (d) and (e) of
// semantics.md 5; the runtime says which attempts are proven over.
struct AttemptsProvenOver {
  std::vector<AttemptId> attempts;
  EndReason reason = EndReason::kNodeLost;
};

enum class NodeVerb : int8_t { kDrain, kResume, kRemove, kVerify, kReclaim };

struct ChangeNode {
  Actor actor;
  RequestKey request;
  std::string node;
  NodeVerb verb = NodeVerb::kDrain;
  std::string reason;
  bool dead = false;
};

struct Deposit {
  Actor actor;
  RequestKey request;
  Owner to;
  MemberId from;  // who paid it in; none: from outside
  Money amount;
  Timestamp until = Timestamp::Never();
  TierId tier;
  std::string reason;
};

struct Withdraw {
  Actor actor;
  RequestKey request;
  Owner from;
  Money amount;
  std::string reason;
};

// An entry that a money verb names, read beforehand and attached with what belongs to it: entries
// never change. Of an attempt all charges and reversals come together, so that what its settle took
// back is known.
struct NamedEntry {
  TransferRow row;
  LotId lot;           // the one that gave, else the one that received
  TierId lot_tier;     // what that lot is for
  bool open = false;   // its attempt had not ended when this was read
  MemberId lot_payer;  // who paid in what that lot holds
};

// Gives back a charge, or of what an attempt or a task was charged the last line first: money by
// `amount`, hours of a package by `unit_ms`, or all that is left of both.
struct Refund {
  Actor actor;
  RequestKey request;
  TransferId entry;  // one charge; none: every charge among `entries`
  std::string name;  // as the person wrote it
  Money amount;
  std::string reason;
  std::vector<NamedEntry> entries;  // attached
  int64_t unit_ms = 0;
  bool all = false;
};

// Own money of one owner to another: its lots keep their end and tier.
struct Transfer {
  Actor actor;
  RequestKey request;
  Owner from;
  Owner to;
  Money amount;
  std::string reason;
};

// What an entry should have been more (above 0) or less.
struct Correct {
  Actor actor;
  RequestKey request;
  TransferId entry;
  Money amount;
  std::string reason;
  std::vector<NamedEntry> entries;  // attached
};

// A group purchase. Shares are weights: equal ones, what each has paid in, or as told.
struct BuyPackage {
  struct Share {
    MemberId member;  // none: hours that stay with the lab
    int64_t share = 0;
  };
  Actor actor;
  RequestKey request;
  TierId tier;
  PackageKind kind = PackageKind::kHours;
  int64_t total_ms = 0;  // 0 with kCapacity: units x period
  int32_t units = 0;     // of kCapacity
  Money price;
  MemberId payer;  // none: from outside
  std::string provider;
  Timestamp starts_at;  // none: now
  Timestamp ends_at;
  SplitRule split = SplitRule::kEqual;
  std::vector<Share> shares;
  BorrowRule borrow = BorrowRule::kNone;
  int64_t borrow_ms = 0;
  LapseTo lapse_to = LapseTo::kOwner;
  std::string reason;
};

// Ends a package before its time: what is left lapses.
struct ClosePackage {
  Actor actor;
  RequestKey request;
  PackageId package;
  std::string reason;
};

// Ends a month for good. Its bounds are the calendar's.
struct CloseMonth {
  Actor actor;
  RequestKey request;
  Timestamp start_at;
  Timestamp end_at;
  bool force = false;  // also where work has not been metered past the end
};

// Proposes the payments of a closed month. Positions were read from its entries beforehand.
struct SettleMonth {
  Actor actor;
  RequestKey request;
  Timestamp month;
  Timestamp since;  // the month settled before it, as read; none: none
  Spread spread = Spread::kUsage;
  std::vector<PositionRow> positions;  // attached
};

// One member has handed the other what was proposed.
struct MarkPaid {
  Actor actor;
  RequestKey request;
  PaymentId payment;
  std::string ref;
};

// Opens a node's rental by hand, or closes it; events of nodes do so by themselves.
struct OpenRental {
  Actor actor;
  RequestKey request;
  std::string node;
  std::string instance;
  int64_t disk_gb = 0;
  Timestamp at;  // none: now; not after now
};

// With `stopped` the machine is off and kept: another rental goes on at the stopped rate. A closed
// one takes what left its machine, once.
struct CloseRental {
  Actor actor;
  RequestKey request;
  RentalId rental;
  Timestamp at;  // none: now
  std::string reason;
  int64_t egress_bytes = 0;
  bool stopped = false;
};

// A provider's bill. Its lines were matched in form only; core finds their rentals.
struct ImportInvoice {
  Actor actor;
  RequestKey request;
  InvoiceRow invoice;  // id unset; its times are those of its lines
  std::vector<InvoiceLineRow> lines;
  std::vector<RentalRow> rentals;  // attached: those of the provider that core may have forgotten
  bool dry_run = false;
};

// Says what an unknown line was: the lab's side (idle, disk, egress, rounding, variance), or
// overhead.
struct ExplainLine {
  Actor actor;
  RequestKey request;
  InvoiceId invoice;
  int32_t n = 0;
  AccountKind as = AccountKind::kOverheadOther;
  MemberId member;  // with kSpent: who is charged for it
  Money amount;     // none: all that is unknown of it; below 0 where that is
  std::string reason;
};

// Sets a limit higher until an instant; the limit below it comes back by itself.
struct RaiseLimit {
  Actor actor;
  RequestKey request;
  LimitId limit;  // none: by what follows
  LimitRow row;   // ids of names resolved; amount and until as wanted
  std::string reason;
};

// The lab file, resolved to names: what it does not name stays.
struct LabChange {
  struct Tier {
    TierRow row;                      // id unset; found by name
    std::vector<RateRow> rates;       // tier unset
    std::vector<BillingRow> billing;  // tier unset
    std::string gate;                 // name of a tier; "": none
  };
  struct Member {
    std::string name;
    int64_t share = 1;
    bool admin = false;
  };
  struct Project {
    std::string name;
    std::vector<std::string> members;
    int64_t share = 0;
  };
  struct Limit {
    LimitRow row;       // ids unset
    std::string scope;  // "lab", a member, "project:NAME", "project:NAME/member"
    std::string tier;   // "" all
  };
  LabRow lab;
  bool set_lab = false;
  std::vector<Tier> tiers;
  std::vector<Member> members;
  std::vector<Project> projects;
  std::vector<Limit> limits;
  std::vector<PayerRow> payers;
  std::vector<CardRow> cards;
};

struct ApplyLab {
  Actor actor;
  RequestKey request;
  LabChange change;
  bool dry_run = false;
};

struct AddMember {
  Actor actor;
  RequestKey request;
  std::string name;
  int64_t share = 1;
  bool admin = false;
  std::string token_hash;  // "": none yet
};

struct RemoveMember {
  Actor actor;
  RequestKey request;
  std::string name;
};

// A member's token.
struct AddToken {
  Actor actor;
  RequestKey request;
  TokenRow token;
};

// A node that may join under this name: with a token that works once, or, where the scheduler
// starts its agent itself, with that agent's key. What it had before is void.
struct AddNode {
  Actor actor;
  RequestKey request;
  std::string node;
  TierId tier;
  Source source = Source::kOnDemand;
  std::string key_hash, join_hash;  // one of them
  Timestamp join_until;
};

// Binds a box's instance and key to the node of its join token. The same may be said again.
struct JoinNode {
  std::string join_hash, key_hash, instance, boot_id;
};

// The agent of a node takes another key; the one it had is void.
struct RotateKey {
  std::string node, key_hash, instance;
};

// The scheduler is about to stop together with its nodes (`pinkad up` on SIGTERM): nothing starts
// any more, what runs is stopped and goes back to the queue (NodeDrain). Undone by the agents'
// next registration.
struct Evacuate {};

// The first command of a lab's life: its run id and its first admin. A lab is founded once.
struct FoundLab {
  std::string run;  // 128 bits, hex
  std::string admin;
  std::string token_hash;  // the admin's first token
};

// The calendar, written ahead by the runtime.
struct AddPeriods {
  std::vector<PeriodRow> periods;
};

struct Tick {};

using Command = std::variant<Tick, SubmitJobs, ChangeJobs, EditJob, AgentReport, StoreMeters,
                             KeepFiles, NodeSilent, AttemptsProvenOver, ChangeNode, Deposit,
                             Withdraw, ApplyLab, AddMember, RemoveMember, AddToken, AddNode,
                             JoinNode, RotateKey, AddPeriods, FoundLab, Evacuate, Refund, Transfer,
                             Correct, BuyPackage, ClosePackage, CloseMonth, SettleMonth, MarkPaid,
                             OpenRental, CloseRental, ImportInvoice, ExplainLine, RaiseLimit>;

// What a request would be paid with, had it started at once.
struct Priced {
  Source source = Source::kOnDemand;
  Rate rate;
  Money at_most;
  Money hours;                // of a package: unit-milliseconds
  Money min_block = Money();  // what the lab pays its provider at least; 0: no rule is known
};

// The first answer to a command, and to its repeats.
struct Reply {
  Reason reason = Reason::kOk;
  std::string detail;  // one sentence for people where refused
  int64_t first = 0;   // first job id (others follow), lot id, package id, first entry
  int64_t count = 0;
  bool repeated = false;  // the request id was known
  std::string note;       // "the request id … was used more than 24 hours ago: this is a new job"
  struct PerSlice {
    int32_t tasks = 0;
    std::string note;
    Reason reason = Reason::kOk;
  };
  std::vector<PerSlice> slices;      // ChangeJobs, in its order
  std::vector<std::string> lines;    // ApplyLab: what changes; RemoveMember: consequences
  std::vector<JobId> need;           // not empty: nothing was done; attach these and ask again
  std::vector<int32_t> task_counts;  // SubmitJobs
  std::vector<Priced> priced;        // SubmitJobs, where packages may pay
  // SubmitJobs, one a job: what the promotion gate would like; "": nothing.
  std::vector<std::string> warnings;
  std::vector<InvoiceLineRow> bill;  // ImportInvoice, dry run: the lines as they would be booked
  // AgentReport: attempts core has never heard of or has closed; the agent may forget them.
  std::vector<AttemptId> unknown;
  NodeId node;
};

}  // namespace pinka
