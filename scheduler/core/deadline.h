// Work with a deadline: what it still needs, and when it uses spot (docs/scheduling.md, "Deadlines
// and spot"). Only where the job leaves the source to the lab (`any`) and may run again.
//
// A task needs what its checkpoints leave of its time limit, and one restart where they left less.
// Its slack is the time to the deadline beyond that. Idle time and lost work use slack up; running
// keeps it. The rule, kSlack of SpotRule:
//
//   1. Spot, where a node has room: while the slack is worth one change more.
//   2. No such room: wait for it, and take on demand only once the slack is down to the reserve.
//      The reserve is what uniform progress would have left at this instant (Wu et al., NSDI 2024:
//      slack shrinks in step with the time that is left), but no more than kChanges changes, and
//      no less than one.
//   3. On demand, and a spot node has room: move right after a checkpoint, as long as the slack
//      is worth the move and one change more, and the rest is worth the restart.
//   4. On spot, and the slack since the last checkpoint is down to one restart: move to on demand.
//
// A change is what a reclaim may cost: the work since the last checkpoint and two restarts.
#pragma once

#include <optional>
#include <string>

#include "scheduler/core/sources.h"
#include "scheduler/core/state.h"

namespace pinka {

inline constexpr Duration kCheckpointEvery = Duration::Minutes(30);  // the guide's rule
inline constexpr Duration kRestart = Duration::Minutes(5);           // until it is where it was
inline constexpr Duration kChange = kCheckpointEvery + kRestart + kRestart;
inline constexpr int64_t kChanges = 6;

// The run time that a task needs from its last checkpoint on, by its limit.
Duration WorkLeft(const State& state, const JobRow& job, int32_t index);

// The earliest start of this task that would end after the job's deadline.
Timestamp TooLateFrom(const State& state, const JobRow& job, int32_t index);

// Rules 1 and 2 for the job's next task: takes spot out of the offers, or says from when on demand
// is one. Jobs without a deadline keep theirs.
void KeepPace(const State& state, const JobRow& job, std::vector<Offer>& offers);

// When time alone changes what the rules say of this job; Never where it does not.
Timestamp NextTurn(const State& state, const JobRow& job);

struct Move {
  AttemptId attempt;
  Source to = Source::kSpot;
  std::string cause;
};
// Rules 3 and 4: the first of the tier's running work that is to go on elsewhere; nothing where
// somebody can start without.
std::optional<Move> NextMove(const State& state, TierId tier);
// Stops it; its job is promised the room.
void StartMove(State& state, const Move& move);

}  // namespace pinka
