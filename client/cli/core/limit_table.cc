#include "client/cli/core/limit_table.h"

#include <algorithm>
#include <vector>

#include "client/cli/core/amount.h"
#include "client/cli/core/table.h"
#include "client/cli/core/when.h"

namespace pinka::cli {
namespace {

constexpr int kBar = 10;

std::string Number(const v1::Limit& limit, const std::string& number, const std::string& currency) {
  if (number == "unlimited" || limit.resource() != "money") return number;
  return Amount(number, currency);
}

std::string PeriodText(const v1::Limit& limit, const Lab& lab) {
  if (!limit.has_starts_at()) return limit.period();
  return "from " + lab.zone.Day(FromProto(limit.starts_at()));
}

}  // namespace

std::string UseBar(const v1::Limit& limit) {
  if (limit.amount() == "unlimited") return "";
  const auto full = static_cast<size_t>(std::clamp(limit.percent() / kBar, 0, kBar));
  const std::string percent = std::to_string(limit.percent());
  const std::string blanks(percent.size() < 3 ? 3 - percent.size() : 0, ' ');
  return "[" + std::string(full, '#') + std::string(kBar - full, '-') + "] " + blanks + percent +
         " %";
}

std::string LimitNotes(const v1::Limit& limit, const std::string& currency) {
  std::string notes;
  const auto note = [&](const std::string& text) { notes += (notes.empty() ? "" : ", ") + text; };
  if (!limit.crossed().empty())
    note(std::to_string(limit.crossed(limit.crossed_size() - 1)) + " % crossed");
  if (limit.block_at() > 0) note("nothing new from " + std::to_string(limit.block_at()) + " %");
  if (!limit.raised_from().empty())
    note("raised, then " + Number(limit, limit.raised_from(), currency));
  return notes;
}

void PrintLimits(Session& session, const Lab& lab, const v1::ListLimitsResponse& answer,
                 bool everybody) {
  std::vector<Column> columns = {{"SCOPE", 8}, {"LIMIT", 0}, {"OF", 0}};
  if (everybody) columns.push_back({"BY", 6});
  for (const Column& column :
       {Column{"TIER", 6}, Column{"PERIOD", 0}, Column{"USED", 0, true}, Column{"AMOUNT", 0, true},
        Column{"USE", 0}, Column{"UNTIL", 11}, Column{"NOTES", 8}})
    columns.push_back(column);
  Table table(std::move(columns), session.terminal(),
              [&](std::string_view text) { session.out().Write(text); });
  for (const v1::Limit& limit : answer.limits()) {
    std::vector<std::string> row = {limit.scope(), limit.resource(), limit.of()};
    if (everybody) row.push_back(limit.member());
    row.push_back(limit.tier());
    row.push_back(PeriodText(limit, lab));
    row.push_back(Number(limit, limit.used(), lab.currency));
    row.push_back(Number(limit, limit.amount(), lab.currency));
    row.push_back(UseBar(limit));
    row.push_back(limit.has_until() ? lab.zone.Full(FromProto(limit.until())) : "");
    row.push_back(LimitNotes(limit, lab.currency));
    table.Row(std::move(row));
  }
  table.Finish("No limits.");
}

}  // namespace pinka::cli
