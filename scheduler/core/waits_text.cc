// What a job that may not start yet waits for, in words.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

constexpr size_t kMostNamed = 5;  // parents in a sentence

std::string TermInWords(const State& state, const JobRow& job, const DependencyTerm& term) {
  const auto named = [&](JobId id, std::string_view what) {
    const JobRow* parent = state.jobs.Find(id);
    return fmt::format("job {}{}{}", id.value(),
                       parent ? fmt::format(" ({})", Name(parent->state)) : "", what);
  };
  switch (term.type) {
    case DependencyType::kAfter:
      return named(term.job, " to start") +
             (term.delay > Duration() ? " and " + FormatDuration(term.delay) + " more" : "");
    case DependencyType::kAfterAny:
      return named(term.job, " to end");
    case DependencyType::kAfterOk:
      return named(term.job, " to succeed");
    case DependencyType::kAfterNotOk:
      return named(term.job, " to fail");
    case DependencyType::kAfterCorr:
      return "the task of the same index of " + named(term.job, "");
    case DependencyType::kSingleton:
      return named(FirstNamesake(state, job.member, job.name_hash),
                   ", an earlier one of the same name, to end");
    case DependencyType::kAt:
      return FormatUtc(term.at);
    case DependencyType::kIndices:
      return "tasks of the same index that did not succeed";
  }
  return "";
}

std::string WaitsInWords(const State& state, const JobRow& job) {
  const Dependency& waits = state.job_index.at(job.id).waits;
  if (Never(waits))
    return "waits for ever: " + NeverInWords(waits) +
           "; `pinka edit --dependency` gives it another, `pinka cancel` ends it";
  std::vector<std::string> parts;
  for (const DependencyTerm& term : waits.terms) {
    if (parts.size() == kMostNamed) break;
    parts.push_back(TermInWords(state, job, term));
  }
  std::string text = fmt::format("waits for {}", fmt::join(parts, waits.any ? " or " : " and "));
  const size_t more = waits.terms.size() - parts.size();
  if (more > 0) text += fmt::format(" {} {} more", waits.any ? "or" : "and", more);
  return text;
}

}  // namespace

std::optional<Blocked> NotYetInWords(const State& state, const JobRow& job) {
  const auto reason = NotYet(state, job);
  if (!reason) return std::nullopt;
  Blocked blocked{*reason, "", Money()};
  if (*reason == Reason::kBeginTime) {
    blocked.text = fmt::format("begins at {} at the earliest", FormatUtc(job.begin_at));
  } else if (*reason == Reason::kNightWindow) {
    auto next = std::ranges::upper_bound(state.nights, state.now, {}, &PeriodRow::start_at);
    blocked.text = next == state.nights.end()
                       ? "starts in the lab's nights only, and none is in the calendar yet"
                       : fmt::format("starts in the lab's nights only, the next from {} to {}",
                                     FormatUtc(next->start_at), FormatUtc(next->end_at));
  } else {
    blocked.text = WaitsInWords(state, job);
  }
  return blocked;
}

std::string NeverInWords(const Dependency& waits) {
  Dependency written = waits;
  for (DependencyTerm& term : written.terms) term.never = false;
  return fmt::format("its dependency {} can no longer be met", FormatDependency(written));
}

}  // namespace pinka
