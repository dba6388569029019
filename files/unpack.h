// From a tree of blobs to files. Links are made last, so that nothing is ever written through one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/status.h"
#include "files/tree.h"

namespace pinka {

struct UnpackOptions {
  std::string only;           // this path and what is below it; "": all
  bool links_inside = false;  // links that lead out are left out, and counted
  bool give = false;          // to uid and gid
  uid_t uid = 0;
  gid_t gid = 0;
};

struct Unpacked {
  TreeSize size;
  int64_t entries = 0;
  int64_t links_out = 0;
  std::string first_link_out;
};

// Into the directory `into`, which exists. With `only`, its last name is what appears there.
// NotFound where `only` is not in the tree. What stands in the way of a file is not replaced.
StatusOr<Unpacked> Unpack(const GetBlob& get, const std::string& root, const std::string& into,
                          const UnpackOptions& options);

}  // namespace pinka
