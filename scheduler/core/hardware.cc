#include "scheduler/core/hardware.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

constexpr char kGone[] = "it is not shown any more";

const Gpu* FindUuid(const std::vector<Gpu>& gpus, const std::string& uuid) {
  const auto found = std::ranges::find(gpus, uuid, &Gpu::uuid);
  return found == gpus.end() ? nullptr : &*found;
}

// "" where none of the cards is another node's.
std::string TwinOf(const State& state, NodeId id, const std::vector<Gpu>& gpus) {
  for (const auto& [other, node] : state.nodes.rows()) {
    if (other == id || node.removed || node.simulated) continue;
    for (const Gpu& gpu : gpus) {
      if (FindUuid(node.gpus, gpu.uuid) != nullptr)
        return fmt::format(
            "card {} is registered by node {} already; remove that node if it is gone", gpu.uuid,
            node.name);
    }
  }
  return "";
}

HardwareRow RowOf(const State& state, NodeId id) {
  if (const HardwareRow* row = state.hardware.Find(id)) return *row;
  HardwareRow row;
  row.node = id;
  return row;
}

void Keep(State& state, const HardwareRow& row) {
  const HardwareRow* known = state.hardware.Find(row.node);
  if (known != nullptr && *known == row) return;
  state.hardware.Put(row.node, row);
}

// Checks that only say again what is known are not kept.
void KeepEvidence(State& state, const HardwareRow& before, const HardwareReport& report) {
  const bool again = report.cause == "random" && before.verdict == report.verdict &&
                     report.verdict == HardwareVerdict::kOk;
  if (again) return;
  const std::string& node = state.nodes.Get(before.node).name;
  Log(state, "node", node, fmt::format("hardware {}", Name(report.verdict)), report.why);
  state.out.hardware_checks.push_back({before.node, report.id, state.now, report.verdict,
                                       report.why, report.cause, report.demand, report.evidence});
}

std::string FindingOf(const HardwareReport& report) {
  return report.verdict == HardwareVerdict::kOk ? "" : report.why;
}

bool SameCards(const std::vector<Gpu>& known, const std::vector<Gpu>& reported) {
  return std::ranges::all_of(reported,
                             [&](const Gpu& gpu) { return FindUuid(known, gpu.uuid) != nullptr; });
}

}  // namespace

std::vector<Gpu> MergeGpus(const std::vector<Gpu>& known, const std::vector<Gpu>& reported) {
  const bool shared = std::ranges::any_of(
      known, [&](const Gpu& gpu) { return FindUuid(reported, gpu.uuid) != nullptr; });
  // A driver that shows nothing at all has not made another machine of it.
  if (!shared && !reported.empty()) return reported;
  std::vector<Gpu> merged = known;
  int32_t next = 0;
  for (Gpu& gpu : merged) {
    next = std::max(next, gpu.index + 1);
    const Gpu* seen = FindUuid(reported, gpu.uuid);
    const int32_t index = gpu.index;
    if (seen != nullptr) gpu = *seen;
    gpu.index = index;
    if (seen == nullptr && gpu.fault.empty()) gpu.fault = kGone;
  }
  for (const Gpu& gpu : reported) {
    if (FindUuid(known, gpu.uuid) != nullptr) continue;
    merged.push_back(gpu);
    merged.back().index = next++;
  }
  return merged;
}

int32_t WorkingGpus(const NodeRow& node) {
  return static_cast<int32_t>(
      std::ranges::count_if(node.gpus, [](const Gpu& gpu) { return gpu.fault.empty(); }));
}

HardwareChange HearHardware(State& state, NodeId id, const AgentReport& report) {
  NodeRow& node = state.nodes.Edit(id);
  const bool other_cards = !SameCards(node.gpus, report.facts.gpus);
  const bool real = report.hardware && !report.facts.simulated;
  node.gpus = real ? MergeGpus(node.gpus, report.facts.gpus) : report.facts.gpus;
  if (!report.hardware) return {};
  const HardwareReport& told = *report.hardware;
  HardwareRow row = RowOf(state, id);
  const bool answers = told.demand > row.answered && told.demand <= row.demanded;
  const bool news = told.id != row.check;
  if (!news && !other_cards) return {};
  if (news) KeepEvidence(state, row, told);
  const std::string twin =
      real && (other_cards || answers) ? TwinOf(state, id, report.facts.gpus) : std::string();
  const std::string finding = twin.empty() ? FindingOf(told) : twin;
  row.check = told.id;
  row.verdict = told.verdict;
  if (answers) row.answered = told.demand;
  HardwareChange change;
  const bool quarantined = node.state == NodeState::kQuarantined;
  if (!finding.empty() && finding != row.accepted) {
    const bool wrong = !twin.empty() || told.verdict == HardwareVerdict::kMismatch;
    row.waits = wrong || (row.waits && quarantined);
    row.finding = finding;
    change.out = finding;
  } else if (quarantined && (!row.waits || answers)) {
    row.waits = false;
    row.finding.clear();
    change.back = true;
  }
  Keep(state, row);
  return change;
}

void DemandCheck(State& state, NodeId id) {
  HardwareRow row = RowOf(state, id);
  ++row.demanded;
  Keep(state, row);
  OrdersChanged(state, id);
}

void AcceptHardware(State& state, NodeId id) {
  NodeRow& node = state.nodes.Edit(id);
  std::erase_if(node.gpus, [](const Gpu& gpu) { return gpu.fault == kGone; });
  HardwareRow row = RowOf(state, id);
  if (row.finding.empty()) return;
  row.accepted = std::exchange(row.finding, "");
  row.waits = false;
  Keep(state, row);
}

bool LostItsCard(const State& state, const AttemptRow& attempt) {
  if (attempt.end_reason != EndReason::kHardwareLost) return false;
  const NodeRow* node = state.nodes.Find(attempt.node);
  return node != nullptr && std::ranges::any_of(node->gpus, [&](const Gpu& gpu) {
           return !gpu.fault.empty() &&
                  std::ranges::find(attempt.gpus, gpu.index) != attempt.gpus.end();
         });
}

}  // namespace pinka
