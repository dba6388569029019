// What nobody needs any more leaves the blob store: blobs of no kept tree that nobody has touched
// for hours (a transfer may be under way, a submit may follow its upload).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "scheduler/runtime/blobs.h"

namespace pinka::api {

struct Swept {
  int64_t kept = 0;
  int64_t removed = 0;
  int64_t removed_bytes = 0;
};

// `trees`: all that must stay. Removes nothing where one of them cannot be read: its blobs would
// not be known. Blocks for as long as the store is large.
StatusOr<Swept> SweepBlobs(Blobs& blobs, const std::vector<std::string>& trees,
                           Timestamp untouched_since);

}  // namespace pinka::api
