// What a job waits for of other jobs (semantics.md 4): the language, and what becomes of one term.
//
//   spec := term ("," term)* | term ("?" term)*        all of them, or one of them; never both
//   term := [type ":"] id (":" id)* | "singleton"
//   id   := a job, or @REF of the same request; behind `after` each may carry +30m
//   type := after | afterany (default) | afterok | afternotok | aftercorr | singleton
//
// What of it is open still is kept in the same language with two terms more, and `!` before one
// that can no longer be met: at:MICROS (the delay of an `after` whose parent has started) and
// indices:0-3:7 (an `aftercorr` whose parent has ended: the tasks that went well). So nothing of an
// ended parent need stay in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/ranges.h"
#include "base/status.h"
#include "base/time.h"
#include "scheduler/core/types.h"

namespace pinka {

enum class DependencyType : int8_t {
  kAfter,       // has started
  kAfterAny,    // has ended
  kAfterOk,     // all tasks ended 0
  kAfterNotOk,  // all ended, and one failed
  kAfterCorr,   // the task of the same index ended 0
  kSingleton,   // no earlier job of the same member and name
  kAt,          // of what is open: an instant
  kIndices,     // of what is open: these indices, and never others
};
std::string_view Name(DependencyType type);  // "afterok"

struct DependencyTerm {
  DependencyType type = DependencyType::kAfterAny;
  JobId job;         // none with ref, singleton, at, indices
  std::string ref;   // "prep" of "@prep"
  Duration delay;    // of after
  Timestamp at;      // of at
  RangeSet indices;  // of indices
  bool never = false;
  friend bool operator==(const DependencyTerm&, const DependencyTerm&) = default;
};

struct Dependency {
  bool any = false;  // one of them is enough
  std::vector<DependencyTerm> terms;
  bool empty() const { return terms.empty(); }
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

inline constexpr size_t kMostDependencies = 1'000;

// What a person wrote; "" is no dependency. Repeated terms collapse. Refused: an unknown type,
// `,` beside `?`, a delay elsewhere than behind `after`, more than 1,000 terms.
StatusOr<Dependency> ParseDependency(std::string_view text);
// What a row keeps as open.
StatusOr<Dependency> ParseWaits(std::string_view text);
std::string FormatDependency(const Dependency& dependency);

// Whether a term stands for each task apart.
bool PerTask(const DependencyTerm& term);
bool PerTask(const Dependency& dependency);

// What is known of a job that others wait for. Only terminal states count: an attempt that will be
// requeued has not ended its task.
struct ParentFacts {
  bool ended = false;
  TaskState state = TaskState::kPending;
  bool failed = false;   // a task has ended otherwise than COMPLETED
  Timestamp started_at;  // its first task; none: none has yet, or ever did
};
enum class Fate : int8_t { kOpen, kMet, kNever };
// Of after (its delay aside), afterany, afterok, afternotok.
Fate FateOf(DependencyType type, const ParentFacts& parent);

// What the terms ask about.
struct ParentView {
  std::function<std::optional<ParentFacts>(JobId)> facts;  // nothing: no news of it
  std::function<RangeSet(JobId)> ok;                       // of an ended one: indices that ended 0
  bool namesake = false;  // an earlier one of that name has not ended
};
// What is open after this news. Empty: all is met. A list that can no longer be met keeps only the
// terms that say so.
Dependency Reduce(const Dependency& waits, const ParentView& view, Timestamp now);
// Whether all of it can no longer be met.
bool Never(const Dependency& waits);

}  // namespace pinka
