// Printing a log: bytes to standard output, marks to standard error.
#pragma once

#include "client/cli/core/session.h"
#include "pinka/v1/job.pb.h"

namespace pinka::cli {

// Prints until the server says that it is over. Into a pipe or file the bytes are the job's own; on
// a terminal they are made safe. A stream that breaks goes on at the same byte, five minutes at
// most without an answer. With --json a LogChunk a line.
Status PrintLog(Session& session, v1::StreamLogRequest request);

}  // namespace pinka::cli
