// What db/queries/read_months.sql reads of the books for the month's end, from the store in memory.
#pragma once

#include "scheduler/core/positions.h"
#include "scheduler/sim/fake_store.h"

namespace pinka::test {

// Of the month [start_at, end_at); everything before its end.
PositionFacts FactsOf(const sim::FakeStore::Tables& tables, Timestamp start_at, Timestamp end_at);

}  // namespace pinka::test
