// What is known of jobs' files in the blob store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/file_set.h"
#include "scheduler/core/rows.h"

namespace pinka::db {

// By task, attempt, kind, generation. `index`: of one task alone.
StatusOr<std::vector<FileSetRow>> FileSetsOf(ReadPool& pool, JobId job,
                                             std::optional<int32_t> index);
StatusOr<std::optional<FileSetRow>> NewestCheckpoint(ReadPool& pool, const TaskId& task);
// Of the member whose job it is.
StatusOr<int64_t> BytesKeptOfOwner(ReadPool& pool, JobId job);
// Every tree whose blobs must stay.
StatusOr<std::vector<std::string>> LiveTrees(ReadPool& pool, Timestamp now);

}  // namespace pinka::db
