// Refusals on their way to a person or a script. Everywhere in the client an error is a Status; one
// that came from the server, or has an exit code of its own, carries a pinka.v1.Error in it.
//
// Exit codes (semantics.md 11): 0 ok, 1 failure, 2 usage, 3 limit or budget, 4 not found,
// 5 not permitted, 6 server unreachable, 7 conflict; 125 for pinka's own failures where the
// command ends with a job's code.
#pragma once

#include <string>

#include "base/status.h"
#include "pinka/v1/error.pb.h"

namespace pinka::cli {

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBudget = 3;
inline constexpr int kExitNotFound = 4;
inline constexpr int kExitNotPermitted = 5;
inline constexpr int kExitUnreachable = 6;
inline constexpr int kExitConflict = 7;
inline constexpr int kExitOwnFailure = 125;

// An error with a name for scripts and a sentence for people.
Status Refusal(const std::string& reason, const std::string& message, int exit_code);
// A refusal of an RPC: `trailer` is the value of `pinka-error-bin`, "" if there was none.
Status FromRpc(int grpc_code, const std::string& grpc_message, const std::string& trailer,
               const std::string& server);
// The error that a Status carries, or one made from its code: bad input is usage.
v1::Error ErrorOf(const Status& status);

// "pinka: …" in one line, safe for terminals; with `json` the object of cli.md.
std::string FormatError(const v1::Error& error, bool json);

}  // namespace pinka::cli
