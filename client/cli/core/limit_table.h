// Limits as people see them: use, percent and a bar, what was crossed, what a raise goes back to.
#pragma once

#include <string>

#include "client/cli/core/session.h"
#include "pinka/v1/ledger.pb.h"

namespace pinka::cli {

// "[######----]  64 %": full at 100 %; "" where a limit is unlimited.
std::string UseBar(const v1::Limit& limit);
// "80 % crossed, nothing new from 95 %, raised, then ¥30.00".
std::string LimitNotes(const v1::Limit& limit, const std::string& currency);
// Prints them as a table; `everybody` adds whose use it is.
void PrintLimits(Session& session, const Lab& lab, const v1::ListLimitsResponse& answer,
                 bool everybody);

}  // namespace pinka::cli
