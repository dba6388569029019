// pinka.v1.RentalService. The generated code is seen by rental_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeRentalService(Desk& desk);

}  // namespace pinka::api
