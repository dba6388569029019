#include "scheduler/core/fair_tree.h"

#include <algorithm>
#include <array>

#include "scheduler/core/decay.h"
#include "scheduler/core/fair_share.h"

namespace pinka {
namespace {

__extension__ typedef unsigned __int128 Uint128;
constexpr uint64_t kOne = uint64_t{1} << 62;

// A product of two shares and two uses: at most 63 + 127 + 63 + 127 bits, the highest limb first.
class Product {
 public:
  Product() { limbs_.back() = 1; }
  void Times(uint64_t factor) {
    Uint128 carry = 0;
    for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
      carry += static_cast<Uint128>(*limb) * factor;
      *limb = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  void Times(Int128 factor) {
    const Uint128 wide = static_cast<Uint128>(factor);
    Product low = *this;
    low.Times(static_cast<uint64_t>(wide));
    Times(static_cast<uint64_t>(wide >> 64));
    std::ranges::rotate(limbs_, limbs_.begin() + 1);  // the highest limb is 0
    Uint128 carry = 0;
    for (size_t i = limbs_.size(); i-- > 0;) {
      carry += static_cast<Uint128>(limbs_[i]) + low.limbs_[i];
      limbs_[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  friend bool operator>(const Product& a, const Product& b) { return a.limbs_ > b.limbs_; }

 private:
  std::array<uint64_t, 7> limbs_{};
};

// a's LF x the denominators of both: s_a U_a S_b u_b.
Product Crossed(const ShareSibling& a, const ShareSibling& b) {
  Product product;
  product.Times(static_cast<uint64_t>(a.share));
  product.Times(static_cast<uint64_t>(b.shares));
  product.Times(a.uses);
  product.Times(b.use);
  return product;
}

void Normalise(std::vector<ShareSibling*> siblings, Int128 uses) {
  int64_t shares = 0;
  for (const ShareSibling* sibling : siblings) shares += sibling->share;
  for (ShareSibling* sibling : siblings) {
    sibling->shares = shares;
    sibling->uses = uses;
  }
}

std::vector<ShareSibling*> Pointers(std::vector<ShareSibling>& siblings) {
  std::vector<ShareSibling*> all;
  for (ShareSibling& sibling : siblings) all.push_back(&sibling);
  return all;
}

// ---- one level ----

void FillOneLevel(ShareTree::Branch& branch) {
  Int128 all_use = 0;
  for (const ShareSibling& member : branch.members) all_use += member.use;
  Normalise(Pointers(branch.members), all_use);
  // Ratios only: shift both until the products below stay in 128 bits.
  int shift = 0;
  while ((all_use >> shift) >= (static_cast<Int128>(1) << 62)) ++shift;
  const Int128 all = std::max<Int128>(all_use >> shift, 1);
  for (ShareSibling& member : branch.members) {
    const Int128 u = ((member.use >> shift) << 32) / all;  // Q32
    const Int128 x = u * member.shares / member.share;
    member.fair = x >= (static_cast<Int128>(62) << 32) ? 0 : Exp2Neg(static_cast<uint64_t>(x));
  }
}

// ---- two levels ----

// Those that tie, best first.
template <class T, class Of>
std::vector<std::vector<T*>> Ranked(std::vector<T*> all, Of of) {
  std::ranges::stable_sort(all,
                           [&](const T* a, const T* b) { return BetterShare(of(*a), of(*b)); });
  std::vector<std::vector<T*>> groups;
  for (T* one : all) {
    if (groups.empty() || BetterShare(of(*groups.back().front()), of(*one))) groups.emplace_back();
    groups.back().push_back(one);
  }
  return groups;
}

std::map<ShareKey, Int128> UseByKey(const State& state, const ShareKey& also, Int128 more) {
  std::map<ShareKey, Int128> use;
  for (const auto& [key, row] : state.usage.rows()) use[key];
  for (const auto& [key, open] : state.open_use) use[key];
  for (auto& [key, amount] : use) amount = std::max<Int128>(Use(state, key), 0);
  if (more > 0) use[also] += more;
  return use;
}

ShareTree::Branch MakeBranch(const State& state, ProjectId project, int64_t share,
                             const std::map<ShareKey, Int128>& use,
                             const std::map<ProjectId, Int128>& use_of) {
  ShareTree::Branch branch;
  const auto all = use_of.find(project);
  branch.own.key.project = project;
  branch.own.share = share;
  branch.own.use = all == use_of.end() ? 0 : all->second;
  const ProjectRow* row = project ? &state.projects.Get(project) : nullptr;
  Int128 here = 0;
  for (const auto& [id, member] : state.members.rows()) {
    if (member.removed || member.share <= 0) continue;
    if (row && !std::ranges::binary_search(row->members, id.value())) continue;
    const auto own = use.find({id, project});
    const Int128 amount = own == use.end() ? 0 : own->second;
    here += amount;
    branch.members.push_back({{id, project}, member.share, 0, amount, 0, 0});
  }
  Normalise(Pointers(branch.members), here);
  return branch;
}

void FillTwoLevels(const State& state, const std::map<ShareKey, Int128>& use, ShareTree& tree) {
  std::map<ProjectId, Int128> use_of;
  for (const auto& [key, amount] : use) use_of[key.project] += amount;
  tree.branches.push_back(MakeBranch(state, {}, kNoProjectShare, use, use_of));
  for (const auto& [id, row] : state.projects.rows()) {
    if (row.share > 0) tree.branches.push_back(MakeBranch(state, id, row.share, use, use_of));
  }
  std::vector<ShareSibling*> own;
  Int128 uses = 0;
  for (ShareTree::Branch& branch : tree.branches) {
    own.push_back(&branch.own);
    uses += branch.own.use;
  }
  Normalise(std::move(own), uses);
  RankShares(tree);
}

}  // namespace

ShareTree MakeShareTree(const State& state, const ShareKey& also, Int128 more) {
  ShareTree tree;
  tree.by_project = std::ranges::any_of(state.projects.rows(),
                                        [](const auto& entry) { return entry.second.share > 0; });
  if (tree.by_project) {
    FillTwoLevels(state, UseByKey(state, also, more), tree);
    return tree;
  }
  ShareTree::Branch& all = tree.branches.emplace_back();
  for (const auto& [id, row] : state.members.rows()) {
    if (row.removed || row.share <= 0) continue;
    const Int128 use = Use(state, id) + (id == also.member ? more : 0);
    all.members.push_back({{id, {}}, row.share, 0, use, 0, 0});
  }
  FillOneLevel(all);
  return tree;
}

void RankShares(ShareTree& tree) {
  std::vector<ShareTree::Branch*> branches;
  uint64_t leaves = 0;
  for (ShareTree::Branch& branch : tree.branches) {
    branches.push_back(&branch);
    leaves += branch.members.size();
  }
  uint64_t before = 0;
  const auto own = [](const ShareTree::Branch& b) -> const ShareSibling& { return b.own; };
  const auto self = [](const ShareSibling& s) -> const ShareSibling& { return s; };
  for (const auto& tied : Ranked(branches, own)) {
    std::vector<ShareSibling*> members;
    for (ShareTree::Branch* branch : tied) {
      for (ShareSibling& member : branch->members) members.push_back(&member);
    }
    for (const auto& equals : Ranked(members, self)) {
      for (ShareSibling* member : equals) {
        member->fair = static_cast<uint64_t>(static_cast<Uint128>(leaves - before) * kOne / leaves);
      }
      before += equals.size();
    }
  }
}

bool BetterShare(const ShareSibling& a, const ShareSibling& b) {
  if (a.use == 0 || b.use == 0) return a.use == 0 && b.use != 0;
  return Crossed(a, b) > Crossed(b, a);
}

int64_t LevelFairness(const ShareSibling& sibling) {
  if (sibling.use <= 0 || sibling.shares <= 0) return -1;
  // (s / S) / (u / U) in thousandths; uses are shifted together until the product has room.
  Int128 use = sibling.use;
  Int128 uses = sibling.uses;
  while (uses >= (static_cast<Int128>(1) << 62)) {
    use >>= 1;
    uses >>= 1;
  }
  const Int128 u_ppb = std::max<Int128>(use * 1'000'000'000 / std::max<Int128>(uses, 1), 1);
  const Int128 s_ppb = static_cast<Int128>(sibling.share) * 1'000'000'000 / sibling.shares;
  return static_cast<int64_t>((s_ppb * 1'000 + u_ppb / 2) / u_ppb);
}

std::map<ShareKey, uint64_t> FairShares(const State& state, const ShareKey& also, Int128 more) {
  std::map<ShareKey, uint64_t> shares;
  const ShareTree tree = MakeShareTree(state, also, more);
  for (const ShareTree::Branch& branch : tree.branches) {
    for (const ShareSibling& member : branch.members) shares[member.key] = member.fair;
  }
  if (tree.by_project) return shares;
  // With one level all of a member's work has one factor.
  for (const auto& [tier, queues] : state.queues) {
    for (const auto& [key, queue] : queues) {
      const auto own = shares.find({key.member, {}});
      if (own != shares.end()) shares.emplace(key, own->second);
    }
  }
  return shares;
}

}  // namespace pinka
