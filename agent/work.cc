#include "agent/work.h"

#include "base/clock.h"

namespace pinka {

Work::Work(int threads, std::function<void()> finished) : finished_(std::move(finished)) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](std::stop_token stop) { Loop(stop); });
  }
}

Work::~Work() {
  for (auto& thread : threads_) thread.request_stop();
}

void Work::Start(const AttemptKey& key, Task task) {
  std::lock_guard lock(mutex_);
  if (!busy_.insert(key).second) return;
  queue_.emplace_back(key, std::move(task));
  changed_.notify_one();
}

std::set<AttemptKey> Work::Busy() const {
  Duration now = SystemClock().Boottime();
  std::lock_guard lock(mutex_);
  std::set<AttemptKey> busy = busy_;
  for (const auto& [key, until] : alone_until_) {
    if (now < until) busy.insert(key);
  }
  return busy;
}

void Work::Loop(std::stop_token stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return !queue_.empty(); });
    if (stop.stop_requested()) return;
    auto [key, task] = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    Duration pause = task();
    lock.lock();
    busy_.erase(key);
    alone_until_.erase(key);
    if (pause > Duration()) alone_until_[key] = SystemClock().Boottime() + pause;
    lock.unlock();
    finished_();
  }
}

}  // namespace pinka
