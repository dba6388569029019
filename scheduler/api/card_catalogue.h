// The catalogue of cards as a lab sees it: what its admins wrote over it, cards of their own, and
// which cards stand in its tiers now.
#pragma once

#include <string>

#include "base/status.h"
#include "pinka/v1/advice.pb.h"
#include "scheduler/core/board.h"

namespace pinka::api {

StatusOr<v1::ListCardsResponse> LabCards(const v1::ListCardsRequest& request, const Board& board);

// Names of the lab file as the catalogue's ids. Refuses one that it does not know and that has no
// memory of its own.
Status NameCards(LabChange* change);

}  // namespace pinka::api
