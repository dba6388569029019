// Logs are kept for a while after their job's end, and not for ever. A log that nobody may write to
// is complete, and its file's date is that of its last byte: the files alone say what is old.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/parse.h"
#include "scheduler/runtime/logs.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

namespace fs = std::filesystem;

bool IsOldAndWhole(const fs::path& file, Timestamp before) {
  struct stat info = {};
  if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  return (info.st_mode & S_IWUSR) == 0 && Timestamp::Seconds(info.st_mtime) < before;
}

// "3.1.log" in the directory of job 17.
bool ParseLogName(const fs::path& file, AttemptId* out) {
  const std::string name = file.filename();
  const std::string job = file.parent_path().filename();
  return name.ends_with(".log") && ParseAttemptId(job + "_" + name.substr(0, name.size() - 4), out);
}

std::vector<fs::path> EntriesOf(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    entries.push_back(entry.path());
  return entries;
}

}  // namespace

int64_t LogStore::DropOld() {
  if (options_.keep <= Duration()) return 0;
  const Timestamp before = clock_.Now() - options_.keep;
  int64_t dropped = 0;
  for (const fs::path& job : EntriesOf(directory_)) {
    for (const fs::path& file : EntriesOf(job)) {
      AttemptId id;
      if (IsOldAndWhole(file, before) && ParseLogName(file, &id)) dropped += DropLog(id);
    }
    rmdir(job.c_str());  // only where it is empty
  }
  if (dropped > 0) spdlog::info("{} logs were older than the lab keeps them", dropped);
  return dropped;
}

bool LogStore::DropLog(const AttemptId& id) {
  std::lock_guard lock(mutex_);
  if (!Forget(id)) return false;
  return unlink(PathOf(id).c_str()) == 0;
}

}  // namespace pinka
