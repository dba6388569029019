// From files to a tree of blobs, in one pass and with bounded memory: files are read in the order
// of their paths, cut into chunks of at most 4 MiB, and handed to a sink that keeps what it has
// not. What is not a file, a directory or a link (sockets, devices) is left out and counted.
//
//   Packer packer(sink, {});
//   PackDirectory(dir_fd, &packer);     // walk.h; or packer.Add for each path of a list
//   StatusOr<PackedTree> tree = packer.Finish();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "files/tree.h"
#include "pinka/v1/files.pb.h"

namespace pinka {

class BlobSink {
 public:
  virtual ~BlobSink() = default;
  // May keep it until Flush; `hash` is the SHA-256 of `bytes`.
  virtual Status Put(const std::string& hash, std::string bytes) = 0;
  // When this is OK, all that was put is durable.
  virtual Status Flush() = 0;
};

struct PackLimits {
  int64_t entries = kMostFiles;
  int64_t bytes = INT64_MAX;
};

struct PackedTree {
  std::string root;
  TreeSize size;
  int64_t entries = 0;
  int64_t skipped = 0;  // neither file, directory nor link, or not to be read
};

class Packer {
 public:
  Packer(BlobSink* sink, PackLimits limits) : sink_(sink), limits_(limits) {}

  // What is called `name` in the directory `dir_fd` becomes `path`; links are not followed. Paths
  // ascend (PathBefore). NotFound where it has gone; Aborted where a file changed under our hands;
  // ResourceExhausted beyond the limits.
  Status Add(int dir_fd, const std::string& name, const std::string& path);
  // The root goes last: until it is there nobody can name the tree.
  StatusOr<PackedTree> Finish();

 private:
  Status AddFile(int dir_fd, const std::string& name, v1::FileEntry* entry);
  Status Read(int fd, v1::FileEntry* entry, int64_t expected);
  Status AddEntry(v1::FileEntry entry);
  Status MakeRoom();
  Status SealChunk();
  Status SealPage();
  Status PutMessage(const google::protobuf::MessageLite& message, std::string* hash);
  Status Count(const v1::FileEntry& entry);

  BlobSink* sink_;
  PackLimits limits_;
  std::string chunk_;
  v1::FilePage page_;
  size_t page_bytes_ = 0;
  v1::FileTree tree_;
  PackedTree packed_;
};

}  // namespace pinka
