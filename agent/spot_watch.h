// Asks, as long as the agent lives, whether this machine is taken away: its provider's metadata
// service, or a program. A service that hangs holds up nobody: it is asked from a thread of its
// own. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "agent/core/spot_notice.h"
#include "base/clock.h"

namespace pinka {

class SpotWatch {
 public:
  explicit SpotWatch(SpotSource source, Duration every = Duration::Seconds(5))
      : source_(std::move(source)), every_(every) {}

  // `changed` is called from the thread when a notice came, moved or went.
  void Start(std::function<void()> changed);
  std::optional<SpotReclaim> reclaim() const;
  SpotAnswer Ask() const;  // one question, for as long as it takes: seconds

 private:
  void Loop(std::stop_token stop);
  void Tell(const SpotAnswer& answer);
  SpotAnswer AskService(const SpotService& service) const;
  SpotAnswer AskProgram() const;
  std::string Whom() const;

  SystemClock clock_;
  SpotSource source_;
  Duration every_;
  std::function<void()> changed_;
  std::string complaint_;  // said already; the thread's alone

  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  SpotStanding standing_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace pinka
