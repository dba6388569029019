// lab.cc, lab_values.cc and member.cc: the lab file, members, tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/core/digest.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

LabChange File(const CoreWorld& w) {
  LabChange change;
  change.set_lab = true;
  change.lab = w.state().lab;
  change.lab.half_life_h = 24;
  LabChange::Tier tier;
  tier.row = w.state().tiers.Get(w.Tier("t4"));
  tier.row.max_time = Duration::Days(2);
  RateRow rate;
  rate.rate = Rate::MicrosPerUnitHour(2'500'000);
  tier.rates.push_back(rate);
  LabChange::Tier fresh;
  fresh.row.name = "rtx3090";
  fresh.row.unit_gpus = 1;
  change.tiers = {tier, fresh};
  change.members = {{"alice", 2, false}, {"dave", 1, true}};
  change.projects = {{"nlp", {"alice", "dave"}}};
  LabChange::Limit limit;
  limit.row.amount = 5'000'000;
  limit.scope = "project:nlp/dave";
  limit.tier = "rtx3090";
  change.limits = {limit};
  return change;
}

TEST(Apply, SaysItsDifferenceAndADryRunMakesNone) {
  CoreWorld w;
  const std::string before = DumpOf(ExportState(w.state()));
  const Reply dry = w.Do(ApplyLab{w.Admin(), {}, File(w), true});
  EXPECT_EQ(dry.reason, Reason::kOk) << dry.detail;
  EXPECT_EQ(DumpOf(ExportState(w.state())), before);
  w.Advance(Duration::Seconds(1));
  const Reply wet = w.Do(ApplyLab{w.Admin(), {}, File(w), false});
  EXPECT_EQ(wet.lines, dry.lines);
  for (const char* part :
       {"half_life 168 h -> 24 h", "tier t4: unit 1 gpus", "2.000000 -> 2.500000",
        "tier rtx3090: new", "alice: share 1 -> 2", "dave: new, share 1, admin",
        "project nlp: new, 2 member(s)", "none -> ¥5.00"}) {
    EXPECT_THAT(wet.lines, Contains(HasSubstr(part)));
  }
  w.Advance(Duration::Seconds(1));
  EXPECT_THAT(w.Do(ApplyLab{w.Admin(), {}, File(w), false}).lines, IsEmpty()) << "once is enough";
}

TEST(Apply, TakesOutWhatTheFileSaysIsAbsent) {
  CoreWorld w;
  w.Apply(File(w));
  LabChange change;
  change.limits = File(w).limits;
  change.limits[0].row.absent = true;
  LabChange::Tier tier;
  tier.row = w.state().tiers.Get(w.Tier("t4"));
  tier.row.absent = true;
  change.tiers = {tier};
  w.Advance(Duration::Seconds(1));
  const Reply reply = w.Do(ApplyLab{w.Admin(), {}, change, false});
  EXPECT_THAT(reply.lines, Contains(HasSubstr("¥5.00 -> none")));
  EXPECT_THAT(reply.lines, Contains(HasSubstr("-> taken out")));
  w.Reload();
  EXPECT_TRUE(w.state().limits.rows().empty());
  EXPECT_EQ(w.TrySubmit("alice", w.Job("t4")).reason, Reason::kNoSuchTier);
  w.Advance(Duration::Seconds(1));
  EXPECT_THAT(w.Do(ApplyLab{w.Admin(), {}, change, false}).lines, IsEmpty()) << "once is enough";
  change.tiers[0].row.name = "never";
  EXPECT_THAT(w.Do(ApplyLab{w.Admin(), {}, change, false}).lines, IsEmpty()) << "never was there";
}

TEST(Apply, RefusesWhatWouldPoisonTheBooks) {
  CoreWorld w;
  struct {
    std::function<void(LabChange&)> spoil;
    Reason reason;
  } table[] = {
      {[](auto& c) { c.lab.half_life_h = 0; }, Reason::kBadRequest},
      {[](auto& c) { c.lab.half_life_h = 2'161; }, Reason::kBadRequest},
      {[](auto& c) { c.tiers[0].row.unit_gpus = -1; }, Reason::kBadRequest},
      {[](auto& c) { c.tiers[0].row.max_time = Duration::Minutes(1); }, Reason::kBadRequest},
      {[](auto& c) { c.tiers[0].rates[0].rate = Rate::MicrosPerUnitHour(-1); },
       Reason::kBadRequest},
      {[](auto& c) { c.members[0].share = -1; }, Reason::kBadRequest},
      {[](auto& c) { c.limits[0].row.amount = -1; }, Reason::kBadRequest},
      {[](auto& c) { c.projects[0].members.push_back("eve"); }, Reason::kNoSuchMember},
      {[](auto& c) { c.limits[0].tier = "h100"; }, Reason::kNoSuchTier},
      {[](auto& c) { c.limits[0].scope = "project:none"; }, Reason::kNoSuchAccount},
  };
  const std::string before = DumpOf(ExportState(w.state()));
  for (const auto& row : table) {
    ApplyLab command{w.Admin(), {}, File(w), false};
    row.spoil(command.change);
    EXPECT_EQ(w.Do(command).reason, row.reason);
  }
  EXPECT_EQ(w.Do(ApplyLab{w.By("alice"), {}, File(w), false}).reason, Reason::kNotPermitted);
  EXPECT_EQ(DumpOf(ExportState(w.state())), before);
}

// What waits and runs was counted in the unit that there was; in another, two jobs could be given
// the same cores.
TEST(Apply, KeepsATiersUnitWhileWorkIsCountedInIt) {
  CoreWorld w;
  w.Deposit("lab", 100);
  w.AddNode("box", "cpu", 8);
  const int32_t before = w.state().nodes.Get(w.Node("box")).units;
  LabChange change;
  change.tiers.emplace_back().row = w.state().tiers.Get(w.Tier("cpu"));
  change.tiers.front().row.unit_cpus *= 2;
  const JobId job = w.Submit("alice", w.Job("cpu", Duration::Hours(1), 0));
  const Reply refused = w.Do(ApplyLab{w.Admin(), {}, change, false});
  EXPECT_EQ(refused.reason, Reason::kConflict);
  EXPECT_THAT(refused.detail, HasSubstr("its unit stays while jobs wait or run there (1 do)"));
  w.Run(job);
  EXPECT_EQ(w.Do(ApplyLab{w.Admin(), {}, change, true}).reason, Reason::kConflict) << "a dry run";
  w.Exit(job, 0);
  EXPECT_EQ(w.Do(ApplyLab{w.Admin(), {}, change, false}).reason, Reason::kOk);
  const NodeRow& box = w.state().nodes.Get(w.Node("box"));
  EXPECT_EQ(box.units, before / 2) << "counted anew before it reports";
}

TEST(Rates, AreInsertedNeverChanged) {
  CoreWorld w;
  w.SetRate("t4", Rate::MicrosPerUnitHour(5));
  w.SetRate("t4", Rate::MicrosPerUnitHour(6));
  const auto& history = w.state().rates.at({w.Tier("t4"), Source::kOnDemand});
  ASSERT_EQ(history.size(), 3u);
  EXPECT_LT(history[0].valid_from, history[1].valid_from);
  EXPECT_LT(history[1].valid_from, history[2].valid_from);
  w.Advance(Duration::Seconds(1));
  EXPECT_EQ(RateAt(w.state(), w.Tier("t4"), Source::kOnDemand, w.now)->micros_per_unit_hour(), 6);
}

TEST(Members, AreAddedOnceRemovedWithTheirWaitingWorkAndMayComeBack) {
  CoreWorld w;
  w.Deposit("bob", 30);
  w.AddNode("box", "a100", 1);
  EXPECT_EQ(w.Do(AddMember{w.Admin(), {}, "bob", 1, false, ""}).reason, Reason::kConflict);
  EXPECT_EQ(w.Do(AddMember{w.Admin(), {}, "", 1, false, ""}).reason, Reason::kBadRequest);
  EXPECT_EQ(w.Do(AddMember{w.By("bob"), {}, "eve", 1, false, ""}).reason, Reason::kNotPermitted);
  const JobId runs = w.Submit("bob", w.Job("a100"));
  w.Run(runs);
  JobRequest array = w.Job("a100");
  array.array = "0-4";
  const JobId waits = w.Submit("bob", array);
  const Reply gone = w.Do(RemoveMember{w.Admin(), {}, "bob"});
  EXPECT_THAT(gone.lines, Contains("5 waiting task(s) cancelled"));
  EXPECT_THAT(gone.lines, Contains(HasSubstr("1 running task(s) go on")));
  EXPECT_THAT(gone.lines, Contains(HasSubstr("¥18.00 stay in bob's account")));
  EXPECT_EQ(w.StateOf(waits), TaskState::kCancelled);
  EXPECT_EQ(w.StateOf(runs), TaskState::kRunning);
  EXPECT_EQ(w.Do(RemoveMember{w.Admin(), {}, "bob"}).reason, Reason::kNoSuchMember);
  EXPECT_EQ(w.Do(RemoveMember{w.Admin(), {}, "admin"}).reason, Reason::kBadRequest);
  const Reply back = w.Do(AddMember{w.Admin(), {}, "bob", 3, false, "hash"});
  EXPECT_EQ(back.first, w.Member("bob").value());
  EXPECT_EQ(w.TrySubmit("bob", w.Job("a100")).reason, Reason::kOk);
}

TEST(Tokens, AreMadeForKnownMembers) {
  CoreWorld w;
  TokenRow token;
  token.hash = "h1";
  token.member = w.Member("alice");
  EXPECT_EQ(w.Do(AddToken{w.By("bob"), {}, token}).reason, Reason::kNotPermitted);
  EXPECT_EQ(w.Do(AddToken{w.By("alice"), {}, token}).reason, Reason::kOk);
  token.hash = "h2";
  token.member = MemberId(99);
  EXPECT_EQ(w.Do(AddToken{w.Admin(), {}, token}).reason, Reason::kNoSuchMember);
}

TEST(Lab, IsFoundedOnce) {
  CoreWorld w;
  EXPECT_EQ(w.Do(FoundLab{"again", "eve", "hash"}).reason, Reason::kConflict);
}

}  // namespace
}  // namespace pinka::test
