// The shell around core: one thread that owns core, takes commands from the inbox in batches,
// commits each batch in one transaction, and only then lets replies, orders and the board out.
//
//   runtime.Do(command, Lane::kClient, [](const Outcome& o) { ... });   // called once, after
//   commit
//
// Thread-safe unless said otherwise. Callbacks run on the runtime's thread: they must not block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "scheduler/core/board.h"
#include "scheduler/core/command.h"
#include "scheduler/core/core.h"
#include "scheduler/runtime/pipeline/pipeline.h"

namespace pinka {

class AgentBoard;  // scheduler/runtime/agents.h: what agents are told, when each was heard

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual void Do(Command command, Lane lane, std::function<void(const Outcome&)> done) = 0;

  // Runs `look` on core's thread between batches and calls `then` once everything that `look` saw
  // is committed. `look` must be quick (why, quote, reach).
  virtual void Look(std::function<void(const State&)> look,
                    std::function<void(const Outcome&)> then) = 0;

  // The newest board, at most about 100 ms old while somebody asks. Never null once serving.
  virtual void GetBoard(std::function<void(std::shared_ptr<const Board>)> then) = 0;

  // Calls `then` when batch `batch` is committed (at once if it is), or after `timeout` anyway.
  virtual void WhenBatch(int64_t batch, Duration timeout, std::function<void()> then) = 0;

  // Calls `then` at the next commit that touched this job, or after `timeout`.
  virtual void WhenJobChanges(JobId job, Duration timeout, std::function<void()> then) = 0;

  virtual AgentBoard& agents() = 0;
  virtual int64_t committed_batch() const = 0;
  virtual std::vector<std::string> alarms() const = 0;  // newest last, at most 100
};

}  // namespace pinka
