// Trees in the blob store, as the api judges them. Every function may block.
#pragma once

#include <string>

#include "files/tree.h"
#include "scheduler/runtime/blobs.h"

namespace pinka::api {

// What the store says, as a refusal that a caller may see.
Status ShelfError(const Status& status);

GetBlob BlobReader(Blobs& blobs);

// That every blob of the tree is there, with its size. They all count as touched. A tree that is
// damaged or not whole is refused.
StatusOr<TreeSize> CheckTree(Blobs& blobs, const std::string& root);

}  // namespace pinka::api
