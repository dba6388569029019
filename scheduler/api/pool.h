// GetPool: who may see what the lab's machines cost, which window, and how sums become parts of 100
// %.
#pragma once

#include <string>
#include <vector>

#include "db/reads_pool.h"
#include "pinka/v1/report.pb.h"
#include "scheduler/api/auth.h"
#include "scheduler/api/usage.h"
#include "scheduler/core/board.h"

namespace pinka::api {

// Admins; in an open lab everybody. A month or a window, not both; neither: all time.
StatusOr<Month> ConvertPool(const v1::GetPoolRequest& request, const Principal& who,
                            const Board& board);

// Each part of `parts` in hundredths of a percent of their sum, by largest remainder, ties to the
// first: together 10,000. Parts below zero have shares below zero. Nothing where the sum is not
// above zero.
std::vector<int64_t> PartsOfWhole(const std::vector<Money>& parts);

void FillPool(const Month& window, const std::vector<db::PoolLine>& lines,
              v1::GetPoolResponse* out);

}  // namespace pinka::api
