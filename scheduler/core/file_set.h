// What of jobs' files is kept.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "scheduler/core/types.h"

namespace pinka {

// Files of an attempt that lie whole in the blob store. Core passes them through.
struct FileSetRow {
  AttemptId attempt;
  FileKind kind = FileKind::kOutput;
  int64_t generation = 0;  // of a checkpoint, as the job numbered it
  std::string root;        // the tree
  int64_t files = 0;
  int64_t bytes = 0;
  Timestamp kept_at;
  friend bool operator==(const FileSetRow&, const FileSetRow&) = default;
};

}  // namespace pinka
