// RangeSet against std::set, which is too simple to be wrong.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/ranges.h"

namespace pinka {
namespace {

using Model = std::set<int32_t>;

struct Both {
  RangeSet set;
  Model model;
};

// A sequence of inserts and erases in a small space, so that ranges meet often.
Both AnyHistory() {
  Both both;
  int steps = *rc::gen::inRange(0, 40);
  for (int i = 0; i < steps; ++i) {
    int32_t begin = *rc::gen::inRange(0, 60);
    int32_t end = begin + *rc::gen::inRange(0, 12);
    bool insert = *rc::gen::arbitrary<bool>();
    insert ? both.set.InsertRange(begin, end) : both.set.EraseRange(begin, end);
    for (int32_t n = begin; n < end; ++n) {
      if (insert) both.model.insert(n);
      if (!insert) both.model.erase(n);
    }
  }
  return both;
}

Model Members(const RangeSet& set) {
  Model members;
  for (const RangeSet::Range& range : set.ranges()) {
    for (int32_t n = range.begin; n < range.end; ++n) members.insert(n);
  }
  return members;
}

// Sorted, disjoint, not empty, and never touching: one set has one form.
bool IsCanonical(const RangeSet& set) {
  const std::vector<RangeSet::Range>& ranges = set.ranges();
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].begin >= ranges[i].end) return false;
    if (i > 0 && ranges[i - 1].end >= ranges[i].begin) return false;
  }
  return true;
}

RC_GTEST_PROP(RangeSetProperty, HoldsWhatASetOfNumbersWouldHold, ()) {
  Both both = AnyHistory();
  RC_ASSERT(Members(both.set) == both.model);
  RC_ASSERT(IsCanonical(both.set));
  RC_ASSERT(both.set.size() == std::ssize(both.model));
  RC_ASSERT(both.set.empty() == both.model.empty());
  if (!both.model.empty()) RC_ASSERT(both.set.First() == *both.model.begin());
  for (int32_t n = 0; n < 75; ++n) RC_ASSERT(both.set.Contains(n) == both.model.contains(n));
}

RC_GTEST_PROP(RangeSetProperty, IntersectsAsSetsDo, ()) {
  Both a = AnyHistory();
  Both b = AnyHistory();
  Model common;
  std::set_intersection(a.model.begin(), a.model.end(), b.model.begin(), b.model.end(),
                        std::inserter(common, common.end()));
  RangeSet intersection = a.set.Intersect(b.set);
  RC_ASSERT(Members(intersection) == common);
  RC_ASSERT(IsCanonical(intersection));
  RC_ASSERT(intersection == b.set.Intersect(a.set));
}

RC_GTEST_PROP(RangeSetProperty, ReadsBackWhatItPrints, ()) {
  RangeSet set = AnyHistory().set;
  RC_ASSERT(RangeSet::Parse(set.ToString()).value() == set);
}

RC_GTEST_PROP(RangeSetProperty, ReadsAListInAnyOrder, ()) {
  auto numbers =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int32_t>>(rc::gen::inRange(0, 99)));
  std::string text;
  RangeSet set;
  for (int32_t n : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(n);
    set.Insert(n);
  }
  RC_ASSERT(RangeSet::Parse(text).value() == set);
  auto indices = ParseArraySpec(text, 100)->indices;
  RC_ASSERT(Model(indices.begin(), indices.end()) == Members(set));
  RC_ASSERT(std::is_sorted(indices.begin(), indices.end()));
}

}  // namespace
}  // namespace pinka
