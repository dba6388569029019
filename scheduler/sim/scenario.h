// What is simulated, put together: a lab (its file, or one made for the trace), machines, the
// trace's jobs and people, and the policy. Every choice that the command line leaves open is made
// here; docs/simulate.md tells them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "scheduler/sim/replay.h"
#include "scheduler/sim/trace.h"

namespace pinka::sim {

struct Scenario {
  std::optional<LabChange> lab;  // none: one tier for each gpu_type of the trace
  std::string default_tier;      // "": that with most units
  std::string policy = "pinka";  // fifo, fifo-backfill, pinka, pinka-no-PART
  bool money = false;            // without it no limit of money, and a lot that never ends
  Money pot;                     // zero: more than anybody can spend
  bool exact_limits = false;     // else the limit is the duration x 1 to 3
  uint64_t seed = 1;
  std::vector<std::string>
      nodes;                     // "a100:4x8": the tier's machines; "a100:4": as wide as they were
  std::vector<std::string> add;  // the same, more of them
  std::vector<std::string> buy;  // "a100:1000h=12000", "a100:8u=7000" (purchases.h)
  SpotFile spot;
  std::string spot_tier;      // "": the default tier
  int32_t spot_units = 0;     // 0: as wide as the tier's machines
  int32_t spot_machines = 0;  // without a file: so many that come and go by the seed
  Duration checkpoint_every = Duration::Minutes(30);
  Duration restart;  // before a task that was taken back goes on
  Duration pass = Duration::Minutes(1);
};

// The policy by its name; PART is fair-share, age, class, size, backfill or preemption. Work with
// a deadline uses spot as SpotRule says: pinka-uniform-progress, pinka-spot-then-switch,
// pinka-on-demand.
StatusOr<Policy> PolicyOf(const std::string& name);

// The tier that a gpu_type means: its name, else the tier whose name the card's holds or is held by
// ("NVIDIA A100-SXM4-80GB", a100), the longest first; "" where there is none. Letters and digits
// count, case does not.
std::string TierOfCard(const std::string& gpu_type, const std::vector<std::string>& tiers);

// All but the calendar, which reads the zone (input.zone). The first submit is the start.
StatusOr<ReplayInput> BuildInput(const Scenario& scenario, const std::vector<TraceJob>& trace);

}  // namespace pinka::sim
