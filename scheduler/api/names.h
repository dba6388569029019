// Names to ids and back, from the newest board that has been asked for. Ids of names never change,
// so an older board is good enough to find one; a name that it does not know is looked for in a
// fresh one. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "scheduler/core/board.h"
#include "scheduler/runtime/runtime.h"

namespace pinka::api {

using BoardPtr = std::shared_ptr<const Board>;

class Names {
 public:
  Names(Runtime& runtime, const Clock& clock) : runtime_(runtime), clock_(clock) {}

  // A board of this moment.
  void Fresh(std::function<void(BoardPtr)> then);
  // One that is a second old at most while calls come in, at once if there is one.
  void Recent(std::function<void(BoardPtr)> then);

 private:
  void Keep(const BoardPtr& board);
  Runtime& runtime_;
  const Clock& clock_;
  std::mutex mutex_;
  BoardPtr board_;
  Duration kept_at_;
};

// Searches of a board.
const Board::Tier* FindTier(const Board& board, const std::string& name);
std::optional<ProjectId> FindProject(const Board& board, const std::string& name);
std::optional<MemberId> FindMember(const Board& board, const std::string& name);
// "" where the id is none or not known.
std::string MemberName(const Board& board, MemberId id);
std::string NodeName(const Board& board, NodeId id);
std::string TierName(const Board& board, TierId id);
std::string ProjectName(const Board& board, ProjectId id);
std::string OwnerName(const Board& board, const Owner& owner);  // "alice", "project:p", "lab"
// What people write for an owner; nothing where there is no such member or project.
std::optional<Owner> FindOwner(const Board& board, const std::string& text);

}  // namespace pinka::api
