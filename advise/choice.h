// Which card for which work: those that hold it, ranked by what the work will cost on them.
// Convolution wants cores before bandwidth, attention wants memory before cores (the guide, 2.1).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "advise/cards.h"
#include "advise/memory.h"
#include "base/money.h"
#include "base/time.h"

namespace pinka::advise {

// A card that can be had at a price.
struct Offer {
  const Card* card = nullptr;
  std::string tier;  // of the lab; "": none
  Rate rate;         // per hour; 0: not known
};

struct Wish {
  Work work;
  Duration on_reference;  // how long it takes on `reference`; 0: not known
  const Card* reference = nullptr;
  Duration deadline;  // 0: none
  Money budget;       // 0: none
};

struct Choice {
  Offer offer;
  Estimate memory;
  Fit fit = Fit::kNo;
  int largest_batch = 0;
  double speed = 0;  // relative to the reference, or to the slowest that holds it
  Duration time;     // 0: not known
  Money cost;        // 0: not known
  bool in_time = true;
  bool in_budget = true;
  std::string why;
};
// The best first: what holds it before what may, then within deadline and budget, then cost (or,
// where no price is known, speed). Those that do not hold it come last and say so.
std::vector<Choice> RankCards(const Wish& wish, std::span<const Offer> offers);

// How fast a card is at such work, in its own unit: a geometric mean of what the work leans on.
double SpeedOf(const Card& card, const Work& work);

}  // namespace pinka::advise
