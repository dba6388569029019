#include "scheduler/runtime/blobs_rclone.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "fmt/format.h"
#include "spdlog/spdlog.h"

extern char** environ;

namespace pinka {
namespace {

constexpr int kNothingThere = 3;  // rclone's exit status of a directory that is not there

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 65'536> buffer;
  while (true) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(n));
  }
}

std::string NewName() {
  static std::atomic<int64_t> number{0};
  return fmt::format("{}-{}", getpid(), ++number);
}

// A file that goes with the object.
struct Outgoing {
  explicit Outgoing(std::string p) : path(std::move(p)) {}
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;
  ~Outgoing() { unlink(path.c_str()); }
  const std::string path;
};

std::string Relative(const std::string& hash) { return hash.substr(0, 2) + "/" + hash; }

// "2026-11-30 16:08:29", in UTC.
std::optional<Timestamp> ParseTime(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (std::sscanf(text.c_str(), "%d-%u-%u %d:%d:%d", &year, &month, &day, &hour, &minute,
                  &second) != 6)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return Timestamp::Micros((days * 86'400 + hour * 3'600 + minute * 60 + second) * 1'000'000);
}

// "ab/abcd…|1234|2026-11-30 16:08:29", in UTC.
std::optional<Blobs::Found> ParseLine(std::string_view line) {
  const size_t size_at = line.find('|');
  const size_t time_at = line.find('|', size_at + 1);
  if (size_at == std::string_view::npos || time_at == std::string_view::npos) return std::nullopt;
  Blobs::Found found;
  const std::string_view path = line.substr(0, size_at);
  found.hash = std::string(path.substr(path.rfind('/') + 1));
  std::from_chars(line.data() + size_at + 1, line.data() + time_at, found.bytes);
  const std::optional<Timestamp> at = ParseTime(std::string(line.substr(time_at + 1)));
  if (!at) return std::nullopt;
  found.touched_at = *at;
  return found;
}

}  // namespace

std::string RcloneBlobs::PathOf(const std::string& hash) const {
  return remote_ + "/" + Relative(hash);
}

StatusOr<RcloneBlobs::Ran> RcloneBlobs::Run(std::vector<std::string> words) const {
  words.insert(words.begin(), {"rclone", "-q", "--retries", "1"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string zone = "TZ=UTC";
  std::vector<char*> env = {zone.data()};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("TZ=")) env.push_back(*entry);
  }
  env.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Unavailable("out of pipes");
  const Fd from(ends[0]);
  Fd to(ends[1]);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, to.get(), 1);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "rclone", &files, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&files);
  to = Fd();
  if (error != 0) return Unavailable("the blob store cannot run rclone; is it installed?");
  Ran ran;
  ran.out = ReadAll(from.get());
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return ran;
}

Status RcloneBlobs::Open() {
  if (Status s = RemoveTree(outgoing_); !s.ok()) return s;
  if (Status s = MakeDirectories(outgoing_); !s.ok()) return s;
  const auto made = Run({"mkdir", remote_ + "/new"});
  if (!made.ok()) return made.status();
  if (made->exit == 0) return OkStatus();
  return Unavailable(
      fmt::format("rclone does not reach {}; `rclone lsd {}` says why", remote_, remote_));
}

StatusOr<std::vector<Blobs::Found>> RcloneBlobs::List(
    const std::vector<std::string>& options) const {
  std::vector<std::string> words = {"lsf",         "-R", "--files-only", "--format", "pst",
                                    "--separator", "|"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(remote_);
  const auto ran = Run(words);
  if (!ran.ok()) return ran.status();
  if (ran->exit != 0 && ran->exit != kNothingThere)
    return Unavailable(fmt::format("rclone cannot list {}", remote_));
  std::vector<Found> found;
  for (size_t at = 0; at < ran->out.size();) {
    const size_t end = std::min(ran->out.find('\n', at), ran->out.size());
    if (auto one = ParseLine(std::string_view(ran->out).substr(at, end - at)))
      found.push_back(*std::move(one));
    at = end + 1;
  }
  return found;
}

StatusOr<std::vector<std::string>> RcloneBlobs::Missing(const std::vector<std::string>& hashes) {
  const Outgoing list(outgoing_ + "/" + NewName());
  std::string names;
  for (const std::string& hash : hashes) names += Relative(hash) + "\n";
  if (Status s = WriteFileDurably(list.path, names); !s.ok()) return s;
  // Touched before they are looked for: what was there then stays there.
  const auto touched = Run({"touch", "-R", "-C", "--files-from-raw", list.path, remote_});
  if (!touched.ok()) return touched.status();
  const auto found = List({"--files-from-raw", list.path});
  if (!found.ok()) return found.status();
  std::set<std::string> there;
  for (const Found& blob : *found) there.insert(blob.hash);
  std::vector<std::string> missing;
  for (const std::string& hash : hashes) {
    if (!there.contains(hash)) missing.push_back(hash);
  }
  return missing;
}

Status RcloneBlobs::Put(const std::string& hash, std::string_view bytes) {
  const auto missing = Missing({hash});
  if (!missing.ok()) return missing.status();
  if (missing->empty()) return OkStatus();
  const std::string name = NewName();
  const Outgoing file(outgoing_ + "/" + name);
  if (Status s = WriteFileDurably(file.path, bytes); !s.ok()) return s;
  const std::string beside = remote_ + "/new/" + name;
  for (const auto& step : {std::vector<std::string>{"copyto", file.path, beside},
                           std::vector<std::string>{"moveto", beside, PathOf(hash)}}) {
    const auto ran = Run(step);
    if (!ran.ok()) return ran.status();
    if (ran->exit != 0) return Unavailable(fmt::format("rclone cannot write to {}", remote_));
  }
  return OkStatus();
}

StatusOr<std::string> RcloneBlobs::Get(const std::string& hash) {
  const auto ran = Run({"cat", PathOf(hash)});
  if (!ran.ok()) return ran.status();
  if (ran->exit == kNothingThere) return NotFound("the blob store has no blob " + hash);
  if (ran->exit != 0) return Unavailable(fmt::format("rclone cannot read from {}", remote_));
  if (Sha256Hex(ran->out) == hash) return ran->out;
  // Out of the way: then it is missing, and whoever still has it sends it again.
  spdlog::error("the blob {} is damaged and was taken out", PathOf(hash));
  Run({"moveto", PathOf(hash), remote_ + "/new/damaged-" + hash}).IgnoreError();
  return Internal("the blob " + hash + " is damaged");
}

Status RcloneBlobs::ForEach(const std::function<void(const Found&)>& each) {
  const auto all = List({"--exclude", "/new/**"});
  if (!all.ok()) return all.status();
  for (const Found& found : *all) each(found);
  return OkStatus();
}

Status RcloneBlobs::Remove(const std::string& hash, Timestamp untouched_since) {
  const Outgoing list(outgoing_ + "/" + NewName());
  if (Status s = WriteFileDurably(list.path, Relative(hash) + "\n"); !s.ok()) return s;
  const auto now = List({"--files-from-raw", list.path});
  if (!now.ok()) return now.status();
  if (now->empty() || now->front().touched_at >= untouched_since) return OkStatus();
  const auto ran = Run({"deletefile", PathOf(hash)});
  if (!ran.ok()) return ran.status();
  return ran->exit == 0 ? OkStatus() : Unavailable("rclone cannot delete " + PathOf(hash));
}

}  // namespace pinka
