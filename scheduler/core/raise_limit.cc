#include "scheduler/core/verbs.h"

namespace pinka {

Reply Do(State&, const RaiseLimit&) { return Refuse(Reason::kBadRequest, "not yet"); }

}  // namespace pinka
