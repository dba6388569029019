// One connection to PostgreSQL over libpq: named queries, prepared at first use, binary both ways,
// and pipelines that send a whole transaction in one exchange. Not thread-safe.
//
// A failed call's Status carries the SQLSTATE (SqlState). Unavailable: the connection is gone or
// could not be made; the next call connects anew. Everything else is Internal.
#pragma once

#include <libpq-fe.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "db/params.h"
#include "db/result.h"
#include "db/row_type.h"

namespace pinka::db {

// "23505", or "" where the server said nothing.
std::string SqlState(const Status& status);

// How a pipeline ended.
struct PipelineOutcome {
  Status status;      // of the first command that failed
  int completed = 0;  // commands the server confirmed before that
  bool lost = false;  // the connection broke: what was not confirmed is unknown
};

class Connection {
 public:
  // `url`: a libpq connection string or URI. `session`: the query that sets the session up
  // ("session_store", "session_reads"). Connects at the first use.
  Connection(std::string url, std::string session);

  Status Connect();  // no-op while connected
  void Disconnect();
  bool connected() const { return raw_ != nullptr; }

  StatusOr<Result> Exec(std::string_view query, const Params& params = {});
  // Unprepared: planned anew for these parameters. For queries with optional filters.
  StatusOr<Result> ExecPlanned(std::string_view query, const Params& params);
  // Several statements by the simple protocol, results dropped. For migrations.
  Status Script(const std::string& sql);
  // Only asks the server to plan the query: tests.
  Status Prepare(std::string_view query);

  // Sends commands with one Sync. All must be prepared before (PrepareAll).
  Status PrepareAll(const std::vector<std::string>& queries);
  struct Command {
    std::string_view query;
    Params params;
  };
  void SendPipeline(const std::vector<Command>& commands);
  PipelineOutcome ReadPipeline();  // waits for what became of them, also where they were not sent
  // How rows travel to a query that inserts `unnest($n::table[])` (whole_rows.h). Asked once a
  // connection; valid until the next Connect.
  StatusOr<const RowType*> RowTypeOf(std::string_view query);

 private:
  Status Failed(PGresult* result);  // takes the error; disconnects where the connection is bad
  Status PrepareIfNew(std::string_view query);
  bool Send(const Command& command);

  std::string url_;
  std::string session_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> raw_{nullptr, PQfinish};
  size_t sent_ = 0;  // commands of the pipeline that is out
  std::set<std::string, std::less<>> prepared_;
  std::map<std::string, RowType, std::less<>> row_types_;
};

}  // namespace pinka::db
