// Limits are ceilings and hold no money (semantics.md 7). What counts against one is what was
// posted in its period plus what is open now; the request itself is included in the test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/reason.h"
#include "scheduler/core/state.h"

namespace pinka {

// What a start, or a submit, asks for.
struct Ask {
  MemberId member;
  ProjectId project;
  TierId tier;
  Money money;
  int64_t unit_ms = 0;
  int32_t units = 0;
  int64_t tasks = 0;  // newly queued
};

struct Blocked {
  Reason reason = Reason::kOk;
  std::string text;  // one sentence with the numbers
  Money short_by;    // of Budget
};

// The limits that apply to a member (in a project, on a tier), nearest `each` first.
std::vector<const LimitRow*> LimitsFor(const State& state, MemberId member, ProjectId project,
                                       TierId tier);

// The rows in force at the place of `limit` (resource, of, scope, tier, period), newest first: the
// first one stands, a raise above what it raises.
std::vector<const LimitRow*> StandingAt(const State& state, const LimitRow& limit);

// When the period of a limit that goes on has begun; none of kNone.
Timestamp PeriodStart(const State& state, const LimitRow& limit);

// From when on days are kept in `spend`: 75 days, and as long as a dated limit needs them.
Timestamp SpendKeptFrom(const State& state);

// What counts against `limit` for this member now, without any request.
int64_t UsedOf(const State& state, const LimitRow& limit, MemberId member);

// The first limit that `ask` would cross, in the order of reasons: running units before money.
std::optional<Blocked> CrossedLimit(const State& state, const Ask& ask);
// Whether the ask alone is above a limit's whole amount: it can never run.
std::optional<Blocked> HopelessLimit(const State& state, const Ask& ask);

// Counters: money and unit-time posted at `at`; below 0 for what is given back.
void CountSpend(State& state, const OpenKey& of, Money charged, int64_t unit_ms, Timestamp at);

// For people: "lab", "alice", "project:p/alice"; "the money limit of alice per month"; "12.00".
std::string LimitScope(const State& state, const LimitRow& limit);
std::string LimitTitle(const State& state, const LimitRow& limit);
std::string LimitAmount(const State& state, const LimitRow& limit, int64_t amount);

}  // namespace pinka
