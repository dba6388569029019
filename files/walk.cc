#include "files/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "absl/status/status.h"
#include "base/file.h"
#include "base/text.h"

namespace pinka {
namespace {

constexpr int kDeepest = 200;

bool IsDots(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

StatusOr<std::vector<std::string>> NamesIn(int dir_fd) {
  const int own = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* dir = own < 0 ? nullptr : fdopendir(own);
  if (dir == nullptr) {
    if (own >= 0) close(own);
    return NotFound("a directory cannot be read");
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(dir)) {
    if (!IsDots(entry->d_name)) names.emplace_back(entry->d_name);
    if (static_cast<int64_t>(names.size()) > kMostFiles) {
      closedir(dir);
      return absl::ResourceExhaustedError("more than a million files in one directory");
    }
  }
  closedir(dir);
  std::ranges::sort(names, [](const auto& a, const auto& b) { return PathBefore(a, b); });
  return names;
}

Status Walk(int dir_fd, const std::string& prefix, int depth, Packer* packer) {
  if (depth > kDeepest) return absl::ResourceExhaustedError("directories too deep");
  StatusOr<std::vector<std::string>> names = NamesIn(dir_fd);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (Status s = packer->Add(dir_fd, name, prefix + name); !s.ok()) return s;
    const Fd sub(openat(dir_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!sub.valid()) continue;
    if (Status s = Walk(sub.get(), prefix + name + "/", depth + 1, packer); !s.ok()) return s;
  }
  return OkStatus();
}

}  // namespace

Status PackDirectory(const std::string& path, Packer* packer) {
  const Fd dir(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir.valid())
    return NotFound("there is no directory " + SanitizeForTerminal(FitColumns(path, 200)));
  return Walk(dir.get(), "", 0, packer);
}

bool IsEmptyDirectory(const std::string& path) {
  DIR* dir = opendir(path.c_str());
  if (dir == nullptr) return true;
  bool empty = true;
  while (const dirent* entry = readdir(dir)) empty = empty && IsDots(entry->d_name);
  closedir(dir);
  return empty;
}

}  // namespace pinka
