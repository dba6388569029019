// Requests of the wire answered: what the service and the command line share. Every refusal is one
// sentence that says what was read and what would be right.
#pragma once

#include "base/status.h"
#include "pinka/v1/advice.pb.h"

namespace pinka::advise {

StatusOr<v1::ListCardsResponse> ListCards(const v1::ListCardsRequest& request);
// By a key as in the request; those without a price last.
Status SortCards(const std::string& sort, v1::ListCardsResponse* cards);
StatusOr<v1::AdviseMemoryResponse> AdviseMemory(const v1::AdviseMemoryRequest& request);
StatusOr<v1::AdviseCardResponse> AdviseCard(const v1::AdviseCardRequest& request);
StatusOr<v1::AdviseCostResponse> AdviseCost(const v1::AdviseCostRequest& request);
StatusOr<v1::AdviseCompatResponse> AdviseCompat(const v1::AdviseCompatRequest& request);
StatusOr<v1::ListProvidersResponse> ListProviders(const v1::ListProvidersRequest& request);

}  // namespace pinka::advise
