#include "agent/process/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

namespace pinka {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLeaf = "/pinka-agent";  // ours, below the group that we were given

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

// Where groups of `controller` ("" is v2) may be made: below our own, or below the group whose leaf
// we moved into. "": nowhere.
std::string ParentFor(const Mount& mount, const std::string& controller) {
  std::string own = OwnGroup(controller);
  if (controller.empty() && own.ends_with(kLeaf)) own.resize(own.size() - kLeaf.size());
  return WritableGroup(mount.point, own.empty() ? "/" : own);
}

bool Controls(const std::string& group, const char* file, const std::string& controller) {
  std::istringstream words(ReadOrEmpty(group + "/" + file));
  for (std::string word; words >> word;) {
    if (word == controller) return true;
  }
  return false;
}

bool WriteText(const std::string& path, std::string_view text) {
  Fd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() &&
         write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

std::vector<std::string> Cgroup::PathsFor(const std::string& name) {
  std::vector<Mount> mounts = CgroupMounts();
  std::vector<std::string> paths;
  std::string unified;
  for (const Mount& mount : mounts) {
    if (mount.type == "cgroup2" && unified.empty()) unified = ParentFor(mount, "");
  }
  if (!unified.empty()) paths.push_back(unified + "/" + name);
  // v1 for whatever v2 does not do here.
  for (const std::string controller : {"freezer", "memory", "cpu", "devices"}) {
    bool listed = controller == "freezer" && !unified.empty();
    if (listed || Controls(unified, "cgroup.subtree_control", controller)) continue;
    for (const Mount& mount : mounts) {
      if (mount.type != "cgroup" || !HasWord(mount.options, controller)) continue;
      std::string parent = ParentFor(mount, controller);
      std::string path = parent + "/" + name;  // two controllers may share a hierarchy
      bool known = std::find(paths.begin(), paths.end(), path) != paths.end();
      if (!parent.empty() && !known) paths.push_back(path);
      break;
    }
  }
  return paths;
}

void Cgroup::MakeRoom() {
  for (const Mount& mount : CgroupMounts()) {
    if (mount.type != "cgroup2") continue;
    std::string group = ParentFor(mount, "");
    if (group.empty() || !Controls(group, "cgroup.controllers", "memory")) return;
    std::vector<pid_t> here;
    std::istringstream pids(ReadOrEmpty(group + "/cgroup.procs"));
    for (pid_t pid = 0; pids >> pid;) here.push_back(pid);
    // A service manager without subgroups could not start us again in a group that is an inner one.
    bool managed = group.ends_with(".service") || group.ends_with(".scope");
    if (managed && !here.empty()) return;
    if (here == std::vector<pid_t>{getpid()}) {
      std::string leaf = group + std::string(kLeaf);
      mkdir(leaf.c_str(), 0755);
      WriteText(leaf + "/cgroup.procs", "0");
    }
    for (const char* controller : {"+memory", "+cpu"}) {
      WriteText(group + "/cgroup.subtree_control", controller);
    }
    return;
  }
}

void Cgroup::Create() {
  std::erase_if(paths_, [](const std::string& path) {
    return mkdir(path.c_str(), 0755) != 0 && errno != EEXIST;
  });
}

std::vector<Fd> Cgroup::OpenProcs() const {
  std::vector<Fd> files;
  for (const std::string& path : paths_) {
    files.emplace_back(open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  }
  return files;
}

std::vector<pid_t> Cgroup::Pids() const {
  std::vector<pid_t> pids;
  for (const std::string& path : paths_) CollectPids(path, &pids);
  return pids;
}

void Cgroup::KillAll() const {
  for (const std::string& path : paths_) WriteText(path + "/cgroup.kill", "1");
}

void Cgroup::Remove() {
  for (const std::string& path : paths_) RemoveBelow(path);
}

}  // namespace pinka
