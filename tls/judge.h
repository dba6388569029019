// Why a server is not trusted, in one sentence. gRPC itself says no more than "handshake failed";
// this asks the server again, by hand, and says what is wrong and what to do.
#pragma once

#include <string>

#include "base/status.h"
#include "base/time.h"

namespace pinka {

inline constexpr Duration kJudgePatience = Duration::Seconds(5);

// Whether what gRPC says of a failed call may be about a certificate.
bool IsAboutTrust(const std::string& rpc_message);

// OK where `server` (HOST:PORT) is reached, shows a certificate for its name that one of
// `authorities` (PEM) vouches for, and that is valid `now`. Else Unavailable where nothing answers,
// Unimplemented where no TLS is spoken, or FailedPrecondition, each with the sentence. Blocks, at
// most for the patience.
Status JudgeServer(const std::string& server, const std::string& authorities, Timestamp now);

// The authority whose SHA-256 is `pin` among what the server shows, PEM. Nothing is trusted yet:
// the pin is what makes it so.
StatusOr<std::string> FetchAuthority(const std::string& server, const std::string& pin);

}  // namespace pinka
