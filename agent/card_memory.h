// How much of their cards attempts use: asked every few seconds while any runs, since nobody else
// knows afterwards. The most that was seen is kept beside the attempt, of several cards that of the
// fullest. A card belongs to one attempt at a time, so all that is used of it is the attempt's.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/records.h"
#include "base/time.h"

namespace pinka {

class CardMemory {
 public:
  // UUID -> bytes in use; may block. Nothing of a card that does not say.
  using Ask = std::function<std::map<std::string, int64_t>()>;
  // A new most of an attempt.
  using Keep = std::function<void(const AttemptKey&, int64_t)>;

  CardMemory(Ask ask, Keep keep, Duration every = Duration::Seconds(5));
  ~CardMemory();

  // The attempts that run, with their cards. Asked at once when there is a new one.
  void Watch(std::map<AttemptKey, std::vector<std::string>> running);

 private:
  void Loop(std::stop_token stop);
  void Take(const std::map<std::string, int64_t>& used);

  Ask ask_;
  Keep keep_;
  Duration every_;
  std::mutex mutex_;  // of all below
  std::condition_variable_any wake_;
  std::map<AttemptKey, std::vector<std::string>> running_;
  std::map<AttemptKey, int64_t> most_;
  bool news_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace pinka
