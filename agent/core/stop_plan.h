// When one attempt must end, how it is told before, and how hard it is ended. A supervisor feeds it
// what it learns and asks what to do now; nothing here reads a clock. All times are CLOCK_BOOTTIME.
//
//   running --stop asked | limit reached | fence crossed--> warn, lead, TERM, grace, KILL for good
//   running --main process ended--> TERM to what it left behind, a short grace --over--> KILL
//
// A time limit is known beforehand: its warning comes `warn_before` it, though not in the first
// half of a short job. Until then a job may be asked for checkpoints. The first cause keeps the
// name; a later stop may only bring the end nearer (semantics.md 5). One warning for each reason
// and deadline.
#pragma once

#include <string>

#include "base/time.h"

namespace pinka {

class StopPlan {
 public:
  struct Limits {
    Duration time_limit = {};   // from start; zero: none
    Duration grace = {};        // between TERM and KILL when the limit or the fence ends the job
    Duration fence = {};        // since the last heartbeat; zero: none
    Duration warn_before = {};  // of the time limit
    Duration checkpoint_every = {};  // a warning without an end: save what you have; zero: never
    std::string limit_reason = "TimeLimit";
  };
  enum class Act { kNone, kWarn, kTerm, kKill };
  // What the job is told with a warning.
  struct Warning {
    std::string reason;
    Duration deadline;  // when KILL comes; of a Checkpoint: when the next is asked for
  };

  // What a main process left behind gets at most, once it has ended by itself.
  static constexpr Duration kLeftoverGrace = Duration::Seconds(5);

  StopPlan(const Limits& limits, Duration started, Duration heartbeat);

  // TERM `lead` from now, KILL `grace` after it.
  void Ask(const std::string& reason, Duration grace, Duration now, Duration lead = {});
  void Heartbeat(Duration at);
  void MainEnded(Duration now);

  // kWarn once for each warning, kTerm once, kKill from the end of the grace on; else kNone. To be
  // asked again after anything else: a warning and TERM may be due together.
  Act Next(Duration now);
  // Next must be called again at the latest then.
  Duration WakeAt() const;

  bool ending() const { return ending_; }
  // Why it was made to end, in the scheduler's words (Cancel, TimeLimit, ...; NodeLost for the
  // fence); "" if it ended by itself.
  const std::string& reason() const { return reason_; }
  Duration grace() const { return kill_at_ - term_at_; }
  const Warning& warning() const { return warning_; }  // the last one

 private:
  void Begin(const std::string& reason, Duration grace, Duration now, Duration lead);
  void SeeWhatIsDue(Duration now);
  Duration LimitAt() const;
  Duration WarnOfLimitAt() const;
  bool WarningIsDue(Duration now);

  Limits limits_;
  Duration started_;
  Duration heartbeat_;
  Duration checkpoint_at_;
  Warning warning_;
  bool ending_ = false;
  bool warned_ = false;  // of the end as it stands now
  bool term_sent_ = false;
  std::string reason_;
  Duration term_at_;
  Duration kill_at_;
};

// The end reason (semantics.md 6) of an attempt that was stopped with this reason.
std::string EndReasonOfStop(const std::string& stop_reason);

}  // namespace pinka
