#include "scheduler/core/dependency.h"

#include <algorithm>
#include <array>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "after", "afterany", "afterok", "afternotok", "aftercorr", "singleton", "at", "indices"};
constexpr size_t kMostRef = 64;

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string Shown(std::string_view text) {
  return SanitizeForTerminal(FitColumns(std::string(text), 40));
}

bool IsRef(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= kMostRef && std::ranges::all_of(text, fits);
}

std::optional<DependencyType> TypeNamed(std::string_view name) {
  const auto at = std::ranges::find(kNames, name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<DependencyType>(at - kNames.begin());
}

// A word that is a job's, not a type's.
bool IsId(std::string_view word) {
  return word.starts_with('@') || (!word.empty() && word[0] >= '0' && word[0] <= '9');
}

Status UnknownType(std::string_view name) {
  return Invalid(
      fmt::format("\"{}\" is no kind of dependency; write after, afterany, afterok, afternotok, "
                  "aftercorr or singleton, as in afterok:17",
                  Shown(name)));
}

StatusOr<DependencyTerm> ReadId(DependencyType type, std::string_view text) {
  DependencyTerm term;
  term.type = type;
  const size_t plus = text.find('+');
  if (plus != std::string_view::npos) {
    if (type != DependencyType::kAfter) {
      return Invalid(fmt::format("+{} stands behind `after` only, as in after:17+30m",
                                 Shown(text.substr(plus + 1))));
    }
    StatusOr<Duration> delay = ParseDuration(text.substr(plus + 1));
    if (!delay.ok()) return delay.status();
    term.delay = *delay;
    text = text.substr(0, plus);
  }
  if (text.starts_with('@')) {
    if (!IsRef(text.substr(1))) {
      return Invalid(
          fmt::format("\"{}\" names no job of the request; a ref has letters, digits, -, _ and .",
                      Shown(text)));
    }
    term.ref = std::string(text.substr(1));
    return term;
  }
  if (text.find('_') != std::string_view::npos) {
    return Invalid(
        fmt::format("\"{}\" is a task; a dependency names a job, and aftercorr:{} waits "
                    "for the task of the same index",
                    Shown(text), Shown(text.substr(0, text.find('_')))));
  }
  StatusOr<int64_t> id = ParseInt(text, 1, INT64_MAX, "a job's id");
  if (!id.ok()) return id.status();
  term.job = JobId(*id);
  return term;
}

// at:MICROS and indices:0-3:7.
StatusOr<DependencyTerm> ReadOpen(DependencyType type, std::string_view text) {
  DependencyTerm term;
  term.type = type;
  if (type == DependencyType::kAt) {
    StatusOr<int64_t> at = ParseInt(text, 1, INT64_MAX, "an instant");
    if (!at.ok()) return at.status();
    term.at = Timestamp::Micros(*at);
    return term;
  }
  std::string ranges(text);
  std::ranges::replace(ranges, ':', ',');
  StatusOr<RangeSet> indices = RangeSet::Parse(ranges);
  if (!indices.ok()) return indices.status();
  term.indices = *std::move(indices);
  return term;
}

void Add(DependencyTerm term, Dependency* to) {
  if (std::ranges::find(to->terms, term) == to->terms.end()) to->terms.push_back(std::move(term));
}

Status ReadPart(std::string_view part, bool stored, Dependency* out) {
  const bool never = stored && part.starts_with('!');
  if (never) part.remove_prefix(1);
  if (part.empty())
    return Invalid("a dependency has an empty part; write it as in afterok:17,after:18+30m");
  const std::string_view head = part.substr(0, part.find(':'));
  auto type = TypeNamed(head);
  const bool open = type == DependencyType::kAt || type == DependencyType::kIndices;
  if (open && !stored) return UnknownType(head);
  if (!type && IsId(head)) {
    type = DependencyType::kAfterAny;
  } else if (!type) {
    return UnknownType(head);
  } else if (part.size() == head.size()) {
    if (type != DependencyType::kSingleton)
      return Invalid(fmt::format("{} names the jobs to wait for, as in {}:17", head, head));
    DependencyTerm term;
    term.type = *type;
    term.never = never;
    Add(std::move(term), out);
    return OkStatus();
  } else if (type == DependencyType::kSingleton) {
    return Invalid("singleton names no job: it waits for the earlier ones of the job's own name");
  } else {
    part.remove_prefix(head.size() + 1);
  }
  const auto texts = open ? std::vector<std::string_view>{part} : Split(part, ':');
  for (std::string_view text : texts) {
    StatusOr<DependencyTerm> term = open ? ReadOpen(*type, text) : ReadId(*type, text);
    if (!term.ok()) return term.status();
    term->never = never;
    Add(*std::move(term), out);
    if (out->terms.size() > kMostDependencies)
      return Invalid(fmt::format("a job waits for at most {} others", kMostDependencies));
  }
  return OkStatus();
}

StatusOr<Dependency> Read(std::string_view text, bool stored) {
  Dependency dependency;
  if (text.empty()) return dependency;
  dependency.any = text.find('?') != std::string_view::npos;
  if (dependency.any && text.find(',') != std::string_view::npos) {
    return Invalid("a dependency has `,` (all of them) or `?` (one of them), never both");
  }
  for (std::string_view part : Split(text, dependency.any ? '?' : ',')) {
    if (Status s = ReadPart(part, stored, &dependency); !s.ok()) return s;
  }
  dependency.any = dependency.any && dependency.terms.size() > 1;
  return dependency;
}

std::string ValueOf(const DependencyTerm& term) {
  switch (term.type) {
    case DependencyType::kSingleton:
      return "";
    case DependencyType::kAt:
      return std::to_string(term.at.micros());
    case DependencyType::kIndices: {
      std::string ranges = term.indices.ToString();
      std::ranges::replace(ranges, ',', ':');
      return ranges;
    }
    case DependencyType::kAfter:
    case DependencyType::kAfterAny:
    case DependencyType::kAfterOk:
    case DependencyType::kAfterNotOk:
    case DependencyType::kAfterCorr:
      break;
  }
  const std::string job = term.ref.empty() ? std::to_string(term.job.value()) : "@" + term.ref;
  return term.delay > Duration() ? job + "+" + FormatDuration(term.delay) : job;
}

bool NamesJobs(DependencyType type) { return type <= DependencyType::kAfterCorr; }

RangeSet Union(RangeSet a, const RangeSet& b) {
  for (const RangeSet::Range& r : b.ranges()) a.InsertRange(r.begin, r.end);
  return a;
}

// One term with the news; its fate where it is decided.
Fate Judge(DependencyTerm& term, const ParentView& view, Timestamp now) {
  if (term.never) return Fate::kNever;
  if (term.type == DependencyType::kSingleton) return view.namesake ? Fate::kOpen : Fate::kMet;
  if (term.type == DependencyType::kAt) return term.at <= now ? Fate::kMet : Fate::kOpen;
  if (term.type == DependencyType::kIndices || !term.ref.empty()) return Fate::kOpen;
  const auto parent = view.facts(term.job);
  if (!parent) return Fate::kOpen;
  if (term.type == DependencyType::kAfterCorr) {
    if (!parent->ended) return Fate::kOpen;
    term.indices = view.ok(term.job);
    term.type = DependencyType::kIndices;
    term.job = JobId();
    return Fate::kOpen;
  }
  const Fate fate = FateOf(term.type, *parent);
  if (fate != Fate::kMet || term.delay <= Duration()) return fate;
  term.type = DependencyType::kAt;
  term.at = parent->started_at + term.delay;
  term.job = JobId();
  term.delay = Duration();
  return term.at <= now ? Fate::kMet : Fate::kOpen;
}

// All terms of indices as one: what all of them let through, or any of them.
void MergeIndices(Dependency& open) {
  const auto is = [](const DependencyTerm& t) { return t.type == DependencyType::kIndices; };
  auto first = std::ranges::find_if(open.terms, is);
  if (first == open.terms.end()) return;
  for (auto it = first + 1; it != open.terms.end();) {
    if (!is(*it)) {
      ++it;
      continue;
    }
    first->indices =
        open.any ? Union(first->indices, it->indices) : first->indices.Intersect(it->indices);
    it = open.terms.erase(it);
  }
}

}  // namespace

std::string_view Name(DependencyType type) { return kNames[static_cast<size_t>(type)]; }

StatusOr<Dependency> ParseDependency(std::string_view text) { return Read(text, false); }
StatusOr<Dependency> ParseWaits(std::string_view text) { return Read(text, true); }

std::string FormatDependency(const Dependency& dependency) {
  std::string text;
  const DependencyTerm* before = nullptr;
  for (const DependencyTerm& term : dependency.terms) {
    // With `?` each stands alone: 17:18 by itself would be both.
    const bool joined = before && !dependency.any && NamesJobs(term.type) &&
                        term.type == before->type && term.never == before->never;
    if (joined) {
      text += ":" + ValueOf(term);
    } else {
      if (before) text += dependency.any ? '?' : ',';
      if (term.never) text += '!';
      text += Name(term.type);
      if (term.type != DependencyType::kSingleton) text += ":" + ValueOf(term);
    }
    before = &term;
  }
  return text;
}

bool PerTask(const DependencyTerm& term) {
  return term.type == DependencyType::kAfterCorr || term.type == DependencyType::kIndices;
}

bool PerTask(const Dependency& dependency) {
  return std::ranges::any_of(dependency.terms,
                             [](const DependencyTerm& term) { return PerTask(term); });
}

Fate FateOf(DependencyType type, const ParentFacts& parent) {
  switch (type) {
    case DependencyType::kAfter:
      if (parent.started_at) return Fate::kMet;
      return parent.ended ? Fate::kNever : Fate::kOpen;
    case DependencyType::kAfterAny:
      return parent.ended ? Fate::kMet : Fate::kOpen;
    case DependencyType::kAfterOk:
      if (parent.failed) return Fate::kNever;
      return parent.ended ? Fate::kMet : Fate::kOpen;
    case DependencyType::kAfterNotOk:
      if (!parent.ended) return Fate::kOpen;
      return parent.failed ? Fate::kMet : Fate::kNever;
    case DependencyType::kAfterCorr:
    case DependencyType::kSingleton:
    case DependencyType::kAt:
    case DependencyType::kIndices:
      return Fate::kOpen;
  }
  return Fate::kOpen;
}

Dependency Reduce(const Dependency& waits, const ParentView& view, Timestamp now) {
  Dependency open;
  open.any = waits.any;
  Dependency never;
  for (DependencyTerm term : waits.terms) {
    switch (Judge(term, view, now)) {
      case Fate::kMet:
        if (waits.any) return {};
        break;
      case Fate::kNever:
        term.never = true;
        never.terms.push_back(std::move(term));
        break;
      case Fate::kOpen:
        open.terms.push_back(std::move(term));
        break;
    }
  }
  MergeIndices(open);
  const bool lost = waits.any ? open.empty() : !never.empty();
  if (lost && !never.empty()) {
    never.any = waits.any && never.terms.size() > 1;
    return never;
  }
  open.any = open.any && open.terms.size() > 1;
  return open;
}

bool Never(const Dependency& waits) { return !waits.empty() && waits.terms.front().never; }

}  // namespace pinka
