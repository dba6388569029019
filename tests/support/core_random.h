// Commands drawn from a seed, of every kind, that mostly make sense in the state they meet: what
// histories of the property tests are made of. Agents' reports are drawn from what core believes
// of a node, with losses, lies about meters, reboots and silence.
#pragma once

#include <iterator>

#include "base/random.h"
#include "scheduler/core/command.h"
#include "scheduler/core/state.h"
#include "scheduler/sim/fake_store.h"

namespace pinka::test {

class RandomCommands {
 public:
  explicit RandomCommands(uint64_t seed) : random_(seed) {}

  // `store` has the entries that refunds and corrections name.
  Command Next(const State& state, const sim::FakeStore& store);
  // Mostly seconds and minutes, now and then hours or weeks.
  Duration NextPause();
  SeededRandom& random() { return random_; }

 private:
  bool Chance(uint64_t percent) { return random_.Below(100) < percent; }
  int64_t Between(int64_t low, int64_t high) {  // inclusive
    return low + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(high - low + 1)));
  }
  template <class Map>
  const typename Map::mapped_type* Any(const Map& map) {
    if (map.empty()) return nullptr;
    return &std::next(map.begin(), static_cast<ptrdiff_t>(random_.Below(map.size())))->second;
  }
  Actor AnyActor(const State& state);
  RequestKey AnyKey();

  Command Submit(const State& state);
  std::string AnyDependency(const State& state);
  void AnyTimes(const State& state, JobRequest* job);
  JobRequest AnyJob(const State& state);
  Command Change(const State& state);
  Command Edit(const State& state);
  Owner AnyOwner(const State& state);
  Command Money(const State& state);
  Command Package(const State& state);
  Command Month(const State& state);
  Command Bill(const State& state);
  Command Amend(const State& state, const sim::FakeStore& store);
  Command Apply(const State& state);
  BillingRow Billing();
  Command Rental(const State& state);
  Command People(const State& state);
  Command Node(const State& state);
  Command Report(const State& state);
  Command Meters(const State& state);
  Command Silence(const State& state);
  bool See(const AttemptRow& attempt, ObservedAttempt* seen);

  SeededRandom random_;
};

}  // namespace pinka::test
