#include "scheduler/core/parents.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "scheduler/core/verbs.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

using Edges = std::function<std::vector<int64_t>(int64_t)>;

// A ring that can be reached from `start`, its first node again at the end; empty where there is
// none. `done` remembers what leads to none.
std::vector<int64_t> FindRing(int64_t start, const Edges& edges, std::set<int64_t>& done) {
  struct Step {
    int64_t node;
    std::vector<int64_t> next;
    size_t at = 0;
  };
  if (done.contains(start)) return {};
  std::vector<Step> path = {{start, edges(start), 0}};
  std::set<int64_t> on_path = {start};
  while (!path.empty()) {
    Step& top = path.back();
    if (top.at == top.next.size()) {
      done.insert(top.node);
      on_path.erase(top.node);
      path.pop_back();
      continue;
    }
    const int64_t next = top.next[top.at++];
    if (done.contains(next)) continue;
    if (on_path.insert(next).second) {
      path.push_back({next, edges(next), 0});
      continue;
    }
    std::vector<int64_t> ring;
    const auto from = std::ranges::find(path, next, &Step::node);
    for (auto it = from; it != path.end(); ++it) ring.push_back(it->node);
    ring.push_back(next);
    return ring;
  }
  return {};
}

Reply RefuseRing(const std::string& ring) {
  return Refuse(
      Reason::kBadRequest,
      fmt::format("the dependencies run in a ring, {}: none of these could ever start", ring));
}

bool HasSingleton(const Dependency& waits) {
  return std::ranges::any_of(waits.terms, [](const DependencyTerm& term) {
    return term.type == DependencyType::kSingleton && !term.never;
  });
}

Reply NoSuchParent(JobId id) {
  return Refuse(Reason::kNoSuchJob,
                fmt::format("no such job {}: a dependency names jobs that exist", id.value()));
}

const EndedJob* Attached(const std::vector<EndedJob>& ended, JobId id) {
  const auto at = std::ranges::find(ended, id, &EndedJob::id);
  return at == ended.end() ? nullptr : &*at;
}

bool MaySee(const State& state, const Actor& actor, MemberId owner) {
  return MayActFor(actor, owner) || state.lab.openness != Openness::kClosed;
}

// Judges the jobs that terms name; what is neither in memory nor attached is needed. Where one is,
// all are asked for: one in memory may have left it by the time the command comes back.
std::optional<Reply> FindParents(const State& state, const Actor& actor,
                                 const Dependency& dependency, const std::vector<EndedJob>& ended,
                                 std::set<JobId>& named, bool& missing) {
  for (const DependencyTerm& term : dependency.terms) {
    if (!term.job) continue;
    named.insert(term.job);
    const JobRow* job = state.jobs.Find(term.job);
    const EndedJob* known = Attached(ended, term.job);
    const MemberId owner = job ? job->member : known ? known->member : MemberId();
    if (!job && !known) {
      missing = true;
    } else if (!owner || !MaySee(state, actor, owner)) {
      return NoSuchParent(term.job);
    }
  }
  return std::nullopt;
}

Dependency ReduceAttached(const State& state, const Dependency& written,
                          const std::vector<EndedJob>& ended) {
  ParentView view;
  view.facts = [&](JobId id) -> std::optional<ParentFacts> {
    const EndedJob* known = state.jobs.Find(id) ? nullptr : Attached(ended, id);
    if (!known) return std::nullopt;
    return ParentFacts{true, known->state, known->state != TaskState::kCompleted,
                       known->started_at};
  };
  view.ok = [&](JobId id) { return Attached(ended, id)->ok; };
  view.namesake = true;  // judged when all are known
  return Reduce(written, view, state.now);
}

// The jobs of one request by ref.
class Refs {
 public:
  explicit Refs(const State& state) : next_(state.lab.next_job) {}

  std::optional<Reply> Read(const std::vector<JobRequest>& jobs) {
    for (size_t n = 0; n < jobs.size(); ++n) {
      const std::string& ref = jobs[n].ref;
      names_.push_back(ref.empty() ? fmt::format("job {} of the request", n + 1) : "@" + ref);
      if (ref.empty()) continue;
      if (!by_ref_.emplace(ref, IdOf(n)).second) {
        return Refuse(Reason::kBadRequest,
                      fmt::format("two jobs of the request are called @{}; name each once", ref));
      }
    }
    return std::nullopt;
  }

  std::optional<Reply> Resolve(Dependency& dependency) const {
    Dependency resolved;
    resolved.any = dependency.any;
    for (DependencyTerm term : dependency.terms) {
      if (!term.ref.empty()) {
        const auto known = by_ref_.find(term.ref);
        if (known == by_ref_.end()) {
          return Refuse(Reason::kBadRequest,
                        fmt::format("no job of the request is called @{}", term.ref));
        }
        term.job = known->second;
        term.ref.clear();
      } else if (term.job.value() >= next_) {
        return NoSuchParent(term.job);  // not one that is about to get this id by chance
      }
      if (std::ranges::find(resolved.terms, term) == resolved.terms.end())
        resolved.terms.push_back(std::move(term));
    }
    resolved.any = resolved.any && resolved.terms.size() > 1;
    dependency = std::move(resolved);
    return std::nullopt;
  }

  JobId IdOf(size_t n) const { return JobId(next_ + static_cast<int64_t>(n)); }
  bool Has(JobId id) const { return id.value() >= next_; }
  const std::string& NameOf(int64_t id) const { return names_[static_cast<size_t>(id - next_)]; }

 private:
  const int64_t next_;
  std::map<std::string, JobId> by_ref_;
  std::vector<std::string> names_;
};

// Among the jobs of a request: nobody else can wait for them yet.
std::string RingOf(const Refs& refs, const SubmitJobs& command, const std::vector<Parents>& jobs) {
  const int64_t first = refs.IdOf(0).value();
  const Edges edges = [&](int64_t id) {
    const auto n = static_cast<size_t>(id - first);
    std::vector<int64_t> to;
    for (const DependencyTerm& term : jobs[n].waits.terms) {
      if (term.job && !term.never && refs.Has(term.job)) to.push_back(term.job.value());
    }
    if (!HasSingleton(jobs[n].waits) || command.jobs[n].name.empty()) return to;
    for (size_t earlier = 0; earlier < n; ++earlier) {
      if (command.jobs[earlier].name == command.jobs[n].name)
        to.push_back(refs.IdOf(earlier).value());
    }
    return to;
  };
  std::set<int64_t> done;
  for (size_t n = 0; n < jobs.size(); ++n) {
    std::vector<std::string> names;
    for (int64_t id : FindRing(refs.IdOf(n).value(), edges, done)) names.push_back(refs.NameOf(id));
    if (!names.empty()) return fmt::format("{}", fmt::join(names, " → "));
  }
  return "";
}

// Among the jobs that have not ended, were `job` to wait for `waits` under `name`.
std::string RingOf(const State& state, const JobRow& job, const Dependency& waits, int64_t name) {
  const auto name_of = [&](const JobRow& row) { return row.id == job.id ? name : row.name_hash; };
  const auto add_namesakes = [&](const JobRow& row, std::vector<int64_t>& to) {
    const int64_t of = name_of(row);
    const auto known = state.namesakes.find({row.member, of});
    if (known != state.namesakes.end()) {
      for (JobId id : known->second) {
        if (id < row.id && id != job.id) to.push_back(id.value());
      }
    }
    if (job.id < row.id && job.member == row.member && name == of) to.push_back(job.id.value());
  };
  const Edges edges = [&](int64_t id) {
    std::vector<int64_t> to;
    const JobRow* row = state.jobs.Find(JobId(id));
    if (!row || IsTerminal(row->state)) return to;
    const Dependency& open = row->id == job.id ? waits : state.job_index.at(row->id).waits;
    for (const DependencyTerm& term : open.terms) {
      if (term.job && !term.never) to.push_back(term.job.value());
    }
    if (HasSingleton(open) && name_of(*row) != 0) add_namesakes(*row, to);
    return to;
  };
  std::set<int64_t> done;
  return fmt::format("{}", fmt::join(FindRing(job.id.value(), edges, done), " → "));
}

Resolution Refused(Reply reply) { return {std::move(reply), {}, {}}; }

Reply NotRead(const Status& status) { return Refuse(Reason::kBadRequest, Message(status)); }

}  // namespace

Resolution ResolveParents(const State& state, const SubmitJobs& command) {
  Resolution out;
  Refs refs(state);
  if (auto refused = refs.Read(command.jobs)) return Refused(*std::move(refused));
  std::set<JobId> named;
  bool missing = false;
  for (const JobRequest& request : command.jobs) {
    auto written = ParseDependency(request.dependency);
    if (!written.ok()) return Refused(NotRead(written.status()));
    Dependency others = *written;  // those outside of the request
    std::erase_if(others.terms, [](const DependencyTerm& term) { return !term.ref.empty(); });
    if (auto refused = refs.Resolve(*written)) return Refused(*std::move(refused));
    auto unknown = FindParents(state, command.actor, others, command.ended, named, missing);
    if (unknown) return Refused(*std::move(unknown));
    out.jobs.push_back({*written, ReduceAttached(state, *written, command.ended)});
  }
  if (missing) return {std::nullopt, {named.begin(), named.end()}, {}};
  const std::string ring = RingOf(refs, command, out.jobs);
  if (!ring.empty()) return Refused(RefuseRing(ring));
  return out;
}

Resolution ResolveParents(const State& state, const EditJob& command, const JobRow& job) {
  auto written = ParseDependency(command.dependency);
  if (!written.ok()) return Refused(NotRead(written.status()));
  for (const DependencyTerm& term : written->terms) {
    if (!term.ref.empty()) {
      return Refused(Refuse(Reason::kBadRequest,
                            fmt::format("@{} names a job of a submit's own request; an edit names "
                                        "jobs by their ids",
                                        term.ref)));
    }
  }
  std::set<JobId> named;
  bool missing = false;
  auto unknown = FindParents(state, command.actor, *written, command.ended, named, missing);
  if (unknown) return Refused(*std::move(unknown));
  if (missing) return {std::nullopt, {named.begin(), named.end()}, {}};
  Parents parents{*written, ReduceAttached(state, *written, command.ended)};
  const int64_t name = command.set_text ? NameHash(command.text.name) : job.name_hash;
  const std::string ring = RingOf(state, job, parents.waits, name);
  if (!ring.empty()) return Refused(RefuseRing(ring));
  return {std::nullopt, {}, {std::move(parents)}};
}

std::string RingOfName(const State& state, const JobRow& job, int64_t name_hash) {
  return RingOf(state, job, state.job_index.at(job.id).waits, name_hash);
}

}  // namespace pinka
