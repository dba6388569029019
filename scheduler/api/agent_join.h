// Join and RotateKey: a box's identity, by hash; the secrets themselves are neither stored nor
// logged.
#pragma once

#include "pinka/v1/agent.pb.h"
#include "scheduler/api/call.h"

namespace pinka::api {

void JoinNode(Desk& desk, CallPtr call, const v1::JoinRequest& request, v1::JoinResponse* response);
void RotateNodeKey(Desk& desk, CallPtr call, const v1::RotateKeyRequest& request);

}  // namespace pinka::api
