#include "agent/core/stop_plan.h"

#include <algorithm>

namespace pinka {

StopPlan::StopPlan(const Limits& limits, Duration started, Duration heartbeat)
    : limits_(limits), started_(started), heartbeat_(heartbeat) {}

void StopPlan::Begin(const std::string& reason, Duration grace, Duration now) {
  ending_ = true;
  reason_ = reason;
  term_at_ = now;
  kill_at_ = now + std::max(grace, Duration());
}

void StopPlan::Ask(const std::string& reason, Duration grace, Duration now) {
  if (!ending_) return Begin(reason, grace, now);
  kill_at_ = std::min(kill_at_, now + std::max(grace, Duration()));
}

void StopPlan::Heartbeat(Duration at) { heartbeat_ = std::max(heartbeat_, at); }

void StopPlan::MainEnded(Duration now) {
  if (!ending_) Begin("", std::min(limits_.grace, kLeftoverGrace), now);
}

StopPlan::Act StopPlan::Next(Duration now) {
  bool limited = limits_.time_limit > Duration();
  bool fenced = limits_.fence > Duration();
  if (!ending_ && limited && now >= started_ + limits_.time_limit) {
    Begin("TimeLimit", limits_.grace, now);
  }
  if (!ending_ && fenced && now >= heartbeat_ + limits_.fence) {
    Begin("NodeLost", limits_.grace, now);
  }
  if (!ending_) return Act::kNone;
  if (!term_sent_) {
    term_sent_ = true;
    return Act::kTerm;
  }
  return now >= kill_at_ ? Act::kKill : Act::kNone;
}

Duration StopPlan::WakeAt() const {
  if (ending_) return term_sent_ ? kill_at_ : term_at_;
  Duration at = Duration::Micros(INT64_MAX);
  if (limits_.time_limit > Duration()) at = std::min(at, started_ + limits_.time_limit);
  if (limits_.fence > Duration()) at = std::min(at, heartbeat_ + limits_.fence);
  return at;
}

std::string EndReasonOfStop(const std::string& stop_reason) {
  if (stop_reason == "Cancel") return "CancelledByUser";
  if (stop_reason == "Preempt") return "Preempted";
  return stop_reason;  // the other names are the same in both tables
}

}  // namespace pinka
