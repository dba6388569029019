// Two answers that come in any order, from any threads, and one continuation that wants both. Where
// one never comes, nothing is called.
//
//   auto both = Both<Outcome, History>::Make([](const Outcome& o, const History& h) { … });
//   Ask([both](const History& h) { both->Second(h); });
//   Do(command, [both](const Outcome& o) { both->First(o); });
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace pinka::api {

template <class A, class B>
class Both {
 public:
  using Then = std::function<void(const A&, const B&)>;
  static std::shared_ptr<Both> Make(Then then) {
    return std::shared_ptr<Both>(new Both(std::move(then)));
  }
  void First(const A& a) { Take(first_, a); }
  void Second(const B& b) { Take(second_, b); }

 private:
  explicit Both(Then then) : then_(std::move(then)) {}
  template <class V>
  void Take(std::optional<V>& slot, const V& value) {
    {
      std::lock_guard lock(mutex_);
      slot = value;
      if (!first_ || !second_) return;
    }
    then_(*first_, *second_);
  }

  std::mutex mutex_;
  std::optional<A> first_;
  std::optional<B> second_;
  const Then then_;
};

}  // namespace pinka::api
