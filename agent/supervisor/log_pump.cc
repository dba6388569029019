#include "agent/supervisor/log_pump.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace pinka {
namespace {

constexpr int kPipeBytes = 1 << 20;
constexpr size_t kMoveBytes = 1 << 20;
constexpr int64_t kTurnBytes = 8 << 20;  // then the other events get their turn

}  // namespace

StatusOr<LogPump> LogPump::Open(const std::string& path, int64_t limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Unavailable("the box is out of pipes");
  LogPump pump;
  pump.read_end_ = Fd(ends[0]);
  pump.write_end_ = Fd(ends[1]);
  pump.limit_ = limit > 0 ? limit : INT64_MAX;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);       // ours alone: the job's end blocks as it expects
  fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);  // fewer turns; refused past the user's quota, fine
  pump.file_ = Fd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  pump.null_ = Fd(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!pump.file_.valid() || !pump.null_.valid()) {
    return Unavailable(
        fmt::format("cannot open the log {}: {}", path, std::generic_category().message(errno)));
  }
  return pump;
}

bool LogPump::Pump() {
  int64_t before = written_ + dropped_;
  while (read_end_.valid() && written_ + dropped_ - before < kTurnBytes) {
    if (MoveOnce() <= 0) break;
  }
  return written_ + dropped_ > before;
}

// Bytes moved; 0: all writers have closed; -1: nothing there now.
int64_t LogPump::MoveOnce() {
  int64_t room = limit_ - written_;
  size_t max = static_cast<size_t>(std::min<int64_t>(std::max<int64_t>(room, 0), kMoveBytes));
  int64_t n = room > 0 ? Store(max) : Drop();
  if (n == 0) read_end_ = Fd();
  return n;
}

int64_t LogPump::Store(size_t max) {
  if (!splice_works_) return Copy(max);
  ssize_t n = 0;
  do {
    n = splice(read_end_.get(), nullptr, file_.get(), nullptr, max,
               SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) {
    written_ += n;
    return n;
  }
  if (errno == EAGAIN) return -1;
  if (errno == EINVAL || errno == ENOSYS) {
    splice_works_ = false;
    return Copy(max);
  }
  GiveUp(errno);
  return Drop();
}

int64_t LogPump::Copy(size_t max) {
  static std::array<char, 64 << 10> buffer;
  ssize_t n = read(read_end_.get(), buffer.data(), std::min(max, buffer.size()));
  if (n < 0) return errno == EINTR ? Copy(max) : -1;
  for (ssize_t done = 0; done < n;) {
    ssize_t w = write(file_.get(), buffer.data() + done, static_cast<size_t>(n - done));
    if (w < 0 && errno == EINTR) continue;
    if (w < 0) {
      GiveUp(errno);
      dropped_ += n - done;
      break;
    }
    written_ += w;
    done += w;
  }
  return n;
}

int64_t LogPump::Drop() {
  ssize_t n = splice(read_end_.get(), nullptr, null_.get(), nullptr, kMoveBytes, SPLICE_F_NONBLOCK);
  if (n > 0) dropped_ += n;
  return n;
}

// A log that cannot be written any more ends here; what follows would leave a hole.
void LogPump::GiveUp(int error) {
  write_error_ = error;
  limit_ = written_;
}

std::string LogPump::Trouble() const { return std::generic_category().message(write_error_); }

void LogPump::Finish() {
  // Whoever still writes after the end of the tree does not get to keep us here.
  for (int turn = 0; turn < 4 && Pump(); ++turn) {
  }
  if (dropped_ > 0) {
    Mark();
  }
  fdatasync(file_.get());
}

// What is not there. A full disk has no room for it: then it goes over the last of what is.
void LogPump::Mark() {
  const auto mark = [this](int64_t dropped) {
    const std::string why = write_error_ != 0
                                ? fmt::format("the log could not be written: {}", Trouble())
                                : fmt::format("log limit of {} bytes reached", limit_);
    return fmt::format("\n[pinka: {}, {} bytes dropped]\n", why, dropped);
  };
  std::string text = mark(dropped_);
  ssize_t n = pwrite(file_.get(), text.data(), text.size(), written_);
  if (n == static_cast<ssize_t>(text.size())) {
    written_ += n;
    return;
  }
  const int64_t end = written_ + std::max<ssize_t>(n, 0);
  text = mark(dropped_ + static_cast<int64_t>(text.size()));
  const int64_t at = std::max<int64_t>(end - static_cast<int64_t>(text.size()), 0);
  n = pwrite(file_.get(), text.data(), text.size(), at);
  written_ = std::max(end, at + std::max<ssize_t>(n, 0));
}

}  // namespace pinka
