// GetStatement: whose month, and how what moved it becomes sections that add up from the opening to
// the closing.
#pragma once

#include <string>

#include "db/reads_statement.h"
#include "pinka/v1/report.pb.h"
#include "scheduler/api/auth.h"
#include "scheduler/api/usage.h"
#include "scheduler/core/board.h"

namespace pinka::api {

struct StatementQuery {
  MemberId member;
  std::string month;
  Month window;
};

// Members ask about themselves, admins about everybody. Without a month it is the one of `now`.
StatusOr<StatementQuery> ConvertStatement(const v1::GetStatementRequest& request,
                                          const Principal& who, const Board& board, Timestamp now);

// Opening, sections and closing.
void FillStatement(const db::Statement& statement, v1::GetStatementResponse* out);

}  // namespace pinka::api
