// The one table of refusals: what a reason is to gRPC, to HTTP, to the exit code of `pinka`, and
// whether the same request may be sent again (semantics.md 11). Every Reason and Trouble has a row.
#pragma once

#include <grpcpp/support/status.h>

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "scheduler/core/reason.h"

namespace pinka::api {

// What keeps a request from being judged at all.
enum class Trouble : int8_t {
  kUnauthenticated,  // no token, or one that is not valid
  kBusy,             // the inbox is full
  kNotLeader,        // another scheduler leads
  kDown,             // the database is away, or the scheduler stops
  kTooLarge,         // beyond a size that a machine can start
  kNoSuchFile,       // nothing in the blob store has this name
  kStoreFull,        // the blob store, or a member's part of it
  kInternal,         // a fault of ours
};
inline constexpr int kTroubles = 8;

struct StatusRow {
  std::string_view name;  // in pinka.v1.Error.reason
  grpc::StatusCode code = grpc::StatusCode::UNKNOWN;
  int http = 500;
  int exit_code = 1;
  bool retry = false;  // the same request may succeed later by itself
};

const StatusRow& RowOf(Reason reason);
const StatusRow& RowOf(Trouble trouble);
// By the name that travels in pinka.v1.Error; null: none.
const StatusRow* RowOfName(std::string_view name);

// A refusal on its way to the caller as a Status: its sentence, and the row it belongs to.
Status Refusal(Reason reason, const std::string& sentence);
Status Refusal(Trouble trouble, const std::string& sentence, Duration retry_after = {});

// What `pinka-error-bin` holds, and gRPC's own status. A Status that is no Refusal is bad input
// (InvalidArgument), an absent database (Unavailable), or a fault of ours, whose text stays here.
struct WireStatus {
  grpc::Status status;
  std::string error_bin;  // a serialised pinka.v1.Error
};
WireStatus ToWire(const Status& status);

}  // namespace pinka::api
