#include "files/pack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka {
namespace {

constexpr size_t kRead = size_t{256} << 10;

std::string Shown(const std::string& path) { return SanitizeForTerminal(FitColumns(path, 200)); }

Status Changed(const std::string& path) {
  return absl::AbortedError("the file " + Shown(path) + " changed while it was read");
}

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

Status Packer::Add(int dir_fd, const std::string& name, const std::string& path) {
  struct stat info {};
  if (fstatat(dir_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    return NotFound("there is no file " + Shown(path));
  v1::FileEntry entry;
  entry.set_path(path);
  if (!IsPathInside(path)) return Invalid("the path " + Shown(path) + " is too long or leads out");
  if (S_ISDIR(info.st_mode)) {
    entry.set_kind(v1::FileEntry::DIRECTORY);
    entry.set_mode(info.st_mode & 0777);
    return AddEntry(std::move(entry));
  }
  if (S_ISLNK(info.st_mode)) {
    std::array<char, kMostPath> target;
    const ssize_t n = readlinkat(dir_fd, name.c_str(), target.data(), target.size());
    if (n < 0) return NotFound("there is no link " + Shown(path));
    entry.set_kind(v1::FileEntry::LINK);
    entry.set_target(target.data(), static_cast<size_t>(n));
    return AddEntry(std::move(entry));
  }
  if (!S_ISREG(info.st_mode)) {
    ++packed_.skipped;
    return OkStatus();
  }
  return AddFile(dir_fd, name, &entry);
}

Status Packer::AddFile(int dir_fd, const std::string& name, v1::FileEntry* entry) {
  Fd fd(openat(dir_fd, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat before {};
  if (!fd.valid() && errno == ENOENT) return NotFound("there is no file " + Shown(entry->path()));
  if (!fd.valid() || fstat(fd.get(), &before) != 0) {
    return Invalid(fmt::format("the file {} cannot be read: {}", Shown(entry->path()),
                               std::generic_category().message(errno)));
  }
  if (!S_ISREG(before.st_mode)) return Changed(entry->path());
  entry->set_kind(v1::FileEntry::FILE);
  entry->set_mode(before.st_mode & 0777);
  entry->set_size(before.st_size);
  if (Status s = Count(*entry); !s.ok()) return s;
  if (Status s = MakeRoom(); !s.ok()) return s;
  const bool own = static_cast<size_t>(before.st_size) >= kOwnChunk;
  if (own || chunk_.size() == kMostBlob) {
    if (Status s = SealChunk(); !s.ok()) return s;
  }
  if (before.st_size > 0) {
    entry->set_chunk(page_.chunks_size());
    entry->set_offset(static_cast<int32_t>(chunk_.size()));
  }
  if (Status s = Read(fd.get(), entry, before.st_size); !s.ok()) return s;
  struct stat after {};
  if (fstat(fd.get(), &after) != 0 || !SameFile(before, after)) return Changed(entry->path());
  page_bytes_ += entry->path().size() + 32;
  *page_.add_entries() = std::move(*entry);
  return OkStatus();
}

Status Packer::Read(int fd, v1::FileEntry* entry, int64_t expected) {
  int64_t left = expected;
  while (left > 0) {
    if (chunk_.size() == kMostBlob) {
      if (Status s = SealChunk(); !s.ok()) return s;
      page_bytes_ += 40;
    }
    const size_t room = kMostBlob - chunk_.size();
    const size_t want = std::min({room, kRead, static_cast<size_t>(left)});
    const size_t at = chunk_.size();
    chunk_.reserve(at + std::min(room, static_cast<size_t>(left)));  // at once, or it is copied
    chunk_.resize(at + want);
    ssize_t n = 0;
    do {
      n = read(fd, chunk_.data() + at, want);
    } while (n < 0 && errno == EINTR);
    chunk_.resize(at + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n <= 0) return Changed(entry->path());
    left -= n;
  }
  return OkStatus();
}

Status Packer::Count(const v1::FileEntry& entry) {
  packed_.size.files += entry.kind() == v1::FileEntry::FILE ? 1 : 0;
  packed_.size.bytes += entry.size();
  if (++packed_.entries > limits_.entries) {
    return absl::ResourceExhaustedError(
        fmt::format("more than {} files and directories", limits_.entries));
  }
  if (packed_.size.bytes > limits_.bytes)
    return absl::ResourceExhaustedError(fmt::format("more than {} MiB", limits_.bytes >> 20));
  return OkStatus();
}

Status Packer::AddEntry(v1::FileEntry entry) {
  if (Status s = Count(entry); !s.ok()) return s;
  if (Status s = MakeRoom(); !s.ok()) return s;
  page_bytes_ += entry.path().size() + entry.target().size() + 32;
  *page_.add_entries() = std::move(entry);
  return OkStatus();
}

// A page that is full ends with its chunk: no chunk is of two pages.
Status Packer::MakeRoom() {
  if (page_bytes_ <= kPageBytes) return OkStatus();
  if (Status s = SealChunk(); !s.ok()) return s;
  return SealPage();
}

Status Packer::SealChunk() {
  if (chunk_.empty()) return OkStatus();
  const std::string hash = Sha256Hex(chunk_);
  v1::FilePage::Chunk* chunk = page_.add_chunks();
  chunk->set_hash(RawOfHash(hash));
  chunk->set_size(static_cast<int32_t>(chunk_.size()));
  return sink_->Put(hash, std::exchange(chunk_, {}));
}

Status Packer::SealPage() {
  if (page_.entries().empty()) return OkStatus();
  v1::FileTree::Page* page = tree_.add_pages();
  page->set_first_path(page_.entries(0).path());
  page->set_entries(page_.entries_size());
  std::string hash;
  if (Status s = PutMessage(page_, &hash); !s.ok()) return s;
  page->set_hash(RawOfHash(hash));
  page_.Clear();
  page_bytes_ = 0;
  return OkStatus();
}

Status Packer::PutMessage(const google::protobuf::MessageLite& message, std::string* hash) {
  std::string bytes = message.SerializeAsString();  // no maps in it: the same bytes everywhere
  if (bytes.size() > kMostBlob)
    return absl::ResourceExhaustedError("a file too large for one tree (500 GB)");
  *hash = Sha256Hex(bytes);
  return sink_->Put(*hash, std::move(bytes));
}

StatusOr<PackedTree> Packer::Finish() {
  if (Status s = SealChunk(); !s.ok()) return s;
  if (Status s = SealPage(); !s.ok()) return s;
  tree_.set_files(packed_.size.files);
  tree_.set_bytes(packed_.size.bytes);
  if (Status s = sink_->Flush(); !s.ok()) return s;
  if (Status s = PutMessage(tree_, &packed_.root); !s.ok()) return s;
  if (Status s = sink_->Flush(); !s.ok()) return s;
  return packed_;
}

}  // namespace pinka
