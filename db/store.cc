#include "db/store.h"

#include <utility>

#include "db/write_batch.h"

namespace pinka::db {
namespace {

constexpr char kNotLeaderState[] = "PK001";

// Classes of SQLSTATE that say the server or the link is at fault, not what was sent.
bool IsTrouble(const std::string& state) {
  for (const char* prefix : {"08", "25", "40", "53", "55", "57", "58", "F0", "XX"}) {
    if (state.starts_with(prefix)) return true;
  }
  return state.empty();
}

// `sent`: the commands of the batch, COMMIT last.
CommitResult Judge(const PipelineOutcome& outcome, size_t sent) {
  CommitResult result;
  if (outcome.completed == static_cast<int>(sent)) return result;  // COMMIT was confirmed
  result.sqlstate = SqlState(outcome.status);
  result.message = Message(outcome.status);
  bool at_commit = outcome.completed == static_cast<int>(sent) - 1;
  // A refusal that has a SQLSTATE stands for the command it answers; silence says nothing.
  bool answered = !result.sqlstate.empty() && !(outcome.lost && at_commit);
  if (outcome.lost && !answered) {
    result.kind = CommitResult::Kind::kInDoubt;
  } else if (result.sqlstate == kNotLeaderState) {
    result.kind = CommitResult::Kind::kNotLeader;
  } else if (IsTrouble(result.sqlstate)) {
    result.kind = CommitResult::Kind::kLost;
  } else {
    result.kind = CommitResult::Kind::kRefused;
  }
  return result;
}

CommitResult Lost(const Status& status) {
  return {CommitResult::Kind::kLost, SqlState(status), Message(status)};
}

}  // namespace

Store::Store(std::string url) : connection_(std::move(url), "session_store") {}

StatusOr<int64_t> Store::AcquireLeadership(const std::string& holder, const std::string& address) {
  Params params;
  params.Text(holder).Text(address);
  StatusOr<Result> taken = connection_.Exec("acquire_leadership", params);
  if (!taken.ok()) return taken.status();
  Row row(*taken);
  if (row.Next()) return row.Int();
  StatusOr<LeaderInfo> leader = ReadLeader();
  if (!leader.ok()) return leader.status();
  return absl::FailedPreconditionError("another pinkad leads at " + leader->address);
}

StatusOr<bool> Store::TouchTerm(const char* query, int64_t term) {
  Params params;
  params.Int(term);
  StatusOr<Result> result = connection_.Exec(query, params);
  if (!result.ok()) return result.status();
  return !result->empty();
}

StatusOr<bool> Store::Renew(int64_t term) { return TouchTerm("renew_leadership", term); }

Status Store::Resign(int64_t term) { return TouchTerm("resign_leadership", term).status(); }

StatusOr<LeaderInfo> Store::ReadLeader() {
  StatusOr<Result> result = connection_.Exec("read_leader");
  if (!result.ok()) return result.status();
  LeaderInfo info;
  for (Row row(*result); row.Next();) {
    info.holder = row.Text();
    info.address = row.Text();
    info.term = row.Int();
    info.batch = row.Int();
    info.core_now = row.At();
    info.alive = row.Bool();
  }
  return info;
}

CommitResult Store::Commit(const Batch& batch, const Changes& changes) {
  Send(batch, changes);
  return Receive();
}

void Store::Send(const Batch& batch, const Changes& changes) {
  out_ = &changes;
  auto commands = WriteBatch(batch, changes, known_, &connection_);
  not_sent_ = commands.status();
  if (!not_sent_.ok()) return;
  for (const Connection::Command& command : *commands) {
    not_sent_ = connection_.Prepare(command.query);
    if (!not_sent_.ok()) return;
  }
  commands_ = commands->size();
  connection_.SendPipeline(*commands);
}

CommitResult Store::Receive() {
  const Changes& changes = *std::exchange(out_, nullptr);
  if (!not_sent_.ok()) return Lost(not_sent_);
  CommitResult result = Judge(connection_.ReadPipeline(), commands_);
  if (result.done()) known_.Committed(changes);
  if (!result.done() && connection_.connected()) {
    if (!connection_.Exec("rollback").ok()) connection_.Disconnect();
  }
  return result;
}

StatusOr<bool> Store::Landed(int64_t term, int64_t number) {
  if (StatusOr<Result> begun = connection_.Exec("begin_batch"); !begun.ok()) return begun.status();
  StatusOr<Result> answer = connection_.Exec("lock_leader");
  if (answer.ok()) {
    Params params;
    params.Int(term).Int(number);
    answer = connection_.Exec("landed", params);
  }
  if (connection_.connected() && !connection_.Exec("rollback").ok()) connection_.Disconnect();
  if (!answer.ok()) return answer.status();
  Row row(*answer);
  return row.Next() && row.Bool();
}

Status Store::Sweep(Timestamp now, int32_t keep_event_months) {
  Params at;
  at.At(now);
  Params cutoff;
  cutoff.At(now).Int32(keep_event_months);
  if (auto r = connection_.Exec("make_event_partitions", at); !r.ok()) return r.status();
  if (auto r = connection_.Exec("drop_old_events", cutoff); !r.ok()) return r.status();
  if (auto r = connection_.Exec("delete_old_file_sets", at); !r.ok()) return r.status();
  return connection_.Exec("delete_stale_requests", at).status();
}

}  // namespace pinka::db
