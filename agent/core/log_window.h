// Which bytes of which log go up next. One stream carries all logs of a node: chunks of at most
// 256 KiB, at most 1 MiB on the way without an acknowledgement, so that no log starves the others
// and nobody's memory grows. The scheduler's `have` is the only truth of what is durable: each
// stream begins with a question per log (an empty chunk at offset 0) and goes on from the answer.
// Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.h"

namespace pinka {

class LogWindow {
 public:
  static constexpr int64_t kChunkBytes = 256 << 10;
  static constexpr int64_t kWindowBytes = 1 << 20;

  struct Chunk {
    AttemptId attempt;
    int64_t offset = 0;
    int64_t length = 0;
    bool last = false;
    friend bool operator==(const Chunk&, const Chunk&) = default;
  };

  // The log has `size` bytes now; `whole`: it will not grow any more.
  void Observe(const AttemptId& attempt, int64_t size, bool whole);
  void Drop(const AttemptId& attempt) { logs_.erase(attempt); }

  // What to send now, logs in turn; nothing if all is sent, waits for an answer, or the window is
  // full. The chunk counts as sent.
  std::optional<Chunk> Next();
  void Acknowledged(const AttemptId& attempt, int64_t have);
  // The stream broke: whatever was on the way counts for nothing.
  void StreamLost();

  // Every byte is durable, and the scheduler has been told that these are all.
  bool Done(const AttemptId& attempt) const;

 private:
  struct Log {
    int64_t size = 0;
    bool whole = false;
    bool asked = false;     // this stream has carried the question
    bool answered = false;  // and its answer
    int64_t have = 0;
    int64_t sent = 0;
    bool last_sent = false;
    bool done = false;
  };

  std::optional<Chunk> NextOf(const AttemptId& attempt, Log* log) const;
  int64_t InFlight() const;

  std::map<AttemptId, Log> logs_;
  AttemptId turn_;  // the log that was served last
};

}  // namespace pinka
