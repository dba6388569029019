// One change of one value for each column that the check guards.
#pragma once

#include <string>
#include <vector>

namespace pinka::testing {

struct Mutation {
  std::string table;
  std::string column;
  std::string where;  // which row; the first by key where several fit
  std::string value;  // an SQL expression over the row
};
const std::vector<Mutation>& Mutations();
std::vector<Mutation> RentalMutations();   // of them: of rentals
std::vector<Mutation> RefundMutations();   // of them: of hours given back, and of who paid in
std::vector<Mutation> InvoiceMutations();  // of them: of providers' bills

// An SQL expression that writes the key of a row of `table` as the check does.
std::string KeyOf(const std::string& table);

}  // namespace pinka::testing
