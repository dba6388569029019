// Who stands where by use and share (semantics.md 2), in integers.
//
// One level (no project has a share): F = 2^-(u/s), u and s normalised among members with a share;
// a member's work in all projects counts together.
//
// Two levels, lab -> project -> member, where any project has a share: Fair Tree. Siblings are
// ordered by LF = s/u, both normalised among them, u = 0 before everything; the walk goes depth
// first and F is the rank from the best, the best 1.0. Ties share a rank and the next rank skips;
// the members below projects that tie are ranked together. Work without a project is a sibling of
// the projects with a share of kNoProjectShare, below which every member stands. A project's use is
// all work in it, also of members who have left.
//
// A member or project whose share is 0 has no place: its work runs when nobody else's can.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/core/state.h"

namespace pinka {

inline constexpr int64_t kNoProjectShare = 1;

// One of several siblings. u = use / uses, s = share / shares.
struct ShareSibling {
  ShareKey key;  // of a branch: no member; with one level: no project
  int64_t share = 0;
  int64_t shares = 0;
  Int128 use = 0;
  Int128 uses = 0;
  uint64_t fair = 0;  // Q62, of members
};

struct ShareTree {
  bool by_project = false;
  struct Branch {
    ShareSibling own;                   // unset with one level
    std::vector<ShareSibling> members;  // by id
  };
  std::vector<Branch> branches;  // by project, work without one first; with one level: one
};
// As it would be if `also` had used `more`.
ShareTree MakeShareTree(const State& state, const ShareKey& also = {}, Int128 more = 0);
// Fair Tree's factors, from shares and uses that are there: `fair` of every member.
void RankShares(ShareTree& tree);

// Whether `a` has the greater LF; neither before the other: they tie. A total preorder, exact.
bool BetterShare(const ShareSibling& a, const ShareSibling& b);
// LF in thousandths; -1: nothing used, before everybody else. At most INT64_MAX.
int64_t LevelFairness(const ShareSibling& sibling);

// F in Q62 of every member and project that has work waiting, and of every member's work without a
// project. Without a share, none. As they would be if `also` had used `more`.
std::map<ShareKey, uint64_t> FairShares(const State& state, const ShareKey& also = {},
                                        Int128 more = 0);

}  // namespace pinka
