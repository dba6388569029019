// `why`: where a waiting job stands, what stops it, when it may start, and what would change that.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/board.h"
#include "scheduler/core/fair_share.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/plan.h"
#include "scheduler/core/timeline.h"
#include "scheduler/core/waits.h"

namespace pinka {
namespace {

// Names of the members just ahead; more are counted.
constexpr size_t kNamed = 5;
// A start is foreseen behind at most so many tasks, and so many tries of one on a node.
constexpr int kForeseen = 300;
constexpr int64_t kTries = 200'000;

// A lab that is closed shows nobody's name to the others.
std::string Shown(const State& state, const JobRow& mine, MemberId member) {
  if (member == mine.member) return "you";
  return state.lab.openness == Openness::kClosed ? "another member" : MemberName(state, member);
}

int64_t UnitMillisOf(const JobRow& job) {
  const int32_t tasks = job.counts[static_cast<size_t>(TaskState::kPending)];
  return UnitTime::Of(job.units, job.time_limit).millis() * tasks;
}

// Who stands ahead of a job in its tier.
struct Ahead {
  struct Member {
    int32_t jobs = 0;
    int64_t unit_ms = 0;
    int32_t nearest = 0;  // position of the last of them
  };
  int32_t jobs = 0;
  int64_t unit_ms = 0;
  std::map<MemberId, Member> members;
  const JobRow* nearest = nullptr;  // of another member; else their own
  uint64_t nearest_fair = 0;
  uint64_t fair = 0;    // of the job's member
  bool queued = false;  // it stands in the queue at all
};

Ahead LookAhead(const State& state, const JobRow& job) {
  Ahead ahead;
  VisitInOrder(state, job.tier, [&](const JobRow& other, uint64_t fair) {
    if (other.id == job.id) {
      ahead.fair = fair;
      ahead.queued = true;
      return false;
    }
    ++ahead.jobs;
    Ahead::Member& member = ahead.members[other.member];
    ++member.jobs;
    member.unit_ms += UnitMillisOf(other);
    member.nearest = ahead.jobs;
    ahead.unit_ms += UnitMillisOf(other);
    const bool foreign = other.member != job.member;
    if (foreign || !ahead.nearest || ahead.nearest->member == job.member) {
      ahead.nearest = &other;
      ahead.nearest_fair = fair;
    }
    return true;
  });
  return ahead;
}

std::string Plural(int64_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::vector<std::string> MembersAhead(const State& state, const JobRow& job, const Ahead& ahead) {
  std::vector<std::pair<MemberId, Ahead::Member>> members(ahead.members.begin(),
                                                          ahead.members.end());
  std::ranges::sort(members, [](const auto& a, const auto& b) {
    return a.second.nearest > b.second.nearest;  // positions differ
  });
  std::vector<std::string> lines;
  for (const auto& [id, member] : members) {
    if (lines.size() == kNamed) {
      lines.push_back(Plural(static_cast<int64_t>(members.size() - kNamed), "more member"));
      break;
    }
    lines.push_back(fmt::format("{}: {}, {}", Shown(state, job, id), Plural(member.jobs, "job"),
                                FormatUnitHours(Money::Micros(member.unit_ms))));
  }
  return lines;
}

// A Q62 factor with two decimals.
std::string Hundredths(uint64_t q62) {
  const auto n = static_cast<int64_t>((static_cast<Int128>(q62) * 100 + (Int128{1} << 61)) >> 62);
  return fmt::format("{}.{:02}", n / 100, n % 100);
}

std::string Waited(const State& state, const JobRow& job) {
  const int64_t minutes = std::max<int64_t>((state.now - job.eligible_at).seconds() / 60, 0);
  return minutes == 0 ? "less than 1m" : FormatDuration(Duration::Minutes(minutes));
}

// The part of the priority that puts the other ahead, with both numbers.
std::string Behind(const State& state, const JobRow& job, const Ahead& ahead) {
  if (!ahead.nearest) return "";
  const JobRow& other = *ahead.nearest;
  const Priority mine = PriorityOf(state, job, ahead.fair);
  const Priority theirs = PriorityOf(state, other, ahead.nearest_fair);
  const std::pair<int64_t, std::string> gaps[] = {
      {theirs.fair - mine.fair,
       fmt::format("your fair-share factor is {} against {}", Hundredths(ahead.fair),
                   Hundredths(ahead.nearest_fair))},
      {theirs.age - mine.age,
       fmt::format("your job has waited {} against {}", Waited(state, job), Waited(state, other))},
      {theirs.klass - mine.klass,
       fmt::format("your job is of class {} against {}", Name(job.klass), Name(other.klass))},
      {theirs.size - mine.size,
       fmt::format("your job asks for {} against {} of the tier", Plural(job.units, "unit"),
                   Plural(other.units, "unit"))},
      {mine.nice - theirs.nice,
       fmt::format("your job's nice is {} against {}", job.nice, other.nice)}};
  const auto most = std::ranges::max_element(gaps, {}, [](const auto& gap) { return gap.first; });
  std::string cause = most->second;
  if (most->first <= 0) cause = "it was submitted first";
  const MemberRow& member = state.members.Get(job.member);
  if (member.share <= 0 && other.member != job.member && state.members.Get(other.member).share > 0)
    cause = "you have no share: your work runs when nobody else's can";
  const std::string whose =
      other.member == job.member ? "your own" : Shown(state, job, other.member) + "'s";
  return fmt::format(" You are behind {} job {} because {}.", whose, other.id.value(), cause);
}

std::string Story(const State& state, const JobRow& job, const Ahead& ahead,
                  const Blocked& blocked) {
  std::string text =
      fmt::format("Job {} waits in tier {}", job.id.value(), TierName(state, job.tier));
  if (!ahead.queued) {
    text += ".";
  } else if (ahead.jobs == 0) {
    text += " and is next.";
  } else {
    text += fmt::format(", {} ahead ({} asked for).", ahead.jobs,
                        FormatUnitHours(Money::Micros(ahead.unit_ms)));
  }
  if (!blocked.text.empty()) text += fmt::format(" It {}.", blocked.text);
  return text + Behind(state, job, ahead);
}

// ---- when ----

// The slot that the job gets if all that stands ahead gets its own first, all at this pace; nothing
// where too much stands ahead to say.
std::optional<Timestamp> Foresee(const State& state, const JobRow& job, TierRoom::Pace pace) {
  TierRoom room(state, job.tier, pace);
  room.Build();
  std::optional<Timestamp> at;
  int placed = 0, visited = 0;
  const auto place = [&](const JobRow& one) -> std::optional<Timestamp> {
    std::optional<Slot> soonest;
    Wanted by;
    for (const Offer& offer : Permitted(state, one).offers) {
      Wanted wanted = WantedBy(one, offer.source);
      if (pace == TierRoom::Pace::kHalf) wanted.span = Duration::Micros(wanted.span.micros() / 2);
      const auto slot = room.Earliest(wanted, offer.not_before);
      if (!slot || (soonest && soonest->at <= slot->at)) continue;
      soonest = slot;
      by = wanted;
    }
    if (!soonest) return std::nullopt;
    room.Promise(*soonest, by);
    ++placed;
    return soonest->at;
  };
  VisitInOrder(state, job.tier, [&](const JobRow& other, uint64_t) {
    if (other.id == job.id) {
      at = place(job);
      return false;
    }
    if (++visited > kLooks) return false;
    int32_t tasks = other.counts[static_cast<size_t>(TaskState::kPending)];
    if (other.max_running > 0) tasks = std::min(tasks, other.max_running);
    for (; tasks > 0; --tasks) {
      if (placed == kForeseen || placed * static_cast<int64_t>(room.size()) > kTries) return false;
      if (!place(other)) break;
    }
    return true;
  });
  return at;
}

void ExpectStart(const State& state, const JobRow& job, Explanation& e) {
  const auto latest = Foresee(state, job, TierRoom::Pace::kWhole);
  const auto soonest = Foresee(state, job, TierRoom::Pace::kHalf);
  if (!latest || !soonest) {
    e.assumption = "no start is foreseen: too much stands ahead";
    return;
  }
  e.expected_start = std::min(*soonest, *latest);
  e.expected_by = *latest;
  e.assumption =
      "earliest: what runs and what is ahead ends halfway through what is left of its limits; "
      "latest: it uses them up; nobody better comes";
}

// ---- what would change it ----

std::string MoreRoom(const State& state, const JobRow& job, const TierPass& pass) {
  const int32_t widest = pass.room().widest();
  const std::string now =
      widest == 0 ? "none is" : fmt::format("at most {} {}", widest, widest == 1 ? "is" : "are");
  std::string text =
      fmt::format("{} free{} on one node of tier {}, where {} free now", Plural(job.units, "unit"),
                  job.units == 1 ? "" : " together", TierName(state, job.tier), now);
  if (widest > 0 && widest < job.units) text += "; a narrower job could fill in";
  return text;
}

std::string ShorterLimit(const State& state, const JobRow& job, const Look& look,
                         const TierPass& pass) {
  Duration longest;
  for (const Offer& offer : look.offers) {
    const Wanted wanted = WantedBy(job, offer.source);
    longest = std::max(longest, pass.room().LongestNow(wanted) - job.grace);
  }
  const Duration whole = Duration::Minutes(longest.seconds() / 60);
  if (whole < Duration::Minutes(1)) return MoreRoom(state, job, pass);
  return fmt::format("a time limit of at most {} would let it start now: `pinka edit {} --time {}`",
                     FormatDuration(whole), job.id.value(), FormatDuration(whole));
}

std::string WouldChange(const State& state, const JobRow& job, const Look& look,
                        const TierPass& pass) {
  switch (look.blocked.reason) {
    case Reason::kArrayTaskLimit:
      return "one of its running tasks ends";
    case Reason::kTierDown:
      return "a node of the tier comes back; `pinka nodes` shows them";
    case Reason::kMemberMaxRunning:
      return "work of yours ends, or an admin raises the limit; `pinka limits` shows it";
    case Reason::kProjectMaxRunning:
      return "work of the project ends, or an admin raises the limit; `pinka limits` shows it";
    case Reason::kBudget:
      return "a deposit, running work that ends below its hold, a shorter --time or a cheaper tier";
    case Reason::kPackagePortion:
      return "running work that gives hours back, a shorter --time, or another --source";
    case Reason::kNoCapacity:
      if (!NoCuda(state, job.tier, job.need_cuda).empty())
        return "a newer driver on a node of the tier, or a node that has one joins";
      return fmt::format("a node with {} joins or is resumed, or it asks for less",
                         Plural(job.units, "unit"));
    case Reason::kReservation:
      return ShorterLimit(state, job, look, pass);
    case Reason::kResources:
      return MoreRoom(state, job, pass);
    case Reason::kPriority:
      return MoreRoom(state, job, pass) + ", once those ahead have theirs; less use of yours of " +
             "late, or more of theirs, moves you up";
    default:
      return "";
  }
}

std::string NotWaiting(const JobRow& job, Explanation& e) {
  const int64_t id = job.id.value();
  if (job.state != TaskState::kHeld)
    return fmt::format("Job {} does not wait: it is {}.", id, Name(job.state));
  e.reason = job.hold_reason == Reason::kOk ? Reason::kHeldByUser : job.hold_reason;
  e.would_change = e.reason == Reason::kHeldByAdmin ? "an admin releases it"
                                                    : fmt::format("`pinka release {}`", id);
  return fmt::format("Job {} is held ({}); `pinka release {}` lets it wait again.", id,
                     Name(e.reason), id);
}

void FillFactors(const Priority& p, Explanation& e) {
  e.factors = {{"fairShare", p.fair},
               {"age", p.age},
               {"class", p.klass},
               {"size", p.size},
               {"nice", -p.nice}};
  e.priority = p.total;
}

// A job that stands in no queue yet: nobody is ahead of it, and its age may stand still.
void ExplainNotYet(const State& state, const JobRow& job, const Blocked& blocked, Explanation& e) {
  e.reason = blocked.reason;
  e.text = fmt::format("Job {} is not in the queue of tier {} yet: it {}.", job.id.value(),
                       TierName(state, job.tier), blocked.text);
  JobRow aged = job;
  if (blocked.reason == Reason::kDependency)
    aged.eligible_at = state.now - (job.submitted_at - job.eligible_at);
  const Shares shares = FairShares(state);
  const uint64_t* share = shares.Find(ShareKeyOf(job));
  FillFactors(PriorityOf(state, aged, share ? *share : 0), e);
}

}  // namespace

Explanation Explain(const State& state, JobId id) {
  Explanation e;
  const JobRow* job = state.jobs.Find(id);
  if (!job) {
    e.reason = Reason::kNoSuchJob;
    return e;
  }
  e.state = job->state;
  if (job->counts[static_cast<size_t>(TaskState::kPending)] == 0) {
    e.text = NotWaiting(*job, e);
    return e;
  }
  if (const auto not_yet = NotYetInWords(state, *job)) {
    ExplainNotYet(state, *job, *not_yet, e);
    return e;
  }
  const Ahead ahead = LookAhead(state, *job);
  TierPass pass(state, job->tier, TierPass::Depth::kReasons);
  const std::vector<Look>& looks = pass.Finish();
  const auto seen = std::ranges::find(looks, id, &Look::job);
  const Look look = seen != looks.end() ? *seen : pass.Consider(*job);
  e.reason = look.start ? Reason::kPriority : look.blocked.reason;
  e.text = Story(state, *job, ahead, look.blocked);
  e.would_change = WouldChange(state, *job, look, pass);
  if (!ahead.queued) return e;
  e.position = ahead.jobs + 1;
  e.unit_ms_ahead = ahead.unit_ms;
  e.ahead = MembersAhead(state, *job, ahead);
  FillFactors(PriorityOf(state, *job, ahead.fair), e);
  if (look.start || BlockedByRoom(look)) ExpectStart(state, *job, e);
  return e;
}

}  // namespace pinka
