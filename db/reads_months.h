// The month's end as it is stored, and the numbers that positions are made of.
#pragma once

#include <optional>
#include <vector>

#include "db/pool.h"
#include "scheduler/core/positions.h"

namespace pinka::db {

// What is stored of one month; nothing where it is not closed.
struct ClosedMonth {
  std::optional<MonthRow> row;
  std::vector<PositionRow> positions;  // by member; none before it is settled
  std::vector<PaymentRow> payments;
};
StatusOr<ClosedMonth> ReadMonth(ReadPool& pool, Timestamp start_at);

// Of the month that starts then, or of all; those that are only proposed, or all.
StatusOr<std::vector<PaymentRow>> ListPayments(ReadPool& pool, std::optional<Timestamp> month,
                                               bool all);

// Of the month [start_at, end_at), since ever up to its end, in one reading of the books.
StatusOr<PositionFacts> ReadPositionFacts(ReadPool& pool, Timestamp start_at, Timestamp end_at);

}  // namespace pinka::db
