// What the tests of rentals share: a provider by the hour, a node's newest rental, a run on it.
#pragma once

#include <string>
#include <utility>

#include "tests/support/core_world.h"

namespace pinka::test {

inline Money Cents(int64_t n) { return Money::Micros(n * 10'000); }

inline BillingRow Hourly(int64_t cents = 1'200) {
  BillingRow row;
  row.provider = "provider";
  row.rule.rate = Rate::MicrosPerUnitHour(cents * 10'000);
  row.rule.minimum = Duration::Hours(1);
  row.rule.block = Duration::Hours(1);
  return row;
}

inline Reply Bill(CoreWorld& w, const std::string& tier, BillingRow row) {
  LabChange::Tier change;
  change.row = w.state().tiers.Get(w.Tier(tier));
  change.billing.push_back(std::move(row));
  LabChange lab;
  lab.tiers.push_back(change);
  return w.Do(ApplyLab{w.Admin(), {}, lab, false});
}

inline const RentalRow& RentalOf(const CoreWorld& w, const std::string& node) {
  const RentalRow* last = nullptr;
  for (const auto& [id, row] : w.store().tables().rentals) {
    if (row.node == w.Node(node)) last = &row;
  }
  return *last;
}

inline ChangeNode Remove(const CoreWorld& w, const std::string& node) {
  ChangeNode command;
  command.actor = w.Admin();
  command.node = node;
  command.verb = NodeVerb::kRemove;
  command.dead = true;
  return command;
}

inline void RunFor(CoreWorld& w, const std::string& member, Duration span) {
  const JobId job = w.Submit(member, w.Job("a100", Duration::Hours(2)));
  w.Run(job);
  w.Advance(span);
  w.Exit(job, 0);
}

// Of the lab's accounts of one kind.
inline Money Side(const CoreWorld& w, AccountKind kind) { return w.Balance(kind, "lab"); }

}  // namespace pinka::test
