// Once an hour the blob store is rid of what nobody needs any more. A thread of its own: a large
// store takes a while.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "db/pool.h"
#include "scheduler/runtime/blobs.h"

namespace pinka {

class BlobChores {
 public:
  // All outlive it.
  BlobChores(Blobs& blobs, db::ReadPool& reads, const Clock& clock);

 private:
  void Loop(const std::stop_token& stop);
  void Sweep();

  Blobs& blobs_;
  db::ReadPool& reads_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace pinka
