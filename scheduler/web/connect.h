// The Connect protocol's unary calls in JSON, as the page makes them, and the gRPC calls of the
// same methods: what is text there is bytes here. No network; thread-safe.
//
//   const auto* method = UnaryMethod("/pinka.v1.JobService/ListJobs");
//   auto request = RequestBytes(*method, R"({"mine": true})");
//   … call it …
//   auto reply = ReplyJson(*method, bytes);
//
// https://connectrpc.com/docs/protocol
#pragma once

#include <google/protobuf/descriptor.h>
#include <grpcpp/support/status.h>

#include <string>
#include <string_view>

#include "base/status.h"

namespace pinka::web {

using Method = google::protobuf::MethodDescriptor;

// By "/SERVICE/METHOD"; null where there is none, where it streams, or where only agents call it.
const Method* UnaryMethod(std::string_view path);

// Unknown fields are skipped, as Connect asks. Refuses what is no JSON of that message.
StatusOr<std::string> RequestBytes(const Method& method, std::string_view json);
StatusOr<std::string> ReplyJson(const Method& method, const std::string& bytes);

struct HttpAnswer {
  int status = 200;
  std::string body;  // application/json
};

// A refused call: {"code", "message", "details"}. `error_bin` is the trailer of that name (a
// serialised pinka.v1.Error, may be empty): its reason decides the HTTP status.
HttpAnswer ErrorAnswer(const grpc::Status& status, const std::string& error_bin);

}  // namespace pinka::web
