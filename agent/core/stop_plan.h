// When one attempt must end, and how hard. A supervisor feeds it what it learns and asks what to do
// now; nothing here reads a clock. All times are CLOCK_BOOTTIME.
//
//   running --stop asked | limit reached | fence crossed--> TERM, grace --over--> KILL, for good
//   running --main process ended--> TERM to what it left behind, a short grace --over--> KILL
//
// The first cause keeps the name; a later stop may only shorten the grace (semantics.md 5).
#pragma once

#include <string>

#include "base/time.h"

namespace pinka {

class StopPlan {
 public:
  struct Limits {
    Duration time_limit;  // from start; zero: none
    Duration grace;       // between TERM and KILL when the limit or the fence ends the job
    Duration fence;       // since the last heartbeat; zero: none
  };
  enum class Act { kNone, kTerm, kKill };

  // What a main process left behind gets at most, once it has ended by itself.
  static constexpr Duration kLeftoverGrace = Duration::Seconds(5);

  StopPlan(const Limits& limits, Duration started, Duration heartbeat);

  void Ask(const std::string& reason, Duration grace, Duration now);
  void Heartbeat(Duration at);
  void MainEnded(Duration now);

  // kTerm once, when the end begins; kKill from the end of the grace on; else kNone.
  Act Next(Duration now);
  // Next must be called again at the latest then.
  Duration WakeAt() const;

  bool ending() const { return ending_; }
  // Why it was made to end, in the scheduler's words (Cancel, TimeLimit, ...; NodeLost for the
  // fence); "" if it ended by itself.
  const std::string& reason() const { return reason_; }
  Duration grace() const { return kill_at_ - term_at_; }

 private:
  void Begin(const std::string& reason, Duration grace, Duration now);

  Limits limits_;
  Duration started_;
  Duration heartbeat_;
  bool ending_ = false;
  bool term_sent_ = false;
  std::string reason_;
  Duration term_at_;
  Duration kill_at_;
};

// The end reason (semantics.md 6) of an attempt that was stopped with this reason.
std::string EndReasonOfStop(const std::string& stop_reason);

}  // namespace pinka
