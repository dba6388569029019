#include "client/cli/core/errors.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "client/cli/core/json.h"

namespace pinka::cli {
namespace {

constexpr char kPayload[] = "pinka.v1.Error";

// What a bare gRPC status means: a row per code (grpc/status.h), for servers or proxies that send
// no pinka.v1.Error. We cancel no call ourselves: CANCELLED is a server that was killed.
struct RpcRow {
  int grpc_code;
  const char* reason;
  int exit_code;
};
constexpr RpcRow kRpcTable[] = {
    {1, "Unreachable", kExitUnreachable},  {3, "BadRequest", kExitUsage},
    {4, "Unreachable", kExitUnreachable},  {5, "NotFound", kExitNotFound},
    {6, "Conflict", kExitConflict},        {7, "NotPermitted", kExitNotPermitted},
    {8, "TooLarge", kExitBudget},          {9, "Refused", kExitFailure},
    {10, "Conflict", kExitConflict},       {12, "NotOffered", kExitFailure},
    {14, "Unreachable", kExitUnreachable}, {16, "NotPermitted", kExitNotPermitted},
};

// A connection that broke within a call may also come back as INTERNAL.
int TransportCode(int grpc_code, const std::string& grpc_message) {
  constexpr int kInternal = 13;
  constexpr int kUnavailable = 14;
  const bool broke = grpc_code == kInternal && grpc_message.find("RST_STREAM") != std::string::npos;
  return broke ? kUnavailable : grpc_code;
}

RpcRow RowOf(int grpc_code) {
  for (const RpcRow& row : kRpcTable) {
    if (row.grpc_code == grpc_code) return row;
  }
  return {grpc_code, "ServerFailure", kExitFailure};
}

std::string Sentence(const RpcRow& row, const std::string& grpc_message,
                     const std::string& server) {
  if (row.exit_code == kExitUnreachable) {
    return "the server " + server + " does not answer; is it running? (" + grpc_message + ")";
  }
  if (row.grpc_code == 12) {
    return "the server does not know this call; is it older than this pinka?";
  }
  return grpc_message.empty() ? "the server refused: " + std::string(row.reason) : grpc_message;
}

Status Carry(const v1::Error& error) {
  Status status(absl::StatusCode::kUnknown, error.message());
  status.SetPayload(kPayload, absl::Cord(error.SerializeAsString()));
  return status;
}

int ExitCodeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return kExitUsage;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kPermissionDenied:
      return kExitNotPermitted;
    case absl::StatusCode::kUnavailable:
      return kExitUnreachable;
    default:
      return kExitFailure;
  }
}

}  // namespace

Status Refusal(const std::string& reason, const std::string& message, int exit_code) {
  v1::Error error;
  error.set_reason(reason);
  error.set_message(message);
  error.set_exit_code(exit_code);
  return Carry(error);
}

Status FromRpc(int grpc_code, const std::string& grpc_message, const std::string& trailer,
               const std::string& server) {
  v1::Error error;
  if (!trailer.empty() && error.ParseFromString(trailer) && !error.message().empty()) {
    if (error.exit_code() == 0) error.set_exit_code(RowOf(grpc_code).exit_code);
    return Carry(error);
  }
  const RpcRow row = RowOf(TransportCode(grpc_code, grpc_message));
  return Refusal(row.reason, Sentence(row, grpc_message, server), row.exit_code);
}

v1::Error ErrorOf(const Status& status) {
  v1::Error error;
  if (const auto payload = status.GetPayload(kPayload)) {
    if (error.ParseFromString(std::string(*payload))) return error;
  }
  error.set_exit_code(ExitCodeOf(status.code()));
  error.set_reason(error.exit_code() == kExitUsage ? "Usage" : "Failure");
  error.set_message(Message(status));
  return error;
}

std::string FormatError(const v1::Error& error, bool json) {
  if (json) {
    return "{\"error\":{\"reason\":" + JsonString(error.reason()) +
           ",\"message\":" + JsonString(error.message()) +
           ",\"exitCode\":" + std::to_string(error.exit_code()) + "}}\n";
  }
  std::string line = SanitizeForTerminal(error.message());
  std::replace(line.begin(), line.end(), '\n', ' ');
  return "pinka: " + line + "\n";
}

}  // namespace pinka::cli
