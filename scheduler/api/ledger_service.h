// pinka.v1.LedgerService. The generated code is seen by ledger_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeLedgerService(Desk& desk);

}  // namespace pinka::api
