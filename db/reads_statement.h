// A member's month (semantics.md 10): what lay in the member's own lots before it, every line that
// moved them, and what was charged for the member's work to lots of others.
#pragma once

#include <string>
#include <vector>

#include "db/pool.h"

namespace pinka::db {

struct StatementEntry {
  std::string section;  // charge, credit, elsewhere, lapse, other, refund, withdraw
  Timestamp at;         // of an attempt's charges: the last of them
  std::string kind;     // the entry's
  AttemptId attempt;    // none for money verbs
  std::string tier;
  Source source = Source::kOnDemand;
  int64_t unit_ms = 0;
  Rate rate;
  Money amount;  // signed: what it does to the own lots; in `elsewhere`, what was charged
  AccountKind other_kind = AccountKind::kLot;  // the other side; in `elsewhere`, who paid
  std::string other_owner;
  std::string project;
  std::string reason;
};

struct Statement {
  Money opening;
  std::vector<StatementEntry> entries;  // by section, then by time
};

// Of one moment: opening and entries are read together. [from, to).
StatusOr<Statement> ReadStatement(ReadPool& pool, MemberId member, Timestamp from, Timestamp to);

}  // namespace pinka::db
