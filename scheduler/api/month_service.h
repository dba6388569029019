// pinka.v1.MonthService. The generated code is seen by month_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeMonthService(Desk& desk);

}  // namespace pinka::api
