// How long a member's work usually ran, for those who submit: asked beside the commit, so that it
// costs a submit no time of its own, and kept for a moment, so that many submits of one thing ask
// once. Nothing where too many ask at the same time: a submit is not held up by it. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "db/reads_jobs.h"
#include "scheduler/api/call.h"
#include "scheduler/core/command.h"

namespace pinka::api {

class UsualRuns {
 public:
  using Answer = std::optional<db::UsualRun>;
  explicit UsualRuns(Desk& desk) : desk_(desk) {}

  // `then` is called once, at once or on a reader's thread.
  void Ask(MemberId member, const JobRequest& job, std::function<void(const Answer&)> then);

 private:
  using Key = std::tuple<MemberId, TierId, std::string, std::string>;
  struct Kept {
    Answer answer;
    Duration at;  // monotonic
  };
  void Look(const Key& key, const std::function<void(const Answer&)>& then);

  Desk& desk_;
  std::mutex mutex_;
  std::map<Key, Kept> kept_;
  int looking_ = 0;
};

}  // namespace pinka::api
