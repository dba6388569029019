#include "agent/process/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace pinka {
namespace {

namespace fs = std::filesystem;

struct Mount {
  std::string point;
  std::string type;
  std::string options;  // of the super block: names the controllers of a v1 hierarchy
};

std::string ReadOrEmpty(const std::string& path) {
  StatusOr<std::string> bytes = ReadFile(path);
  return bytes.ok() ? *bytes : std::string();
}

std::vector<Mount> CgroupMounts() {
  std::vector<Mount> mounts;
  std::istringstream lines(ReadOrEmpty("/proc/self/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::string id, parent, device, root, point, type, source, options;
    std::istringstream(line.substr(0, dash)) >> id >> parent >> device >> root >> point;
    std::istringstream(line.substr(dash + 3)) >> type >> source >> options;
    if (type == "cgroup" || type == "cgroup2") mounts.push_back({point, type, options});
  }
  return mounts;
}

bool HasWord(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

// Our own group in the hierarchy of `controller` ("" is v2), from lines "ID:CONTROLLERS:PATH".
std::string OwnGroup(const std::string& controller) {
  std::istringstream lines(ReadOrEmpty("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    size_t first = line.find(':');
    size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    bool ours = controller.empty() ? controllers.empty() : HasWord(controllers, controller);
    if (ours) return line.substr(second + 1);
  }
  return "/";
}

// Inside a container the path in /proc may lie outside what is mounted: then the mount's root.
std::string WritableGroup(const std::string& mount, const std::string& own) {
  for (const std::string& path : {mount + (own == "/" ? "" : own), mount}) {
    if (access(path.c_str(), W_OK) == 0) return path;
  }
  return "";
}

void RemoveBelow(const fs::path& group) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(group, ignored)) {
    if (entry.is_directory(ignored)) RemoveBelow(entry.path());
  }
  rmdir(group.c_str());
}

void CollectPids(const fs::path& group, std::vector<pid_t>* pids) {
  std::istringstream lines(ReadOrEmpty(group / "cgroup.procs"));
  for (pid_t pid = 0; lines >> pid;) pids->push_back(pid);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(group, ignored)) {
    if (entry.is_directory(ignored)) CollectPids(entry.path(), pids);
  }
}

}  // namespace

std::string Cgroup::PathFor(const std::string& name) {
  std::vector<Mount> mounts = CgroupMounts();
  for (const Mount& mount : mounts) {
    if (mount.type != "cgroup2") continue;
    std::string parent = WritableGroup(mount.point, OwnGroup(""));
    if (!parent.empty()) return parent + "/" + name;
  }
  for (const Mount& mount : mounts) {
    if (mount.type != "cgroup" || !HasWord(mount.options, "freezer")) continue;
    std::string parent = WritableGroup(mount.point, OwnGroup("freezer"));
    if (!parent.empty()) return parent + "/" + name;
  }
  return "";
}

bool Cgroup::Create() {
  if (path_.empty()) return false;
  bool made = mkdir(path_.c_str(), 0755) == 0 || errno == EEXIST;
  if (!made) path_.clear();
  return made;
}

Fd Cgroup::OpenProcs() const {
  if (path_.empty()) return Fd();
  return Fd(open((path_ + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
}

std::vector<pid_t> Cgroup::Pids() const {
  std::vector<pid_t> pids;
  if (!path_.empty()) CollectPids(path_, &pids);
  return pids;
}

void Cgroup::KillAll() const {
  if (path_.empty()) return;
  Fd fd(open((path_ + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.valid()) [[maybe_unused]]
    ssize_t n = write(fd.get(), "1", 1);
}

int64_t Cgroup::OomKills() const {
  if (path_.empty()) return 0;
  std::istringstream lines(ReadOrEmpty(path_ + "/memory.events"));
  std::string key;
  for (int64_t value = 0; lines >> key >> value;) {
    if (key == "oom_kill") return value;
  }
  return 0;
}

void Cgroup::Remove() {
  if (!path_.empty()) RemoveBelow(path_);
}

}  // namespace pinka
