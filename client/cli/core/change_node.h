// drain, resume and rm of a node: one call.
#pragma once

#include "client/cli/core/session.h"
#include "pinka/v1/node.pb.h"

namespace pinka::cli {

// Fills in the request id, sends, prints the node's new state.
StatusOr<int> ChangeNode(Session& session, v1::ChangeNodeRequest request);

}  // namespace pinka::cli
