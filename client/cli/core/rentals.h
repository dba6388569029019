// How rentals are shown: one a line, with what their bill is made of.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <string>

#include "client/cli/core/session.h"
#include "pinka/v1/rental.pb.h"

namespace pinka::cli {

using Rentals = google::protobuf::RepeatedPtrField<v1::Rental>;

void PrintRentals(Session& session, const Lab& lab, const std::string& currency,
                  const Rentals& rentals, const std::string& none);

}  // namespace pinka::cli
