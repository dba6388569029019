#include "scheduler/core/verbs.h"

namespace pinka {

Reply Do(State&, const OpenRental&) { return Refuse(Reason::kBadRequest, "not yet"); }

}  // namespace pinka
