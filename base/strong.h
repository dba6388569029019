// Strong integers: ids and quantities that do not convert into each other silently.
//
//   struct JobTag {}; using JobId = Strong<JobTag, int64_t>;
//   JobId id{17};  id.value() == 17
//
// A Strong has order, equality and a hash, and nothing else: quantities add their arithmetic
// themselves (money.h, time.h).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace pinka {

template <class Tag, class Rep = int64_t>
class Strong {
 public:
  using rep = Rep;
  constexpr Strong() = default;
  constexpr explicit Strong(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  constexpr explicit operator bool() const { return value_ != Rep{}; }  // 0 is "none"
  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;

 private:
  Rep value_{};
};

}  // namespace pinka

template <class Tag, class Rep>
struct std::hash<pinka::Strong<Tag, Rep>> {
  size_t operator()(const pinka::Strong<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
