// What a member's work did before, for those who submit: asked beside the commit, so that it
// costs a submit no time of its own, and kept for a moment, so that many submits of one thing ask
// once. Nothing where too many ask at the same time: a submit is not held up by it. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "db/reads_jobs.h"
#include "scheduler/api/call.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// Nothing where the database says nothing.
struct History {
  std::optional<db::UsualRun> usual;
  std::vector<db::PastRuns> past;
};

History ReadHistory(db::ReadPool& pool, MemberId member, const JobRequest& job);

class Histories {
 public:
  explicit Histories(Desk& desk) : desk_(desk) {}

  // `then` is called once, at once or on a reader's thread.
  void Ask(MemberId member, const JobRequest& job, std::function<void(const History&)> then);

 private:
  using Key = std::tuple<MemberId, TierId, std::string, std::string>;
  struct Kept {
    History history;
    Duration at;  // monotonic
  };
  void Look(const Key& key, const JobRequest& job, const std::function<void(const History&)>& then);

  Desk& desk_;
  std::mutex mutex_;
  std::map<Key, Kept> kept_;
  int looking_ = 0;
};

}  // namespace pinka::api
