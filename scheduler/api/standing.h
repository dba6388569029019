// What core says of standing, as the messages that one caller may see. Pure.
#pragma once

#include "pinka/v1/standing.pb.h"
#include "scheduler/api/auth.h"
#include "scheduler/core/standing.h"

namespace pinka::api {

// Whether the caller sees the standing of others: everybody's but in a closed lab; admins always.
bool SeesEverybody(const Principal& who, Openness openness);
// Own lines, and those of the projects they belong to; with `everybody` all.
void FillShares(const ShareList& list, const State& state, MemberId caller, bool everybody,
                v1::ListSharesResponse* out);
void FillPriorities(const PriorityList& list, v1::ListPrioritiesResponse* out);

// Thousandths and Q62 fractions as decimal text: "1.600", "0.7500".
std::string FormatThousandths(int64_t thousandths);
std::string FormatFraction(uint64_t q62);

}  // namespace pinka::api
