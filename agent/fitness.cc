#include "agent/fitness.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "base/parse.h"

namespace pinka {
namespace {

constexpr size_t kProbeBytes = 256 << 10;
constexpr Duration kProbeEvery = Duration::Seconds(10);

}  // namespace

// No numbers that change by the minute: a new text is news for the scheduler.
std::string Fitness::Trouble(const std::string& place) const {
  struct statvfs disk {};
  if (statvfs(place.c_str(), &disk) != 0) {
    return fmt::format("{} cannot be looked at: {}", place, std::generic_category().message(errno));
  }
  if ((disk.f_flag & ST_RDONLY) != 0) return fmt::format("{} can only be read", place);
  int64_t margin = unfit_.empty() ? 4 : 5;  // quarters
  auto room = static_cast<int64_t>(disk.f_bavail * disk.f_frsize);
  if (room < floor_bytes_ / 4 * margin) {
    return fmt::format("{} has less than {} of room left", place, FormatMemory(floor_bytes_));
  }
  bool counts_files = disk.f_files > 0;
  if (counts_files && static_cast<int64_t>(disk.f_favail) < kFloorFiles / 4 * margin) {
    return fmt::format("{} has room for hardly any more files", place);
  }
  return "";
}

std::string Fitness::WriteTrouble(const std::string& place) {
  std::string path = place + "/.room";
  Status written = WriteFileDurably(path, std::string(kProbeBytes, '\0'), 0600);
  unlink(path.c_str());
  return written.ok() ? "" : Message(written);
}

const std::string& Fitness::Look(bool suspect, Duration now) {
  if ((suspect || !refused_.empty()) && now >= probe_at_) {
    probe_at_ = now + kProbeEvery;
    refused_.clear();
    for (const std::string& place : places_) {
      if (refused_.empty()) refused_ = WriteTrouble(place);
    }
  }
  std::string found = refused_;
  for (const std::string& place : places_) {
    if (found.empty()) found = Trouble(place);
  }
  unfit_ = found;
  return unfit_;
}

}  // namespace pinka
