// The books in the order of time: what moved lots, and what counts against limits, instant by
// instant. Within one instant the order is not written down, so readers judge by bounds.
#pragma once

#include <compare>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "db/connection.h"

namespace pinka::check {

struct AttemptKey {
  int64_t job = 0;
  int32_t index = 0;
  int32_t number = 0;
  friend auto operator<=>(const AttemptKey&, const AttemptKey&) = default;
};
std::string Text(const AttemptKey& key);  // "36_1.2"

// As numbered in check_open_moments.
enum class What { kCredit = 1, kCharge, kEnd, kRelease, kOrder, kLine, kDebit, kMoreCharged, kCut };

struct Moment {
  Timestamp at;
  What what = What::kCredit;
  AttemptKey attempt;
  int32_t n = 0;  // of a line
  int64_t lot = 0;
  int64_t amount = 0;
  int64_t posted = 0;
  int64_t unit_ms = 0;
  int64_t member = 0;
  int64_t project = 0;
  int64_t tier = 0;
  int32_t units = 0;
  int64_t limit_ms = 0;
  int64_t rate = 0;
  int64_t asset = 1;    // of a line or its release: 1 money, else a package
  bool edited = false;  // of a line: its job's limit was changed after the hold was made
  // Lines carry no time of their own. False where the line may have come later than its hold, by a
  // longer limit: the job was edited, and it is not the first.
  bool sure = true;
};

// Calls `instant` once for each instant, with all that happened at it, in the order of What.
Status ForEachInstant(db::Connection& connection,
                      const std::function<void(std::span<const Moment>)>& instant);

}  // namespace pinka::check
