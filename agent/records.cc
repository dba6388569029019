#include "agent/records.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace pinka {
namespace {

namespace fs = std::filesystem;
using Phase = Record::Phase;

std::vector<std::string> DirectoriesIn(const std::string& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (entry.is_directory(ignored)) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void TakeExit(const Exit& exit, Observation* seen) {
  seen->has_exit = true;
  seen->exit = exit;
  seen->record.phase = exit.never_started ? Phase::kAbsent : Phase::kEnded;
  seen->record.ended_at = Timestamp::Micros(exit.at_us);
  seen->metered_ms = exit.metered_ms;
  seen->peak_memory = exit.peak_memory;
}

}  // namespace

std::vector<Observation> Records::Scan() {
  std::vector<Observation> all;
  for (const auto& run : DirectoriesIn(state_.AttemptsPath())) {
    for (const auto& name : DirectoriesIn(state_.AttemptsPath() + "/" + run)) {
      AttemptKey key{run, {}};
      if (!ParseAttemptId(name, &key.second)) continue;
      auto known = over_.find(key);
      all.push_back(known == over_.end() ? Look(key) : known->second);
    }
  }
  // What has gone from the disk is forgotten here as well.
  std::set<AttemptKey> found;
  for (const Observation& seen : all) found.insert(seen.key());
  std::erase_if(over_, [&](const auto& entry) { return !found.contains(entry.first); });
  std::erase_if(orders_, [&](const auto& entry) { return !found.contains(entry.first); });
  return all;
}

Observation Records::Look(const AttemptKey& key) {
  AttemptDir dir = state_.Attempt(key.first, key.second);
  Observation seen;
  seen.record.lab_run = key.first;
  seen.record.attempt = key.second;
  LookAtOrder(key, dir, &seen.record);
  seen.log_bytes = dir.LogBytes();
  if (std::optional<Started> started = dir.ReadStarted()) seen.started_at_us = started->at_us;
  if (std::optional<Meter> meter = dir.ReadMeter()) {
    seen.metered_ms = meter->metered_ms;
    seen.peak_memory = meter->peak_memory;
  }
  if (std::optional<CardPeak> peak = dir.ReadCardPeak()) seen.peak_gpu_memory = peak->bytes;
  if (std::optional<Stop> stop = dir.ReadStop()) {
    seen.record.stop_asked = stop->reason;
    seen.record.stop_asked_within = Duration::Millis(stop->lead_ms + stop->grace_ms);
    seen.record.stop_asked_at = Duration::Millis(stop->asked_ms);
  }
  std::optional<Claim> claim = dir.ReadClaim();
  if (claim) LookAtLife(dir, *claim, &seen);
  // The end is looked for after the supervisor's life: one that has just left has written it.
  if (std::optional<Exit> exit = dir.ReadExit()) {
    TakeExit(*exit, &seen);
    seen.log_bytes = dir.LogBytes();
    over_[key] = seen;
  }
  return seen;
}

void Records::LookAtLife(const AttemptDir& dir, const Claim& claim, Observation* seen) const {
  Phase& phase = seen->record.phase;
  if (claim.pid == 0) {
    phase = Phase::kAbsent;  // ours: it never starts, even if we died before we could say why
    return;
  }
  seen->supervisor = {.pid = static_cast<pid_t>(claim.pid), .start_ticks = claim.start_ticks};
  if (claim.boot_id != boot_id_ || !IsAlive(seen->supervisor)) {
    phase = Phase::kLost;
  } else if (dir.ReadStopping()) {
    phase = Phase::kStopping;
  } else {
    phase = seen->started_at_us != 0 ? Phase::kRunning : Phase::kStarting;
  }
}

void Records::LookAtOrder(const AttemptKey& key, const AttemptDir& dir, Record* record) {
  auto known = orders_.find(key);
  if (known == orders_.end()) {
    StatusOr<Order> order = dir.ReadOrder();
    if (!order.ok()) return;
    known =
        orders_.emplace(key, Ordered{order->gpu_uuids, Duration::Millis(order->grace_ms)}).first;
  }
  record->gpu_uuids = known->second.gpu_uuids;
  record->grace = known->second.grace;
}

}  // namespace pinka
