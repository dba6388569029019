// pinka.v1.StandingService. The generated code is seen by standing_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeStandingService(Desk& desk);

}  // namespace pinka::api
