// pinka.v1.AdviceService. The generated code is seen by advice_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeAdviceService(Desk& desk);

}  // namespace pinka::api
