#include <gtest/gtest.h>

#include <functional>

#include "scheduler/core/board.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/verbs.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr int64_t kYuan = 1'000'000;

RaiseLimit Raise(const CoreWorld& w, int64_t yuan, Duration span, const std::string& key = "") {
  RaiseLimit command;
  command.actor = w.Admin();
  command.request = {key, key + std::to_string(yuan)};
  command.row.resource = LimitResource::kMoney;
  command.row.scope = OwnedBy(w.Member("alice"));
  command.row.period = Period::kMonth;
  command.row.amount = yuan * kYuan;
  command.row.until = w.now + span;
  command.reason = std::string("paper deadline");
  return command;
}

// A lab with money, a node and 12.00 a month for alice: one hour of a100.
void MakeLab(CoreWorld& w) {
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  w.Limit(LimitResource::kMoney, 12 * kYuan, "alice", LimitOf::kEach, Period::kMonth);
}

const LimitRow* Stands(const CoreWorld& w) {
  const auto limits = LimitsFor(w.state(), w.Member("alice"), {}, w.Tier("a100"));
  return limits.size() == 1 ? limits.front() : nullptr;
}

TEST(RaiseLimit, StandsAboveTheLimitAndEndsByItself) {
  CoreWorld w(At(2026, 9, 2));
  MakeLab(w);
  const JobId one = w.Submit("alice", w.Job("a100"));
  const JobId two = w.Submit("alice", w.Job("a100"));
  EXPECT_EQ(w.WhyWaits(two), Reason::kBudget);
  const Reply raised = w.Do(Raise(w, 24, Duration::Days(2), "r-1"));
  EXPECT_EQ(raised.reason, Reason::kOk) << raised.detail;
  EXPECT_EQ(w.StateOf(two), TaskState::kStarting);
  const auto uses = LimitsOf(w.state(), w.Member("alice"));
  ASSERT_EQ(uses.size(), 1u) << "what is raised does not stand beside it";
  EXPECT_TRUE(uses[0].raise);
  EXPECT_EQ(uses[0].raised_from, 12 * kYuan);
  EXPECT_EQ(uses[0].used, 24 * kYuan);
  w.Reload();
  w.Run(one);
  w.Exit(one, 0);  // nothing used
  w.Advance(Duration::Days(2));
  ASSERT_NE(Stands(w), nullptr);
  EXPECT_EQ(Stands(w)->amount, 12 * kYuan);
  EXPECT_EQ(w.StateOf(two), TaskState::kStarting) << "lowering never kills";
  EXPECT_EQ(w.WhyWaits(w.Submit("alice", w.Job("a100"))), Reason::kBudget);
}

TEST(RaiseLimit, SameRequestIsAnsweredOnceAndOtherBodyConflicts) {
  CoreWorld w;
  MakeLab(w);
  const RaiseLimit command = Raise(w, 20, Duration::Days(1), "k");
  const Reply first = w.Do(command);
  const Reply again = w.Do(command);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, first.first);
  RaiseLimit other = command;
  other.request.hash = "other";
  EXPECT_EQ(w.Do(other).reason, Reason::kConflict);
  EXPECT_EQ(w.state().limits.rows().size(), 2u);
}

TEST(RaiseLimit, TwoAdminsAtOnceCannotBothSpendTheLastYuan) {
  CoreWorld w;
  w.Deposit("lab", 1'000);
  w.AddNode("box", "a100", 8);
  w.Limit(LimitResource::kMoney, 12 * kYuan, "lab", LimitOf::kAll);
  w.Submit("bob", w.Job("a100"));
  const JobId mine = w.Submit("alice", w.Job("a100"));
  const JobId yours = w.Submit("carol", w.Job("a100"));
  RaiseLimit raise = Raise(w, 24, Duration::Days(1), "one");
  raise.row.of = LimitOf::kAll;
  raise.row.scope = OwnedByLab();
  raise.row.period = Period::kNone;
  EXPECT_EQ(w.Do(raise).reason, Reason::kOk);
  raise.request = {"two", "two"};  // has seen 12.00 as well
  const Reply second = w.Do(raise);
  EXPECT_EQ(second.reason, Reason::kBadRequest);
  EXPECT_NE(second.detail.find("is ¥24.00 already"), std::string::npos) << second.detail;
  const int started =
      (w.StateOf(mine) == TaskState::kStarting) + (w.StateOf(yours) == TaskState::kStarting);
  EXPECT_EQ(started, 1) << "a raise replaces what it raises, it does not add to it";
}

TEST(RaiseLimit, RefusesWhatIsNoRaise) {
  CoreWorld w;
  MakeLab(w);
  const auto reason = [&](const std::function<void(RaiseLimit&)>& change) {
    RaiseLimit command = Raise(w, 20, Duration::Days(1));
    change(command);
    const size_t events = w.store().tables().events.size();
    const Reply reply = w.Do(command);
    EXPECT_FALSE(reply.detail.empty());
    EXPECT_EQ(w.store().tables().events.size(), events) << "a refusal leaves nothing behind";
    return reply.reason;
  };
  EXPECT_EQ(reason([&](RaiseLimit& r) { r.actor = w.By("bob"); }), Reason::kNotPermitted);
  EXPECT_EQ(reason([](RaiseLimit& r) { r.reason.clear(); }), Reason::kBadRequest);
  EXPECT_EQ(reason([](RaiseLimit& r) { r.row.until = {}; }), Reason::kBadRequest);
  EXPECT_EQ(reason([&](RaiseLimit& r) { r.row.until = w.now; }), Reason::kBadRequest);
  EXPECT_EQ(reason([](RaiseLimit& r) { r.row.amount = 12 * kYuan; }), Reason::kBadRequest);
  EXPECT_EQ(reason([](RaiseLimit& r) { r.row.amount = 1; }), Reason::kBadRequest);
  EXPECT_EQ(reason([](RaiseLimit& r) { r.row.period = Period::kDay; }), Reason::kNoSuchEntry);
  EXPECT_EQ(reason([](RaiseLimit& r) { r.row.of = LimitOf::kAll; }), Reason::kNoSuchEntry);
  EXPECT_EQ(reason([&](RaiseLimit& r) { r.row.tier = w.Tier("t4"); }), Reason::kNoSuchEntry);
  EXPECT_EQ(w.state().limits.rows().size(), 1u);
}

TEST(RaiseLimit, OfARaiseIsAboveThatAndToUnlimitedIsSaid) {
  CoreWorld w(At(2026, 9, 2));
  MakeLab(w);
  EXPECT_EQ(w.Do(Raise(w, 20, Duration::Days(3))).reason, Reason::kOk);
  EXPECT_EQ(w.Do(Raise(w, 20, Duration::Days(1))).reason, Reason::kBadRequest);
  RaiseLimit open = Raise(w, 0, Duration::Days(1));
  open.row.unlimited = true;
  EXPECT_EQ(w.Do(open).reason, Reason::kOk);
  EXPECT_EQ(Stands(w), nullptr) << "unlimited binds nobody";
  EXPECT_EQ(w.Do(Raise(w, 99, Duration::Days(1))).reason, Reason::kBadRequest);
  w.Advance(Duration::Days(1));
  ASSERT_NE(Stands(w), nullptr);
  EXPECT_EQ(Stands(w)->amount, 20 * kYuan);
  w.Advance(Duration::Days(2));
  EXPECT_EQ(Stands(w)->amount, 12 * kYuan);
}

}  // namespace
}  // namespace pinka::test
