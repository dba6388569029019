#include "scheduler/api/names.h"

#include <utility>

namespace pinka::api {
namespace {

constexpr Duration kRecent = Duration::Seconds(1);
constexpr std::string_view kProject = "project:";

using NameMap = std::unordered_map<int64_t, std::string>;

std::string NameIn(const NameMap& names, int64_t id) {
  auto it = names.find(id);
  return it == names.end() ? "" : it->second;
}

int64_t IdIn(const NameMap& names, const std::string& name) {
  // A name that was given away and taken again belongs to the newest.
  int64_t id = 0;
  for (const auto& [key, value] : names) {
    if (value == name && key > id) id = key;
  }
  return id;
}

}  // namespace

void Names::Keep(const BoardPtr& board) {
  std::lock_guard lock(mutex_);
  board_ = board;
  kept_at_ = clock_.Monotonic();
}

void Names::Fresh(std::function<void(BoardPtr)> then) {
  runtime_.GetBoard([this, then = std::move(then)](BoardPtr board) {
    Keep(board);
    then(std::move(board));
  });
}

void Names::Recent(std::function<void(BoardPtr)> then) {
  BoardPtr board;
  {
    std::lock_guard lock(mutex_);
    if (board_ && clock_.Monotonic() - kept_at_ <= kRecent) board = board_;
  }
  if (!board) return Fresh(std::move(then));
  then(std::move(board));
}

const Board::Tier* FindTier(const Board& board, const std::string& name) {
  for (const Board::Tier& tier : board.tiers) {
    if (tier.row.name == name && !tier.row.absent) return &tier;
  }
  return nullptr;
}

std::optional<ProjectId> FindProject(const Board& board, const std::string& name) {
  const int64_t id = IdIn(board.project_names, name);
  if (id == 0) return std::nullopt;
  return ProjectId(id);
}

std::optional<MemberId> FindMember(const Board& board, const std::string& name) {
  const int64_t id = IdIn(board.member_names, name);
  if (id == 0) return std::nullopt;
  return MemberId(id);
}

std::string MemberName(const Board& board, MemberId id) {
  return NameIn(board.member_names, id.value());
}
std::string NodeName(const Board& board, NodeId id) { return NameIn(board.node_names, id.value()); }
std::string TierName(const Board& board, TierId id) { return NameIn(board.tier_names, id.value()); }
std::string ProjectName(const Board& board, ProjectId id) {
  return NameIn(board.project_names, id.value());
}

std::string OwnerName(const Board& board, const Owner& owner) {
  switch (owner.kind) {
    case OwnerKind::kLab:
      return "lab";
    case OwnerKind::kProject:
      return std::string(kProject) + ProjectName(board, ProjectId(owner.id));
    case OwnerKind::kMember:
      return MemberName(board, MemberId(owner.id));
  }
  return "";
}

std::optional<Owner> FindOwner(const Board& board, const std::string& text) {
  if (text == "lab") return OwnedByLab();
  if (text.starts_with(kProject)) {
    const auto project = FindProject(board, text.substr(kProject.size()));
    return project ? std::optional(OwnedBy(*project)) : std::nullopt;
  }
  const auto member = FindMember(board, text);
  return member ? std::optional(OwnedBy(*member)) : std::nullopt;
}

}  // namespace pinka::api
