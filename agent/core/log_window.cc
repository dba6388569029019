#include "agent/core/log_window.h"

#include <algorithm>

namespace pinka {

void LogWindow::Observe(const AttemptId& attempt, int64_t size, bool whole) {
  Log& log = logs_[attempt];
  log.size = std::max(log.size, size);
  log.whole = whole;
}

int64_t LogWindow::InFlight() const {
  int64_t bytes = 0;
  for (const auto& [attempt, log] : logs_) bytes += std::max<int64_t>(log.sent - log.have, 0);
  return bytes;
}

std::optional<LogWindow::Chunk> LogWindow::NextOf(const AttemptId& attempt, Log* log) const {
  if (log->done) return std::nullopt;
  if (!log->asked) {
    log->asked = true;
    return Chunk{.attempt = attempt};
  }
  if (!log->answered) return std::nullopt;
  int64_t room = kWindowBytes - InFlight();
  int64_t rest = std::max<int64_t>(log->size - log->sent, 0);
  int64_t length = std::min({rest, kChunkBytes, std::max<int64_t>(room, 0)});
  // Only full chunks or the rest: dribbles behind a nearly full window would cost more than bytes.
  if (length < rest && length < kChunkBytes) return std::nullopt;
  bool last = log->whole && length == rest;
  if (length == 0 && (!last || log->last_sent)) return std::nullopt;
  Chunk chunk{.attempt = attempt, .offset = log->sent, .length = length, .last = last};
  log->sent += length;
  log->last_sent = last;
  return chunk;
}

std::optional<LogWindow::Chunk> LogWindow::Next() {
  auto at = logs_.upper_bound(turn_);
  for (size_t i = 0; i < logs_.size(); ++i, ++at) {
    if (at == logs_.end()) at = logs_.begin();
    if (std::optional<Chunk> chunk = NextOf(at->first, &at->second)) {
      turn_ = at->first;
      return chunk;
    }
  }
  return std::nullopt;
}

void LogWindow::Acknowledged(const AttemptId& attempt, int64_t have) {
  auto found = logs_.find(attempt);
  if (found == logs_.end() || have < 0) return;
  Log& log = found->second;
  if (!log.answered) {
    log.answered = true;
    log.sent = have;  // also downwards: a scheduler that was restored asks for bytes again
  }
  log.have = have;
  log.sent = std::max(log.sent, have);
  log.done = log.last_sent && have >= log.size;
}

void LogWindow::StreamLost() {
  for (auto& [attempt, log] : logs_) {
    if (log.done) continue;
    log = Log{.size = log.size, .whole = log.whole, .have = log.have, .sent = log.have};
  }
}

bool LogWindow::Done(const AttemptId& attempt) const {
  auto found = logs_.find(attempt);
  return found != logs_.end() && found->second.done;
}

}  // namespace pinka
