#include "client/cli/core/change_node.h"

#include <utility>

#include "client/cli/core/try.h"

namespace pinka::cli {

StatusOr<int> ChangeNode(Session& session, v1::ChangeNodeRequest request) {
  request.set_request_id(session.NewRequestId());
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  PINKA_TRY_ASSIGN(const v1::ChangeNodeResponse answer, api->ChangeNode(request));
  if (session.json()) {
    session.PrintJson(answer);
  } else if (request.verb() == v1::ChangeNodeRequest::REMOVE) {
    session.out().Line("Node " + request.node() + " was removed.");
  } else {
    session.out().Line("Node " + request.node() + " is " +
                       v1::NodeState::Value_Name(answer.node().state()) + ".");
  }
  return 0;
}

}  // namespace pinka::cli
