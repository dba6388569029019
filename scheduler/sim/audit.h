// The checker of the simulated world: what must hold after every batch, whatever happened. It adds
// up rows and entries and compares; it has no arithmetic of charges, holds or plans of its own.
//
//   for (const std::string& violation : Audit(core, store)) …
//
// Books: every lot is its entries, every open hold is an open attempt, each ended attempt is
// settled once with what its entries say. Machines: nothing is given out twice. Jobs: counts are a
// recount. Recovery: a core loaded from the store equals the running one, in rows and in indexes.
#pragma once

#include <string>
#include <vector>

#include "scheduler/core/core.h"
#include "scheduler/sim/fake_store.h"

namespace pinka::sim {

std::vector<std::string> AuditBooks(const FakeStore& store);
std::vector<std::string> AuditMachines(const FakeStore& store);
std::vector<std::string> AuditJobs(const FakeStore& store);
// `core` has committed everything it did. Where its time went on without a batch there is nothing
// to compare: what a load knows is older.
std::vector<std::string> AuditReload(const Core& core, const FakeStore& store);

std::vector<std::string> Audit(const Core& core, const FakeStore& store);

}  // namespace pinka::sim
