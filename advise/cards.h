// What advice adds to the catalogue: what people saw, and what of a card's figures a program gets.
#pragma once

#include <span>
#include <string_view>

#include "catalogue/cards.h"

namespace pinka::advise {

// What people saw and no data sheet says.
struct Observation {
  std::string_view card;
  std::string_view text;
};
std::span<const Observation> Observations();

// Of tensor cores where it has them and 16 bits are used, in TFLOPS.
double ComputeOf(const Card& card, bool sixteen_bit);
// What a program can use of it: the driver, ECC and the display keep a part.
double UsableGib(const Card& card);

}  // namespace pinka::advise
