// What agents say and hear, between messages and core's types. Forms are checked here; who they are
// comes from the token, never from the message.
#pragma once

#include "base/status.h"
#include "pinka/v1/agent.pb.h"
#include "scheduler/core/board.h"
#include "scheduler/core/command.h"
#include "scheduler/core/core.h"
#include "scheduler/runtime/agents.h"

namespace pinka::api {

StatusOr<AttemptId> ConvertAttempt(const v1::AttemptName& name);
void FillAttemptName(const AttemptId& id, v1::AttemptName* out);

// Refuses more than a node can have, and numbers out of range. A tier that the lab does not know
// stays unset: core refuses it.
StatusOr<AgentReport> ConvertReport(const v1::SynchronizeRequest& request, const std::string& node,
                                    const Board& board);

// Why a node whose clock stands at `sent_at_us` takes nothing new: times of its files and of its
// jobs' own would be wrong. "" within a minute, or where it did not say.
std::string ClockTrouble(int64_t sent_at_us, Timestamp now);

// The orders of the node; `unknown` are attempts of the report that core has no part in: forget.
void FillAnswer(const AgentBoard::Answer& answer, const std::vector<AttemptId>& unknown,
                v1::SynchronizeResponse* out);

}  // namespace pinka::api
