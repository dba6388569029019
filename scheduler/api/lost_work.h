// GetLostWork: what machines took with them, by whom or whence.
#pragma once

#include <vector>

#include "db/reads_lost.h"
#include "pinka/v1/report.pb.h"
#include "scheduler/api/call.h"

namespace pinka::api {

// Members see their own; all of it where money is open.
StatusOr<db::LostQuery> ConvertLost(const v1::GetLostWorkRequest& request, const Principal& who,
                                    const Board& board);
void FillLost(const db::LostQuery& query, const std::vector<db::LostLine>& lines,
              v1::GetLostWorkResponse* out);

}  // namespace pinka::api
