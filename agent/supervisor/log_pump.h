// Carries what the job writes from a pipe into one file. The supervisor holds the pipe, so the
// job's writes survive the agent; and it can stop writing at the log's limit while the job goes on
// undisturbed: bytes past the limit (or past a full disk) are counted and dropped. Data moves by
// splice(2) where the file system can, without passing through this process.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/status.h"

namespace pinka {

class LogPump {
 public:
  // `limit` 0: none.
  static StatusOr<LogPump> Open(const std::string& path, int64_t limit);

  int job_end() const { return write_end_.get(); }
  void CloseJobEnd() { write_end_ = Fd(); }
  // -1 once every writer has closed: then there is nothing to wait for.
  int poll_fd() const { return read_end_.get(); }

  // Moves what is there, a few MiB at most; true if the file or the count of dropped bytes grew.
  bool Pump();
  // Moves all that is there now, writes the mark if bytes were dropped, and makes the file durable.
  void Finish();

  // The errno that ended writing; 0: none did.
  int write_error() const { return write_error_; }
  std::string Trouble() const;  // the same in words
  int64_t written() const { return written_; }
  int64_t dropped() const { return dropped_; }

 private:
  void Mark();
  LogPump() = default;
  int64_t MoveOnce();
  int64_t Store(size_t max);
  int64_t Copy(size_t max);
  int64_t Drop();
  void GiveUp(int error);

  Fd read_end_;
  Fd write_end_;
  Fd file_;
  Fd null_;
  bool splice_works_ = true;
  int64_t limit_ = 0;
  int write_error_ = 0;  // the errno that ended writing; 0: the limit did, or nothing
  int64_t written_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace pinka
