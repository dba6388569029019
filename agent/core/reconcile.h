// The agent's one decision: what it was told to do against what it finds, to what must be done now.
// Level-triggered: the same answer against the same records gives the same actions, and an action
// that was done is not asked for again, so lost, repeated and late calls change nothing
// (semantics.md 5). Pure.
//
// For each attempt that the answer names:
//
//            no record   ordered     live         lost      over
//   RUN      launch (1)  launch (1)  -            bury (2)  -
//   STOP     refuse      refuse      stop         bury (2)  -
//   FORGET   -           refuse      stop, then   bury (2)  forget once its log and files are up
//
// (1) refused for ever if its start_within is over, the agent is draining, the box unfit or about
// to
//     be taken away, or a GPU unknown; put off while another record holds one of its GPUs.
// (2) "bury" ends what a lost supervisor left and writes the end; it needs no answer at all.
//
// What runs on a card that is lost is stopped, HardwareLost, whatever the answer says. So is all of
// a box that its provider takes away (SpotReclaim), where nothing new starts either. Of the time
// left a third, at most 60 s, is for carrying files away; the rest is the job's, told at once, with
// TERM a grace of at most 10 s before its end.
//
// A record that the answer does not name is nobody's: live, it is stopped; over, it is forgotten
// (with a log that is not up yet, after a day). Records of another lab run: the same, at once.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/records.h"

namespace pinka {

struct Action {
  enum class Kind {
    kLaunch,  // write the order (or use the one that lies there) and start a supervisor
    kRefuse,  // durably: this attempt never starts here
    kStop,    // write `stop`, wake the supervisor
    kBury,    // kill what is left of it, then write its end
    kForget,  // drop the record and everything of it
  };
  Kind kind = Kind::kLaunch;
  std::string lab_run;
  AttemptId attempt;
  std::string reason;  // kRefuse, kStop: why
  Duration grace;      // kStop
  Duration lead;       // kStop
  Duration start_by;   // kLaunch: CLOCK_BOOTTIME; zero: no bound
  friend bool operator==(const Action&, const Action&) = default;
};

struct Situation {
  Timestamp now;                         // wall clock: only for how long ago something ended
  Duration boottime;                     // CLOCK_BOOTTIME
  bool draining = false;                 // nothing new is started
  bool unfit = false;                    // nor on a box whose disk is full
  std::optional<Duration> reclaim_at{};  // CLOCK_BOOTTIME: then the provider takes the box away
  std::set<std::string> gpu_uuids;       // the box's own
  std::set<std::string> lost_gpus{};     // of those: out of use
  bool hardware_wrong = false;           // not what it is claimed to be: nothing new is started
};

// `answer` may be null: no scheduler has been heard yet, and only lost attempts are seen to.
// Actions come in order of attempt, endings before launches.
std::vector<Action> Reconcile(const Answer* answer, const std::vector<Record>& records,
                              const Situation& situation);

}  // namespace pinka
