// Where a follower of a log stands, so that a broken stream goes on at the same byte. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "pinka/v1/job.pb.h"

namespace pinka::cli {

class LogCursor {
 public:
  // What of the chunk is new: all, its tail after a resumed stream overlapped, or nothing. A chunk
  // of a later attempt begins anew; one of an earlier attempt is old.
  std::string_view Accept(const v1::LogChunk& chunk);
  // Where a stream that broke goes on; before the first chunk the request stays as it was.
  void Resume(v1::StreamLogRequest* request) const;
  int32_t attempt() const { return attempt_; }

 private:
  int32_t attempt_ = 0;
  int64_t next_ = 0;
};

}  // namespace pinka::cli
