// Trees of files as blobs (proto/pinka/v1/files.proto): how they are cut, what a valid one is, and
// how one is read page by page. Whoever reads a tree trusts nothing in it: names are checked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "pinka/v1/files.pb.h"

namespace pinka {

inline constexpr size_t kMostBlob = size_t{4} << 20;   // chunks and pages
inline constexpr size_t kOwnChunk = size_t{1} << 20;   // a file this large begins a chunk
inline constexpr size_t kPageBytes = size_t{1} << 20;  // of entries; then the next page begins
inline constexpr int64_t kMostFiles = 1'000'000;       // entries of a tree
inline constexpr size_t kMostPath = 4'096;

struct TreeSize {
  int64_t files = 0;
  int64_t bytes = 0;
};

// Reads one blob, verified: its bytes have the hash. NotFound where it is not there.
using GetBlob = std::function<StatusOr<std::string>(const std::string& hash)>;

bool IsBlobHash(std::string_view text);       // 64 hexadecimal digits, lower case
std::string HexOfHash(std::string_view raw);  // 32 bytes
std::string RawOfHash(std::string_view hex);

// Relative, without empty names, "." and "..": it stays where it is unpacked.
bool IsPathInside(std::string_view path);
// Whether a link at `path` that says `target` stays inside its tree.
bool IsLinkInside(std::string_view path, std::string_view target);
// Name by name, so that what is in a directory comes right after it.
bool PathBefore(std::string_view a, std::string_view b);

StatusOr<v1::FileTree> ReadRoot(const GetBlob& get, const std::string& root);
// Checks names, order and places; `after` is the last path of the page before.
StatusOr<v1::FilePage> ReadPage(const GetBlob& get, const v1::FileTree::Page& page,
                                const std::string& after);
// Page by page from the one that may hold `from`; stops where `each` says false.
Status ForEachPage(const GetBlob& get, const v1::FileTree& tree, std::string_view from,
                   const std::function<StatusOr<bool>(const v1::FilePage&)>& each);

// Every blob that the tree is made of, root and pages included, in pieces; and its true size, which
// must be what the root says.
StatusOr<TreeSize> ListBlobs(const GetBlob& get, const std::string& root,
                             const std::function<Status(const std::vector<std::string>&)>& some);

}  // namespace pinka
