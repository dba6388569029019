// A latch between "something has changed" and "tell me": whichever comes first waits for the other,
// so that a change between a read and the wait for the next one is never missed. Fires once;
// thread-safe. Held by shared_ptr.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

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

}  // namespace pinka::api
