#include "scheduler/api/readers.h"

#include <exception>
#include <utility>

#include "spdlog/spdlog.h"

namespace pinka::api {
namespace {

constexpr size_t kMostWaiting = 10'000;

}  // namespace

Readers::Readers(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

Readers::~Readers() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Readers::Run(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    if (jobs_.size() >= kMostWaiting) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void Readers::RunAlways(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void Readers::Work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    try {
      job();
    } catch (const std::exception& e) {
      spdlog::error("a reader's job failed: {}", e.what());
    }
  }
}

}  // namespace pinka::api
