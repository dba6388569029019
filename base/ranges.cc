#include "base/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"

namespace pinka {
namespace {

using Range = RangeSet::Range;

constexpr int32_t kLargest = INT32_MAX - 1;  // so that its half-open end is a number too

// Work on a spec is bounded even if every index is listed many times.
constexpr int64_t kMostListed = 10'000'000;

// "3", "a-b" or "a-b:step" of a list.
struct Item {
  int32_t first = 0;
  int32_t last = 0;
  int32_t step = 1;
  int64_t count() const { return (int64_t{last} - first) / step + 1; }
};

std::optional<int32_t> Number(std::string_view text) {
  int32_t n = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  auto [stop, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc() || stop != end || n > kLargest) return std::nullopt;
  return n;
}

Status BadItem(std::string_view item, std::string_view why) {
  return Invalid(fmt::format("\"{}\" is not a range of indices: {}", item, why));
}

StatusOr<Item> ParseItem(std::string_view text, bool steps_allowed) {
  Item item;
  std::string_view range = text;
  size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    if (!steps_allowed) return BadItem(text, "a step is not allowed here, list the indices");
    std::optional<int32_t> step = Number(text.substr(colon + 1));
    if (!step || *step == 0) return BadItem(text, "its step must be 1 or more, as in 0-9:2");
    item.step = *step;
    range = text.substr(0, colon);
  }
  size_t dash = range.find('-');
  bool single = dash == std::string_view::npos;
  if (single && colon != std::string_view::npos) {
    return BadItem(text, "a step needs a range before it, as in 0-9:2");
  }
  std::optional<int32_t> first = Number(range.substr(0, dash));
  std::optional<int32_t> last = single ? first : Number(range.substr(dash + 1));
  if (!first || !last) {
    return BadItem(text, fmt::format("write whole numbers from 0 to {}, as in 0-9,12", kLargest));
  }
  if (*first > *last) return BadItem(text, "it runs backwards, write the smaller index first");
  item.first = *first;
  item.last = *last;
  return item;
}

StatusOr<std::vector<Item>> ParseItems(std::string_view text, bool steps_allowed) {
  std::vector<Item> items;
  while (true) {
    size_t comma = text.find(',');
    StatusOr<Item> item = ParseItem(text.substr(0, comma), steps_allowed);
    if (!item.ok()) return item.status();
    items.push_back(*item);
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

// The first range that ends after `n`: the one that holds n, or the next one.
std::vector<Range>::const_iterator EndsAfter(const std::vector<Range>& ranges, int32_t n) {
  return std::upper_bound(ranges.begin(), ranges.end(), n,
                          [](int32_t value, const Range& range) { return value < range.end; });
}

Status TooMany(std::string_view text, int64_t most) {
  return Invalid(
      fmt::format("the array \"{}\" lists more than {} indices: split it into smaller arrays",
                  text.substr(0, 60), most));
}

}  // namespace

RangeSet RangeSet::Of(int32_t begin, int32_t end) {
  RangeSet set;
  set.InsertRange(begin, end);
  return set;
}

int64_t RangeSet::size() const {
  int64_t n = 0;
  for (const Range& range : ranges_) n += int64_t{range.end} - range.begin;
  return n;
}

bool RangeSet::Contains(int32_t n) const {
  auto it = EndsAfter(ranges_, n);
  return it != ranges_.end() && it->begin <= n;
}

int32_t RangeSet::First() const {
  PINKA_CHECK(!empty(), "an empty set has no first");
  return ranges_.front().begin;
}

// Ranges that overlap or touch [begin, end) become one with it.
void RangeSet::InsertRange(int32_t begin, int32_t end) {
  PINKA_CHECK(0 <= begin && begin <= end, "a range of ordinals is not negative or backwards");
  if (begin == end) return;
  auto touches =
      std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                       [](const Range& range, int32_t value) { return range.end < value; });
  auto stop = touches;
  while (stop != ranges_.end() && stop->begin <= end) {
    begin = std::min(begin, stop->begin);
    end = std::max(end, stop->end);
    ++stop;
  }
  if (touches == stop) {
    ranges_.insert(touches, {begin, end});
    return;
  }
  *touches = {begin, end};
  ranges_.erase(touches + 1, stop);
}

void RangeSet::EraseRange(int32_t begin, int32_t end) {
  PINKA_CHECK(begin <= end, "a range does not run backwards");
  if (begin == end) return;
  auto it = ranges_.begin() + (EndsAfter(ranges_, begin) - ranges_.cbegin());
  if (it == ranges_.end() || it->begin >= end) return;
  if (it->begin < begin && it->end > end) {  // a hole in one range
    Range rest{end, it->end};
    it->end = begin;
    ranges_.insert(it + 1, rest);
    return;
  }
  if (it->begin < begin) {
    it->end = begin;
    ++it;
  }
  auto stop = it;
  while (stop != ranges_.end() && stop->end <= end) ++stop;
  if (stop != ranges_.end() && stop->begin < end) stop->begin = end;
  ranges_.erase(it, stop);
}

RangeSet RangeSet::Intersect(const RangeSet& other) const {
  RangeSet common;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    int32_t begin = std::max(a->begin, b->begin);
    int32_t end = std::min(a->end, b->end);
    if (begin < end) common.ranges_.push_back({begin, end});
    a->end < b->end ? ++a : ++b;
  }
  return common;
}

std::string RangeSet::ToString() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}", range.begin);
    if (range.end - range.begin > 1) text += fmt::format("-{}", range.end - 1);
  }
  return text;
}

// Sorted first, so that a long list in any order costs n log n.
StatusOr<RangeSet> RangeSet::Parse(std::string_view text) {
  RangeSet set;
  if (text.empty()) return set;
  StatusOr<std::vector<Item>> items = ParseItems(text, /*steps_allowed=*/false);
  if (!items.ok()) return items.status();
  std::sort(items->begin(), items->end(),
            [](const Item& a, const Item& b) { return a.first < b.first; });
  for (const Item& item : *items) set.InsertRange(item.first, item.last + 1);
  return set;
}

StatusOr<ArraySpec> ParseArraySpec(std::string_view text, int32_t max_tasks) {
  ArraySpec spec;
  size_t percent = text.find('%');
  if (percent != std::string_view::npos) {
    std::optional<int32_t> most = Number(text.substr(percent + 1));
    if (!most || *most == 0) {
      return Invalid(
          fmt::format("\"{}\" does not say how many tasks may run at once: write a number after %, "
                      "as in 0-99%4",
                      text.substr(0, 60)));
    }
    spec.max_running = *most;
  }
  StatusOr<std::vector<Item>> items = ParseItems(text.substr(0, percent), /*steps_allowed=*/true);
  if (!items.ok()) return items.status();
  int64_t listed = 0;
  for (const Item& item : *items) {
    if (item.count() > max_tasks) return TooMany(text, max_tasks);
    listed += item.count();
    if (listed > kMostListed + max_tasks) return TooMany(text, kMostListed);
  }
  spec.indices.reserve(static_cast<size_t>(listed));
  for (const Item& item : *items) {
    for (int64_t n = item.first; n <= item.last; n += item.step) {
      spec.indices.push_back(static_cast<int32_t>(n));
    }
  }
  std::sort(spec.indices.begin(), spec.indices.end());
  spec.indices.erase(std::unique(spec.indices.begin(), spec.indices.end()), spec.indices.end());
  if (std::ssize(spec.indices) > max_tasks) return TooMany(text, max_tasks);
  return spec;
}

StatusOr<JobSlice> ParseJobSlice(std::string_view text) {
  JobSlice slice;
  Status refusal = Invalid(
      fmt::format("\"{}\" does not name a job: write 36, 36_1 or 36_[1-3,7]", text.substr(0, 60)));
  const char* end = text.data() + text.size();
  if (text.empty() || text.front() < '1' || text.front() > '9') return refusal;
  auto [stop, error] = std::from_chars(text.data(), end, slice.job);
  if (error != std::errc()) return refusal;
  std::string_view rest = text.substr(static_cast<size_t>(stop - text.data()));
  if (rest.empty()) return slice;
  if (rest.size() < 2 || rest.front() != '_') return refusal;
  rest.remove_prefix(1);
  if (std::optional<int32_t> index = Number(rest)) {
    slice.indices.Insert(*index);
    return slice;
  }
  if (rest.size() < 3 || rest.front() != '[' || rest.back() != ']') return refusal;
  StatusOr<RangeSet> indices = RangeSet::Parse(rest.substr(1, rest.size() - 2));
  if (!indices.ok()) return indices.status();
  slice.indices = *std::move(indices);
  return slice;
}

}  // namespace pinka
