#include "scheduler/core/fair_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "scheduler/core/fair_share.h"
#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

constexpr double kQ62 = 4611686018427387904.0;
constexpr uint64_t kFull = uint64_t{1} << 62;

// Members and projects at the start of an hour, with use that stands.
struct Lab {
  Lab() {
    state.now = At(2026, 9, 1);
    state.lab.usage_hour = state.now;
  }
  MemberId Member(int64_t id, int64_t share) {
    MemberRow row;
    row.id = MemberId(id);
    row.share = share;
    state.members.Load(row.id, row);
    return row.id;
  }
  ProjectId Project(int64_t id, int64_t share, std::vector<int64_t> members) {
    ProjectRow row;
    row.id = ProjectId(id);
    row.members = std::move(members);
    row.share = share;
    state.projects.Load(row.id, row);
    return row.id;
  }
  void Used(MemberId member, ProjectId project, int64_t use) {
    state.usage.Load({member, project}, {member, static_cast<Int128>(use) << 80, project});
  }
  double Fair(MemberId member, ProjectId project = {}) const {
    return static_cast<double>(*FairShares(state).Find({member, project})) / kQ62;
  }
  State state;
};

// dee, bob, cai and ann of semantics.md 2.
struct {
  int64_t share, use, level;  // LF in thousandths; -1: infinite
  double one_level, fair_tree;
} const kDocument[] = {{1, 0, -1, 1.0000, 1.00},
                       {1, 10, 1600, 0.6484, 0.75},
                       {2, 30, 1067, 0.5221, 0.50},
                       {1, 40, 400, 0.1768, 0.25}};

ShareTree::Branch DocumentBranch() {
  ShareTree::Branch branch;
  int64_t id = 0;
  for (const auto& row : kDocument) {
    branch.members.push_back(
        {{MemberId(++id), {}}, row.share, 5, Int128{row.use} << 80, Int128{80} << 80, 0});
  }
  return branch;
}

TEST(FairTree, RanksDeeBobCaiAndAnnAsTheDocumentDoes) {
  ShareTree tree;
  tree.branches.push_back(DocumentBranch());
  RankShares(tree);
  for (size_t i = 0; i < std::size(kDocument); ++i) {
    const ShareSibling& member = tree.branches[0].members[i];
    EXPECT_EQ(static_cast<double>(member.fair) / kQ62, kDocument[i].fair_tree) << i;
    EXPECT_EQ(LevelFairness(member), kDocument[i].level) << i;
  }
}

TEST(FairTree, GoesDepthFirst) {
  Lab lab;
  for (int64_t id = 1; id <= 4; ++id) lab.Member(id, 1);
  // Half of all use is vision's, whose share is 3 of 5; a twentieth nobody's project.
  const ProjectId vision = lab.Project(11, 3, {1, 2});
  const ProjectId speech = lab.Project(12, 1, {3, 4});
  lab.Used(MemberId(1), vision, 45);
  lab.Used(MemberId(2), vision, 5);
  lab.Used(MemberId(3), speech, 1);
  lab.Used(MemberId(4), speech, 44);
  lab.Used(MemberId(1), {}, 5);
  // No project: LF 4; vision 1.2; speech 0.44. Leaves: 4 + 2 + 2.
  for (int64_t id = 2; id <= 4; ++id) EXPECT_EQ(lab.Fair(MemberId(id)), 1.0) << "three tie";
  EXPECT_EQ(lab.Fair(MemberId(1)), 5.0 / 8) << "and the next rank skips";
  EXPECT_EQ(lab.Fair(MemberId(2), vision), 4.0 / 8);
  EXPECT_EQ(lab.Fair(MemberId(1), vision), 3.0 / 8) << "before speech, whatever was used below";
  EXPECT_EQ(lab.Fair(MemberId(3), speech), 2.0 / 8);
  EXPECT_EQ(lab.Fair(MemberId(4), speech), 1.0 / 8);
}

TEST(FairTree, RanksTheMembersOfProjectsThatTieTogether) {
  Lab lab;
  for (int64_t id = 1; id <= 2; ++id) lab.Member(id, 1);
  const ProjectId a = lab.Project(11, 2, {1, 2});
  const ProjectId b = lab.Project(12, 1, {1, 2});
  lab.Used(MemberId(1), a, 10);  // a: 2 of 4 shares, 40 of 70 used
  lab.Used(MemberId(2), a, 30);
  lab.Used(MemberId(1), b, 15);  // b: 1 of 4 shares, 20 of 70
  lab.Used(MemberId(2), b, 5);
  lab.Used(MemberId(2), {}, 10);
  EXPECT_EQ(lab.Fair(MemberId(1)), 1.0);
  EXPECT_EQ(lab.Fair(MemberId(2)), 5.0 / 6);
  // LF among siblings: 2 and 2/3 below a, 2/3 and 2 below b.
  EXPECT_EQ(lab.Fair(MemberId(1), a), 4.0 / 6);
  EXPECT_EQ(lab.Fair(MemberId(2), b), 4.0 / 6);
  EXPECT_EQ(lab.Fair(MemberId(2), a), 2.0 / 6);
  EXPECT_EQ(lab.Fair(MemberId(1), b), 2.0 / 6);
}

TEST(FairTree, HasNoPlaceForWhoHasNoShareOrIsNotInTheProject) {
  Lab lab;
  lab.Member(1, 1);
  lab.Member(2, 0);
  lab.Member(3, 1);
  MemberRow gone;
  gone.id = lab.Member(4, 1);
  gone.removed = true;
  lab.state.members.Load(gone.id, gone);
  const ProjectId with = lab.Project(11, 1, {1, 2});
  const ProjectId without = lab.Project(12, 0, {1, 3});
  lab.Used(MemberId(3), with, 10);  // was in it once
  const auto shares = FairShares(lab.state);
  EXPECT_EQ(shares.size(), 3u);
  EXPECT_NE(shares.Find({MemberId(1), {}}), nullptr);
  EXPECT_NE(shares.Find({MemberId(3), {}}), nullptr);
  EXPECT_NE(shares.Find({MemberId(1), with}), nullptr);
  EXPECT_EQ(shares.Find({MemberId(1), without}), nullptr);
  EXPECT_EQ(lab.Fair(MemberId(1), with), 1.0 / 3) << "the project's use counts, also of who left";
}

TEST(FairShares, CanBeAskedWhatMoreUseWouldMake) {
  Lab lab;
  lab.Member(1, 1);
  lab.Member(2, 1);
  const ShareKey first{MemberId(1), {}};
  const Int128 more = Int128{1} << 80;
  EXPECT_EQ(*FairShares(lab.state).Find(first), kFull);
  EXPECT_EQ(*FairShares(lab.state, first, more).Find(first), kFull / 4)
      << "all use with half a share";
  const ProjectId project = lab.Project(11, 1, {1, 2});
  const ShareKey inside{MemberId(1), project};
  EXPECT_EQ(*FairShares(lab.state, inside, more).Find(first), kFull);
  EXPECT_EQ(*FairShares(lab.state, inside, more).Find(inside), kFull / 4) << "the last of four";
}

TEST(FairTree, BecomesOneLevelWhereNoProjectHasAShare) {
  Lab lab;
  int64_t id = 0;
  const ProjectId project = lab.Project(11, 0, {1, 2, 3, 4});
  for (const auto& row : kDocument) {
    const MemberId m = lab.Member(++id, row.share);
    lab.Used(m, project, row.use / 2);  // in both together what the document says
    lab.Used(m, {}, row.use - row.use / 2);
  }
  id = 0;
  for (const auto& row : kDocument) {
    EXPECT_NEAR(lab.Fair(MemberId(++id)), row.one_level, 0.00005);
    EXPECT_EQ(lab.Fair(MemberId(id)), lab.Fair(MemberId(id), project));
  }
}

TEST(FairShares, AreFullWhereNobodyHasUsedAnything) {
  Lab lab;
  lab.Member(1, 1);
  lab.Member(2, 5);
  EXPECT_EQ(FairShares(lab.state).size(), 2u);
  for (const MemberId m : {MemberId(1), MemberId(2)})
    EXPECT_EQ(*FairShares(lab.state).Find({m, {}}), kFull);
  const ProjectId project = lab.Project(11, 7, {1, 2});
  EXPECT_EQ(FairShares(lab.state).size(), 4u);
  for (const MemberId m : {MemberId(1), MemberId(2)}) {
    EXPECT_EQ(*FairShares(lab.state).Find({m, {}}), kFull);
    EXPECT_EQ(*FairShares(lab.state).Find({m, project}), kFull);
  }
}

TEST(FairShares, LeaveOutWhoHasNoneOrIsGone) {
  Lab lab;
  lab.Member(1, 1);
  lab.Member(2, 0);
  MemberRow gone;
  gone.id = lab.Member(3, 1);
  gone.removed = true;
  lab.state.members.Load(gone.id, gone);
  EXPECT_EQ(FairShares(lab.state).size(), 1u);
}

// Any two compared one way, any three in line; near-ties are told apart by the last bit.
TEST(BetterShare, IsATotalPreorderAndExact) {
  SeededRandom random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<ShareSibling> all;
    for (int n = 0; n < 12; ++n) {
      ShareSibling s;
      s.key.member = MemberId(n + 1);
      s.share = 1 + static_cast<int64_t>(random.Below(4));
      s.shares = 10 + static_cast<int64_t>(random.Below(2));
      s.uses = (Int128{1} << 120) - static_cast<Int128>(random.Below(2));
      s.use =
          random.Below(4) == 0 ? 0 : s.uses / 8 * s.share - static_cast<Int128>(random.Below(3));
      all.push_back(s);
    }
    for (const auto& a : all) {
      EXPECT_FALSE(BetterShare(a, a));
      for (const auto& b : all) {
        EXPECT_FALSE(BetterShare(a, b) && BetterShare(b, a));
        for (const auto& c : all) {
          if (BetterShare(a, b) && BetterShare(b, c)) {
            EXPECT_TRUE(BetterShare(a, c));
          }
          const bool ties =
              !BetterShare(a, b) && !BetterShare(b, a) && !BetterShare(b, c) && !BetterShare(c, b);
          if (ties) {
            EXPECT_FALSE(BetterShare(a, c) || BetterShare(c, a));
          }
        }
      }
    }
  }
  ShareSibling a{{}, INT64_MAX, INT64_MAX, (Int128{1} << 126) - 1, Int128{1} << 126, 0};
  ShareSibling b = a;
  EXPECT_FALSE(BetterShare(a, b) || BetterShare(b, a));
  a.use -= 1;
  EXPECT_TRUE(BetterShare(a, b)) << "a bit less used of 2^126";
  EXPECT_FALSE(BetterShare(b, a));
}

// Shares, uses and projects by chance: factors lie in (0, 1], the best is 1, and whoever is better
// by project and then by member has the greater factor.
TEST(FairTree, FactorsFollowTheWalk) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    Lab lab;
    std::vector<int64_t> ids;
    for (int64_t id = 1; id <= 6; ++id) ids.push_back(lab.Member(id, 1 + random.Below(3)).value());
    for (int64_t p = 11; p <= 13; ++p) {
      const ProjectId project =
          lab.Project(p, static_cast<int64_t>(random.Below(3)) + (p == 11), ids);
      for (int64_t id : ids)
        lab.Used(MemberId(id), project, static_cast<int64_t>(random.Below(3)) * 10);
    }
    const ShareTree tree = MakeShareTree(lab.state);
    uint64_t best = 0;
    for (const auto& a : tree.branches) {
      for (const auto& x : a.members) {
        best = std::max(best, x.fair);
        EXPECT_GT(x.fair, 0u);
        for (const auto& b : tree.branches) {
          for (const auto& y : b.members) {
            if (BetterShare(a.own, b.own)) {
              EXPECT_GT(x.fair, y.fair);
            }
            const bool tie = !BetterShare(a.own, b.own) && !BetterShare(b.own, a.own);
            if (tie) {
              EXPECT_EQ(x.fair > y.fair, BetterShare(x, y));
            }
          }
        }
      }
    }
    EXPECT_EQ(best, kFull);
  }
}

CoreWorld Full() {
  CoreWorld w;
  w.Deposit("lab", 100'000);
  w.AddNode("box", "a100", 1);
  LabChange change;
  change.projects = {{"vision", {"alice", "bob"}, 3}, {"speech", {"alice", "bob"}, 1}};
  w.Apply(change);
  return w;
}

JobId In(CoreWorld& w, const std::string& member, const std::string& project) {
  JobRequest request = w.Job("a100");
  if (!project.empty()) request.project = w.state().project_by_name.at(project);
  return w.Submit(member, request);
}

// Alice's own hour in one project does not hold back her work in the other.
TEST(FairTree, OrdersAMembersJobsByTheirProjects) {
  CoreWorld w = Full();
  const JobId first = In(w, "alice", "vision");
  w.Run(first);
  const JobId again = In(w, "alice", "vision");
  const JobId other = In(w, "alice", "speech");
  const JobId free = In(w, "bob", "");
  w.Advance(Duration::Hours(1));
  EXPECT_EQ(w.StateOf(again), TaskState::kPending);
  w.Exit(first, 0);
  EXPECT_NE(w.StateOf(other), w.StateOf(again));
  EXPECT_EQ(w.StateOf(again), TaskState::kPending) << "vision has used all there is";
  EXPECT_NE(w.StateOf(other) == TaskState::kStarting, w.StateOf(free) == TaskState::kStarting);
  w.Reload();
  w.Advance(Duration::Minutes(1));
  const UsageRow& used =
      w.state().usage.Get({w.Member("alice"), w.state().project_by_name.at("vision")});
  EXPECT_GT(used.amount, 0);
}

// C18: weights, no use at all, and use long ago.
TEST(FairShares, OrderWhoHasNoShareLastAndForgetWhatIsLongGone) {
  CoreWorld w;
  w.Deposit("lab", 100'000);
  w.AddNode("box", "t4", 1);
  LabChange change;
  change.lab = w.state().lab;
  change.lab.half_life_h = 1;
  change.set_lab = true;
  change.members = {{"bob", 0, false}, {"carol", 0, false}};
  w.Apply(change);
  const JobId runs = w.Submit("alice", w.Job("t4"));
  w.Run(runs);
  const JobId carol = w.Submit("carol", w.Job("t4"));
  w.Advance(Duration::Seconds(1));
  const JobId bob = w.Submit("bob", w.Job("t4"));
  const JobId alice = w.Submit("alice", w.Job("t4"));
  w.Advance(Duration::Minutes(30));
  w.Exit(runs, 0);
  EXPECT_EQ(w.StateOf(alice), TaskState::kStarting) << "used, but has a share";
  w.Run(alice);
  w.Exit(alice, 0);
  EXPECT_EQ(w.StateOf(carol), TaskState::kStarting) << "first come of those without";
  EXPECT_EQ(w.StateOf(bob), TaskState::kPending);
  w.Change("bob", JobVerb::kCancel, bob);
  w.Run(carol);
  w.Exit(carol, 0);
  EXPECT_GT(Use(w.state(), w.Member("alice")), 0);
  for (int n = 0; n < 50; ++n) w.Advance(Duration::Hours(8));
  EXPECT_EQ(Use(w.state(), w.Member("alice")), 0) << "400 half-lives ago";
}

}  // namespace
}  // namespace pinka::test
