// The first admin's token (design.md 11): kept in DIR/tokens, and written, while this process still
// has its rights, into the caller's config as context `local`. Never printed, never logged.
#pragma once

#include <string>

#include "base/random.h"
#include "base/status.h"
#include "scheduler/daemon/data_dir.h"

namespace pinka {

// The token of DIR/tokens/NAME, made at the first call. The file belongs to `account`.
StatusOr<std::string> KeptToken(const DataDir& dir, const std::string& name, const Account& account,
                                Random& random);

// Points context `local` of the caller's config (SUDO_USER's home under sudo) at `server`. The
// context becomes current only where none is. A file that says so already is left alone.
Status WriteLocalContext(const std::string& server, const std::string& token);

}  // namespace pinka
