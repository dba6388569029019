// Books to check: a small lab's history made by core itself, and its way into PostgreSQL.
#pragma once

#include <string>

#include "tests/support/core_world.h"

namespace pinka::testing {

// Late September to October: deposits to members, a project and the lab, some for a tier or for a
// few days; work that ends in every way the lab knows, over the month's end, on several lots; a
// price rise, a raised limit, withdrawals, refunds, transfers and corrections of every kind of
// entry, a lot that lapses; some work is open at the end.
void MakeHistory(test::CoreWorld& w);

// Everything that `w` has stored, into a fresh database, as one batch.
std::string StoreBooks(const test::CoreWorld& w);

}  // namespace pinka::testing
