// why.cc: what stands behind a waiting job's place, in words and numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/core/board.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

struct Lab {
  Lab() {
    w.Deposit("lab", 10'000);
    w.AddNode("box", "a100", 4);
    runs = w.Submit("alice", w.Job("a100", Duration::Hours(4), 3));
    w.Run(runs);
    w.Advance(Duration::Minutes(30));
    wide = w.Submit("bob", w.Job("a100", Duration::Hours(1), 4));
  }
  Explanation Of(JobId job) const { return Explain(w.state(), job); }
  Timestamp LimitOf(JobId job) const {
    const AttemptRow& a = w.AttemptOf(job);
    return a.started_at + a.time_limit + a.grace;
  }
  CoreWorld w;
  JobId runs, wide;
};

TEST(Why, OfTheFirstInLineGivesARangeWithItsAssumption) {
  Lab lab;
  const Explanation e = lab.Of(lab.wide);
  EXPECT_EQ(e.reason, Reason::kResources);
  EXPECT_EQ(e.position, 1);
  EXPECT_EQ(e.expected_by, lab.LimitOf(lab.runs));
  const Timestamp now = lab.w.state().now;
  EXPECT_EQ(e.expected_start, now + Duration::Micros((lab.LimitOf(lab.runs) - now).micros() / 2));
  EXPECT_TRUE(Says(e.assumption, "halfway"));
  EXPECT_TRUE(Says(e.would_change, "4 units free together on one node of tier a100"))
      << e.would_change;
  EXPECT_TRUE(Says(e.would_change, "at most 1 is free now")) << e.would_change;
}

TEST(Why, OfRoomThatIsPromisedNamesTheJobAndTheLimitThatWouldDo) {
  Lab lab;
  const JobId narrow = lab.w.Submit("bob", lab.w.Job("a100", Duration::Hours(8)));
  const Explanation e = lab.Of(narrow);
  EXPECT_EQ(e.reason, Reason::kReservation);
  EXPECT_TRUE(Says(e.text, "job " + std::to_string(lab.wide.value()) + " is to start")) << e.text;
  // 3 h 30 min are left of the limit, and both have the same grace.
  EXPECT_TRUE(Says(e.would_change, "--time 3h30m")) << e.would_change;
  JobRequest fits = lab.w.Job("a100", Duration::Minutes(210));
  EXPECT_EQ(lab.w.StateOf(lab.w.Submit("bob", fits)), TaskState::kStarting);
}

TEST(Why, SaysWhoIsAheadWithHowMuchAndByWhichFactor) {
  Lab lab;
  const JobId mine = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(2), 4));
  const Explanation e = lab.Of(mine);
  EXPECT_EQ(e.reason, Reason::kPriority);
  EXPECT_EQ(e.position, 2);
  EXPECT_EQ(e.unit_ms_ahead, 4 * 3'600'000);
  EXPECT_EQ(e.ahead, (std::vector<std::string>{"bob: 1 job, 4.00 unit-hours"}));
  // All use is alice's, of five equal members, the admin among them: 2^-5.
  EXPECT_TRUE(Says(e.text, "behind bob's job " + std::to_string(lab.wide.value()) +
                               " because your fair-share factor is 0.03 against 1.00"))
      << e.text;
  EXPECT_EQ(e.expected_by,
            lab.LimitOf(lab.runs) + Duration::Hours(1) + lab.w.state().jobs.Get(lab.wide).grace);
  EXPECT_LT(e.expected_start, e.expected_by);
  int64_t sum = 0;
  for (const auto& [name, points] : e.factors) sum += points;
  EXPECT_EQ(sum, e.priority);
}

TEST(Why, ForeseesAStartByWhicheverSourceIsSoonest) {
  Lab lab;
  lab.w.AddNode("small", "a100", 1, Source::kOwned);
  LabChange change;
  LabChange::Tier priced;
  priced.row = lab.w.state().tiers.Get(lab.w.Tier("a100"));
  RateRow& owned = priced.rates.emplace_back();
  owned.source = Source::kOwned;
  owned.rate = Rate::MicrosPerUnitHour(1'000'000);
  change.tiers.push_back(priced);
  lab.w.Apply(change);
  // The lab's own machine, asked first, is too small for it at any time.
  EXPECT_EQ(lab.Of(lab.wide).expected_by, lab.LimitOf(lab.runs));
}

TEST(Why, NamesTheOtherFactors) {
  Lab lab;
  const auto submit = [&](JobClass klass, int32_t nice, int gpus) {
    JobRequest job = lab.w.Job("a100", Duration::Hours(8), gpus);
    job.klass = klass;
    job.nice = nice;
    return lab.w.Submit("bob", job);
  };
  const JobId normal = submit(JobClass::kNormal, 0, 4);
  const std::string own = "your own job " + std::to_string(lab.wide.value());
  EXPECT_TRUE(Says(lab.Of(normal).text, own + " because it was submitted first"))
      << lab.Of(normal).text;
  const JobId scavenger = submit(JobClass::kScavenger, 0, 4);
  EXPECT_TRUE(Says(lab.Of(scavenger).text, "your job is of class scavenger against normal"));
  const JobId nice = submit(JobClass::kNormal, 3'000, 4);
  EXPECT_TRUE(Says(lab.Of(nice).text, "your job's nice is 3000 against 0")) << lab.Of(nice).text;
}

TEST(Why, HidesNamesInAClosedLab) {
  Lab lab;
  const JobId mine = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(2), 4));
  LabChange change;
  change.set_lab = true;
  change.lab = lab.w.state().lab;
  change.lab.openness = Openness::kClosed;
  lab.w.Apply(change);
  const Explanation e = lab.Of(mine);
  EXPECT_FALSE(Says(e.text, "bob")) << e.text;
  EXPECT_EQ(e.ahead, (std::vector<std::string>{"another member: 1 job, 4.00 unit-hours"}));
}

TEST(Why, OfALimitMoneyOrAHoldSaysWhatWouldChangeIt) {
  Lab lab;
  lab.w.Limit(LimitResource::kRunningUnits, 3);
  const JobId capped = lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_EQ(lab.Of(capped).reason, Reason::kMemberMaxRunning);
  EXPECT_TRUE(Says(lab.Of(capped).would_change, "an admin raises the limit"));
  EXPECT_FALSE(lab.Of(capped).expected_start) << "no slot is foreseen for what a limit stops";
  lab.w.Change("alice", JobVerb::kHold, capped);
  EXPECT_EQ(lab.Of(capped).would_change, "`pinka release " + std::to_string(capped.value()) + "`");
}

TEST(Why, ForeseesNothingBehindTooMuch) {
  Lab lab;
  JobRequest sweep = lab.w.Job("a100", Duration::Hours(2), 4);
  sweep.array = "0-999";
  lab.w.Submit("bob", sweep);
  const JobId mine = lab.w.Submit("alice", lab.w.Job("a100", Duration::Hours(2), 4));
  const Explanation e = lab.Of(mine);
  EXPECT_EQ(e.ahead.front(), "bob: 2 jobs, 8004.00 unit-hours");
  EXPECT_FALSE(e.expected_start);
  EXPECT_TRUE(Says(e.assumption, "too much stands ahead"));
}

TEST(Board, ShowsPromisedStartsAndWhoseRoomItIs) {
  Lab lab;
  const JobId narrow = lab.w.Submit("bob", lab.w.Job("a100", Duration::Hours(8)));
  const auto board = MakeBoard(lab.w.state(), 1);
  EXPECT_EQ(board->waiting.at(lab.wide.value()).expected_start, lab.LimitOf(lab.runs));
  EXPECT_EQ(board->waiting.at(narrow.value()).reason, Reason::kReservation);
}

}  // namespace
}  // namespace pinka::test
