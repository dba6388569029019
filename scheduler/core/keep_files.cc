// An attempt's files are whole in the blob store: a row for readers, and for a checkpoint how far
// the member's part of the attempt goes (semantics.md 8).
#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

bool SamePlace(const FileSetRow& a, const FileSetRow& b) {
  return a.attempt == b.attempt && a.kind == b.kind && a.generation == b.generation;
}

}  // namespace

Reply Do(State& state, const KeepFiles& command) {
  const AttemptId& id = command.files.attempt;
  const AttemptRow* attempt = state.attempts.Find(id);
  const NodeRow* node = attempt ? state.nodes.Find(attempt->node) : nullptr;
  if (!node || node->name != command.node) {
    return Refuse(Reason::kNoSuchJob,
                  fmt::format("attempt {} is none of this node's, or is closed", ToString(id)));
  }
  FileSetRow row = command.files;
  row.kept_at = state.now;
  // One that comes twice in a batch is written once.
  std::erase_if(state.out.file_sets, [&](const FileSetRow& old) { return SamePlace(old, row); });
  state.out.file_sets.push_back(row);
  if (row.kind != FileKind::kCheckpoint) return {};
  // A checkpoint is never above the meter, so the meter comes first.
  StoreMeter(state, id, command.metered_ms, 0);
  StoreCheckpoint(state, id, command.checkpoint_ms);
  if (command.given >= 0 && attempt->message.empty()) {
    state.attempts.Edit(id).message =
        fmt::format("its checkpoint {} is behind {}, which it was given: did it begin anew?",
                    row.generation, command.given);
  }
  Log(state, "attempt", ToString(id), "checkpoint",
      fmt::format("generation {}, {} bytes", row.generation, row.bytes));
  return {};
}

}  // namespace pinka
