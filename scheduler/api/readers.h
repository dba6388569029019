// Threads for what may block for a moment: reads of the database, pieces of log files. gRPC's own
// threads and the runtime's thread never do. A job that throws is logged and dropped; its Call then
// answers "internal" by itself (call.h).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pinka::api {

class Readers {
 public:
  explicit Readers(int threads);
  ~Readers();  // finishes what waits

  // False, and nothing is done, where too much waits already.
  bool Run(std::function<void()> job);
  // For work that must not be refused because it ends something that has begun.
  void RunAlways(std::function<void()> job);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pinka::api
