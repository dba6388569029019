// What people see of the books. Amounts are as stored, sums are made here only where SQL makes
// them exactly; what is in flight beyond the last stored meter is the runtime's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/command.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

struct LotBalance {
  LotRow row;
  std::string owner;  // "alice", "project:vision", "lab"
  std::string tier;   // "" where it may be spent on any
};

// An open hold with what its attempt has metered: in flight = cost(metered - overrun) - posted.
struct OpenHold {
  HoldRow row;
  MemberId member;
  int32_t units = 0;
  Rate rate;
  int64_t metered_ms = 0;
  int64_t overrun_ms = 0;
};

struct Balances {
  std::vector<LotBalance> lots;         // not lapsed, by owner and burn order
  std::vector<OpenHold> holds;          // open
  std::vector<HoldLineRow> hold_lines;  // of those
};

struct Entry {
  TransferRow row;
  AccountKind debit_kind = AccountKind::kExternal;
  std::string debit_owner;
  AccountKind credit_kind = AccountKind::kExternal;
  std::string credit_owner;
  std::string member;
  std::string project;
  std::string tier;
  std::string node;
  std::string person;  // "" for pinka
};

struct EntryFilter {
  std::optional<Owner> account = {};  // entries of accounts it owns, on either side
  JobId job = {};                     // none: any
  MemberId member = {};               // the member dimension; none: any
  TransferId after = {};              // keyset: ids above it
  int32_t limit = 1000;
};

struct LimitLine {
  LimitRow row;
  std::string scope;   // "lab", "alice", "project:vision"
  std::string member;  // with a project scope
  std::string tier;
};

// All accounts: the api shows each caller the part they may see.
StatusOr<Balances> ReadBalances(ReadPool& pool);
StatusOr<std::vector<Entry>> ListEntries(ReadPool& pool, const EntryFilter& filter);
// One entry, or the charges of an attempt or (number 0) of a task, for a money verb to judge.
StatusOr<std::vector<NamedEntry>> EntryNamed(ReadPool& pool, TransferId id);
StatusOr<std::vector<NamedEntry>> ChargesOf(ReadPool& pool, const AttemptId& attempt);
StatusOr<std::vector<HoldRow>> HoldsOfJob(ReadPool& pool, JobId job);
// Those in force.
StatusOr<std::vector<LimitLine>> ListLimits(ReadPool& pool);
// The counters of the periods that contain `at`, and those without a period.
StatusOr<std::vector<SpendRow>> SpendAt(ReadPool& pool, Timestamp at);
// What the members' accounts settled, as the charge transfers say, by member: for cross-checks.
struct Settled {
  MemberId member;
  std::string name;
  Money amount;
};
StatusOr<std::vector<Settled>> SettledByMember(ReadPool& pool);

}  // namespace pinka::db
