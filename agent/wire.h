// Between agent.proto and the agent's own values. Pure.
#pragma once

#include <optional>

#include "agent/box.h"
#include "agent/core/records.h"
#include "agent/records.h"
#include "pinka/v1/agent.pb.h"

namespace pinka {

v1::AttemptName ToWire(const AttemptId& id);
AttemptId FromWire(const v1::AttemptName& name);
v1::NodeFacts ToWire(const Box& box);
v1::ObservedAttempt ToWire(const Observation& seen);
// Lines that want nothing known (a newer scheduler's) are left out: nothing is done about them.
Answer FromWire(const v1::SynchronizeResponse& response, Duration request_sent_at);

}  // namespace pinka
