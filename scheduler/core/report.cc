// What agents say: registration, attempts seen, attempts ended, meters.
#include <algorithm>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/nodes.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

// Another instance under this name is refused while work of the old one may still run
// (semantics.md 5), and always where the key was given to one instance; an older process of the
// same instance is stale.
std::optional<Reply> RefuseAgent(const State& state, const NodeRow& node,
                                 const AgentReport& report) {
  const bool same = node.instance.empty() || node.instance == report.instance;
  if (auto given = GivenToAnother(node, report.instance)) return Refuse(Reason::kNodeTaken, *given);
  if (auto taken = TakenByAnother(state, node, report.instance, report.boot_id))
    return Refuse(Reason::kNodeTaken, *taken);
  if (same && report.incarnation < node.incarnation) {
    return Refuse(Reason::kStale, "a newer process of this agent has registered");
  }
  // Each process start raises the incarnation, and no process lives through a reboot.
  if (same && report.incarnation == node.incarnation && !node.boot_id.empty() &&
      report.boot_id != node.boot_id) {
    return Refuse(
        Reason::kNodeTaken,
        fmt::format("another box serves as {} with a copy of this state directory; remove "
                    "one of them and join it under a name of its own",
                    node.name));
  }
  const TierRow* tier = state.tiers.Find(report.facts.tier);
  if (!tier)
    return Refuse(Reason::kNoSuchTier, "the tier this agent offers itself for does not exist");
  return std::nullopt;
}

// Core's view of a reported attempt that is over.
End EndOf(const ObservedAttempt& seen) {
  End end;
  end.reason = seen.end_reason == EndReason::kNone ? EndReason::kSupervisorLost : seen.end_reason;
  end.exited = seen.exited;
  end.exit_code = seen.exit_code;
  end.signal = seen.signal;
  end.metered_ms = seen.metered_ms;
  end.overrun_ms = seen.overrun_ms;
  end.log_bytes = seen.log_bytes;
  end.message = seen.message;
  end.checkpoint_ms = seen.checkpoint_ms;
  end.peak_memory = seen.peak_memory;
  end.peak_gpu_memory = seen.peak_gpu_memory;
  return end;
}

constexpr std::string_view kLate = " (late result recorded)";

// A result that comes after the end is recorded and changes nothing; one that differs is told.
void LateResult(State& state, const AttemptRow& attempt, const ObservedAttempt& seen) {
  if (seen.state != ObservedAttempt::State::kEnded) return;
  // Its meter is bounded as it would have been then: a repeat says the same.
  const int64_t most = (attempt.ended_at - attempt.ordered_at).millis();
  const bool same = std::min(seen.metered_ms, most) <= attempt.metered_ms &&
                    seen.exited == attempt.exited && seen.exit_code == attempt.exit_code &&
                    seen.signal == attempt.signal;
  if (same || attempt.message.ends_with(kLate)) return;
  state.attempts.Edit(attempt.id).message += kLate;
  Log(state, "attempt", ToString(attempt.id), "late result",
      fmt::format("{} {}:{} metered {} ms, settled with {} ms", Name(seen.end_reason),
                  seen.exit_code, seen.signal, seen.metered_ms, attempt.metered_ms));
}

void See(State& state, NodeId node, const ObservedAttempt& seen, Reply& reply) {
  const AttemptRow* attempt = state.attempts.Find(seen.id);
  if (!attempt || attempt->node != node || attempt->forgotten) {
    reply.unknown.push_back(seen.id);
    return;
  }
  if (attempt->state == AttemptState::kEnded) return LateResult(state, *attempt, seen);
  switch (seen.state) {
    case ObservedAttempt::State::kAbsent: {
      // What had started and is not there any more was lost, not withdrawn.
      End end;
      end.reason = attempt->started_at ? EndReason::kSupervisorLost : EndReason::kWithdrawn;
      // Refused for the hardware it found there: counted, so that it does not go round for ever.
      const bool hardware = seen.end_reason == EndReason::kHardwareWrong ||
                            seen.end_reason == EndReason::kHardwareLost;
      if (hardware && !attempt->started_at) end.reason = seen.end_reason;
      end.metered_ms = attempt->metered_ms;
      end.message = seen.message;
      return EndAttempt(state, seen.id, end);
    }
    case ObservedAttempt::State::kStarting:
      return AttemptSeen(state, seen.id, AttemptState::kStarting);
    case ObservedAttempt::State::kRunning:
      AttemptSeen(state, seen.id, AttemptState::kRunning);
      StoreMeter(state, seen.id, seen.metered_ms, seen.log_bytes);
      return StoreCheckpoint(state, seen.id, seen.checkpoint_ms);
    case ObservedAttempt::State::kStopping:
      AttemptSeen(state, seen.id, AttemptState::kStopping);
      StoreMeter(state, seen.id, seen.metered_ms, seen.log_bytes);
      return StoreCheckpoint(state, seen.id, seen.checkpoint_ms);
    case ObservedAttempt::State::kEnded:
      EndAttempt(state, seen.id, EndOf(seen));
      if (seen.survivors) {
        DrainNode(state, node,
                  fmt::format("processes of attempt {} could not be killed", ToString(seen.id)),
                  {});
      }
      return;
  }
}

// Attempts that this node is not named to have any more.
void Unnamed(State& state, NodeId node, const std::set<AttemptId>& named, bool rebooted) {
  const std::set<AttemptId> known = state.node_use[node].attempts;
  for (const AttemptId& id : known) {
    if (named.contains(id)) continue;
    const AttemptState attempt = state.attempts.Get(id).state;
    if (attempt == AttemptState::kEnded) {
      ForgetAttempt(state, id);
      continue;
    }
    if (attempt == AttemptState::kOrdered) continue;  // the order may still be on its way
    const bool never_seen =
        !state.attempts.Get(id).started_at && !rebooted && attempt != AttemptState::kStarting;
    if (never_seen) continue;  // stopped or unknown before the node had recorded it
    End end;
    end.reason = rebooted ? EndReason::kNodeRebooted : EndReason::kSupervisorLost;
    end.metered_ms = state.attempts.Get(id).metered_ms;
    end.message = rebooted ? "the node came back with another boot id"
                           : "the node has no record of it any more";
    end.forgotten = true;
    EndAttempt(state, id, end);
  }
}

}  // namespace

Reply Do(State& state, const AgentReport& report) {
  auto it = state.node_by_name.find(report.node);
  if (it == state.node_by_name.end()) {
    return Refuse(Reason::kNoSuchNode, "this node was removed; ask an admin for a new join token");
  }
  const NodeId id = it->second;
  const NodeRow& node = state.nodes.Get(id);
  if (auto refused = RefuseAgent(state, node, report)) return *refused;
  const bool rebooted = !node.boot_id.empty() && node.boot_id != report.boot_id;
  Register(state, id, report);
  Reply reply;
  reply.node = id;
  // Records of another lab run (before a restore) are none of ours.
  const bool ours = report.lab_run.empty() || report.lab_run == state.lab.run;
  std::set<AttemptId> named;
  for (const ObservedAttempt& seen : report.attempts) {
    if (ours) {
      named.insert(seen.id);
      See(state, id, seen, reply);
    } else {
      reply.unknown.push_back(seen.id);
    }
  }
  Unnamed(state, id, named, rebooted);
  FinishDrain(state, id);
  return reply;
}

Reply Do(State& state, const StoreMeters& command) {
  for (const StoreMeters::Meter& meter : command.meters) {
    StoreMeter(state, meter.id, meter.metered_ms, meter.log_bytes);
  }
  return {};
}

}  // namespace pinka
