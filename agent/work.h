// A few threads for what may wait on disk, network or dying processes, so that the agent's loop
// never does. At most one piece of work per attempt at a time: core judges nothing that is busy.
// Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "agent/records.h"
#include "base/time.h"

namespace pinka {

class Work {
 public:
  // `finished` is called from a worker after each piece of work.
  Work(int threads, std::function<void()> finished);
  ~Work();  // finishes what has begun, drops the rest

  // `task` returns how long the attempt is to be left alone after it: zero, or a pause before the
  // next try.
  using Task = std::function<Duration()>;
  void Start(const AttemptKey& key, Task task);
  std::set<AttemptKey> Busy() const;

 private:
  void Loop(std::stop_token stop);

  std::function<void()> finished_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::pair<AttemptKey, Task>> queue_;
  std::set<AttemptKey> busy_;
  std::map<AttemptKey, Duration> alone_until_;  // CLOCK_BOOTTIME
  std::vector<std::jthread> threads_;           // last: they use all of the above
};

}  // namespace pinka
