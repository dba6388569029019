// Members, as the lab file and the member verbs change them.
#pragma once

#include <string>

#include "scheduler/core/state.h"

namespace pinka {

// Adds a member, or changes one of that name (a removed one comes back).
MemberId PutMember(State& state, const std::string& name, int64_t share, bool admin,
                   MemberId actor);

}  // namespace pinka
