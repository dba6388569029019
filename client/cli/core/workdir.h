// The files that go along with a job: a snapshot of the directory it is submitted from. In a git
// work tree all that git would see (tracked, and untracked but not ignored), from its top, so that
// relative paths hold; elsewhere the directory itself, if it is small.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/core/api.h"

namespace pinka::cli {

inline constexpr int64_t kMostGitFiles = 20'000;
inline constexpr int64_t kMostGitBytes = int64_t{200} << 20;
inline constexpr int64_t kMostPlainFiles = 2'000;
inline constexpr int64_t kMostPlainBytes = int64_t{20} << 20;

struct Workdir {
  std::string top;    // what is packed; absolute
  std::string below;  // where in it the job starts; "": at its top
  bool git = false;
  std::vector<std::string> paths;  // relative to the top, in a tree's order
};

// What a directory on the command line means. Refuses what is too large, with the largest file and
// the ways out.
StatusOr<Workdir> LookAtWorkdir(const std::string& directory);

// Sends what the store has not; the tree's root.
StatusOr<std::string> SendWorkdir(Api& api, const Workdir& workdir);

// Reads blobs for trees (files/tree.h), checked.
StatusOr<std::string> FetchBlob(Api& api, const std::string& hash);

}  // namespace pinka::cli
