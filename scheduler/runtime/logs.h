// Logs of attempts as files DIR/JOB/INDEX.NUMBER.log; one that nobody may write to is complete.
// Bytes are written where the agent says they belong, made durable for all logs together at most
// every 50 ms, and acknowledged only then (design.md 12, "Logs"). Thread-safe.
//
//   LogStore logs("…/logs");
//   logs.Append(id, offset, data, last, [](StatusOr<int64_t> have) { … });  // when durable
//   logs.WhenGrows(id, seen, Duration::Seconds(5), [] { … });              // for followers
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/ids.h"
#include "base/status.h"

namespace pinka {

struct LogSize {
  int64_t bytes = 0;      // written; durable a moment later
  bool complete = false;  // the agent has said that nothing follows, and all of it is durable
};

class LogStore {
 public:
  struct Options {
    Duration flush_every = Duration::Millis(50);
    size_t most_open = 256;  // file descriptors kept
    Duration keep = {};      // after its last byte; zero: for ever
  };
  LogStore(std::string directory, const Clock& clock) : LogStore(directory, clock, Options()) {}
  LogStore(std::string directory, const Clock& clock, Options options);
  ~LogStore();  // makes everything durable and answers everybody

  // Bytes that are there already are skipped; a gap writes nothing. `then` is called once, after
  // all that this log holds is durable, with how much that is: on the store's thread, or at once
  // where the disk refuses. With `last` the log ends at offset + data.
  void Append(const AttemptId& id, int64_t offset, std::string_view data, bool last,
              std::function<void(StatusOr<int64_t>)> then);

  // A log that nobody has written to is empty.
  LogSize SizeOf(const AttemptId& id);
  // At most `most` bytes from `offset`; fewer only at the end.
  StatusOr<std::string> Read(const AttemptId& id, int64_t offset, size_t most);
  // Where the last `lines` lines begin; a line without its newline at the end counts.
  StatusOr<int64_t> TailOffset(const AttemptId& id, int64_t lines);

  // Removes whole logs that are older than they are kept; how many. The store's own thread does so
  // once an hour.
  int64_t DropOld();
  Duration kept() const { return options_.keep; }

  // Calls `then` once: when the log has more than `seen` bytes or is complete, at once if so
  // already, or after `patience`. On the store's thread or the caller's: it must not block.
  void WhenGrows(const AttemptId& id, int64_t seen, Duration patience, std::function<void()> then);

 private:
  struct Log;
  struct Watcher {
    AttemptId id;
    int64_t seen = 0;
    Duration until;
    std::function<void()> then;
  };
  struct Piece;

  std::string PathOf(const AttemptId& id) const;
  Log& Open(const AttemptId& id);  // loads its size; no descriptor yet
  Status Write(Log& log, int64_t offset, std::string_view data);
  StatusOr<std::shared_ptr<Fd>> Descriptor(Log& log);
  void DropQuiet();
  void DropWhenDue(std::unique_lock<std::mutex>& lock);
  bool DropLog(const AttemptId& id);
  bool Forget(const AttemptId& id);  // out of memory, unless somebody needs it now
  void Run();
  std::vector<Piece> TakeDirty();
  void SyncEach(std::vector<Piece>& pieces) const;
  void SyncAll(std::vector<Piece>& pieces) const;
  void MakeDurable(std::vector<Piece>& pieces) const;
  void Flush(std::unique_lock<std::mutex>& lock);
  void CallWatchers(std::unique_lock<std::mutex>& lock);

  const std::string directory_;
  const Clock& clock_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::map<AttemptId, std::unique_ptr<Log>> logs_;
  std::list<AttemptId> open_;  // those with a descriptor, last used first
  std::vector<AttemptId> dirty_;
  std::vector<Watcher> watchers_;
  Duration drop_at_;    // CLOCK_MONOTONIC
  bool moved_ = false;  // a log has grown since the watchers were looked at
  std::thread thread_;
};

}  // namespace pinka
