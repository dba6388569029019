#include "client/cli/core/workdir.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/text.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/try.h"
#include "files/carry.h"
#include "files/tree.h"

extern char** environ;

namespace pinka::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kWaysOut[] =
    "; name less with --workdir DIR, or --workdir none for an empty directory, or a directory that "
    "is on the box with --chdir DIR";

std::string Shown(const std::string& path) { return SanitizeForTerminal(FitColumns(path, 120)); }

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

// What git prints; its own complaints go to standard error.
StatusOr<std::string> Git(const std::string& directory, std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", directory});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Internal("out of pipes");
  const Fd from(ends[0]);
  Fd to(ends[1]);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, to.get(), 1);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "git", &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  to = Fd();
  int status = -1;
  std::string text;
  if (error == 0) {
    text = ReadAll(from.get());
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (error == 0 && status == 0) return text;
  return Refusal("NoWorkdir",
                 Shown(directory) + " is a git work tree that git cannot list" +
                     (error == ENOENT ? ", because there is no program git" : "") + kWaysOut,
                 kExitUsage);
}

bool HasGitAbove(fs::path directory) {
  while (true) {
    std::error_code error;
    if (fs::exists(directory / ".git", error)) return true;
    if (directory == directory.root_path()) return false;
    directory = directory.parent_path();
  }
}

// Repositories inside, submodules or not, are listed by their own git.
Status ListGit(const std::string& top, const std::string& prefix, int depth,
               std::vector<std::string>* paths) {
  constexpr int kDeepest = 20;
  const std::string here = prefix.empty() ? top : top + "/" + prefix;
  PINKA_TRY_ASSIGN(const std::string listed,
                   Git(here, {"ls-files", "-z", "--cached", "--others", "--exclude-standard"}));
  for (size_t at = 0; at < listed.size();) {
    const size_t end = std::min(listed.find('\0', at), listed.size());
    std::string path = listed.substr(at, end - at);
    at = end + 1;
    if (!path.empty() && path.back() == '/') path.pop_back();
    struct stat info {};
    if (lstat((here + "/" + path).c_str(), &info) != 0) continue;  // deleted, not yet committed
    if (!prefix.empty()) path = prefix + "/" + path;
    if (!S_ISDIR(info.st_mode)) {
      paths->push_back(path);
    } else if (depth < kDeepest && PathExists(top + "/" + path + "/.git")) {
      PINKA_TRY(ListGit(top, path, depth + 1, paths));
    }
  }
  return OkStatus();
}

Status ListPlain(const std::string& top, std::vector<std::string>* paths) {
  std::error_code error;
  auto walk = fs::recursive_directory_iterator(top, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    paths->push_back(walk->path().string().substr(top == "/" ? 1 : top.size() + 1));
    if (static_cast<int64_t>(paths->size()) > kMostPlainFiles) return OkStatus();
  }
  if (!error) return OkStatus();
  return Refusal("NoWorkdir", Shown(top) + " cannot be read (" + error.message() + ")" + kWaysOut,
                 kExitUsage);
}

// One look at the sizes, so that a refusal names what is in the way.
Status CheckSize(const Workdir& workdir) {
  const int64_t most_files = workdir.git ? kMostGitFiles : kMostPlainFiles;
  const int64_t most_bytes = workdir.git ? kMostGitBytes : kMostPlainBytes;
  const std::string what =
      Shown(workdir.top) + (workdir.git ? " (what git does not ignore)" : " (no git work tree)");
  if (static_cast<int64_t>(workdir.paths.size()) > most_files) {
    return Refusal("WorkdirTooLarge",
                   what + " has more than the " + std::to_string(most_files) +
                       " files that can go along with a job" + kWaysOut,
                   kExitBudget);
  }
  int64_t bytes = 0;
  std::pair<int64_t, std::string> largest;
  for (const std::string& path : workdir.paths) {
    struct stat info {};
    if (lstat((workdir.top + "/" + path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    bytes += info.st_size;
    largest = std::max(largest, std::pair(int64_t{info.st_size}, path));
  }
  if (bytes <= most_bytes) return OkStatus();
  return Refusal("WorkdirTooLarge",
                 what + " has " + std::to_string(bytes >> 20) + " MiB, and " +
                     std::to_string(most_bytes >> 20) +
                     " MiB can go along with a job; the largest file is " + Shown(largest.second) +
                     " (" + std::to_string(largest.first >> 20) + " MiB)" +
                     (workdir.git ? "; list data in .gitignore" : "") + kWaysOut,
                 kExitBudget);
}

// Whether some file lies where the job starts.
bool HoldsAnyOf(const Workdir& workdir) {
  if (workdir.below.empty()) return true;
  return std::ranges::any_of(workdir.paths, [&](const std::string& path) {
    return path.starts_with(workdir.below + "/");
  });
}

Status CheckPlain(const std::string& top) {
  const char* home = std::getenv("HOME");
  std::error_code error;
  const bool is_home = home != nullptr && *home != '\0' && fs::equivalent(top, home, error);
  if (!is_home && top != "/") return OkStatus();
  return Refusal("NoWorkdir",
                 Shown(top) + (is_home ? " is your home directory" : " is the whole machine") +
                     " and does not go along with a job" + kWaysOut,
                 kExitUsage);
}

}  // namespace

StatusOr<Workdir> LookAtWorkdir(const std::string& directory) {
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  if (error || !fs::is_directory(real, error))
    return Invalid("--workdir: there is no directory " + Shown(directory));
  Workdir workdir;
  workdir.git = HasGitAbove(real);
  workdir.top = real.string();
  if (workdir.git) {
    PINKA_TRY_ASSIGN(std::string top, Git(workdir.top, {"rev-parse", "--show-toplevel"}));
    while (!top.empty() && top.back() == '\n') top.pop_back();
    const fs::path below = real.lexically_relative(fs::canonical(top, error));
    if (error || below.empty() || *below.begin() == "..")
      return Internal("git names a work tree that does not hold " + Shown(workdir.top));
    workdir.below = below == "." ? "" : below.string();
    workdir.top = fs::canonical(top, error).string();
    PINKA_TRY(ListGit(workdir.top, "", 0, &workdir.paths));
    // One that git ignores, such as a build's, is a directory like any other.
    if (!HoldsAnyOf(workdir) && !fs::is_empty(real, error)) {
      workdir = {.top = real.string(), .below = "", .git = false, .paths = {}};
    }
  }
  if (!workdir.git) {
    PINKA_TRY(CheckPlain(workdir.top));
    PINKA_TRY(ListPlain(workdir.top, &workdir.paths));
  }
  std::ranges::sort(workdir.paths, [](const auto& a, const auto& b) { return PathBefore(a, b); });
  const auto repeated = std::ranges::unique(workdir.paths);
  workdir.paths.erase(repeated.begin(), repeated.end());
  PINKA_TRY(CheckSize(workdir));
  return workdir;
}

StatusOr<std::string> SendWorkdir(Api& api, const Workdir& workdir) {
  Carrier carrier(
      [&](const std::vector<std::string>& hashes) -> StatusOr<std::vector<std::string>> {
        v1::FindMissingRequest request;
        for (const std::string& hash : hashes) request.add_hashes(hash);
        PINKA_TRY_ASSIGN(const v1::FindMissingResponse answer, api.FindMissing(request));
        return std::vector<std::string>(answer.hashes().begin(), answer.hashes().end());
      },
      [&](const std::string& hash, const std::string& bytes) {
        v1::PutBlobRequest request;
        request.set_hash(hash);
        request.set_data(bytes);
        return api.PutBlob(request).status();
      });
  const Fd top(open(workdir.top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) return Invalid("--workdir: " + Shown(workdir.top) + " cannot be read");
  Packer packer(&carrier, {.entries = kMostGitFiles, .bytes = 2 * kMostGitBytes});
  for (const std::string& path : workdir.paths) {
    const Status added = packer.Add(top.get(), path, path);
    if (absl::IsNotFound(added)) continue;  // just gone
    if (absl::IsAborted(added)) return Invalid(Message(added) + "; submit again");
    PINKA_TRY(added);
  }
  PINKA_TRY_ASSIGN(const PackedTree tree, packer.Finish());
  return tree.root;
}

StatusOr<std::string> FetchBlob(Api& api, const std::string& hash) {
  v1::GetBlobRequest request;
  request.set_hash(hash);
  PINKA_TRY_ASSIGN(v1::GetBlobResponse answer, api.GetBlob(request));
  if (Sha256Hex(answer.data()) != hash) return Internal("a file arrived damaged; try again");
  return std::move(*answer.mutable_data());
}

}  // namespace pinka::cli
