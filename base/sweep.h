// A sweep: named lists of values, and the grid that they make (semantics.md 3). Values are text and
// stay as they were typed: 0.10 is not 0.1.
//
//   lr=0.1,0.01         two values
//   opt=adam,"a,b"      a value with a comma, as in CSV; a quote inside is written twice
//   seed=1..5           whole numbers, both ends included; also among other values
//
// A value that is there twice counts once. The grid counts up from 0 with the last key fastest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace pinka {

struct SweepKey {
  std::string key;                  // a letter or _, then letters, digits and _; at most 64
  std::vector<std::string> values;  // UTF-8, distinct, at least one
  friend bool operator==(const SweepKey&, const SweepKey&) = default;
};

// One option's text. Refused: a wrong key, no values, more than `most` of them, an open quote, text
// behind a closing one, a range that is not of whole numbers or runs backwards, a zero byte, text
// that is not UTF-8.
StatusOr<SweepKey> ParseSweep(std::string_view text, int64_t most);
// The text that reads back as the same key and values.
std::string FormatSweep(const SweepKey& key);

// How many points the grid has. Refused: more than `most`, keys that are one variable.
StatusOr<int64_t> CountSweep(const std::vector<SweepKey>& keys, int64_t most);
// The values at one point, a value a key. 0 <= index < the count.
std::vector<std::string> SweepValues(const std::vector<SweepKey>& keys, int64_t index);

// "PINKA_SWEEP_LR"
std::string SweepVariable(const std::string& key);
// `{name}` of a key becomes its value and `{{name}}` the text {name}; everything else stays as it
// is, and what was filled in is not looked at again.
std::string FillSweep(std::string_view argument, const std::vector<SweepKey>& keys,
                      const std::vector<std::string>& values);

}  // namespace pinka
