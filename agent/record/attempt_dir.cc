#include "agent/record/attempt_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace pinka {
namespace {

Status Failed(std::string_view doing, const std::string& path) {
  return Unavailable(
      fmt::format("cannot {} {}: {}", doing, path, std::generic_category().message(errno)));
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// A new file beside `path` with this content; its name, or "" and errno.
std::string WriteBeside(const std::string& path, std::string_view content, bool sync) {
  std::string beside = path + ".new.XXXXXX";
  Fd fd(mkostemp(beside.data(), O_CLOEXEC));
  if (!fd.valid()) return "";
  if (WriteAll(fd.get(), content) && (!sync || fsync(fd.get()) == 0)) return beside;
  int error = errno;
  unlink(beside.c_str());
  errno = error;
  return "";
}

// Whole or not at all for every reader, without waiting for the disk.
Status Replace(const std::string& path, std::string_view content) {
  std::string beside = WriteBeside(path, content, false);
  if (beside.empty()) return Failed("write", path);
  if (rename(beside.c_str(), path.c_str()) == 0) return OkStatus();
  Status failed = Failed("write", path);
  unlink(beside.c_str());
  return failed;
}

// Durable, and only if nobody was first.
StatusOr<bool> WriteOnce(const std::string& directory, const std::string& path,
                         std::string_view content) {
  std::string beside = WriteBeside(path, content, true);
  if (beside.empty()) return Failed("write", path);
  bool won = link(beside.c_str(), path.c_str()) == 0;
  Status failed = won || errno == EEXIST ? OkStatus() : Failed("write", path);
  unlink(beside.c_str());
  if (!failed.ok()) return failed;
  // The loser syncs as well: what it found must not vanish after it has acted on it.
  if (Status synced = SyncDirectory(directory); !synced.ok()) return synced;
  return won;
}

template <class T>
std::optional<T> Read(const std::string& path, StatusOr<T> (*decode)(std::string_view)) {
  StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return std::nullopt;
  StatusOr<T> value = decode(*bytes);
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

}  // namespace

Status AttemptDir::Create() const {
  std::string run = std::filesystem::path(path_).parent_path();
  bool first_of_run = !PathExists(run);
  if (Status made = MakeDirectories(path_, 0700); !made.ok()) return made;
  if (Status synced = SyncDirectory(run); !synced.ok()) return synced;
  return first_of_run ? SyncDirectory(run + "/..") : OkStatus();
}

Status AttemptDir::WriteOrder(const Order& order) const {
  return WriteFileDurably(OrderPath(), EncodeOrder(order), 0600);
}

StatusOr<Order> AttemptDir::ReadOrder() const {
  StatusOr<std::string> bytes = ReadFile(OrderPath());
  if (!bytes.ok()) return bytes.status();
  return DecodeOrder(*bytes);
}

StatusOr<bool> AttemptDir::TakeClaim(const Claim& claim) const {
  return WriteOnce(path_, ClaimPath(), Encode(claim));
}

StatusOr<bool> AttemptDir::WriteExit(const Exit& exit) const {
  return WriteOnce(path_, path_ + "/exit", Encode(exit));
}

Status AttemptDir::WriteStarted(const Started& started) const {
  return Replace(path_ + "/started", Encode(started));
}
Status AttemptDir::WriteMeter(const Meter& meter) const {
  return Replace(path_ + "/meter", Encode(meter));
}
Status AttemptDir::WriteCardPeak(const CardPeak& peak) const {
  return Replace(path_ + "/card", Encode(peak));
}
Status AttemptDir::WriteStop(const Stop& stop) const {
  return Replace(path_ + "/stop", Encode(stop));
}
Status AttemptDir::WriteStopping(const Stop& stop) const {
  return Replace(path_ + "/stopping", Encode(stop));
}
Status AttemptDir::WriteMain(const MainEnd& end) const {
  return Replace(path_ + "/main", Encode(end));
}
Status AttemptDir::WriteKept(const Kept& kept) const {
  return Replace(path_ + "/kept", Encode(kept));
}

std::optional<Claim> AttemptDir::ReadClaim() const { return Read(ClaimPath(), DecodeClaim); }
std::optional<Started> AttemptDir::ReadStarted() const {
  return Read(path_ + "/started", DecodeStarted);
}
std::optional<Meter> AttemptDir::ReadMeter() const { return Read(path_ + "/meter", DecodeMeter); }
std::optional<CardPeak> AttemptDir::ReadCardPeak() const {
  return Read(path_ + "/card", DecodeCardPeak);
}
std::optional<Stop> AttemptDir::ReadStop() const { return Read(path_ + "/stop", DecodeStop); }
std::optional<Stop> AttemptDir::ReadStopping() const {
  return Read(path_ + "/stopping", DecodeStop);
}
std::optional<MainEnd> AttemptDir::ReadMain() const { return Read(path_ + "/main", DecodeMainEnd); }
std::optional<Exit> AttemptDir::ReadExit() const { return Read(path_ + "/exit", DecodeExit); }
std::optional<Kept> AttemptDir::ReadKept() const { return Read(path_ + "/kept", DecodeKept); }

int64_t AttemptDir::LogBytes() const {
  struct stat info {};
  return stat(LogPath().c_str(), &info) == 0 ? int64_t{info.st_size} : 0;
}

void AttemptDir::HoldReserve() const {
  constexpr off_t kReserveBytes = 16 << 10;
  Fd fd(open((path_ + "/reserve").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (fd.valid()) posix_fallocate(fd.get(), 0, kReserveBytes);
  // The end is a file and a link to it: on tmpfs both count as inodes.
  (void)!link((path_ + "/reserve").c_str(), (path_ + "/reserve.link").c_str());
}

void AttemptDir::DropReserve() const {
  unlink((path_ + "/reserve.link").c_str());
  unlink((path_ + "/reserve").c_str());
}

void AttemptDir::PokeFifo(const std::string& path) {
  Fd fd(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return;
  // A full FIFO holds a wake-up already. SIGPIPE cannot come: writers ignore it.
  [[maybe_unused]] ssize_t n = write(fd.get(), "x", 1);
}

}  // namespace pinka
