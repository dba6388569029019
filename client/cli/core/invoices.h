// Providers' bills, as people see them.
#pragma once

#include <string>

#include "base/money.h"
#include "client/cli/core/session.h"
#include "pinka/v1/invoice.pb.h"

namespace pinka::cli {

// A part of the largest: eighths of a block; below 0 with a minus in front. "" for 0.
std::string BarOf(Money amount, Money largest, int columns);

// total = charges + idle + ..., a row each with a bar; parts that are 0 are left out. Cents sum.
void PrintIdentity(Session& session, const v1::Identity& identity, const std::string& currency);

// What is unknown, with the command that explains each; under a dry run (`id` 0) without it.
void PrintUnknown(Session& session, const Lab& lab, int64_t id, const std::string& currency,
                  const google::protobuf::RepeatedPtrField<v1::InvoiceLine>& lines);

// "Bill 2026-09 of aliyun, 2026-09-01 to 2026-09-30, paid by alice: invoice 31, counts in 2026-09."
std::string HeadOf(const Lab& lab, const v1::Invoice& invoice);
// In which month it counts: "2026-09"; "" before it is imported.
std::string MonthOf(const Lab& lab, const v1::Invoice& invoice);

}  // namespace pinka::cli
