// parents.cc: whom a request may wait for, refs of one request, rings (C05), parents long gone
// (C07).
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

struct Lab {
  Lab() {
    w.Deposit("lab", 10'000);
    w.AddNode("box", "a100", 4);
  }
  JobRequest After(const std::string& dependency, const std::string& ref = "") {
    JobRequest request = w.Job("a100");
    request.dependency = dependency;
    request.ref = ref;
    return request;
  }
  Reply Submit(std::vector<JobRequest> jobs, const std::string& who = "alice") {
    SubmitJobs command;
    command.actor = w.By(who);
    command.jobs = std::move(jobs);
    return w.Do(command);
  }
  Reply Edit(JobId job, const std::string& dependency, const std::string& who = "alice") {
    EditJob command;
    command.actor = w.By(who);
    command.job = job;
    command.set_dependency = true;
    command.dependency = dependency;
    return w.Do(command);
  }
  CoreWorld w;
};

TEST(Refs, NameJobsOfTheSameRequestInAnyOrder) {
  Lab lab;
  const Reply reply = lab.Submit(
      {lab.After("afterok:@a:@b", "c"), lab.After("", "a"), lab.After("after:@a+5m", "b")});
  ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(reply.count, 3);
  EXPECT_EQ(lab.w.JobOf(JobId(1)).dependency, "afterok:2:3");
  EXPECT_EQ(lab.w.JobOf(JobId(3)).dependency, "after:2+5m");
  EXPECT_EQ(lab.w.StateOf(JobId(2)), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(JobId(1)), TaskState::kPending);
}

// C05: a ring is refused with itself spelled out, and nothing is made.
TEST(Refs, AreRefusedWhereTheyRunInARingOrNameNobody) {
  Lab lab;
  const auto named = [&](const std::string& dependency, const std::string& ref,
                         const std::string& name) {
    JobRequest request = lab.After(dependency, ref);
    request.name = name;
    return request;
  };
  struct {
    std::vector<JobRequest> jobs;
    const char* words;
  } table[] = {
      {{lab.After("@b", "a"), lab.After("@c", "b"), lab.After("@a", "c")}, "@a → @b → @c → @a"},
      {{lab.After("", "x"), lab.After("@b", "a"), lab.After("@a:@x", "b")}, "@a → @b → @a"},
      {{lab.After("afterok:@a", "a")}, "@a → @a"},
      {{lab.After("@b", "a"), lab.After("@a?@c", "b"), lab.After("", "c")}, "@a → @b → @a"},
      {{named("@b", "a", "n"), named("singleton", "b", "n")}, "@a → @b → @a"},
      {{lab.After("@b", "a")}, "no job of the request is called @b"},
      {{lab.After("", "a"), lab.After("", "a")}, "two jobs of the request are called @a"},
      {{lab.After("afterok:1", "a"), lab.After("")}, "no such job 1"},
      {{lab.After("soon:1")}, "no kind of dependency"},
  };
  for (const auto& row : table) {
    const Reply reply = lab.Submit(row.jobs);
    EXPECT_NE(reply.reason, Reason::kOk);
    EXPECT_NE(reply.detail.find(row.words), std::string::npos) << reply.detail;
  }
  EXPECT_TRUE(lab.w.store().tables().jobs.empty());
  EXPECT_EQ(lab.Submit({named("", "a", "n"), named("singleton,@a", "b", "n")}).reason, Reason::kOk);
}

TEST(Parents, ThatNobodyKnowsAreAskedForOnceAndThenRefused) {
  Lab lab;
  SubmitJobs command;
  command.actor = lab.w.By("alice");
  command.jobs = {lab.After("")};
  lab.w.Do(command);  // job 1
  lab.w.Change("alice", JobVerb::kCancel, JobId(1));
  lab.w.End(JobId(1), EndReason::kWithdrawn);
  lab.w.Advance(Duration::Minutes(11));
  ASSERT_EQ(lab.w.state().jobs.Find(JobId(1)), nullptr);
  Core core(lab.w.store().Load());
  command.jobs = {lab.After("afterok:1")};
  const Reply first = core.Apply(command, lab.w.now);
  EXPECT_EQ(first.need, (std::vector<JobId>{JobId(1)}));
  EXPECT_EQ(first.reason, Reason::kOk);
  command.ended.emplace_back().id = JobId(1);  // the database does not know it either
  const Reply second = core.Apply(command, lab.w.now);
  EXPECT_EQ(second.reason, Reason::kNoSuchJob);
  EXPECT_TRUE(core.TakeChanges().jobs.empty());
  EXPECT_EQ(lab.Submit({lab.After("afterok:99")}).reason, Reason::kNoSuchJob);
}

TEST(Parents, OfOthersAreKnownAsFarAsTheLabIsOpen) {
  Lab lab;
  const JobId foreign = lab.w.Submit("bob", lab.w.Job("a100"));
  const std::string on = "afterany:" + std::to_string(foreign.value());
  EXPECT_EQ(lab.Submit({lab.After(on)}).reason, Reason::kOk);
  LabChange change;
  change.set_lab = true;
  change.lab = lab.w.state().lab;
  change.lab.openness = Openness::kClosed;
  lab.w.Apply(change);
  EXPECT_EQ(lab.Submit({lab.After(on)}).reason, Reason::kNoSuchJob);
  EXPECT_EQ(lab.Submit({lab.After(on)}, "bob").reason, Reason::kOk);
}

// C07: a parent that left memory counts with its stored result.
TEST(Parents, LongGoneCountForEver) {
  Lab lab;
  const JobId well = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Run(well);
  lab.w.Exit(well, 0);
  const JobId ill = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Run(ill);
  lab.w.Exit(ill, 1);
  JobRequest array = lab.w.Job("a100");
  array.array = "0-2";
  const JobId some = lab.w.Submit("alice", array);
  for (int32_t index : {0, 1, 2}) {
    lab.w.Run(some, index);
    lab.w.Exit(some, index == 1 ? 7 : 0, index);
  }
  lab.w.Reload();
  lab.w.Advance(Duration::Minutes(11));
  ASSERT_EQ(lab.w.state().jobs.rows().size(), 0u);
  struct {
    const char* type;
    JobId parent;
    TaskState state;
  } table[] = {
      {"after", well, TaskState::kStarting},       {"afterok", well, TaskState::kStarting},
      {"afternotok", well, TaskState::kCancelled}, {"afterok", ill, TaskState::kCancelled},
      {"afternotok", ill, TaskState::kStarting},   {"afterany", ill, TaskState::kStarting},
      {"afterok", some, TaskState::kCancelled},
  };
  for (const auto& row : table) {
    const Reply reply =
        lab.Submit({lab.After(std::string(row.type) + ":" + std::to_string(row.parent.value()))});
    ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
    const JobId job(reply.first);
    EXPECT_EQ(lab.w.StateOf(job), row.state) << row.type << " " << row.parent.value();
    if (row.state != TaskState::kStarting) continue;
    lab.w.Run(job);
    lab.w.Exit(job, 0);
  }
  array.dependency = "aftercorr:" + std::to_string(some.value());
  const JobId same = lab.w.Submit("alice", array);
  EXPECT_EQ(lab.w.StateOf(same, 0), TaskState::kStarting);
  EXPECT_EQ(lab.w.StateOf(same, 1), TaskState::kCancelled);
  EXPECT_EQ(lab.w.StateOf(same, 2), TaskState::kStarting);
}

// C05: of two edits that make a ring together, the second is refused.
TEST(EditDependency, RefusesARingOfIds) {
  Lab lab;
  lab.w.Do(ChangeNode{lab.w.Admin(), {}, "box", NodeVerb::kDrain, "later", false});
  const JobId a = lab.w.Submit("alice", lab.w.Job("a100"));
  const JobId b = lab.w.Submit("alice", lab.w.Job("a100"));
  const JobId c = lab.w.Submit("alice", lab.w.Job("a100"));
  EXPECT_EQ(lab.Edit(a, "afterok:2").reason, Reason::kOk);
  EXPECT_EQ(lab.Edit(b, "after:3").reason, Reason::kOk);
  const Reply ring = lab.Edit(c, "afterany:1");
  EXPECT_EQ(ring.reason, Reason::kBadRequest);
  EXPECT_NE(ring.detail.find("3 → 1 → 2 → 3"), std::string::npos) << ring.detail;
  EXPECT_EQ(lab.w.JobOf(c).dependency, "");
  EXPECT_EQ(lab.Edit(c, "afterany:3").reason, Reason::kBadRequest) << "itself";
  EXPECT_EQ(lab.Edit(b, "").reason, Reason::kOk);
  EXPECT_EQ(lab.Edit(c, "afterany:1").reason, Reason::kOk) << "the ring is cut";
  EXPECT_EQ(lab.Edit(c, "afterany:1", "bob").reason, Reason::kNoSuchJob);
  EXPECT_EQ(lab.Edit(c, "afterok:@a").reason, Reason::kBadRequest);
  EXPECT_EQ(lab.Edit(c, "afterok:77").reason, Reason::kNoSuchJob);
}

TEST(EditDependency, SeesTheRingsOfNames) {
  Lab lab;
  lab.w.Do(ChangeNode{lab.w.Admin(), {}, "box", NodeVerb::kDrain, "later", false});
  JobRequest job = lab.w.Job("a100");
  job.name = "train";
  lab.w.Submit("alice", job);
  job.name = "first";
  const JobId a = lab.w.Submit("alice", job);
  job.name = "train";
  job.dependency = "singleton";
  lab.w.Submit("alice", job);  // 3 waits for 1, and for 2 once that is called train
  ASSERT_EQ(lab.Edit(a, "afterok:3").reason, Reason::kOk);
  EditJob rename;
  rename.actor = lab.w.By("alice");
  rename.job = a;
  rename.set_text = true;
  rename.text.name = "train";
  const Reply ring = lab.w.Do(rename);
  EXPECT_EQ(ring.reason, Reason::kBadRequest);
  EXPECT_NE(ring.detail.find("2 → 3 → 2"), std::string::npos) << ring.detail;
  ASSERT_EQ(lab.Edit(a, "").reason, Reason::kOk);
  EXPECT_EQ(lab.w.Do(rename).reason, Reason::kOk);
}

TEST(EditDependency, WaitsForNothingThatRuns) {
  Lab lab;
  const JobId job = lab.w.Submit("alice", lab.w.Job("a100"));
  const JobId other = lab.w.Submit("alice", lab.w.Job("a100"));
  lab.w.Run(job);
  const std::string on = "afterok:" + std::to_string(other.value());
  EXPECT_EQ(lab.Edit(job, on).reason, Reason::kNotWaiting);
}

}  // namespace
}  // namespace pinka::test
