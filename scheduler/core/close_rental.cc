#include "scheduler/core/verbs.h"

namespace pinka {

Reply Do(State&, const CloseRental&) { return Refuse(Reason::kBadRequest, "not yet"); }

}  // namespace pinka
