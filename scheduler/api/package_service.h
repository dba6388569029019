// pinka.v1.PackageService. The generated code is seen by package_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakePackageService(Desk& desk);

}  // namespace pinka::api
