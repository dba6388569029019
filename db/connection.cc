#include "db/connection.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "base/check.h"
#include "db/sql_text.h"

namespace pinka::db {
namespace {

constexpr char kSqlStateUrl[] = "pinka/sqlstate";

Status WithState(Status status, const char* state) {
  if (state != nullptr) status.SetPayload(kSqlStateUrl, absl::Cord(state));
  return status;
}

std::string Trimmed(const char* text) {
  std::string out = text == nullptr ? "" : text;
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  return out;
}

bool Succeeded(PGresult* result) {
  ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

}  // namespace

std::string SqlState(const Status& status) {
  auto payload = status.GetPayload(kSqlStateUrl);
  return payload ? std::string(*payload) : "";
}

Connection::Connection(std::string url, std::string session)
    : url_(std::move(url)), session_(std::move(session)) {}

Status Connection::Connect() {
  if (raw_) return OkStatus();
  prepared_.clear();
  row_types_.clear();
  raw_.reset(PQconnectdb(url_.c_str()));
  if (PQstatus(raw_.get()) != CONNECTION_OK) {
    Status status =
        Unavailable("cannot reach the database: " + Trimmed(PQerrorMessage(raw_.get())));
    raw_.reset();
    return status;
  }
  if (session_.empty()) return OkStatus();
  return Script(Query(session_));
}

void Connection::Disconnect() { raw_.reset(); }

Status Connection::Failed(PGresult* result) {
  const char* state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  const char* primary = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  std::string message = Trimmed(primary ? primary : PQerrorMessage(raw_.get()));
  bool lost = PQstatus(raw_.get()) != CONNECTION_OK;
  Status status = lost ? Unavailable("the database connection is lost: " + message)
                       : Internal("the database refused: " + message);
  status = WithState(std::move(status), state);
  if (lost) Disconnect();
  return status;
}

Status Connection::PrepareIfNew(std::string_view query) {
  if (prepared_.contains(query)) return OkStatus();
  std::string name(query);
  Result result(PQprepare(raw_.get(), name.c_str(), Query(query).c_str(), 0, nullptr));
  if (!Succeeded(result.get())) return Failed(result.get());
  prepared_.insert(name);
  return OkStatus();
}

Status Connection::Prepare(std::string_view query) {
  if (Status status = Connect(); !status.ok()) return status;
  return PrepareIfNew(query);
}

StatusOr<Result> Connection::Exec(std::string_view query, const Params& params) {
  if (Status status = Prepare(query); !status.ok()) return status;
  Params::Raw raw = params.raw();
  Result result(PQexecPrepared(raw_.get(), std::string(query).c_str(), params.size(),
                               raw.values.data(), raw.lengths.data(), raw.formats.data(), 1));
  if (!Succeeded(result.get())) return Failed(result.get());
  return result;
}

StatusOr<Result> Connection::ExecPlanned(std::string_view query, const Params& params) {
  if (Status status = Connect(); !status.ok()) return status;
  Params::Raw raw = params.raw();
  Result result(PQexecParams(raw_.get(), Query(query).c_str(), params.size(), params.types().data(),
                             raw.values.data(), raw.lengths.data(), raw.formats.data(), 1));
  if (!Succeeded(result.get())) return Failed(result.get());
  return result;
}

Status Connection::Script(const std::string& sql) {
  if (Status status = raw_ ? OkStatus() : Connect(); !status.ok()) return status;
  Result result(PQexec(raw_.get(), sql.c_str()));
  if (!Succeeded(result.get())) return Failed(result.get());
  return OkStatus();
}

Status Connection::PrepareAll(const std::vector<std::string>& queries) {
  for (const std::string& query : queries) {
    if (Status status = Prepare(query); !status.ok()) return status;
  }
  return OkStatus();
}

StatusOr<const RowType*> Connection::RowTypeOf(std::string_view query) {
  if (Status status = Connect(); !status.ok()) return status;
  if (const auto known = row_types_.find(query); known != row_types_.end()) return &known->second;
  const InsertTarget target = TargetOf(Query(query));
  Params params;
  params.Text(target.table);
  StatusOr<Result> result = Exec("columns_of_table", params);
  if (!result.ok()) return result.status();
  RowType type;
  size_t found = 0;
  for (Row row(*result); row.Next();) {
    type.oid = static_cast<Oid>(row.Int());
    const auto at = std::ranges::find(target.columns, row.Text());
    const bool named = at != target.columns.end();
    if (named) ++found;
    const int field = named ? static_cast<int>(at - target.columns.begin()) : -1;
    type.columns.push_back({static_cast<Oid>(row.Int()), field});
  }
  PINKA_CHECK(found == target.columns.size(), "a column that table " + target.table + " has not");
  return &row_types_.emplace(query, std::move(type)).first->second;
}

bool Connection::Send(const Command& command) {
  Params::Raw raw = command.params.raw();
  return PQsendQueryPrepared(raw_.get(), std::string(command.query).c_str(), command.params.size(),
                             raw.values.data(), raw.lengths.data(), raw.formats.data(), 1) == 1;
}

void Connection::SendPipeline(const std::vector<Command>& commands) {
  sent_ = commands.size();
  bool sent = PQenterPipelineMode(raw_.get()) == 1;
  for (size_t i = 0; sent && i < commands.size(); ++i) sent = Send(commands[i]);
  sent = sent && PQpipelineSync(raw_.get()) == 1;
  if (!sent) Disconnect();
}

PipelineOutcome Connection::ReadPipeline() {
  PipelineOutcome outcome;
  bool synced = false;
  // Every command answers with its result and a null; a broken connection with nulls only.
  for (size_t nulls = 0; !synced && nulls <= 2 * sent_ + 2;) {
    Result result(PQgetResult(raw_.get()));
    if (result.get() == nullptr) {
      ++nulls;
    } else if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) {
      synced = true;
    } else if (Succeeded(result.get())) {
      if (outcome.status.ok()) ++outcome.completed;
    } else if (outcome.status.ok() && PQresultStatus(result.get()) != PGRES_PIPELINE_ABORTED) {
      const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
      const char* text = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
      outcome.status =
          WithState(Internal(Trimmed(text ? text : PQerrorMessage(raw_.get()))), state);
    }
  }
  if (synced && PQexitPipelineMode(raw_.get()) == 1 && PQstatus(raw_.get()) == CONNECTION_OK) {
    return outcome;
  }
  outcome.lost = true;
  if (outcome.status.ok()) outcome.status = Unavailable("the database connection is lost");
  Disconnect();
  return outcome;
}

}  // namespace pinka::db
