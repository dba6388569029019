// pinka.v1.ReportService. The generated code is seen by report_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeReportService(Desk& desk);

}  // namespace pinka::api
