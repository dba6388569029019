// A token that is shown once: alone on standard output, so that it can be piped.
#pragma once

#include <string>

#include "client/cli/core/session.h"

namespace pinka::cli {

// With --json `message`; else the token on standard output and, unless quiet, what happened on
// standard error.
void PrintToken(Session& session, const google::protobuf::Message& message,
                const std::string& token, bool quiet, const std::string& what_happened);

}  // namespace pinka::cli
