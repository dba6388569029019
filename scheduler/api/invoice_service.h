// pinka.v1.InvoiceService. The generated code is seen by invoice_service.cc only.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeInvoiceService(Desk& desk);

}  // namespace pinka::api
