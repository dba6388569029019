// Whom this machine believes by itself.
#pragma once

#include <string>

#include "base/status.h"

namespace pinka {

// The authorities that the system trusts, PEM; refused where it has none.
StatusOr<std::string> SystemAuthorities();

}  // namespace pinka
