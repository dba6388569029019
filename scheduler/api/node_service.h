// pinka.v1.NodeService. The generated code is seen by node_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeNodeService(Desk& desk);

}  // namespace pinka::api
