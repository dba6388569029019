// Nodes: the only functions that move one between states.
#pragma once

#include <optional>
#include <string>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

// A node that may join under this name: its row, JOINING. An existing one is left as it is.
NodeId ExpectNode(State& state, const std::string& name, TierId tier, Source source);

// Whether the node's key was given to another instance by a join token. A sentence for people, else
// nothing.
std::optional<std::string> GivenToAnother(const NodeRow& node, const std::string& instance);

// Whether an agent of this instance and boot may not be this node now: work of another instance may
// still run under the name. A sentence for people, else nothing.
std::optional<std::string> TakenByAnother(const State& state, const NodeRow& node,
                                          const std::string& instance, const std::string& boot_id);

// The agent is here: identity, facts, and READY or DRAINING.
void Register(State& state, NodeId id, const AgentReport& report);

void DrainNode(State& state, NodeId id, std::string reason, MemberId actor);
// DRAINING with nothing left on it is DRAINED.
void FinishDrain(State& state, NodeId id);

// The tier's unit is another: its nodes are counted anew. Simulated ones tell when they come.
void UnitChanged(State& state, TierId tier);

// The units a node has, from what its agent reports and its tier's unit.
int32_t UnitsOfNode(const TierRow& tier, const NodeFacts& facts);

// At load.
void IndexNode(State& state, const NodeRow& node);

}  // namespace pinka
