#include "client/cli/core/log_cursor.h"

#include <algorithm>

namespace pinka::cli {

std::string_view LogCursor::Accept(const v1::LogChunk& chunk) {
  if (chunk.attempt() < attempt_) return {};
  if (chunk.attempt() > attempt_) {
    attempt_ = chunk.attempt();
    next_ = chunk.offset();
  }
  std::string_view data = chunk.data();
  if (data.empty()) return data;
  const int64_t old = std::max<int64_t>(0, next_ - chunk.offset());
  data.remove_prefix(std::min(data.size(), static_cast<size_t>(old)));
  next_ = std::max(next_, chunk.offset() + static_cast<int64_t>(chunk.data().size()));
  return data;
}

void LogCursor::Resume(v1::StreamLogRequest* request) const {
  if (attempt_ == 0) return;
  request->set_attempt(attempt_);
  request->set_offset(next_);
  request->set_tail_lines(0);
}

}  // namespace pinka::cli
