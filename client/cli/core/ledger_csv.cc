#include "client/cli/core/ledger_csv.h"

#include "base/parse.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/csv.h"

namespace pinka::cli {

std::string RunningBalance::After(const v1::Entry& entry) {
  if (!on() || !entry.asset().empty()) return "";
  const Money amount = MoneyOf(entry.amount());
  if (entry.credit() == account_) balance_ += amount;
  if (entry.debit() == account_) balance_ -= amount;
  return FormatWireMoney(balance_);
}

std::string LedgerCsvTitles() {
  return CsvTitles({"id", "at", "kind", "from", "to", "amount", "currency", "member", "project",
                    "job", "tier", "source", "node", "unit_ms", "by", "reason", "balance"});
}

std::string LedgerCsvLine(const v1::Entry& entry, const std::string& currency, const Zone& zone,
                          const std::string& balance) {
  return CsvLine({CsvNumber(std::to_string(entry.id())), CsvText(zone.Full(FromProto(entry.at()))),
                  CsvText(entry.kind()), CsvText(entry.debit()), CsvText(entry.credit()),
                  CsvNumber(entry.amount()),
                  CsvText(entry.asset().empty() ? currency : entry.asset()),
                  CsvText(entry.member()), CsvText(entry.project()), CsvText(entry.job()),
                  CsvText(entry.tier()), CsvText(entry.source()), CsvText(entry.node()),
                  CsvNumber(std::to_string(entry.unit_ms())), CsvText(entry.person()),
                  CsvText(entry.reason()), CsvNumber(balance)});
}

}  // namespace pinka::cli
