#include "scheduler/api/file_sweep.h"

#include <unordered_set>

#include "files/tree.h"
#include "scheduler/api/file_shelf.h"
#include "spdlog/spdlog.h"

namespace pinka::api {
namespace {

using Marked = std::unordered_set<std::string>;  // raw hashes: 32 bytes each

// A tree that is gone has no blobs that could be kept; one that is there in part keeps its part.
Status Mark(Blobs& blobs, const std::string& root, Marked* marked) {
  const auto size = ListBlobs(BlobReader(blobs), root, [&](const std::vector<std::string>& some) {
    for (const std::string& hash : some) marked->insert(RawOfHash(hash));
    return OkStatus();
  });
  if (size.ok()) return OkStatus();
  if (!absl::IsNotFound(size.status()) && !absl::IsInternal(size.status())) return size.status();
  spdlog::error("the files {} are not whole in the blob store: {}", root, Message(size.status()));
  return OkStatus();
}

}  // namespace

StatusOr<Swept> SweepBlobs(Blobs& blobs, const std::vector<std::string>& trees,
                           Timestamp untouched_since) {
  Marked marked;
  for (const std::string& root : trees) {
    if (Status s = Mark(blobs, root, &marked); !s.ok()) return s;
  }
  Swept swept;
  std::vector<Blobs::Found> old;
  const Status listed = blobs.ForEach([&](const Blobs::Found& found) {
    const bool needed = !IsBlobHash(found.hash) || marked.contains(RawOfHash(found.hash));
    if (needed || found.touched_at >= untouched_since) {
      ++swept.kept;
    } else {
      old.push_back(found);
    }
  });
  if (!listed.ok()) return listed;
  for (const Blobs::Found& blob : old) {
    if (Status s = blobs.Remove(blob.hash, untouched_since); !s.ok()) return s;
    ++swept.removed;
    swept.removed_bytes += blob.bytes;
  }
  return swept;
}

}  // namespace pinka::api
