// What agents' boards tell core at random.
#include "tests/support/core_random.h"

namespace pinka::test {

Command RandomCommands::Meters(const State& state) {
  StoreMeters command;
  for (const auto& [id, attempt] : state.attempts.rows()) {
    if (attempt.state != AttemptState::kRunning || Chance(20)) continue;
    command.meters.push_back({id, attempt.metered_ms + Between(0, 600'000), Between(0, 1000)});
  }
  return command;
}

Command RandomCommands::Silence(const State& state) {
  const NodeRow* node = Any(state.nodes.rows());
  std::vector<AttemptId> some;
  if (node) {
    for (const auto& [id, attempt] : state.attempts.rows()) {
      if (attempt.node == node->id && Chance(30)) some.push_back(id);
    }
  }
  if (Chance(50)) return NodeSilent{node ? node->id : NodeId(1), some};
  return AttemptsProvenOver{some, EndReason::kNodeLost};
}

}  // namespace pinka::test
