// Payments between members, as people see them.
#pragma once

#include <string>

#include "client/cli/core/session.h"
#include "pinka/v1/month.pb.h"

namespace pinka::cli {

using Payments = google::protobuf::RepeatedPtrField<v1::Payment>;
void PrintPayments(Session& session, const Lab& lab, const std::string& currency,
                   const Payments& payments, const std::string& if_none);

}  // namespace pinka::cli
