#include "files/unpack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka {
namespace {

Status Failed(const std::string& what, const std::string& path) {
  const std::string shown = SanitizeForTerminal(FitColumns(path, 200));
  if (errno == EEXIST || errno == EISDIR)
    return absl::AlreadyExistsError(shown + " is there already; it is not replaced");
  return Unavailable(
      fmt::format("cannot {} {}: {}", what, shown, std::generic_category().message(errno)));
}

class Unpacker {
 public:
  Unpacker(const GetBlob& get, std::string into, const UnpackOptions& options)
      : get_(get), into_(std::move(into)), options_(options) {
    const size_t slash = options.only.rfind('/');
    if (slash != std::string::npos) strip_ = slash + 1;
  }

  StatusOr<Unpacked> Run(const std::string& root) {
    StatusOr<v1::FileTree> tree = ReadRoot(get_, root);
    if (!tree.ok()) return tree.status();
    for (const bool links : {false, true}) {
      const Status walked = ForEachPage(get_, *tree, options_.only, [&](const v1::FilePage& page) {
        return TakePage(page, links);
      });
      if (!walked.ok()) return walked;
      if (links_ == 0) break;
    }
    if (done_.entries == 0 && !options_.only.empty()) {
      return NotFound("there is no file " + SanitizeForTerminal(FitColumns(options_.only, 200)));
    }
    return done_;
  }

 private:
  bool Wanted(const std::string& path) const {
    const std::string& only = options_.only;
    return only.empty() || path == only ||
           (path.size() > only.size() && path[only.size()] == '/' && path.starts_with(only));
  }

  StatusOr<bool> TakePage(const v1::FilePage& page, bool links) {
    for (const v1::FileEntry& entry : page.entries()) {
      if (!Wanted(entry.path())) {
        if (!options_.only.empty() && PathBefore(options_.only, entry.path())) return false;
        continue;
      }
      const bool link = entry.kind() == v1::FileEntry::LINK;
      if (!links && link) ++links_;
      if (link != links) continue;
      if (Status s = Make(page, entry); !s.ok()) return s;
    }
    return true;
  }

  Status Make(const v1::FilePage& page, const v1::FileEntry& entry) {
    ++done_.entries;
    const std::string name = entry.path().substr(strip_);
    const std::string path = into_ + "/" + name;
    if (Status s = MakeParents(name); !s.ok()) return s;
    switch (entry.kind()) {
      case v1::FileEntry::DIRECTORY:
        if (mkdir(path.c_str(), (entry.mode() & 0777) | 0700) != 0 && !IsDirectory(path))
          return Failed("make", path);
        return Give(path);
      case v1::FileEntry::LINK:
        return MakeLink(entry, name, path);
      default:
        return MakeFile(page, entry, path);
    }
  }

  static bool IsDirectory(const std::string& path) {
    struct stat info {};
    return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  }

  // Directories that no entry names: of a list of files.
  Status MakeParents(const std::string& name) {
    const size_t last = name.rfind('/');
    if (last == std::string::npos || name.substr(0, last) == made_) return OkStatus();
    for (size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
      const std::string path = into_ + "/" + name.substr(0, at);
      if (mkdir(path.c_str(), 0755) == 0) {
        if (Status s = Give(path); !s.ok()) return s;
      } else if (!IsDirectory(path)) {
        return Failed("make", path);
      }
    }
    made_ = name.substr(0, last);
    return OkStatus();
  }

  Status MakeLink(const v1::FileEntry& entry, const std::string& name, const std::string& path) {
    if (options_.links_inside && !IsLinkInside(name, entry.target())) {
      if (done_.links_out++ == 0) done_.first_link_out = entry.path();
      return OkStatus();
    }
    if (symlink(entry.target().c_str(), path.c_str()) != 0) return Failed("make the link", path);
    return Give(path);
  }

  Status MakeFile(const v1::FilePage& page, const v1::FileEntry& entry, const std::string& path) {
    const Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     entry.mode() & 0777));
    if (!fd.valid()) return Failed("write", path);
    int64_t left = entry.size();
    size_t from = static_cast<size_t>(entry.offset());
    for (int n = entry.chunk(); left > 0; ++n, from = 0) {
      StatusOr<const std::string*> chunk = Chunk(page, n);
      if (!chunk.ok()) return chunk.status();
      const size_t take = std::min((*chunk)->size() - from, static_cast<size_t>(left));
      if (Status s = Write(fd.get(), std::string_view(**chunk).substr(from, take), path); !s.ok())
        return s;
      left -= static_cast<int64_t>(take);
    }
    ++done_.size.files;
    done_.size.bytes += entry.size();
    return Give(path);
  }

  // Small files share one: the last is kept.
  StatusOr<const std::string*> Chunk(const v1::FilePage& page, int n) {
    const std::string hash = HexOfHash(page.chunks(n).hash());
    if (hash != chunk_hash_) {
      StatusOr<std::string> bytes = get_(hash);
      if (!bytes.ok()) return bytes.status();
      if (static_cast<int32_t>(bytes->size()) != page.chunks(n).size())
        return Internal("a chunk is not as large as its page says");
      chunk_ = *std::move(bytes);
      chunk_hash_ = hash;
    }
    return &chunk_;
  }

  static Status Write(int fd, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
      const ssize_t n = write(fd, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return Failed("write", path);
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return OkStatus();
  }

  Status Give(const std::string& path) const {
    if (!options_.give || lchown(path.c_str(), options_.uid, options_.gid) == 0) return OkStatus();
    return Failed("give away", path);
  }

  const GetBlob& get_;
  const std::string into_;
  const UnpackOptions& options_;
  size_t strip_ = 0;
  std::string made_;  // the last parent
  int64_t links_ = 0;
  std::string chunk_hash_;
  std::string chunk_;
  Unpacked done_;
};

}  // namespace

StatusOr<Unpacked> Unpack(const GetBlob& get, const std::string& root, const std::string& into,
                          const UnpackOptions& options) {
  return Unpacker(get, into, options).Run(root);
}

}  // namespace pinka
