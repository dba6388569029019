// pinka.v1.AdminService. The generated code is seen by admin_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeAdminService(Desk& desk);

}  // namespace pinka::api
