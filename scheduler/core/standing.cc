#include "scheduler/core/standing.h"

#include <algorithm>

#include "scheduler/core/fair_tree.h"
#include "scheduler/core/plan.h"

namespace pinka {
namespace {

ShareLine LineOf(const State& state, const ShareSibling& sibling) {
  ShareLine line;
  line.project = sibling.key.project;
  line.member = sibling.key.member;
  const ProjectRow* project = line.project ? &state.projects.Get(line.project) : nullptr;
  line.name = line.member ? MemberName(state, line.member) : project ? project->name : "";
  line.share = sibling.share;
  line.shares = sibling.shares;
  line.use_ms = UnitMillisOf(state, sibling.use);
  line.uses_ms = UnitMillisOf(state, sibling.uses);
  line.level = LevelFairness(sibling);
  line.fair = sibling.fair;
  return line;
}

// Who has no share stands below the others all the same, with what was used.
ShareLine Shareless(const State& state, const ShareKey& key, Int128 use) {
  ShareSibling sibling;
  sibling.key = key;
  ShareLine line = LineOf(state, sibling);
  line.use_ms = UnitMillisOf(state, use);
  return line;
}

bool Belongs(const State& state, const MemberRow& member, ProjectId project) {
  if (member.removed) return false;
  if (!project) return true;
  return std::ranges::binary_search(state.projects.Get(project).members, member.id.value());
}

void AddMembers(const State& state, const ShareTree::Branch& branch, bool by_project,
                ShareList* list) {
  for (const auto& [id, member] : state.members.rows()) {
    const auto own =
        std::ranges::find(branch.members, id, [](const ShareSibling& s) { return s.key.member; });
    if (own != branch.members.end()) {
      list->lines.push_back(LineOf(state, *own));
      continue;
    }
    const ProjectId project = branch.own.key.project;
    if (!Belongs(state, member, project)) continue;
    const ShareKey key{id, project};
    list->lines.push_back(Shareless(state, key, by_project ? Use(state, key) : Use(state, id)));
  }
}

}  // namespace

ShareList ListShares(const State& state) {
  const ShareTree tree = MakeShareTree(state);
  ShareList list;
  list.by_project = tree.by_project;
  for (const ShareTree::Branch& branch : tree.branches) {
    if (tree.by_project) list.lines.push_back(LineOf(state, branch.own));
    AddMembers(state, branch, tree.by_project, &list);
  }
  if (!tree.by_project) return list;
  for (const auto& [id, project] : state.projects.rows()) {
    if (project.share > 0) continue;
    Int128 use = 0;
    for (const auto& [member, row] : state.members.rows()) use += Use(state, ShareKey{member, id});
    list.lines.push_back(Shareless(state, {{}, id}, use));
  }
  return list;
}

PriorityList ListPriorities(const State& state, const PriorityQuery& query) {
  PriorityList list;
  const auto shares = FairShares(state);
  for (const auto& [tier, queues] : state.queues) {
    if (query.tier && query.tier != tier) continue;
    int32_t position = 0;
    VisitInOrder(state, tier, [&](const JobRow& job, uint64_t fair) {
      ++position;
      if (!query.ids.empty() && !query.ids.contains(job.id)) return true;
      if (query.owner && query.owner != job.member) return true;
      if (list.lines.size() >= query.most) {
        list.more = true;
        return false;
      }
      PriorityLine line;
      line.job = job.id;
      line.user = MemberName(state, job.member);
      line.tier = TierName(state, tier);
      line.units = job.units;
      line.position = position;
      line.has_share = shares.Find(ShareKeyOf(job)) != nullptr;
      line.parts = PriorityOf(state, job, fair);
      list.lines.push_back(std::move(line));
      return true;
    });
  }
  return list;
}

}  // namespace pinka
