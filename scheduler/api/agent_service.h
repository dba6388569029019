// pinka.v1.AgentService. The generated code is seen by agent_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"
#include "scheduler/runtime/logs.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeAgentService(Desk& desk, LogStore& logs);

}  // namespace pinka::api
