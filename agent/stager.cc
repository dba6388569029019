#include "agent/stager.h"

#include <dirent.h>
#include <fmt/format.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "agent/process/kill_point.h"
#include "base/file.h"
#include "files/unpack.h"

namespace pinka {
namespace {

constexpr std::string_view kGeneration = "gen-";

Status Failed(const char* what, const std::string& path) {
  return Unavailable(
      fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(errno)));
}

StatusOr<UnpackOptions> OwnedBy(const std::string& account) {
  UnpackOptions options;
  if (account.empty()) return options;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer;
  getpwnam_r(account.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return Invalid(fmt::format("there is no account {} on this box", account));
  options.give = true;
  options.uid = entry.pw_uid;
  options.gid = entry.pw_gid;
  return options;
}

Status Give(const std::string& path, const UnpackOptions& owner) {
  if (!owner.give || lchown(path.c_str(), owner.uid, owner.gid) == 0) return OkStatus();
  return Failed("give away", path);
}

// Beside it, closed to others, then handed over and named in one step.
Status Appear(const std::string& beside, const std::string& path, const UnpackOptions& owner) {
  if (Status given = Give(beside, owner); !given.ok()) return given;
  if (rename(beside.c_str(), path.c_str()) != 0) return Failed("name", path);
  return OkStatus();
}

Status BeginBeside(const std::string& beside) {
  if (Status gone = RemoveTree(beside); !gone.ok()) return gone;
  return MakeDirectories(beside, 0700);
}

int64_t NewestIn(const std::string& directory) {
  int64_t newest = -1;
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return newest;
  while (const dirent* entry = readdir(dir)) newest = std::max(newest, GenerationOf(entry->d_name));
  closedir(dir);
  return newest;
}

// Lists of files name no empty directory: one that the job was submitted from is made here.
Status MakeInside(const std::string& root, const std::string& below, const UnpackOptions& owner) {
  for (size_t at = 0; at < below.size();) {
    at = std::min(below.find('/', at + 1), below.size());
    const std::string path = root + "/" + below.substr(0, at);
    if (mkdir(path.c_str(), 0755) != 0) {
      if (errno == EEXIST) continue;
      return Failed("make", path);
    }
    if (Status given = Give(path, owner); !given.ok()) return given;
  }
  return OkStatus();
}

}  // namespace

int64_t GenerationOf(const std::string& name) {
  int64_t value = -1;
  if (!name.starts_with(kGeneration)) return -1;
  const char* begin = name.data() + kGeneration.size();
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  const bool whole = error == std::errc() && stop == end && end - begin <= 18 && *begin != '-';
  return whole ? value : -1;
}

std::string GenerationName(int64_t generation) {
  return fmt::format("{}{:08}", kGeneration, generation);
}

StatusOr<Stager::Staged> Stager::Stage(const TaskId& task, const v1::Payload& payload,
                                       const Places& places) {
  // The job passes through its home and cannot change it.
  if (Status made = MakeDirectories(places.home, 0711); !made.ok()) return made;
  if (Status code = StageCode(payload, places); !code.ok()) return code;
  if (Status checkpoint = StageCheckpoint(task, places); !checkpoint.ok()) return checkpoint;
  Staged staged;
  staged.restored = NewestIn(places.home + "/checkpoints");
  if (!payload.code().empty()) {
    staged.directory = places.home + "/code";
    if (!payload.code_dir().empty()) staged.directory += "/" + payload.code_dir();
  }
  return staged;
}

Status Stager::StageCode(const v1::Payload& payload, const Places& places) {
  const std::string path = places.home + "/code";
  if (payload.code().empty() || PathExists(path)) return OkStatus();
  if (!payload.code_dir().empty() && !IsPathInside(payload.code_dir()))
    return Invalid("the job's directory leads out of its code");
  StatusOr<UnpackOptions> owner = OwnedBy(places.account);
  if (!owner.ok()) return owner.status();
  const std::string beside = path + ".new";
  if (Status begun = BeginBeside(beside); !begun.ok()) return begun;
  KillPoint("agent.staging_code");
  const GetBlob get = [this](const std::string& hash) { return cache_.Get(hash); };
  StatusOr<Unpacked> unpacked = Unpack(get, payload.code(), beside, *owner);
  if (!unpacked.ok()) return unpacked.status();
  if (Status made = MakeInside(beside, payload.code_dir(), *owner); !made.ok()) return made;
  return Appear(beside, path, *owner);
}

Status Stager::StageCheckpoint(const TaskId& task, const Places& places) {
  const std::string path = places.home + "/checkpoints";
  if (PathExists(path)) return OkStatus();
  StatusOr<UnpackOptions> owner = OwnedBy(places.account);
  if (!owner.ok()) return owner.status();
  StatusOr<v1::FindCheckpointResponse> found = client_->FindCheckpoint(task);
  const bool keeps_none = absl::IsUnimplemented(found.status());
  if (!found.ok() && !keeps_none) return found.status();
  const std::string beside = path + ".new";
  if (Status begun = BeginBeside(beside); !begun.ok()) return begun;
  KillPoint("agent.restoring");
  if (!keeps_none && found->found()) {
    const std::string into = beside + "/" + GenerationName(found->generation());
    if (Status made = MakeDirectories(into, 0700); !made.ok()) return made;
    const GetBlob get = [this](const std::string& hash) {
      StatusOr<std::string> blob = client_->GetBlob(hash);
      KillPoint("agent.fetched");
      return blob;
    };
    StatusOr<Unpacked> unpacked = Unpack(get, found->root(), into, *owner);
    if (!unpacked.ok()) return unpacked.status();
    if (Status given = Give(into, *owner); !given.ok()) return given;
  }
  KillPoint("agent.restored");
  Status appeared = Appear(beside, path, *owner);
  KillPoint("agent.placed");
  return appeared;
}

}  // namespace pinka
