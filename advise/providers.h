// How providers bill, and what catches newcomers: the rows behind `pinka advise providers`. Facts
// with the date at which they were read; "?" where nothing certain was found. Rules change: a row
// is a reason to look, not a promise.
#pragma once

#include <span>
#include <string_view>

namespace pinka::advise {

struct Provider {
  std::string_view name;
  std::string_view region;   // "China", "world"
  std::string_view counted;  // by second, minute, hour
  std::string_view minimum;
  std::string_view stopped;  // what a stopped machine still costs
  std::string_view spot;     // and the notice before it is taken
  std::string_view egress;
  std::string_view offer;  // what the guide says of it
  std::string_view trap;
};

inline constexpr std::string_view kProvidersAsOf = "2026-11";

std::span<const Provider> Providers();
// By name, whatever its case; null where none is.
const Provider* FindProvider(std::string_view name);

}  // namespace pinka::advise
