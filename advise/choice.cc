#include "advise/choice.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"

namespace pinka::advise {
namespace {

bool SixteenBit(const Work& work) { return work.precision != Precision::kFp32; }

// In the order of preference; ties by tier and name.
std::tuple<int, int, int, int64_t, double, std::string> RankOf(const Choice& c) {
  const int holds = c.fit == Fit::kYes ? 0 : c.fit == Fit::kTight ? 1 : 2;
  const int64_t cost = c.offer.rate > Rate() && c.cost > Money()
                           ? c.cost.micros()
                           : INT64_MAX;  // without a price behind those with one
  return {holds, c.in_time ? 0 : 1, c.in_budget ? 0 : 1,
          cost,  -c.speed,          c.offer.tier + std::string(c.offer.card->name)};
}

std::string Why(const Wish& wish, const Choice& c) {
  const Card& card = *c.offer.card;
  if (c.fit == Fit::kNo)
    return fmt::format("needs about {:.1f} GiB and more, {:.1f} usable", c.memory.low_gib,
                       UsableGib(card));
  std::string why;
  if (c.fit == Fit::kTight) why = "may not fit: try it before a long run; ";
  const bool convolution = wish.work.network.kind == NetworkKind::kConvolutional;
  why += convolution ? fmt::format("convolution leans on its {:.1f} TFLOPS",
                                   ComputeOf(card, SixteenBit(wish.work)))
                     : fmt::format("attention leans on its {:.0f} GiB and {:.0f} GB/s",
                                   card.memory_gib, card.bandwidth_gbs);
  if (!c.in_time) why += "; too slow for the deadline";
  if (!c.in_budget) why += "; beyond the budget";
  if (SixteenBit(wish.work) && !card.tensor_cores) why += "; no tensor cores";
  return why;
}

}  // namespace

double SpeedOf(const Card& card, const Work& work) {
  const double compute = ComputeOf(card, SixteenBit(work));
  const bool convolution = work.network.kind == NetworkKind::kConvolutional;
  // Shares of time that measured runs spend on either: convolution mostly computes, attention waits
  // for memory about as much.
  const double share = convolution ? 0.7 : 0.5;
  return std::pow(compute, share) * std::pow(card.bandwidth_gbs / 10, 1 - share);
}

std::vector<Choice> RankCards(const Wish& wish, std::span<const Offer> offers) {
  std::vector<Choice> choices;
  double slowest = 0;
  for (const Offer& offer : offers) {
    Choice& c = choices.emplace_back();
    c.offer = offer;
    c.memory = EstimateMemory(wish.work);
    c.fit = FitOn(*offer.card, c.memory);
    c.largest_batch = LargestBatch(*offer.card, wish.work);
    c.speed = SpeedOf(*offer.card, wish.work);
    if (c.fit != Fit::kNo && (slowest == 0 || c.speed < slowest)) slowest = c.speed;
  }
  const double unit = wish.reference ? SpeedOf(*wish.reference, wish.work) : slowest;
  for (Choice& c : choices) {
    if (unit > 0) c.speed /= unit;
    if (wish.reference && wish.on_reference > Duration()) {
      c.time = Duration::Seconds(
          std::llround(static_cast<double>(wish.on_reference.seconds()) / c.speed));
      c.cost = Cost(UnitTime::Of(1, c.time), c.offer.rate);
      c.in_time = wish.deadline == Duration() || c.time <= wish.deadline;
      c.in_budget = wish.budget == Money() || c.offer.rate == Rate() || c.cost <= wish.budget;
    }
    c.why = Why(wish, c);
  }
  std::ranges::sort(choices, {}, RankOf);
  return choices;
}

}  // namespace pinka::advise
