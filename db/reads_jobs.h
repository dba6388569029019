// What people see of jobs. Facts only: position, reason of waiting and expected start are the
// board's. Every call is one or a few reads through the pool; errors are the database's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

struct JobFilter {
  bool all = false;                    // ended ones too
  MemberId member = {};                // none: everybody's
  std::string user = {};               // by name, also of a member who left; "": everybody's
  std::string tier = {};               // by name; "": any
  std::vector<TaskState> states = {};  // empty: any
  Timestamp since = {};                // not those that ended before; unset: any
  JobId after = {};                    // keyset: ids above it
  int32_t limit = 1000;
};

// A line of `pinka ls`.
struct JobLine {
  JobId id;
  std::string name;
  std::string comment;
  MemberId member;
  std::string user;
  std::string tier;
  std::string project;
  int32_t units = 0;
  int32_t gpus = 0;
  int32_t cpus = 0;
  int64_t memory = 0;
  Duration time_limit;
  Wish source = Wish::kAny;
  JobClass klass = JobClass::kNormal;
  std::string array;
  int32_t task_count = 0;
  TaskState state = TaskState::kPending;
  Reason hold_reason = Reason::kOk;
  std::vector<int32_t> counts;  // tasks by TaskState
  Timestamp submitted_at;
  Timestamp eligible_at;
  Timestamp ended_at;
  std::string payload;
  std::string chdir;
  Money charged;    // posted so far, to the member
  Money committed;  // open holds
  bool simulated = false;
  // Of the task of a plain job; of arrays none.
  EndReason end_reason = EndReason::kNone;
  bool exited = false;
  int32_t exit_code = 0;
  int32_t signal = 0;
  // When it may start.
  std::string dependency;  // as written
  std::string waits_on;    // what of it is open
  Timestamp begin_at;
  bool night = false;
  Timestamp deadline;
};

struct PayerShare {
  TaskId task;
  int32_t number = 0;
  std::string payer;  // "alice", "project:vision", "lab"
  Money amount;
};

struct AttemptDetail {
  AttemptRow row;
  std::string node;
  bool simulated = false;
  std::vector<std::string> gpu_uuids;  // of its GPUs, as the node has them now
  Money held;                          // open hold
  Money charged;                       // posted to the member
  int64_t package = 0;                 // whose hours it holds; 0: money
  std::vector<PayerShare> payers;
};

struct JobDetail {
  JobLine line;
  JobRow row;
  JobTextRow text;
  std::vector<TaskRow> tasks;           // with a row of their own, by index
  std::vector<AttemptDetail> attempts;  // of those, by index and number
};

// Immutable facts of a job that has ended: what a command attaches (design.md 3).
struct EndedJob {
  JobId id;
  MemberId member;
  TaskState state = TaskState::kPending;
  std::string payload;
  int32_t task_count = 0;
  Timestamp ended_at;
  int64_t name_hash = 0;
  Timestamp started_at;  // its first task; none: none ever did
  RangeSet ok;           // indices of tasks that ended 0
};

struct JobEvent {
  EventRow row;
  int64_t batch = 0;
  std::string actor;  // name; "" for pinka
};

// How long work of a member usually ran, and what was found alike: "name", else "payload" (the same
// command), else "tier".
struct UsualRun {
  std::string by;
  int64_t ms = 0;  // the median of what its tasks ran for
  int64_t runs = 0;
};

// How tasks of a member ended on one tier, that were alike: "payload" (the same command) or "name".
struct PastRuns {
  std::string by;
  TierId tier;
  int64_t runs = 0;
  int64_t completed = 0;
  int64_t timeouts = 0;
  int64_t out_of_memory = 0;
  int64_t median_ms = 0;     // of what completed, all attempts
  int64_t longest_ms = 0;    // one attempt
  Duration timeout_limit;    // the longest that was too short
  int32_t memory_units = 0;  // the most units, and bytes asked for, that were too small
  int64_t memory = 0;
  int64_t peak_gpu_memory = 0;  // bytes of a card, the most of all runs; 0: not known
};

StatusOr<std::vector<JobLine>> ListJobs(ReadPool& pool, const JobFilter& filter);
// None: no such job. At most `task_limit` tasks, the lowest indices.
StatusOr<std::optional<JobDetail>> GetJob(ReadPool& pool, JobId id, int32_t task_limit = 1000);
// The line alone: for waits.
StatusOr<std::optional<JobLine>> GetJobLine(ReadPool& pool, JobId id);
// Those of `ids` that exist and have ended.
StatusOr<std::vector<EndedJob>> EndedJobs(ReadPool& pool, const std::vector<int64_t>& ids);
// The tiers on which the member's code of that hash has succeeded since then, by id.
StatusOr<std::vector<TierId>> ProvenTiers(ReadPool& pool, MemberId member, const std::string& hash,
                                          Timestamp since);
// Of the member's last hundred ended jobs, twenty tasks of each; none where none ran.
StatusOr<std::optional<UsualRun>> ReadUsualRun(ReadPool& pool, MemberId member,
                                               const std::string& name, const std::string& payload,
                                               TierId tier);
// Of the member's last hundred ended jobs, twenty tasks of each; the same command first.
StatusOr<std::vector<PastRuns>> ReadPastRuns(ReadPool& pool, MemberId member,
                                             const std::string& name, const std::string& payload);
// The bytes of a payload; none where the hash is unknown.
StatusOr<std::optional<std::string>> PayloadByHash(ReadPool& pool, const std::string& hash);
// Oldest first. `entity` "job", "task", "attempt", "node", …; `id` as printed.
StatusOr<std::vector<JobEvent>> EventsOf(ReadPool& pool, const std::string& entity,
                                         const std::string& id, int32_t limit = 1000);

}  // namespace pinka::db
