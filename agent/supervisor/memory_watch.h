// How much memory the job takes, how much it took at most, and who was killed for it. Where the
// kernel holds the limit it only reads; elsewhere it ends the largest process of a tree that has
// outgrown its limit, as the kernel would.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "agent/process/job_tree.h"
#include "agent/process/memory.h"

namespace pinka {

class MemoryWatch {
 public:
  // `limit` 0: none. `held`: control groups hold it.
  MemoryWatch(const JobTree* tree, int64_t limit, bool held)
      : tree_(tree), limit_(limit), held_(held) {}

  // Looks at the tree; to be called at every meter, and every second where Guards().
  void Look();
  // Nobody else holds the limit.
  bool Guards() const { return limit_ > 0 && !held_; }

  // Bytes: the most that was seen of all processes together, or the most that one of those that
  // have ended ever had, whichever is more.
  int64_t Peak() const;
  // Who was killed for memory, as a sentence; "" if nobody was. Asked before the groups are gone.
  std::string Killed() const;

 private:
  void Guard(const MemoryUse& quick);

  const JobTree* tree_;
  int64_t limit_;
  bool held_;
  int64_t peak_ = 0;
  int looks_ = 0;
  int64_t kills_ = 0;    // our own
  std::string largest_;  // the name of who took most when we last looked, or of whom we killed
};

}  // namespace pinka
