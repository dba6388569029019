// `pinka-agent join`: a fresh box becomes a node of the lab. Once: the token works once.
#pragma once

#include <string>

#include "agent/options.h"
#include "agent/state_dir.h"
#include "base/random.h"
#include "base/status.h"

namespace pinka {

// A join token's text: "SECRET", or "SECRET.PIN", the pin being the SHA-256 of the lab's authority.
struct JoinToken {
  std::string secret;
  std::string pin;
};
bool IsJoinToken(const std::string& text);
StatusOr<JoinToken> ParseJoinToken(const std::string& text);

// Checks the server, binds this box's instance and a key of its own to the token's node, and fills
// in what it learns: name, tier, and where the lab's authority is kept. The key lies in the state
// directory then. A call that was cut off may be repeated.
Status Join(const StateDir& state, Random* random, AgentOptions* options);

// The command: joins, writes the configuration, says what to do next. An exit code.
int JoinCommand(AgentOptions options);
// `pinka-agent rotate`: another key, while the agent does not run.
int RotateCommand(const AgentOptions& options);

}  // namespace pinka
