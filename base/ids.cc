#include "base/ids.h"

#include <fmt/format.h>

#include <charconv>

namespace pinka {
namespace {

// Takes an integer and, unless it ends the text, the separator after it; false if they are not
// there. Forms such as "007" or "+1" pass here and fail against the printed form.
template <class Int>
bool Take(const char*& at, const char* end, Int* out, char separator) {
  auto [next, error] = std::from_chars(at, end, *out);
  if (error != std::errc()) return false;
  at = next;
  if (separator == '\0') return at == end;
  return at != end && *at++ == separator;
}

}  // namespace

std::string ToString(const AttemptId& id) {
  return fmt::format("{}_{}.{}", id.job.value(), id.index, id.number);
}

std::string ToString(const TaskId& id) { return fmt::format("{}_{}", id.job.value(), id.index); }

bool ParseAttemptId(const std::string& text, AttemptId* out) {
  const char* at = text.data();
  const char* end = at + text.size();
  int64_t job = 0;
  AttemptId id;
  if (!Take(at, end, &job, '_') || !Take(at, end, &id.index, '.')) return false;
  if (!Take(at, end, &id.number, '\0')) return false;
  id.job = JobId(job);
  if (job < 1 || id.index < 0 || id.number < 1 || ToString(id) != text) return false;
  *out = id;
  return true;
}

}  // namespace pinka
