// Entries of the ledger for spreadsheets: six decimals, times with their offset.
#pragma once

#include <string>

#include "client/cli/core/when.h"
#include "pinka/v1/ledger.pb.h"

namespace pinka::cli {

std::string LedgerCsvTitles();
std::string LedgerCsvLine(const v1::Entry& entry, const std::string& currency, const Zone& zone);

}  // namespace pinka::cli
