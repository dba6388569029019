// A lab in which jobs come, start and end by a seed: for properties of the plan.
//
//   RandomLab lab(seed);
//   lab.Step();                        // an instant in which something happens
//   State state = lab.Unplanned();     // and one in which nobody has planned yet
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "scheduler/core/attempt.h"
#include "tests/support/core_world.h"

namespace pinka::test {

struct RandomLab {
  // Mixed: nodes are the lab's own, spot or on demand, at prices in that order.
  explicit RandomLab(uint64_t seed, bool mixed = false) : random(seed) {
    w.audit = false;
    w.Deposit("lab", 1'000'000);
    tier = w.Tier("a100");
    if (mixed) SetPrices();
    const Source sources[] = {Source::kOnDemand, Source::kSpot, Source::kOwned};
    const uint64_t nodes = mixed ? 4 : 2 + random.Below(3);
    for (uint64_t n = 0; n < nodes; ++n) {
      w.AddNode("n" + std::to_string(n), "a100", static_cast<int32_t>(1 + random.Below(6)),
                sources[mixed ? n % 3 : 0]);
    }
  }
  void SetPrices() {
    LabChange::Tier priced;
    priced.row = w.state().tiers.Get(tier);
    for (const auto& [source, micros] : {std::pair(Source::kOnDemand, 12'000'000),
                                         {Source::kSpot, 4'000'000},
                                         {Source::kOwned, 1'000'000}}) {
      RateRow& row = priced.rates.emplace_back();
      row.source = source;
      row.rate = Rate::MicrosPerUnitHour(micros);
    }
    LabChange change;
    change.tiers.push_back(priced);
    w.Apply(change);
  }
  void Submit() {
    const char* members[] = {"alice", "bob", "carol", "王芳"};
    JobRequest job =
        w.Job("a100", Duration::Minutes(static_cast<int64_t>(10 + 10 * random.Below(40))),
              static_cast<int>(1 + random.Below(5)));
    job.klass = static_cast<JobClass>(random.Below(3));
    if (arrays && random.Below(4) == 0) job.array = "0-5%" + std::to_string(1 + random.Below(3));
    w.TrySubmit(members[random.Below(4)], job);
  }
  std::vector<AttemptId> Open() const {
    std::vector<AttemptId> open;
    for (const auto& [id, a] : w.state().attempts.rows()) {
      if (a.state != AttemptState::kEnded) open.push_back(id);
    }
    return open;
  }
  // Some jobs come, some time passes, some work starts and some ends.
  void Step() {
    for (uint64_t n = random.Below(5); n > 0; --n) Submit();
    w.Advance(Duration::Minutes(static_cast<int64_t>(random.Below(30))));
    for (const AttemptId& id : Open()) {
      const AttemptRow& a = w.state().attempts.Get(id);
      const uint64_t n = random.Below(100);
      if (a.state == AttemptState::kOrdered && n < 70) w.Run(id.job, id.index);
      if (a.state == AttemptState::kStopping) w.End(id.job, EndReason::kPreempted, id.index);
      if (a.state == AttemptState::kRunning && n < 25) w.Exit(id.job, 0, id.index);
    }
  }
  std::vector<AttemptId> Some() {
    std::vector<AttemptId> some = Open();
    std::erase_if(some, [&](const AttemptId&) { return random.Below(3) != 0; });
    return some;
  }
  // The state in which some of what runs has just ended and nobody has planned.
  State Unplanned() { return Ended(w.state(), Some()); }
  static State Ended(State state, const std::vector<AttemptId>& ended) {
    for (const AttemptId& id : ended) {
      End end;
      end.reason = EndReason::kExited;
      end.exited = true;
      EndAttempt(state, id, end);
    }
    return state;
  }
  bool arrays = true;
  SeededRandom random;
  CoreWorld w;
  TierId tier;
};

}  // namespace pinka::test
