#include "scheduler/runtime/logs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

constexpr size_t kMostLogs = 4'096;  // sizes kept in memory
constexpr int64_t kTailBlock = int64_t{64} << 10;
constexpr Duration kIdle = Duration::Millis(250);
constexpr Duration kDropEvery = Duration::Hours(1);

Status Failed(const std::string& what, const std::string& path) {
  return Internal(fmt::format("{} {}: {}", what, path, strerror(errno)));
}

Status WriteAll(int fd, int64_t offset, std::string_view data, const std::string& path) {
  while (!data.empty()) {
    const ssize_t n = pwrite(fd, data.data(), data.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Failed("write", path);
    offset += n;
    data.remove_prefix(static_cast<size_t>(n));
  }
  return OkStatus();
}

StatusOr<std::string> ReadAt(int fd, int64_t offset, size_t most, const std::string& path) {
  std::string data(most, '\0');
  size_t have = 0;
  while (have < most) {
    const ssize_t n =
        pread(fd, data.data() + have, most - have, offset + static_cast<int64_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", path);
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  data.resize(have);
  return data;
}

}  // namespace

struct LogStore::Log {
  AttemptId id;
  std::shared_ptr<Fd> fd;
  int64_t bytes = 0;
  int64_t end = -1;       // where it ends, once the agent has said so
  bool complete = false;  // the end is durable
  bool fresh = false;     // its directory entry may not be durable
  bool dirty = false;     // something of it is not durable
  bool listed = false;    // in dirty_
  std::vector<std::function<void(StatusOr<int64_t>)>> waiting;
};

LogStore::LogStore(std::string directory, const Clock& clock, Options options)
    : directory_(std::move(directory)), clock_(clock), options_(options) {
  thread_ = std::thread([this] { Run(); });
}

LogStore::~LogStore() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::string LogStore::PathOf(const AttemptId& id) const {
  return fmt::format("{}/{}/{}.{}.log", directory_, id.job.value(), id.index, id.number);
}

LogStore::Log& LogStore::Open(const AttemptId& id) {
  if (auto known = logs_.find(id); known != logs_.end()) return *known->second;
  DropQuiet();
  auto log = std::make_unique<Log>();
  log->id = id;
  struct stat info = {};
  if (stat(PathOf(id).c_str(), &info) == 0) {
    log->bytes = info.st_size;
    log->complete = (info.st_mode & S_IWUSR) == 0;
    if (log->complete) log->end = log->bytes;
  }
  return *logs_.emplace(id, std::move(log)).first->second;
}

// What is quiet leaves memory; its file says all about it.
void LogStore::DropQuiet() {
  if (logs_.size() < kMostLogs) return;
  std::erase_if(logs_, [](const auto& entry) {
    const Log& log = *entry.second;
    const bool open_end = log.end >= 0 && !log.complete;
    return !log.fd && !log.dirty && !log.fresh && !open_end && log.waiting.empty();
  });
}

bool LogStore::Forget(const AttemptId& id) {
  const auto known = logs_.find(id);
  if (known == logs_.end()) return true;
  const Log& log = *known->second;
  if (log.dirty || log.fresh || log.listed || !log.waiting.empty()) return false;
  open_.remove(id);
  logs_.erase(known);
  return true;
}

StatusOr<std::shared_ptr<Fd>> LogStore::Descriptor(Log& log) {
  open_.remove(log.id);
  if (!log.fd) {
    const std::string path = PathOf(log.id);
    const std::string parent = path.substr(0, path.rfind('/'));
    const bool there = PathExists(path);
    if (Status s = there ? OkStatus() : MakeDirectories(parent); !s.ok()) return s;
    const int fd =
        open(path.c_str(), (log.complete ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC, 0600);
    if (fd < 0) return Failed("open", path);
    log.fd = std::make_shared<Fd>(fd);
    log.fresh = log.fresh || !there;
  }
  open_.push_front(log.id);
  while (open_.size() > options_.most_open) {
    logs_.at(open_.back())->fd.reset();
    open_.pop_back();
  }
  return log.fd;
}

Status LogStore::Write(Log& log, int64_t offset, std::string_view data) {
  if (offset > log.bytes) return OkStatus();  // a gap: the answer says what is there
  const auto skip = static_cast<size_t>(log.bytes - offset);
  if (data.size() <= skip) return OkStatus();
  data.remove_prefix(skip);
  if (log.end >= 0 && log.bytes + static_cast<int64_t>(data.size()) > log.end) {
    return Invalid(fmt::format("the log of {} ended at byte {}", ToString(log.id), log.end));
  }
  auto fd = Descriptor(log);
  if (!fd.ok()) return fd.status();
  if (Status s = WriteAll((*fd)->get(), log.bytes, data, PathOf(log.id)); !s.ok()) return s;
  log.bytes += static_cast<int64_t>(data.size());
  moved_ = true;
  return OkStatus();
}

void LogStore::Append(const AttemptId& id, int64_t offset, std::string_view data, bool last,
                      std::function<void(StatusOr<int64_t>)> then) {
  Status status;
  {
    std::lock_guard lock(mutex_);
    Log& log = Open(id);
    status = offset < 0 ? Invalid("a log has no bytes before its first") : Write(log, offset, data);
    if (status.ok()) {
      const int64_t end = offset + static_cast<int64_t>(data.size());
      if (last && log.end < 0 && end == log.bytes) log.end = end;
      log.waiting.push_back(std::move(then));
      log.dirty = true;
      if (!std::exchange(log.listed, true)) dirty_.push_back(id);
    }
  }
  if (!status.ok()) return then(status);
  wake_.notify_all();
}

LogSize LogStore::SizeOf(const AttemptId& id) {
  std::lock_guard lock(mutex_);
  const Log& log = Open(id);
  return {log.bytes, log.complete};
}

StatusOr<std::string> LogStore::Read(const AttemptId& id, int64_t offset, size_t most) {
  std::shared_ptr<Fd> fd;
  {
    std::lock_guard lock(mutex_);
    Log& log = Open(id);
    if (offset < 0 || offset >= log.bytes) return std::string();
    most = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(most), log.bytes - offset));
    auto opened = Descriptor(log);
    if (!opened.ok()) return opened.status();
    fd = *opened;
  }
  return ReadAt(fd->get(), offset, most, PathOf(id));
}

StatusOr<int64_t> LogStore::TailOffset(const AttemptId& id, int64_t lines) {
  const int64_t size = SizeOf(id).bytes;
  if (lines <= 0) return size;
  int64_t end = size;
  while (end > 0) {
    const int64_t begin = std::max<int64_t>(end - kTailBlock, 0);
    auto block = Read(id, begin, static_cast<size_t>(end - begin));
    if (!block.ok()) return block.status();
    for (size_t i = block->size(); i-- > 0;) {
      const int64_t at = begin + static_cast<int64_t>(i);
      const bool ends_a_line = (*block)[i] == '\n' && at != size - 1;  // not the last one's own
      if (ends_a_line && --lines == 0) return at + 1;
    }
    if (block->empty()) break;
    end = begin;
  }
  return int64_t{0};
}

void LogStore::WhenGrows(const AttemptId& id, int64_t seen, Duration patience,
                         std::function<void()> then) {
  {
    std::lock_guard lock(mutex_);
    const Log& log = Open(id);
    if (!stopping_ && log.bytes <= seen && !log.complete) {
      watchers_.push_back({id, seen, clock_.Monotonic() + patience, std::move(then)});
      return;
    }
  }
  then();
}

// ---- the store's thread ----

void LogStore::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const Duration rest = watchers_.empty() ? kIdle * 4 : kIdle;
    wake_.wait_for(lock, std::chrono::microseconds(rest.micros()),
                   [this] { return stopping_ || !dirty_.empty() || moved_; });
    Flush(lock);
    CallWatchers(lock);
    if (stopping_ && dirty_.empty()) break;
    if (stopping_) continue;
    DropWhenDue(lock);
    // Let the next bytes gather, so that one pass serves many.
    wake_.wait_for(lock, std::chrono::microseconds(options_.flush_every.micros()),
                   [this] { return stopping_; });
  }
  stopping_ = true;
  CallWatchers(lock);
}

void LogStore::DropWhenDue(std::unique_lock<std::mutex>& lock) {
  const Duration now = clock_.Monotonic();
  if (now < drop_at_) return;
  drop_at_ = now + kDropEvery;
  lock.unlock();
  DropOld();
  lock.lock();
}

// A dirty log on its way to the disk.
struct LogStore::Piece {
  AttemptId id;
  std::shared_ptr<Fd> fd;
  int64_t have = 0;
  bool fresh = false;  // sync its directory too
  bool mark = false;   // it ends at `have`
  std::vector<std::function<void(StatusOr<int64_t>)>> waiting;
  Status status;
};

std::vector<LogStore::Piece> LogStore::TakeDirty() {
  std::vector<Piece> pieces;
  for (const AttemptId& id : std::exchange(dirty_, {})) {
    Log& log = *logs_.at(id);
    log.listed = false;
    Piece piece;
    piece.id = id;
    piece.have = log.bytes;
    piece.waiting = std::exchange(log.waiting, {});
    piece.mark = log.end == log.bytes && !log.complete;
    if (log.bytes > 0 || piece.mark) {
      auto fd = Descriptor(log);
      if (fd.ok()) piece.fd = *fd;
      piece.status = fd.status();
    }
    piece.fresh = std::exchange(log.fresh, false);
    pieces.push_back(std::move(piece));  // still dirty: it must not leave memory now
  }
  return pieces;
}

// One by one where they are few.
void LogStore::SyncEach(std::vector<Piece>& pieces) const {
  bool fresh = false;
  for (Piece& piece : pieces) {
    if (!piece.status.ok() || !piece.fd) continue;
    const std::string path = PathOf(piece.id);
    if (fdatasync(piece.fd->get()) != 0) piece.status = Failed("fdatasync", path);
    if (piece.status.ok() && piece.fresh)
      piece.status = SyncDirectory(path.substr(0, path.rfind('/')));
    fresh = fresh || piece.fresh;
  }
  const Status root = fresh ? SyncDirectory(directory_) : OkStatus();
  for (Piece& piece : pieces) {
    if (piece.status.ok() && piece.fresh) piece.status = root;
  }
}

// All at once: one call, however many.
void LogStore::SyncAll(std::vector<Piece>& pieces) const {
  const Fd root(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool synced = root.valid() && syncfs(root.get()) == 0;
  const Status status = synced ? OkStatus() : Failed("syncfs", directory_);
  for (Piece& piece : pieces) {
    if (piece.status.ok()) piece.status = status;
  }
}

// The mark comes after the bytes: a log that nobody may write to is whole.
void LogStore::MakeDurable(std::vector<Piece>& pieces) const {
  constexpr size_t kFew = 4;
  const bool few = pieces.size() <= kFew;
  few ? SyncEach(pieces) : SyncAll(pieces);
  bool marks = false;
  for (Piece& piece : pieces) {
    if (!piece.status.ok() || !piece.mark) continue;
    marks = true;
    const std::string path = PathOf(piece.id);
    if (fchmod(piece.fd->get(), 0400) != 0) piece.status = Failed("fchmod", path);
    if (few && fsync(piece.fd->get()) != 0) piece.status = Failed("fsync", path);
  }
  if (marks && !few) SyncAll(pieces);
  for (const Piece& piece : pieces) {
    if (!piece.status.ok()) spdlog::error("a log is not durable: {}", Message(piece.status));
  }
}

// One pass: everything written until now becomes durable, then everybody is answered.
void LogStore::Flush(std::unique_lock<std::mutex>& lock) {
  std::vector<Piece> pieces = TakeDirty();
  if (pieces.empty()) return;
  lock.unlock();
  MakeDurable(pieces);
  lock.lock();
  for (const Piece& piece : pieces) {
    Log& log = *logs_.at(piece.id);
    log.dirty = log.listed;  // what came meanwhile has put it on the list again
    if (!piece.status.ok()) {
      log.fresh = log.fresh || piece.fresh;
    } else if (piece.mark) {
      log.complete = true;
      moved_ = true;
    }
  }
  lock.unlock();
  for (Piece& piece : pieces) {
    for (auto& then : piece.waiting) {
      then(piece.status.ok() ? StatusOr<int64_t>(piece.have) : piece.status);
    }
  }
  lock.lock();
}

void LogStore::CallWatchers(std::unique_lock<std::mutex>& lock) {
  moved_ = false;
  if (watchers_.empty()) return;
  const Duration now = clock_.Monotonic();
  std::vector<std::function<void()>> calls;
  for (auto watcher = watchers_.begin(); watcher != watchers_.end();) {
    const Log& log = Open(watcher->id);
    const bool due =
        stopping_ || log.bytes > watcher->seen || log.complete || watcher->until <= now;
    if (!due) {
      ++watcher;
      continue;
    }
    calls.push_back(std::move(watcher->then));
    watcher = watchers_.erase(watcher);
  }
  lock.unlock();
  for (auto& call : calls) call();
  lock.lock();
}

}  // namespace pinka
