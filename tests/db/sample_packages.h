// A package of hours with a value in every column, a member's portion of it and the lot it lies in.
#pragma once

#include "scheduler/core/rows.h"

namespace pinka::testing {

PackageRow SamplePackage();
PortionRow SamplePortion();
LotRow SamplePortionLot();

}  // namespace pinka::testing
