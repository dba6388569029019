#include "agent/card_memory.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pinka {

CardMemory::CardMemory(Ask ask, Keep keep, Duration every)
    : ask_(std::move(ask)), keep_(std::move(keep)), every_(every) {
  thread_ = std::jthread([this](std::stop_token stop) { Loop(std::move(stop)); });
}

CardMemory::~CardMemory() = default;

void CardMemory::Watch(std::map<AttemptKey, std::vector<std::string>> running) {
  std::lock_guard lock(mutex_);
  news_ = news_ || std::ranges::any_of(
                       running, [this](const auto& one) { return !running_.contains(one.first); });
  std::erase_if(most_, [&](const auto& one) { return !running.contains(one.first); });
  running_ = std::move(running);
  if (news_) wake_.notify_one();
}

void CardMemory::Loop(std::stop_token stop) {
  const auto pause = std::chrono::milliseconds(every_.millis());
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait(lock, stop, [this] { return !running_.empty(); });
    if (stop.stop_requested()) return;
    news_ = false;
    lock.unlock();
    const std::map<std::string, int64_t> used = ask_();
    lock.lock();
    Take(used);
    wake_.wait_for(lock, stop, pause, [this] { return news_; });
  }
}

// With the lock held.
void CardMemory::Take(const std::map<std::string, int64_t>& used) {
  for (const auto& [attempt, cards] : running_) {
    int64_t most = 0;
    for (const std::string& card : cards) {
      const auto it = used.find(card);
      if (it != used.end()) most = std::max(most, it->second);
    }
    int64_t& known = most_[attempt];
    if (most <= known) continue;
    known = most;
    keep_(attempt, most);
  }
}

}  // namespace pinka
