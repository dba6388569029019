// submit.cc: what is refused at the door, in which words; and idempotency (request.cc, C13).
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

TEST(Submit, RefusesOnlyWhatCanNeverRunAndSaysTheNumbers) {
  CoreWorld w;
  w.Deposit("alice", 20);
  w.AddNode("box", "a100", 2);
  const TierId none(99);
  struct {
    std::function<void(JobRequest&)> ask;
    Reason reason;
    const char* words;
  } table[] = {
      {[&](auto& r) { r.tier = none; }, Reason::kNoSuchTier, "no such tier"},
      {[](auto& r) { r.project = ProjectId(9); }, Reason::kNoSuchProject, "not in it"},
      {[](auto& r) { r.array = "x"; }, Reason::kBadRequest, "names no tasks"},
      {[](auto& r) { r.gpus = 3; }, Reason::kTooWide, "3 units are more than the 2"},
      {[](auto& r) { r.gpus = INT32_MAX; }, Reason::kTooWide, "largest node"},
      {[](auto& r) { r.cpus = 17; }, Reason::kTooWide, "3 units"},
      {[](auto& r) { r.time_limit = Duration::Days(8); }, Reason::kTimeLimitAboveTier, "7d"},
      {[](auto& r) { r.time_limit = Duration::Hours(2); }, Reason::kBudget,
       "needs ¥24.00, available ¥20.00: ¥4.00 more"},
      {[](auto& r) { r.nice = -1; }, Reason::kNotPermitted, "admins"},
  };
  for (const auto& row : table) {
    JobRequest request = w.Job("a100");
    row.ask(request);
    const Reply reply = w.TrySubmit("alice", request);
    EXPECT_EQ(reply.reason, row.reason) << reply.detail;
    EXPECT_NE(reply.detail.find(row.words), std::string::npos) << reply.detail;
  }
  EXPECT_TRUE(w.store().tables().jobs.empty());
}

TEST(Submit, KeepsArithmeticWithinBoundsWhereNoNodeIsKnown) {
  CoreWorld w;
  JobRequest request = w.Job("a100", Duration::Days(7));
  request.gpus = INT32_MAX;
  EXPECT_EQ(w.TrySubmit("alice", request).reason, Reason::kTooWide);
}

TEST(Submit, LetsWaitWhatOthersHoldsStandInTheWayOf) {
  CoreWorld w;
  w.Deposit("lab", 12);
  w.AddNode("box", "a100", 2);
  w.Submit("bob", w.Job("a100"));
  const JobId job = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.WhyWaits(job), Reason::kBudget);
}

TEST(Submit, IsAllOrNothing) {
  CoreWorld w;
  w.Deposit("lab", 100);
  SubmitJobs command;
  command.actor = w.By("alice");
  command.jobs = {w.Job("a100"), w.Job("a100"), w.Job("a100")};
  command.jobs[2].tier = TierId(99);
  EXPECT_EQ(w.Do(command).reason, Reason::kNoSuchTier);
  EXPECT_TRUE(w.store().tables().jobs.empty());
  command.jobs[2].tier = w.Tier("t4");
  const Reply reply = w.Do(command);
  EXPECT_EQ(reply.count, 3);
  EXPECT_EQ(reply.task_counts, (std::vector<int32_t>{1, 1, 1}));
}

TEST(Submit, FillsInTheTiersDefaults) {
  CoreWorld w;
  w.Deposit("lab", 100);
  JobRequest request = w.Job("a100", Duration());
  request.gpus = 0;
  request.cpus = 12;
  const JobRow& job = w.JobOf(w.Submit("alice", request));
  EXPECT_EQ(job.units, 2) << "12 cpus are more than one unit's 8";
  EXPECT_EQ(job.gpus, 1);
  EXPECT_EQ(job.time_limit, Duration::Hours(1));
}

TEST(Submit, OfStrangersIsRefused) {
  CoreWorld w;
  w.Do(RemoveMember{w.Admin(), {}, "bob"});
  SubmitJobs command;
  command.actor = {MemberId(99), false};
  command.jobs = {w.Job("a100")};
  EXPECT_EQ(w.Do(command).reason, Reason::kNoSuchMember);
  command.actor = w.By("bob");
  EXPECT_EQ(w.Do(command).reason, Reason::kNoSuchMember);
}

TEST(Submit, MayUseAProjectOnlyFromInside) {
  CoreWorld w;
  w.AddProject("nlp", {"alice"});
  w.Deposit("project:nlp", 100);
  JobRequest request = w.Job("a100");
  request.project = w.state().project_by_name.at("nlp");
  EXPECT_EQ(w.TrySubmit("alice", request).reason, Reason::kOk);
  EXPECT_EQ(w.TrySubmit("bob", request).reason, Reason::kNoSuchProject);
}

// C13: a retried submit after a lost answer.
TEST(RequestId, GivesTheFirstAnswerForADay) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  const JobRequest request = w.Job("a100", Duration::Hours(3), 2);
  const RequestKey key{"run-42", "hash"};
  const JobId job = w.Submit("alice", request, key);
  for (int n = 0; n < 3; ++n) {
    const Reply again = w.TrySubmit("alice", request, key);
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.first, job.value());
    EXPECT_EQ(again.task_counts, (std::vector<int32_t>{1}));
    w.Reload();
  }
  EXPECT_EQ(w.TrySubmit("alice", request, {"run-42", "other"}).reason, Reason::kConflict);
  EXPECT_NE(w.Submit("bob", request, key), job) << "bob's key is his own";
  w.Advance(Duration::Hours(24) - Duration::Micros(1));
  EXPECT_TRUE(w.TrySubmit("alice", request, key).repeated);
  w.Advance(Duration::Micros(1));
  const Reply late = w.TrySubmit("alice", request, key);
  EXPECT_NE(late.first, job.value()) << "past its documented life";
  EXPECT_EQ(late.note,
            "the request id \"run-42\" was used more than 24 hours ago: this is a new job");
  // The key is the new job's for a day, and known for one more.
  w.Advance(Duration::Hours(23));
  EXPECT_EQ(w.TrySubmit("alice", request, key).first, late.first);
  w.Reload();
  w.Advance(Duration::Hours(24));
  EXPECT_NE(w.TrySubmit("alice", request, key).note, "");
  w.Advance(Duration::Hours(48));
  EXPECT_EQ(w.TrySubmit("alice", request, key).note, "") << "forgotten";
}

TEST(RequestId, OfARefusalIsNotRemembered) {
  CoreWorld w;
  EXPECT_EQ(w.TrySubmit("alice", w.Job("a100"), {"k", "h"}).reason, Reason::kBudget);
  w.Deposit("lab", 100);
  EXPECT_FALSE(w.TrySubmit("alice", w.Job("a100"), {"k", "h"}).repeated);
}

}  // namespace
}  // namespace pinka::test
