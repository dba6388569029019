// Printing a log: bytes to standard output, marks to standard error.
#pragma once

#include <string>

#include "client/cli/core/session.h"

namespace pinka::cli {

struct LogWish {
  std::string task;     // "17", "36_1"
  int32_t attempt = 0;  // only this one; 0: the newest, and with `follow` those after it
  bool from_first_attempt = false;
  int64_t tail_lines = 0;
  bool follow = false;
};

// Prints until the server says that it is over. Into a pipe or file the bytes are the job's own; on
// a terminal they are made safe. A stream that breaks goes on at the same byte, five minutes at
// most without an answer. With --json a LogChunk a line.
Status PrintLog(Session& session, const LogWish& wish);

}  // namespace pinka::cli
