// Shell: leading the lab, what becomes of a batch, and how to go on where it did not land.
#include <chrono>
#include <thread>
#include <utility>

#include "scheduler/runtime/shell.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

void Nap(Duration span) { std::this_thread::sleep_for(std::chrono::microseconds(span.micros())); }

}  // namespace

Status Shell::Lead(Duration patience) {
  const Timestamp until = clock_.Now() + patience;
  for (;;) {
    StatusOr<int64_t> term = store_.AcquireLeadership(holder_, options_.address);
    if (term.ok()) {
      term_ = *term;
      return OkStatus();
    }
    if (clock_.Now() >= until) return term.status();
    Nap(Duration::Millis(200));
  }
}

Status Shell::Reload() {
  auto loaded = store_.LoadSnapshot(term_);
  if (!loaded.ok()) return loaded.status();
  pipeline_.Load(loaded->second, term_, loaded->first);
  return OkStatus();
}

bool Shell::CommitBatch(Batch batch) {
  const Duration began = clock_.Monotonic();
  store_.Send({batch.term, batch.number, batch.core_now}, batch.changes);
  Deliver();  // of the batch before it, while the database works
  const db::CommitResult result = store_.Receive();
  if (options_.watch.committed) options_.watch.committed(clock_.Monotonic() - began);
  switch (result.kind) {
    case db::CommitResult::Kind::kDone:
      renewed_at_ = clock_.Now();  // every batch renews the lease
      pipeline_.Committed();
      return true;
    case db::CommitResult::Kind::kRefused: {
      spdlog::warn("batch {} was refused: {} {}", batch.number, result.sqlstate, result.message);
      const bool plan_alone = pipeline_.waiting() == 0;
      pipeline_.Refused(result.message);
      if (plan_alone) Nap(Duration::Seconds(1));  // never a hot loop, whatever the plan wants
      return Recover();
    }
    case db::CommitResult::Kind::kNotLeader: {
      std::lock_guard lock(mutex_);
      ended_ = "another scheduler leads this lab";
      return false;
    }
    case db::CommitResult::Kind::kLost:
      spdlog::warn("batch {} was lost: {}", batch.number, result.message);
      pipeline_.NotThere();
      return Recover();
    case db::CommitResult::Kind::kInDoubt:
      spdlog::warn("batch {} is in doubt: {}", batch.number, result.message);
      return SettleDoubt(batch);
  }
  return false;
}

// COMMIT got no answer. A higher term of our own fences the old connection; then the row tells.
bool Shell::SettleDoubt(const Batch& batch) {
  const int64_t old_term = term_;
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return false;
    }
    const StatusOr<int64_t> term = store_.AcquireLeadership(holder_, options_.address);
    if (term.ok()) {
      term_ = *term;
      const StatusOr<bool> landed = store_.Landed(old_term, batch.number);
      if (landed.ok()) {
        if (*landed) {
          pipeline_.Committed();
          Deliver();
        } else {
          pipeline_.NotThere();
        }
        return Recover();
      }
    } else if (absl::IsFailedPrecondition(term.status())) {
      std::lock_guard lock(mutex_);
      ended_ = Message(term.status());
      return false;
    }
    Nap(Duration::Millis(200));
  }
}

bool Shell::Recover() {
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return false;
    }
    const Status loaded = Reload();
    if (loaded.ok()) {
      if (options_.watch.reloaded) options_.watch.reloaded();
      agents_->Publish(pipeline_.core().AllOrders());
      return true;
    }
    // Our own lease may have run out while the database was away: take it again if nobody else did.
    const StatusOr<int64_t> term = store_.AcquireLeadership(holder_, options_.address);
    if (term.ok()) {
      term_ = *term;
    } else if (absl::IsFailedPrecondition(term.status())) {
      std::lock_guard lock(mutex_);
      ended_ = Message(term.status());
      return false;
    }
    Nap(Duration::Millis(200));
  }
}

}  // namespace pinka
