// What `pinka pool` shows, in each of its forms. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/html.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "pinka/v1/report.pb.h"

namespace pinka::cli {

// The columns: tier, what was paid, its parts, and a bar.
std::vector<Column> PoolColumns();

// Printed cells of each row and, last, of the total; nothing where nothing was paid. What was paid
// has two decimals, spread so that the lines sum to the total; the parts are percentages that sum
// to 100.
std::vector<std::vector<std::string>> PoolCells(const v1::GetPoolResponse& answer);

// Twenty cells, "####xx......": # used, x wasted, . idle, + the rest, by largest remainder. Empty
// where nothing was paid, or where a part is below zero.
std::string PoolBar(const v1::PoolRow& row);

// A page with a bar a tier, cut into its parts.
HtmlReport PoolPage(const v1::GetPoolResponse& answer, const Lab& lab);

// Exact, six decimals; the lines only, so that a sum over a column is the total.
std::string PoolCsv(const v1::GetPoolResponse& answer);

}  // namespace pinka::cli
