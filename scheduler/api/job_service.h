// pinka.v1.JobService. The generated code is seen by job_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"
#include "scheduler/runtime/logs.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeJobService(Desk& desk, LogStore& logs);

}  // namespace pinka::api
