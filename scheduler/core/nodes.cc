#include "scheduler/core/nodes.h"

#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/hardware.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/task.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// Its agent has come, and has not gone: from here to there its provider's clock runs.
bool IsUp(NodeState s) {
  return s == NodeState::kReady || s == NodeState::kDraining || s == NodeState::kDrained ||
         s == NodeState::kQuarantined;
}

void MoveNode(State& state, NodeId id, NodeState to, std::string detail, MemberId actor = {}) {
  NodeRow& node = state.nodes.Edit(id);
  if (node.state == to) return;
  Log(state, "node", node.name, fmt::format("{} -> {}", Name(node.state), Name(to)),
      std::move(detail), actor);
  const NodeState from = std::exchange(node.state, to);
  state.to_plan.insert(node.tier);
  if (IsUp(to) && !IsUp(from)) OpenRentalOf(state, id);
  if (to == NodeState::kLost || to == NodeState::kStopped) CloseRentalOf(state, id);
}

// In the index of its tier: one more, or with -1 one less.
void CountNode(State& state, const NodeRow& node, int32_t more) {
  TierNodes& nodes = state.tier_nodes[node.tier];
  nodes.by_source[static_cast<size_t>(node.source)] += more;
  if ((nodes.by_units[node.units] += more) == 0) nodes.by_units.erase(node.units);
}

void SetUnits(State& state, NodeId id, int32_t units) {
  NodeRow& node = state.nodes.Edit(id);
  if (node.units == units) return;
  state.tier_units[node.tier] += units - node.units;
  CountNode(state, node, -1);
  node.units = units;
  CountNode(state, node, 1);
  RequeueTier(state, node.tier);  // the size factor is relative to the tier
}

// A machine of another size is another rental.
void Resize(State& state, NodeId id, int32_t units) {
  if (state.nodes.Get(id).units == units) return;
  SetUnits(state, id, units);
  CloseRentalOf(state, id);
  if (IsUp(state.nodes.Get(id).state)) OpenRentalOf(state, id);
}

std::vector<AttemptId> LiveAttempts(const State& state, NodeId id) {
  std::vector<AttemptId> live;
  auto use = state.node_use.find(id);
  if (use == state.node_use.end()) return live;
  for (const AttemptId& attempt : use->second.attempts) {
    if (state.attempts.Get(attempt).state != AttemptState::kEnded) live.push_back(attempt);
  }
  return live;
}

void GiveUp(State& state, const AttemptId& id, EndReason reason, std::string message,
            bool forgotten) {
  const AttemptRow* attempt = state.attempts.Find(id);
  if (!attempt || attempt->state == AttemptState::kEnded) return;
  End end;
  end.reason = reason;
  end.metered_ms = attempt->metered_ms;
  end.message = std::move(message);
  end.forgotten = forgotten;
  EndAttempt(state, id, end);
}

// Units with cards that take no work as well: what its provider asks for.
int32_t SizeOf(const TierRow& tier, const NodeRow& node) {
  const bool by_cards = tier.unit_gpus > 0 && !node.gpus.empty();
  return by_cards ? std::max(static_cast<int32_t>(node.gpus.size()) / tier.unit_gpus, node.units)
                  : node.units;
}

NodeState Serving(const NodeRow& node) {
  return node.drain_wanted ? NodeState::kDraining : NodeState::kReady;
}

Reply Remove(State& state, NodeId id, const ChangeNode& command) {
  const std::vector<AttemptId> live = LiveAttempts(state, id);
  if (!live.empty() && !command.dead) {
    return Refuse(Reason::kNodeBusy, fmt::format("{} task(s) run on {}; drain it first, or say "
                                                 "--dead if the machine is gone for certain",
                                                 live.size(), command.node));
  }
  for (const AttemptId& attempt : live) {
    GiveUp(state, attempt, EndReason::kNodeLost, "an admin says the node is gone", true);
  }
  const std::set<AttemptId> rest = state.node_use[id].attempts;
  for (const AttemptId& attempt : rest) ForgetAttempt(state, attempt);
  SetUnits(state, id, 0);
  MoveNode(state, id, NodeState::kStopped, command.reason, command.actor.member);
  NodeRow& node = state.nodes.Edit(id);
  node.removed = true;
  CountNode(state, node, -1);
  state.node_by_name.erase(node.name);
  return {};
}

// As when a provider takes its machine back: what runs is told so and stopped, and goes on
// elsewhere, since nothing new starts here until the node is resumed.
Reply PlayReclaim(State& state, NodeId id, const ChangeNode& command) {
  const std::vector<AttemptId> live = LiveAttempts(state, id);
  if (live.empty()) {
    return Refuse(Reason::kBadRequest,
                  fmt::format("nothing runs on {}: a reclaim is played to what runs there; `pinka "
                              "ls --state RUNNING` lists it",
                              command.node));
  }
  DrainNode(state, id, "a reclaim is played", command.actor.member);
  for (const AttemptId& attempt : live)
    StopAttempt(state, attempt, StopReason::kReclaim, command.actor.member);
  return {};
}

}  // namespace

NodeId ExpectNode(State& state, const std::string& name, TierId tier, Source source) {
  auto it = state.node_by_name.find(name);
  if (it != state.node_by_name.end()) return it->second;
  NodeRow node;
  node.id = NodeId(TakeId(state));
  node.name = name;
  node.tier = tier;
  node.source = source;
  state.nodes.Put(node.id, node);
  IndexNode(state, node);
  Log(state, "node", name, "JOINING");
  return node.id;
}

std::optional<std::string> GivenToAnother(const NodeRow& node, const std::string& instance) {
  if (!node.join_used || node.instance == instance) return std::nullopt;
  return fmt::format(
      "the key of {} was given to another box (its state directory is not this one); join again "
      "with a token of its own",
      node.name);
}

// Another machine's boot id always differs, so it proves something only of a machine that is not
// heard any more.
std::optional<std::string> TakenByAnother(const State& state, const NodeRow& node,
                                          const std::string& instance, const std::string& boot_id) {
  if (node.instance.empty() || node.instance == instance) return std::nullopt;
  auto use = state.node_use.find(node.id);
  if (use == state.node_use.end() || use->second.live == 0) return std::nullopt;
  const bool silent = node.state == NodeState::kUnreachable || node.state == NodeState::kLost;
  if (silent && node.boot_id != boot_id) return std::nullopt;
  return fmt::format(
      "another agent serves as {} and has work running; stop it, or remove the node as dead "
      "(`pinka admin node rm {} --dead`) if that machine is gone for certain",
      node.name, node.name);
}

int32_t UnitsOfNode(const TierRow& tier, const NodeFacts& facts) {
  if (facts.units > 0) return facts.units;
  if (tier.unit_gpus > 0) {
    const auto working =
        std::ranges::count_if(facts.gpus, [](const Gpu& gpu) { return gpu.fault.empty(); });
    return static_cast<int32_t>(working) / tier.unit_gpus;
  }
  return tier.unit_cpus > 0 ? facts.cpus / tier.unit_cpus : 0;
}

void Register(State& state, NodeId id, const AgentReport& report) {
  const TierRow& tier = state.tiers.Get(state.nodes.Get(id).tier);
  const int32_t size_before = SizeOf(tier, state.nodes.Get(id));
  const HardwareChange hardware = HearHardware(state, id, report);
  NodeFacts facts = report.facts;
  facts.gpus = state.nodes.Get(id).gpus;
  SetUnits(state, id, UnitsOfNode(tier, facts));
  NodeRow& node = state.nodes.Edit(id);
  if (SizeOf(tier, node) != size_before) {  // a machine of another size is another rental
    CloseRentalOf(state, id);
    if (IsUp(node.state)) OpenRentalOf(state, id);
  }
  const bool fresh = node.instance != report.instance || node.incarnation != report.incarnation ||
                     node.boot_id != report.boot_id;
  node.instance = report.instance;
  node.incarnation = report.incarnation;
  node.boot_id = report.boot_id;
  node.cpus = report.facts.cpus;
  node.memory = report.facts.memory;
  node.simulated = report.facts.simulated;
  // A newer driver serves jobs that waited for one.
  if (node.cuda != report.facts.cuda) state.to_plan.insert(node.tier);
  node.cuda = report.facts.cuda;
  const bool was_unfit = !std::exchange(node.unfit, report.unfit).empty();
  if (hardware.out) {
    node.reason = *hardware.out;
    return MoveNode(state, id, NodeState::kQuarantined, node.reason);
  }
  if (node.state == NodeState::kQuarantined) {
    if (!hardware.back) return;
    node.reason.clear();
  }
  const bool draining = node.state == NodeState::kDraining || node.state == NodeState::kDrained;
  if (report.draining || !node.unfit.empty()) {
    const std::string why = report.draining ? "its agent is stopping" : node.unfit;
    if (!draining) MoveNode(state, id, NodeState::kDraining, why);
  } else if (!draining || ((fresh || was_unfit) && !node.drain_wanted)) {
    // A drain that nobody asked for by name ends with its cause, or the agent's next process.
    MoveNode(state, id, Serving(node), "its agent is here");
  }
}

void UnitChanged(State& state, TierId tier) {
  std::vector<std::pair<NodeId, int32_t>> units;
  for (const auto& [id, row] : state.nodes.rows()) {
    if (row.tier != tier || row.removed || row.simulated) continue;
    NodeFacts facts;
    facts.cpus = row.cpus;
    facts.gpus = row.gpus;
    units.emplace_back(id, UnitsOfNode(state.tiers.Get(tier), facts));
  }
  for (const auto& [id, n] : units) Resize(state, id, n);
}

void DrainNode(State& state, NodeId id, std::string reason, MemberId actor) {
  NodeRow& node = state.nodes.Edit(id);
  if (!node.drain_wanted) OrdersChanged(state, id);
  node.drain_wanted = true;
  node.reason = std::move(reason);
  if (node.state == NodeState::kReady)
    MoveNode(state, id, NodeState::kDraining, node.reason, actor);
  FinishDrain(state, id);
}

void FinishDrain(State& state, NodeId id) {
  const NodeRow& node = state.nodes.Get(id);
  if (node.state == NodeState::kDraining && state.node_use[id].live == 0) {
    MoveNode(state, id, NodeState::kDrained, node.reason);
  }
}

void IndexNode(State& state, const NodeRow& node) {
  if (node.removed) return;
  state.node_by_name[node.name] = node.id;
  state.tier_units[node.tier] += node.units;
  CountNode(state, node, 1);
}

Reply Do(State& state, const NodeSilent& command) {
  const NodeRow* node = state.nodes.Find(command.node);
  if (!node || node->removed) return {};
  for (const AttemptId& id : command.never_carried) {
    const AttemptRow* attempt = state.attempts.Find(id);
    if (attempt && attempt->node == command.node && !attempt->started_at) {
      GiveUp(state, id, EndReason::kWithdrawn, "no answer has carried its order", true);
    }
  }
  for (const AttemptId& id : LiveAttempts(state, command.node)) {
    AttemptSeen(state, id, AttemptState::kUnknown);
  }
  const bool serving = node->state == NodeState::kReady || node->state == NodeState::kDraining ||
                       node->state == NodeState::kDrained;
  if (serving) MoveNode(state, command.node, NodeState::kUnreachable, "its agent is silent");
  return {};
}

Reply Do(State& state, const AttemptsProvenOver& command) {
  for (const AttemptId& id : command.attempts) {
    const AttemptRow* attempt = state.attempts.Find(id);
    if (!attempt || attempt->state == AttemptState::kEnded) continue;
    const NodeId node = attempt->node;
    GiveUp(state, id, command.reason, "proven over: the node was silent for longer than it may run",
           false);
    const NodeRow* row = state.nodes.Find(node);
    if (row && row->state == NodeState::kUnreachable) {
      MoveNode(state, node, NodeState::kLost, "silent for longer than its work may run");
    }
  }
  return {};
}

Reply Do(State& state, const Evacuate&) {
  std::vector<NodeId> nodes;
  for (const auto& [id, node] : state.nodes.rows()) {
    if (!node.removed) nodes.push_back(id);
  }
  for (NodeId id : nodes) {
    if (state.nodes.Get(id).state == NodeState::kReady) {
      MoveNode(state, id, NodeState::kDraining, "the scheduler is stopping");
    }
    for (const AttemptId& attempt : LiveAttempts(state, id)) {
      StopAttempt(state, attempt, StopReason::kNodeDrain, {});
    }
  }
  return {};
}

Reply Do(State& state, const ChangeNode& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "nodes are changed by admins");
  auto it = state.node_by_name.find(command.node);
  if (it == state.node_by_name.end()) {
    return Refuse(Reason::kNoSuchNode,
                  fmt::format("no such node {}; `pinka nodes` lists them", command.node));
  }
  const NodeId id = it->second;
  Reply reply;
  switch (command.verb) {
    case NodeVerb::kDrain:
      DrainNode(state, id, command.reason.empty() ? "drained by an admin" : command.reason,
                command.actor.member);
      break;
    case NodeVerb::kResume: {
      NodeRow& node = state.nodes.Edit(id);
      if (node.drain_wanted) OrdersChanged(state, id);
      node.drain_wanted = false;
      node.reason.clear();
      AcceptHardware(state, id);
      const bool here = node.state == NodeState::kDraining || node.state == NodeState::kDrained ||
                        node.state == NodeState::kQuarantined;
      const std::string why = command.reason.empty() ? "resumed" : command.reason;
      if (here && node.unfit.empty())
        MoveNode(state, id, NodeState::kReady, why, command.actor.member);
      break;
    }
    case NodeVerb::kRemove:
      reply = Remove(state, id, command);
      break;
    case NodeVerb::kVerify:
      DemandCheck(state, id);
      break;
    case NodeVerb::kReclaim:
      reply = PlayReclaim(state, id, command);
      break;
  }
  if (reply.reason != Reason::kOk) return reply;
  reply.node = id;
  reply.first = id.value();
  reply.count = 1;
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
