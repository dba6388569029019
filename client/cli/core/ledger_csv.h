// Entries of the ledger for spreadsheets: six decimals, times with their offset.
#pragma once

#include <string>
#include <utility>

#include "base/money.h"
#include "client/cli/core/when.h"
#include "pinka/v1/ledger.pb.h"

namespace pinka::cli {

// What lies in an account's lots of money, entry after entry from the first on.
class RunningBalance {
 public:
  // `account` as entries name its lots; "": of no account, which has no balance.
  explicit RunningBalance(std::string account) : account_(std::move(account)) {}
  bool on() const { return !account_.empty(); }
  // After this entry, six decimals; "" of hours of a package.
  std::string After(const v1::Entry& entry);

 private:
  const std::string account_;
  Money balance_;
};

std::string LedgerCsvTitles();
// `balance`: after the entry, where an account is asked for; "" otherwise.
std::string LedgerCsvLine(const v1::Entry& entry, const std::string& currency, const Zone& zone,
                          const std::string& balance = "");

}  // namespace pinka::cli
