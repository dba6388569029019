#include "agent/core/stop_plan.h"

#include <algorithm>

namespace pinka {
namespace {

constexpr Duration kSameDeadline = Duration::Seconds(1);

}  // namespace

StopPlan::StopPlan(const Limits& limits, Duration started, Duration heartbeat)
    : limits_(limits),
      started_(started),
      heartbeat_(heartbeat),
      checkpoint_at_(started + limits.checkpoint_every) {}

void StopPlan::Begin(const std::string& reason, Duration grace, Duration now, Duration lead) {
  ending_ = true;
  warned_ = false;
  reason_ = reason;
  term_at_ = now + std::max(lead, Duration());
  kill_at_ = term_at_ + std::max(grace, Duration());
}

void StopPlan::Ask(const std::string& reason, Duration grace, Duration now, Duration lead) {
  if (!ending_) return Begin(reason, grace, now, lead);
  Duration term_at = now + std::max(lead, Duration());
  Duration kill_at = term_at + std::max(grace, Duration());
  term_at_ = std::min(term_at_, term_at);
  if (kill_at >= kill_at_) return;
  kill_at_ = kill_at;
  warned_ = false;
}

void StopPlan::Heartbeat(Duration at) { heartbeat_ = std::max(heartbeat_, at); }

void StopPlan::MainEnded(Duration now) {
  if (!ending_) {
    Begin("", std::min(limits_.grace, kLeftoverGrace), now, {});
    warned_ = true;             // there is nobody to warn
  } else if (now < term_at_) {  // in the lead of a stop: nothing is left to wait for
    kill_at_ = now + grace();
    term_at_ = now;
  }
}

Duration StopPlan::LimitAt() const { return started_ + limits_.time_limit; }

Duration StopPlan::WarnOfLimitAt() const {
  Duration half = Duration::Micros(limits_.time_limit.micros() / 2);
  return LimitAt() - std::min(limits_.warn_before, half);
}

void StopPlan::SeeWhatIsDue(Duration now) {
  if (ending_) return;
  bool limited = limits_.time_limit > Duration();
  bool fenced = limits_.fence > Duration();
  if (limited && now >= LimitAt()) {
    // Of this very end, unless the machine slept over it: then there is another deadline.
    bool warned = warned_ && now < LimitAt() + kSameDeadline;
    Begin(limits_.limit_reason, limits_.grace, now, {});
    warned_ = warned;
  } else if (fenced && now >= heartbeat_ + limits_.fence) {
    Begin("NodeLost", limits_.grace, now, {});
  }
}

// Of the end, once it stands; else of the limit, once it is near; else a checkpoint.
bool StopPlan::WarningIsDue(Duration now) {
  if (warned_) return false;
  bool limited = limits_.time_limit > Duration();
  if (ending_) {
    warning_ = {.reason = reason_, .deadline = kill_at_};
  } else if (limited && now >= WarnOfLimitAt()) {
    warning_ = {.reason = limits_.limit_reason, .deadline = LimitAt() + limits_.grace};
  } else if (limits_.checkpoint_every > Duration() && now >= checkpoint_at_) {
    checkpoint_at_ = now + limits_.checkpoint_every;
    warning_ = {.reason = "Checkpoint", .deadline = checkpoint_at_};
    return true;  // and again
  } else {
    return false;
  }
  warned_ = true;
  return true;
}

StopPlan::Act StopPlan::Next(Duration now) {
  SeeWhatIsDue(now);
  if (WarningIsDue(now)) return Act::kWarn;
  if (!ending_ || now < term_at_) return Act::kNone;
  if (!term_sent_) {
    term_sent_ = true;
    return Act::kTerm;
  }
  return now >= kill_at_ ? Act::kKill : Act::kNone;
}

Duration StopPlan::WakeAt() const {
  if (ending_) return term_sent_ ? kill_at_ : term_at_;
  Duration at = Duration::Micros(INT64_MAX);
  if (limits_.time_limit > Duration()) at = warned_ ? LimitAt() : WarnOfLimitAt();
  if (limits_.checkpoint_every > Duration() && !warned_) at = std::min(at, checkpoint_at_);
  if (limits_.fence > Duration()) at = std::min(at, heartbeat_ + limits_.fence);
  return at;
}

std::string EndReasonOfStop(const std::string& stop_reason) {
  if (stop_reason == "Cancel") return "CancelledByUser";
  if (stop_reason == "Preempt") return "Preempted";
  return stop_reason;  // the other names are the same in both tables
}

}  // namespace pinka
