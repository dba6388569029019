// The month's end on the wire.
#pragma once

#include <string>
#include <vector>

#include "pinka/v1/month.pb.h"
#include "scheduler/api/names.h"
#include "scheduler/core/positions.h"

namespace pinka::api {

// "" is by usage.
StatusOr<Spread> ParseSpread(const std::string& text);

void FillPosition(const PositionRow& row, const Board& board, v1::Position* out);
void FillPayment(const PaymentRow& row, const Board& board, v1::Payment* out);
// What settling would propose: payments without a number.
void FillProposals(const std::vector<PositionRow>& rows, const Board& board,
                   v1::SettleMonthResponse* out);

}  // namespace pinka::api
