// The committer's side of the database (design.md 3): leadership, one transaction a batch, the load
// at start. Every call may fail because the database is away and then says so; the next call
// connects anew. Not thread-safe: one Store, one connection, one thread. Who renews the leadership
// beside a long commit uses a Store of its own.
//
//   Store store(url);
//   int64_t term = *store.AcquireLeadership(holder, address);
//   auto [batch, snapshot] = *store.LoadSnapshot(term);
//   CommitResult r = store.Commit({.term = term, .number = ++batch, .core_now = now}, changes);
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/time.h"
#include "db/connection.h"
#include "db/known.h"
#include "scheduler/core/changes.h"

namespace pinka::db {

constexpr int64_t kLeaseSeconds = 3;  // as in queries/leader.sql

struct Batch {
  int64_t term = 0;
  int64_t number = 0;  // the last batch's plus one
  Timestamp core_now;
};

struct CommitResult {
  enum class Kind {
    kDone,
    kRefused,    // the content is at fault and will be again; nothing was written
    kNotLeader,  // the term is over, or the batch number is taken; nothing was written
    kLost,       // the database is away or short of something; nothing was written
    kInDoubt,    // everything was sent and COMMIT got no answer: ask Landed
  };
  Kind kind = Kind::kDone;
  std::string sqlstate;  // "" where the server said nothing
  std::string message;
  bool done() const { return kind == Kind::kDone; }
};

struct LeaderInfo {
  std::string holder;
  std::string address;
  int64_t term = 0;
  int64_t batch = 0;
  Timestamp core_now;
  bool alive = false;  // renewed within the lease
};

class Store {
 public:
  explicit Store(std::string url);

  // Raises the term in a transaction of its own if the row is free, expired (3 s by the database's
  // clock) or held by the same holder. FailedPrecondition names the address of who leads.
  StatusOr<int64_t> AcquireLeadership(const std::string& holder, const std::string& address);
  // False: the term is over.
  StatusOr<bool> Renew(int64_t term);
  // Frees the row for a standby at once; a term that is over is left alone.
  Status Resign(int64_t term);
  StatusOr<LeaderInfo> ReadLeader();

  // The last batch and the live rows after it, from one snapshot of the database.
  // FailedPrecondition if `term` does not lead.
  StatusOr<std::pair<int64_t, Snapshot>> LoadSnapshot(int64_t term);

  // Writes everything or nothing, in one exchange with the server.
  CommitResult Commit(const Batch& batch, const Changes& changes);
  // The same in two steps, for who has something to do while the server works. Nothing else is
  // asked of the store in between; `changes` stays until Receive.
  void Send(const Batch& batch, const Changes& changes);
  CommitResult Receive();
  // Whether batch `number` of `term` is in the database. Waits for a commit that is under way. The
  // dead connection's commit may still be about to begin on the server: raise the term first
  // (AcquireLeadership as the same holder), then ask for the old one; then the answer is final.
  StatusOr<bool> Landed(int64_t term, int64_t number);

  // Chores, each a transaction of its own: partitions of the next months, events older than
  // `keep_event_months`, keys of requests that have expired.
  Status Sweep(Timestamp now, int32_t keep_event_months = 13);

 private:
  StatusOr<bool> TouchTerm(const char* query, int64_t term);
  Connection connection_;
  Known known_;
  const Changes* out_ = nullptr;  // of the batch that is sent
  size_t commands_ = 0;           // of it, COMMIT last
  Status not_sent_;
};

}  // namespace pinka::db
