// A set of ordinals (or array indices) kept as sorted, disjoint, half-open ranges: how an array of
// a million tasks fits in one row (semantics.md 3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace pinka {

class RangeSet {
 public:
  struct Range {
    int32_t begin = 0;  // inclusive
    int32_t end = 0;    // exclusive
    friend bool operator==(const Range&, const Range&) = default;
  };

  RangeSet() = default;
  static RangeSet Of(int32_t begin, int32_t end);  // [begin, end)

  bool empty() const { return ranges_.empty(); }
  int64_t size() const;  // how many ordinals
  bool Contains(int32_t n) const;
  int32_t First() const;  // the lowest; the set is not empty
  void Insert(int32_t n) { InsertRange(n, n + 1); }
  void Erase(int32_t n) { EraseRange(n, n + 1); }
  void InsertRange(int32_t begin, int32_t end);
  void EraseRange(int32_t begin, int32_t end);
  RangeSet Intersect(const RangeSet& other) const;
  const std::vector<Range>& ranges() const { return ranges_; }

  // "0-99,105,110-119": inclusive ends, as people write them. "" is the empty set.
  std::string ToString() const;
  static StatusOr<RangeSet> Parse(std::string_view text);

  friend bool operator==(const RangeSet&, const RangeSet&) = default;

 private:
  std::vector<Range> ranges_;
};

// `spec := item("," item)* ["%" max]`, `item := n | a-b | a-b:step`. Duplicates collapse; a > b,
// step 0, negatives and overflow are refused; more than `max_tasks` indices are refused whole.
struct ArraySpec {
  std::vector<int32_t> indices;  // sorted, unique: ordinal -> index
  int32_t max_running = 0;       // 0: no throttle
};
StatusOr<ArraySpec> ParseArraySpec(std::string_view text, int32_t max_tasks);

// "36", "36_1", "36_[1-3,7]": a job or some of its indices (empty: all of it).
struct JobSlice {
  int64_t job = 0;
  RangeSet indices;
};
StatusOr<JobSlice> ParseJobSlice(std::string_view text);

}  // namespace pinka
