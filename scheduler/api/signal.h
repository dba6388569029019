// A latch between "something has changed" and "tell me": whichever comes first waits for the other,
// so that a change between a read and the wait for the next one is never missed. Fires once;
// thread-safe. Held by shared_ptr.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pinka::api {

class Signal {
 public:
  // Something changed, or the patience is over. Later calls change nothing.
  void Fire() {
    std::function<void()> then;
    {
      std::lock_guard lock(mutex_);
      if (fired_) return;
      fired_ = true;
      then = std::move(then_);
    }
    if (then) then();
  }

  // Calls `then` once, at once if it has fired. Called once.
  void Then(std::function<void()> then) {
    {
      std::lock_guard lock(mutex_);
      if (!fired_) {
        then_ = std::move(then);
        return;
      }
    }
    then();
  }

 private:
  std::mutex mutex_;
  bool fired_ = false;
  std::function<void()> then_;
};

// The signals that somebody may be waiting for, so that a server that stops can end all waits.
class Waits {
 public:
  std::shared_ptr<Signal> New() {
    auto signal = std::make_shared<Signal>();
    std::lock_guard lock(mutex_);
    if (signals_.size() >= sweep_at_) {
      std::erase_if(signals_, [](const auto& weak) { return weak.expired(); });
      sweep_at_ = signals_.size() * 2 + 64;
    }
    signals_.push_back(signal);
    return signal;
  }

  void FireAll() {
    std::vector<std::weak_ptr<Signal>> signals;
    {
      std::lock_guard lock(mutex_);
      signals.swap(signals_);
    }
    for (const auto& weak : signals) {
      if (auto signal = weak.lock()) signal->Fire();
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<Signal>> signals_;
  size_t sweep_at_ = 64;
};

}  // namespace pinka::api
