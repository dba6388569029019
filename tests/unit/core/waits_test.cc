// waits.cc, waits_text.cc: when a job may start. Fates of dependants, begin, night and deadline to
// the microsecond, age that stands still, and that nobody waits for nothing.
#include "scheduler/core/waits.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "fmt/format.h"
#include "scheduler/core/board.h"
#include "scheduler/core/digest.h"
#include "scheduler/core/fair_share.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  explicit Lab(int32_t units = 8) {
    w.Deposit("lab", 100'000);
    w.AddNode("box", "a100", units);
  }
  JobId Plain(const std::string& name = "job") {
    JobRequest request = w.Job("a100");
    request.name = name;
    return w.Submit("alice", request);
  }
  JobId Array(const std::string& spec, const std::string& dependency = "") {
    JobRequest request = w.Job("a100");
    request.array = spec;
    request.dependency = dependency;
    return w.Submit("alice", request);
  }
  JobId After(const std::string& dependency, bool keep = false, const std::string& name = "job") {
    JobRequest request = w.Job("a100");
    request.dependency = dependency;
    request.keep_invalid = keep;
    request.name = name;
    return w.Submit("alice", request);
  }
  void RunTo(JobId job, int32_t code, int32_t index = 0) {
    w.Run(job, index);
    w.Exit(job, code, index);
  }
  Explanation Why(JobId job) const { return Explain(w.state(), job); }
  const std::string& Open(JobId job) const { return w.JobOf(job).waits_on; }
  CoreWorld w;
};

std::string On(const char* type, JobId job) { return fmt::format("{}:{}", type, job.value()); }

TEST(Dependants, StartOrEndInThePassOfTheirParentsEnd) {
  struct {
    const char* type;
    int32_t code;
    TaskState state;
  } table[] = {
      {"afterany", 0, TaskState::kStarting},    {"afterany", 3, TaskState::kStarting},
      {"afterok", 0, TaskState::kStarting},     {"afterok", 3, TaskState::kCancelled},
      {"afternotok", 0, TaskState::kCancelled}, {"afternotok", 3, TaskState::kStarting},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(fmt::format("{} {}", row.type, row.code));
    Lab lab;
    const JobId parent = lab.Plain();
    const JobId child = lab.After(On(row.type, parent));
    EXPECT_EQ(lab.w.StateOf(child), TaskState::kPending);
    EXPECT_EQ(lab.w.WhyWaits(child), Reason::kDependency);
    lab.w.Reload();
    lab.RunTo(parent, row.code);
    EXPECT_EQ(lab.w.StateOf(child), row.state);
    const bool never = row.state == TaskState::kCancelled;
    EXPECT_EQ(lab.Open(child), never ? "!" + On(row.type, parent) : "");
  }
}

// C07: a chain is cancelled at once, holds nothing, and says why.
TEST(Dependants, FollowThroughAChainOfAnyLength) {
  Lab lab;
  const JobId parent = lab.Plain();
  JobId last = parent;
  for (int n = 0; n < 300; ++n) last = lab.After(On("afterok", last));
  lab.RunTo(parent, 1);
  for (int64_t id = parent.value() + 1; id <= last.value(); ++id)
    ASSERT_EQ(lab.w.StateOf(JobId(id)), TaskState::kCancelled) << id;
  EXPECT_EQ(lab.w.Running(), 0);
  bool said = false;
  for (const EventRow& event : lab.w.store().tables().events) {
    said = said || (event.id == "2" && event.what == "DependencyNeverSatisfied" &&
                    event.detail == "its dependency afterok:1 can no longer be met");
  }
  EXPECT_TRUE(said);
}

// C07, D: decided at A1's failure, while A2 runs for hours.
TEST(Dependants, AreDecidedByTheFirstParentThatFails) {
  Lab lab;
  const JobId a1 = lab.Plain();
  const JobId a2 = lab.Plain();
  const JobId both = lab.After("afterok:1:2");
  const JobId either = lab.After("afterok:1?afterok:2");
  lab.w.Run(a2);
  lab.RunTo(a1, 1);
  EXPECT_EQ(lab.w.StateOf(both), TaskState::kCancelled);
  EXPECT_EQ(lab.w.StateOf(either), TaskState::kPending);
  EXPECT_EQ(lab.Open(either), "afterok:2");
  lab.w.Exit(a2, 0);
  EXPECT_EQ(lab.w.StateOf(either), TaskState::kStarting);
}

TEST(Dependants, DoNotMistakeAnAttemptThatComesBackForAnEnd) {
  Lab lab;
  JobRequest request = lab.w.Job("a100");
  request.retries = 1;
  const JobId parent = lab.w.Submit("alice", request);
  const JobId any = lab.After(On("afterany", parent));
  const JobId ok = lab.After(On("afterok", parent));
  lab.RunTo(parent, 1);  // retried
  lab.w.Run(parent);
  lab.w.End(parent, EndReason::kNodeLost);  // restarted
  EXPECT_EQ(lab.w.StateOf(any), TaskState::kPending);
  EXPECT_EQ(lab.w.StateOf(ok), TaskState::kPending);
  lab.RunTo(parent, 0);
  EXPECT_EQ(lab.w.StateOf(any), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(ok), TaskState::kStarting);
}

TEST(Dependants, MayBeKeptAndGivenAnotherDependency) {
  Lab lab;
  const JobId parent = lab.Plain();
  const JobId kept = lab.After(On("afterok", parent), true);
  const JobId child = lab.After(On("afterok", kept));
  lab.RunTo(parent, 1);
  EXPECT_EQ(lab.w.StateOf(kept), TaskState::kPending);
  EXPECT_EQ(lab.w.WhyWaits(kept), Reason::kDependency);
  EXPECT_NE(lab.Why(kept).text.find("afterok:1 can no longer be met"), std::string::npos)
      << lab.Why(kept).text;
  EXPECT_EQ(lab.w.StateOf(child), TaskState::kPending) << "its parent may still run";
  lab.w.Advance(Duration::Minutes(20));
  lab.w.Reload();
  EditJob edit;
  edit.actor = lab.w.By("alice");
  edit.job = kept;
  edit.set_dependency = true;
  edit.dependency = On("afternotok", parent);
  EXPECT_EQ(lab.w.Do(edit).reason, Reason::kOk);
  EXPECT_EQ(lab.w.StateOf(kept), TaskState::kStarting);
}

TEST(Dependants, OfACancelledParentAreCancelledWithIt) {
  Lab lab;
  lab.w.Do(ChangeNode{lab.w.Admin(), {}, "box", NodeVerb::kDrain, "later", false});
  const JobId parent = lab.Array("0-4");
  const JobId ok = lab.After(On("afterok", parent));
  const JobId started = lab.After(On("after", parent));
  const JobId held = lab.After(On("afterok", parent));
  lab.w.Change("alice", JobVerb::kHold, held);
  lab.w.Change("alice", JobVerb::kCancel, parent, "3");
  EXPECT_EQ(lab.w.StateOf(ok), TaskState::kCancelled) << "one of its tasks will never end 0";
  EXPECT_EQ(lab.w.StateOf(held), TaskState::kCancelled) << "held ones as well";
  EXPECT_EQ(lab.w.StateOf(started), TaskState::kPending);
  lab.w.Change("alice", JobVerb::kCancel, parent);
  EXPECT_EQ(lab.w.StateOf(started), TaskState::kCancelled) << "it can never start now";
}

TEST(After, CountsItsDelayFromTheFirstStartAlsoOnceTheParentIsGone) {
  Lab lab;
  const JobId parent = lab.Plain();
  const JobId at_once = lab.After(On("after", parent));
  const JobId later = lab.After(On("after", parent) + "+30m");
  lab.w.Advance(Duration::Minutes(5));
  EXPECT_EQ(lab.w.StateOf(at_once), TaskState::kPending) << "ordered is not started";
  lab.w.Run(parent);
  const Timestamp start = lab.w.now;
  EXPECT_EQ(lab.w.StateOf(at_once), TaskState::kStarting);
  EXPECT_EQ(lab.Open(later), fmt::format("at:{}", (start + Duration::Minutes(30)).micros()));
  EXPECT_EQ(lab.w.core().NextWakeup(), start + Duration::Minutes(30));
  lab.w.Exit(parent, 1);
  lab.w.AdvanceTo(start + Duration::Minutes(30) - Duration::Micros(1));
  lab.w.Reload();
  EXPECT_EQ(lab.w.StateOf(later), TaskState::kPending);
  lab.w.AdvanceTo(start + Duration::Minutes(30));
  EXPECT_EQ(lab.w.StateOf(later), TaskState::kStarting);
}

TEST(AfterCorr, LetsEachTaskThroughByItself) {
  Lab lab;
  const JobId parent = lab.Array("0-3");
  const JobId child = lab.Array("0-5", On("aftercorr", parent));
  EXPECT_EQ(lab.w.StateOf(child, 4), TaskState::kCancelled) << "the parent has no such index";
  EXPECT_EQ(lab.w.StateOf(child, 0), TaskState::kPending);
  for (int32_t index : {0, 1, 2, 3}) lab.w.Run(parent, index);
  lab.w.Exit(parent, 0, 2);
  EXPECT_EQ(lab.w.StateOf(child, 2), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(child, 0), TaskState::kPending);
  EXPECT_EQ(lab.w.WhyWaits(child), Reason::kDependency);
  lab.w.Exit(parent, 1, 1);
  EXPECT_EQ(lab.w.StateOf(child, 1), TaskState::kCancelled);
  lab.w.Reload();
  lab.w.Exit(parent, 0, 0);
  EXPECT_EQ(lab.w.StateOf(child, 0), TaskState::kStarting);
  lab.w.Exit(parent, 0, 3);
  EXPECT_EQ(lab.w.StateOf(child, 3), TaskState::kStarting);
  EXPECT_EQ(lab.Open(child), "");
}

TEST(AfterCorr, KeepsWhatIsLostOnlyWhereToldTo) {
  Lab lab;
  const JobId parent = lab.Array("0-2");
  JobRequest request = lab.w.Job("a100");
  request.array = "0-2";
  request.dependency = On("aftercorr", parent);
  request.keep_invalid = true;
  const JobId child = lab.w.Submit("alice", request);
  for (int32_t index : {0, 1, 2}) lab.RunTo(parent, index == 1 ? 5 : 0, index);
  lab.w.Advance(Duration::Minutes(30));
  lab.w.Reload();
  EXPECT_EQ(lab.w.StateOf(child, 0), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(child, 1), TaskState::kPending);
  EXPECT_EQ(lab.Open(child), "indices:0:2");
  EXPECT_EQ(lab.w.WhyWaits(child), Reason::kDependency);
}

TEST(Singleton, WaitsForEarlierOnesOfTheNameOneAtATime) {
  Lab lab;
  const JobId first = lab.Plain("train");
  const JobId other = lab.Plain("eval");
  const JobId second = lab.After("singleton", false, "train");
  const JobId third = lab.After("singleton", false, "train");
  EXPECT_EQ(lab.w.StateOf(other), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(second), TaskState::kPending);
  JobRequest foreign = lab.w.Job("a100");
  foreign.name = "train";
  foreign.dependency = "singleton";
  EXPECT_EQ(lab.w.StateOf(lab.w.Submit("bob", foreign)), TaskState::kStarting) << "bob's own name";
  lab.w.Reload();
  lab.RunTo(first, 1);
  EXPECT_EQ(lab.w.StateOf(second), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(third), TaskState::kPending);
  EditJob rename;
  rename.actor = lab.w.By("alice");
  rename.job = second;
  rename.set_text = true;
  rename.text.name = "trained";
  EXPECT_EQ(lab.w.Do(rename).reason, Reason::kOk);
  EXPECT_EQ(lab.w.StateOf(third), TaskState::kStarting) << "no earlier one of that name any more";
}

TEST(Age, StandsStillWhileADependencyIsOpen) {
  Lab lab;
  const JobId parent = lab.Plain();
  const JobId child = lab.After(On("afterok", parent));
  lab.w.Run(parent);
  lab.w.Advance(Duration::Minutes(50));
  EXPECT_EQ(lab.Why(child).factors.at(1), (std::pair<std::string, int64_t>("age", 0)));
  lab.w.Do(ChangeNode{lab.w.Admin(), {}, "box", NodeVerb::kDrain, "later", false});
  lab.w.Exit(parent, 0);
  EXPECT_EQ(lab.w.JobOf(child).eligible_at, lab.w.now);
  // What it had waited before another dependency counts on.
  lab.w.Advance(Duration::Hours(7));
  const JobId more = lab.Plain();
  EditJob edit;
  edit.actor = lab.w.By("alice");
  edit.job = child;
  edit.set_dependency = true;
  edit.dependency = On("afterany", more);
  ASSERT_EQ(lab.w.Do(edit).reason, Reason::kOk);
  lab.w.Reload();
  lab.w.Advance(Duration::Hours(40));
  const int64_t points = 3'000 * 7 / (7 * 24);
  EXPECT_EQ(lab.Why(child).factors.at(1).second, points);
  lab.w.Change("alice", JobVerb::kCancel, more);
  EXPECT_EQ(lab.w.JobOf(child).eligible_at, lab.w.now - Duration::Hours(7));
}

TEST(Begin, IsExact) {
  Lab lab;
  JobRequest request = lab.w.Job("a100");
  request.begin_at = lab.w.now + Duration::Hours(2);
  const JobId job = lab.w.Submit("alice", request);
  EXPECT_EQ(lab.w.WhyWaits(job), Reason::kBeginTime);
  EXPECT_EQ(lab.w.core().NextWakeup(), request.begin_at);
  EXPECT_EQ(MakeBoard(lab.w.state(), 1)->waiting.at(job.value()).reason, Reason::kBeginTime);
  lab.w.AdvanceTo(request.begin_at - Duration::Micros(1));
  lab.w.Reload();
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  lab.w.AdvanceTo(request.begin_at);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kStarting);
}

TEST(Night, IsWhenItMayStart) {
  Lab lab(1);  // it is noon
  JobRequest request = lab.w.Job("a100", Duration::Hours(10));
  request.night = true;
  const JobId first = lab.w.Submit("alice", request);
  const JobId second = lab.w.Submit("alice", request);
  const JobId third = lab.w.Submit("alice", request);
  EXPECT_EQ(lab.w.WhyWaits(first), Reason::kNightWindow);
  lab.w.AdvanceTo(At(2026, 9, 30, 23) - Duration::Micros(1));
  EXPECT_EQ(lab.w.StateOf(first), TaskState::kPending);
  lab.w.AdvanceTo(At(2026, 9, 30, 23));
  EXPECT_EQ(lab.w.StateOf(first), TaskState::kStarting);
  lab.w.Run(first);
  lab.w.AdvanceTo(At(2026, 10, 1, 7, 59, 59));
  lab.w.Exit(first, 0);
  EXPECT_EQ(lab.w.StateOf(second), TaskState::kStarting)
      << "it starts in the night; it may end later";
  lab.w.Reload();
  lab.w.Run(second);
  lab.w.AdvanceTo(At(2026, 10, 1, 9));
  lab.w.Exit(second, 0);
  EXPECT_EQ(lab.w.StateOf(third), TaskState::kPending);
  EXPECT_EQ(lab.w.WhyWaits(third), Reason::kNightWindow);
  EXPECT_EQ(lab.w.core().NextWakeup(), lab.w.now + Duration::Minutes(10)) << "no pass: none queues";
  lab.w.AdvanceTo(At(2026, 10, 1, 23));
  EXPECT_EQ(lab.w.StateOf(third), TaskState::kStarting);
}

TEST(Deadline, EndsWhatCouldNotEndInTime) {
  Lab lab(1);
  lab.w.Run(lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(20))));
  JobRequest request = lab.w.Job("a100", Duration::Hours(2));
  request.deadline = lab.w.now + Duration::Hours(2) - Duration::Micros(1);
  EXPECT_EQ(lab.w.TrySubmit("alice", request).reason, Reason::kBadRequest);
  request.deadline = lab.w.now + Duration::Hours(5);
  const JobId job = lab.w.Submit("alice", request);
  request.array = "3-9";
  const JobId array = lab.w.Submit("alice", request);
  lab.w.Change("alice", JobVerb::kCancel, array, "9");
  lab.w.Change("alice", JobVerb::kHold, array, "5-6");
  const JobId child = lab.After(On("afterok", job));
  lab.w.Advance(Duration::Hours(3));
  lab.w.Reload();
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending) << "a start now would end in time";
  EXPECT_EQ(lab.w.core().NextWakeup(), lab.w.now + Duration::Micros(1));
  lab.w.Advance(Duration::Micros(1));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kDeadline);
  EXPECT_EQ(lab.w.StateOf(array), TaskState::kDeadline);
  EXPECT_EQ(lab.w.StateOf(array, 5), TaskState::kDeadline);
  EXPECT_EQ(lab.w.StateOf(array, 9), TaskState::kCancelled);
  EXPECT_EQ(lab.w.JobOf(array).counts[static_cast<size_t>(TaskState::kDeadline)], 6);
  EXPECT_EQ(lab.w.StateOf(child), TaskState::kCancelled);
}

TEST(Deadline, EndsATaskThatComesBackTooLate) {
  Lab lab(1);
  JobRequest request = lab.w.Job("a100", Duration::Hours(2));
  request.deadline = lab.w.now + Duration::Hours(3);
  request.retries = 3;
  const JobId job = lab.w.Submit("alice", request);
  lab.w.Run(job);
  lab.w.Advance(Duration::Minutes(90));
  lab.w.Exit(job, 1);
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kDeadline);
}

TEST(Deadline, MovesWithTheTimeLimit) {
  Lab lab(1);
  lab.w.Run(lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(20))));
  JobRequest request = lab.w.Job("a100", Duration::Hours(2));
  request.deadline = lab.w.now + Duration::Hours(5);
  const JobId job = lab.w.Submit("alice", request);
  EditJob edit;
  edit.actor = lab.w.By("alice");
  edit.job = job;
  edit.set_time = true;
  edit.time_limit = Duration::Hours(6);
  EXPECT_EQ(lab.w.Do(edit).reason, Reason::kBadRequest);
  edit.time_limit = Duration::Hours(1);
  EXPECT_EQ(lab.w.Do(edit).reason, Reason::kOk);
  lab.w.Advance(Duration::Hours(4));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kPending);
  lab.w.Advance(Duration::Micros(1));
  EXPECT_EQ(lab.w.StateOf(job), TaskState::kDeadline);
}

TEST(Words, NameTheOpenParents) {
  Lab lab(1);
  const JobId a = lab.Plain();
  lab.Plain();
  const JobId child = lab.After("afterok:1,after:2+30m");
  EXPECT_NE(lab.Why(child).text.find(
                "waits for job 1 (STARTING) to succeed and job 2 (PENDING) to start and 30m more"),
            std::string::npos)
      << lab.Why(child).text;
  const JobId many = lab.After("1:2:3?afterok:1:2:3");
  EXPECT_NE(lab.Why(many).text.find(" or 1 more"), std::string::npos) << lab.Why(many).text;
  (void)a;
}

// No job waits for nothing: whoever has not ended runs, is in its queue, or waits for one who has
// not ended; so where everything can run, everything ends.
TEST(Graphs, OfAnyShapeNeverLock) {
  const char* types[] = {"after", "afterany", "afterok", "afternotok", "aftercorr"};
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    SeededRandom random(seed);
    Lab lab(3);
    SubmitJobs command;
    command.actor = lab.w.By("alice");
    for (int n = 0; n < 30; ++n) {
      JobRequest request = lab.w.Job("a100", Duration::Minutes(10));
      request.ref = std::to_string(n);
      request.name = random.Below(3) == 0 ? "same" : "n" + request.ref;
      if (random.Below(4) == 0) request.array = "0-2";
      const bool any = random.Below(3) == 0;
      for (uint64_t k = n == 0 ? 0 : random.Below(4); k > 0; --k) {
        if (!request.dependency.empty()) request.dependency += any ? "?" : ",";
        request.dependency +=
            fmt::format("{}:@{}", types[random.Below(5)], random.Below(static_cast<uint64_t>(n)));
      }
      if (request.dependency.empty() && random.Below(4) == 0) request.dependency = "singleton";
      command.jobs.push_back(request);
    }
    ASSERT_EQ(lab.w.Do(command).reason, Reason::kOk);
    for (int step = 0; step < 400 && lab.w.Running() > 0; ++step) {
      lab.w.Advance(Duration::Minutes(1));
      std::vector<AttemptId> open;
      for (const auto& [id, attempt] : lab.w.state().attempts.rows()) {
        if (attempt.state != AttemptState::kEnded) open.push_back(id);
      }
      const AttemptId next = open[random.Below(open.size())];
      lab.RunTo(next.job, random.Below(4) == 0 ? 1 : 0, next.index);
      if (random.Below(5) == 0) lab.w.Reload();
    }
    for (const auto& [id, job] : lab.w.store().tables().jobs)
      EXPECT_TRUE(IsTerminal(job.state))
          << id.value() << " " << Name(job.state) << " waits on " << job.waits_on;
  }
}

}  // namespace
}  // namespace pinka::test
