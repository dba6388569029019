// A provider's bill with a value in every column, and what its lines cover.
#pragma once

#include <vector>

#include "scheduler/core/rows.h"

namespace pinka::testing {

InvoiceRow SampleInvoice();
std::vector<InvoiceLineRow> SampleInvoiceLines();
CoveredRow SampleCovered();

}  // namespace pinka::testing
