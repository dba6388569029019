// The headline experiment: a month of a small lab, drawn from a trace, paid for in several ways.
// The guide's author paid a third of what everything on on-demand A100 would have cost; this shows
// what tiers, packages and spot with checkpoints each bring, and all of them together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "scheduler/sim/figures.h"
#include "scheduler/sim/scenario.h"

namespace pinka::sim {

struct Synthesis {
  int32_t people = 10;
  int32_t days = 30;
  int32_t hours = 1'000;  // of an A100, about: ten people who share 1,000 of them
};

// "people=10,days=30,hours=1000"; each may be left out.
StatusOr<Synthesis> ParseSynthesis(const std::string& text);

// Jobs of the trace, each drawn with its cards and its duration, until their work is `hours` or
// just above. Submits lie in the days evenly, four of five between 9 and 23 o'clock; people differ
// in how much they do. Jobs that alone are more than a tenth of the work, wider than eight cards or
// longer than three days are not drawn. The same seed gives the same month.
StatusOr<std::vector<TraceJob>> Synthesize(const std::vector<TraceJob>& from, const Synthesis& what,
                                           uint64_t seed);

struct HeadlineCase {
  std::string name;
  ReplayInput input;
  Money packages;  // price of what was bought ahead, used or not
};

// `base` says policy, seed, limits and checkpoints; its spot file is used where it has one, else
// spot machines come and go by the seed.
StatusOr<std::vector<HeadlineCase>> HeadlineCases(const Scenario& base,
                                                  const std::vector<TraceJob>& month);

struct HeadlineRow {
  std::string name;
  Figures figures;
  Money paid;  // by the lab and its members to providers: packages whole
};
Money PaidOf(const Figures& figures, Money packages);

std::string PrintHeadline(const std::vector<HeadlineRow>& rows);
std::string HeadlineJson(const std::vector<HeadlineRow>& rows);

}  // namespace pinka::sim
