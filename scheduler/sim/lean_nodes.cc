#include "scheduler/sim/lean_nodes.h"

#include "fmt/format.h"

namespace pinka::sim {
namespace {

EndReason EndOfStop(StopReason reason) {
  switch (reason) {
    case StopReason::kCancelByAdmin:
      return EndReason::kCancelledByAdmin;
    case StopReason::kNodeDrain:
      return EndReason::kNodeDrain;
    case StopReason::kBudget:
      return EndReason::kBudget;
    case StopReason::kPreempt:
      return EndReason::kPreempted;
    case StopReason::kReclaim:
      return EndReason::kSpotReclaim;
    case StopReason::kNone:
    case StopReason::kCancelByUser:
    case StopReason::kRequeue:
      return EndReason::kCancelledByUser;
  }
  return EndReason::kCancelledByUser;
}

}  // namespace

int32_t LeanNodes::Add(const std::string& name, const NodeFacts& facts) {
  const auto index = static_cast<int32_t>(nodes_.size());
  nodes_.push_back({name, facts, true, 1, {}});
  by_name_[name] = index;
  news_.insert(index);
  return index;
}

// The work that its checkpoints hold.
Duration LeanNodes::Kept(const Run& run, Timestamp now) const {
  const Duration worked = now - run.from - run.warm;
  if (checkpoint_every_ <= Duration() || worked < checkpoint_every_) return {};
  return checkpoint_every_ * (worked.micros() / checkpoint_every_.micros());
}

void LeanNodes::Measure(ObservedAttempt& seen, const Run& run, Timestamp now) const {
  const Duration kept = Kept(run, now);
  seen.metered_ms = (now - run.from).millis();
  if (kept > Duration()) seen.checkpoint_ms = (run.warm + kept).millis();
}

void LeanNodes::Checkpoint(size_t index, Timestamp now) {
  const Run& run = runs_[index];
  if (run.to) return;
  Node& node = nodes_[static_cast<size_t>(run.node)];
  Measure(node.records.at(run.attempt).second, run, now);
  news_.insert(run.node);
}

void LeanNodes::End(Node& node, ObservedAttempt& seen, size_t index, EndReason reason, bool failed,
                    Timestamp now) {
  Run& run = runs_[index];
  run.to = now;
  run.end = reason;
  run.failed = failed;
  run.kept = Kept(run, now);
  seen.state = ObservedAttempt::State::kEnded;
  Measure(seen, run, now);
  seen.end_reason = reason;
  seen.exited = reason == EndReason::kExited;
  seen.exit_code = failed ? 1 : 0;
  --running_;
  news_.insert(by_name_.at(node.name));
}

void LeanNodes::Take(int32_t index, Timestamp now) {
  Node& node = nodes_[static_cast<size_t>(index)];
  if (!node.up) return;
  node.up = false;
  news_.insert(index);
  for (auto& [id, record] : node.records) {
    if (record.second.state == ObservedAttempt::State::kRunning)
      End(node, record.second, record.first, EndReason::kSpotReclaim, false, now);
  }
}

void LeanNodes::Return(int32_t index) {
  Node& node = nodes_[static_cast<size_t>(index)];
  if (node.up) return;
  node.up = true;
  ++node.boots;
  news_.insert(index);
}

std::vector<size_t> LeanNodes::Hear(const NodeOrders& orders, Timestamp now) {
  const auto found = by_name_.find(orders.name);
  if (found == by_name_.end()) return {};
  Node& node = nodes_[static_cast<size_t>(found->second)];
  std::vector<size_t> begun;
  std::set<AttemptId> named;
  for (const NodeOrders::Order& order : orders.orders) {
    const AttemptRow& attempt = order.attempt;
    auto record = node.records.find(attempt.id);
    if (attempt.want == Want::kForget) {
      if (record != node.records.end()) node.records.erase(record);
      continue;
    }
    named.insert(attempt.id);
    if (record == node.records.end()) {
      ObservedAttempt seen;
      seen.id = attempt.id;
      seen.state = attempt.want == Want::kRun && node.up ? ObservedAttempt::State::kRunning
                                                         : ObservedAttempt::State::kAbsent;
      news_.insert(found->second);
      if (seen.state == ObservedAttempt::State::kRunning) {
        begun.push_back(runs_.size());
        ++running_;
      }
      node.records.emplace(attempt.id, std::pair(runs_.size(), seen));
      if (seen.state != ObservedAttempt::State::kRunning) continue;
      Run run;
      run.node = found->second;
      run.attempt = attempt.id;
      run.member = attempt.member;
      run.tier = attempt.tier;
      run.source = attempt.source;
      run.units = attempt.units;
      run.gpus = attempt.gpus;
      run.from = now;
      if (attempt.id.number > 1) run.warm = restart_;
      runs_.push_back(std::move(run));
    } else if (attempt.want == Want::kStop &&
               record->second.second.state == ObservedAttempt::State::kRunning) {
      End(node, record->second.second, record->second.first, EndOfStop(attempt.stop_reason), false,
          now);
    }
  }
  std::erase_if(node.records, [&](const auto& entry) { return !named.contains(entry.first); });
  return begun;
}

void LeanNodes::Finish(size_t run, EndReason reason, bool failed, Timestamp now) {
  if (runs_[run].to) return;
  Node& node = nodes_[static_cast<size_t>(runs_[run].node)];
  End(node, node.records.at(runs_[run].attempt).second, run, reason, failed, now);
}

std::vector<AgentReport> LeanNodes::TakeReports() {
  std::vector<AgentReport> reports;
  for (const int32_t index : news_) {
    const Node& node = nodes_[static_cast<size_t>(index)];
    AgentReport report;
    report.node = node.name;
    report.instance = node.name;
    report.incarnation = node.boots;
    report.boot_id = fmt::format("boot {}", node.boots);
    report.facts = node.facts;
    report.draining = !node.up;
    for (const auto& [id, record] : node.records) report.attempts.push_back(record.second);
    reports.push_back(std::move(report));
  }
  news_.clear();
  return reports;
}

StoreMeters LeanNodes::Meters(Timestamp now) {
  StoreMeters meters;
  for (Node& node : nodes_) {
    for (auto& [id, record] : node.records) {
      ObservedAttempt& seen = record.second;
      if (seen.state != ObservedAttempt::State::kRunning) continue;
      seen.metered_ms = (now - runs_[record.first].from).millis();
      meters.meters.push_back({id, seen.metered_ms, 0});
    }
  }
  return meters;
}

}  // namespace pinka::sim
