// What a node's hardware is found to be, to what the node may do (docs/hardware.md).
//
//   UNUSABLE  quarantine; it comes back by itself with a check that is OK
//   MISMATCH  quarantine until somebody has looked: a check on demand that is OK, or `resume`,
//   which
//             also lets the same finding pass from then on
//   a card that another node has: as MISMATCH
//
// One sick card of several takes out that one. A card that was registered and is not shown any more
// is kept, out of use: a node does not come back with fewer cards by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

// The cards of a node after a report of them: known ones keep their index, whatever order they are
// shown in. A machine that shares no card with what was known is another one.
std::vector<Gpu> MergeGpus(const std::vector<Gpu>& known, const std::vector<Gpu>& reported);
int32_t WorkingGpus(const NodeRow& node);

struct HardwareChange {
  std::optional<std::string> out;  // into quarantine, and why
  bool back = false;               // out of it
};
// Takes the report's cards and its check. A report that tells of none changes nothing else.
HardwareChange HearHardware(State& state, NodeId id, const AgentReport& report);

// An admin has asked for a check; an admin lets what was found pass.
void DemandCheck(State& state, NodeId id);
void AcceptHardware(State& state, NodeId id);
// Whether the attempt ended for a card that is out of use already: its loss drains nothing else.
bool LostItsCard(const State& state, const AttemptRow& attempt);

}  // namespace pinka
