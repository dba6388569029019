#include "scheduler/api/file_shelf.h"

#include <vector>

#include "fmt/format.h"
#include "scheduler/api/status_table.h"

namespace pinka::api {
namespace {

Status NotWhole(const std::string& root) {
  return Refusal(Trouble::kNoSuchFile,
                 fmt::format("the files {} are not whole in the lab's store; send them again",
                             root.substr(0, 12)));
}

}  // namespace

Status ShelfError(const Status& status) {
  if (absl::IsResourceExhausted(status)) return Refusal(Trouble::kStoreFull, Message(status));
  if (absl::IsNotFound(status)) return Refusal(Trouble::kNoSuchFile, Message(status));
  if (absl::IsUnavailable(status))
    return Refusal(Trouble::kDown, Message(status), Duration::Seconds(1));
  return status;
}

GetBlob BlobReader(Blobs& blobs) {
  return [&blobs](const std::string& hash) { return blobs.Get(hash); };
}

StatusOr<TreeSize> CheckTree(Blobs& blobs, const std::string& root) {
  if (!IsBlobHash(root)) return Invalid("a tree of files is named by 64 hexadecimal digits");
  const auto size =
      ListBlobs(BlobReader(blobs), root, [&](const std::vector<std::string>& some) -> Status {
        auto missing = blobs.Missing(some);
        if (!missing.ok()) return missing.status();
        return missing->empty() ? OkStatus() : NotWhole(root);
      });
  if (size.ok()) return size;
  if (absl::IsNotFound(size.status())) return NotWhole(root);
  if (absl::IsInternal(size.status())) return Invalid(Message(size.status()));
  return ShelfError(size.status());
}

}  // namespace pinka::api
