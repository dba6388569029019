// FilesService: blobs in and out, and which trees of jobs' files are kept
// (proto/pinka/v1/files.proto).
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "scheduler/api/call.h"

namespace pinka::api {

std::unique_ptr<grpc::Service> MakeFilesService(Desk& desk);

}  // namespace pinka::api
