#include "client/cli/core/invoices.h"

#include <algorithm>
#include <vector>

#include "base/parse.h"
#include "base/text.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/table.h"

namespace pinka::cli {
namespace {

constexpr int kBarColumns = 24;

struct Part {
  std::string name;
  Money amount;
  std::string meaning;
};

std::vector<Part> PartsOf(const v1::Identity& i) {
  return {{"charges", MoneyOf(i.charges()), "attempts that members and the lab paid for"},
          {"members", MoneyOf(i.members()), "explained: charged to members"},
          {"overhead", MoneyOf(i.overhead()), "explained: the lab's"},
          {"idle", MoneyOf(i.idle()), "paid time that nobody used"},
          {"rounding", MoneyOf(i.rounding()), "minimums, blocks and rounding"},
          {"disk", MoneyOf(i.disk()), ""},
          {"egress", MoneyOf(i.egress()), ""},
          {"variance", MoneyOf(i.variance()), "more or less than the lab's rates"},
          {"vouchers", -MoneyOf(i.vouchers()), "credits of the provider"},
          {"unknown", MoneyOf(i.unknown()), "to be explained before the month closes"}};
}

Money Size(Money amount) { return amount < Money() ? -amount : amount; }

}  // namespace

std::string BarOf(Money amount, Money largest, int columns) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (amount == Money() || largest <= Money()) return "";
  const int64_t eighths =
      std::max<int64_t>(MulDivRound(Size(amount).micros(), columns * 8, largest.micros()), 1);
  std::string bar = amount < Money() ? "-" : "";
  for (int64_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kEighths[eighths % 8];
}

void PrintIdentity(Session& session, const v1::Identity& identity, const std::string& currency) {
  std::vector<Part> parts = PartsOf(identity);
  std::erase_if(parts, [](const Part& part) { return part.amount == Money(); });
  std::vector<Money> exact;
  Money largest;
  for (const Part& part : parts) {
    exact.push_back(part.amount);
    largest = std::max(largest, Size(part.amount));
  }
  const Money total = MoneyOf(identity.total());
  const std::vector<Money> cents = SpreadCentsTo(exact, RoundToCents(total));
  Table table({{"PART", 0}, {"AMOUNT", 0, true}, {"", kBarColumns / 2}, {"WHAT IT IS", 12}},
              session.terminal(), [&](std::string_view text) { session.out().Write(text); });
  for (size_t i = 0; i < parts.size(); ++i) {
    table.Row({parts[i].name, Amount(FormatWireMoney(cents[i]), currency),
               BarOf(parts[i].amount, largest, kBarColumns), parts[i].meaning});
  }
  table.Row({"total", Amount(FormatWireMoney(RoundToCents(total)), currency), "", "of the bill"});
  table.Finish("");
}

void PrintUnknown(Session& session, const Lab& lab, int64_t id, const std::string& currency,
                  const google::protobuf::RepeatedPtrField<v1::InvoiceLine>& lines) {
  if (lines.empty()) return;
  session.out().Line("");
  Table table({{"LINE", 0, true},
               {"UNKNOWN", 0, true},
               {"KIND", 0},
               {"MACHINE", 8},
               {"FROM", 10},
               {"TO", 10},
               {"TEXT", 8}},
              session.terminal(), [&](std::string_view text) { session.out().Write(text); });
  for (const v1::InvoiceLine& line : lines) {
    table.Row({std::to_string(line.line()), Amount(line.unknown(), currency), line.kind(),
               line.instance().empty() ? "-" : line.instance(),
               lab.zone.Short(FromProto(line.starts_at())),
               lab.zone.Short(FromProto(line.ends_at())), line.text()});
  }
  table.Finish("");
  if (id == 0) return;
  session.out().Line("");
  session.out().Line("Explain each before the month closes:");
  for (const v1::InvoiceLine& line : lines) {
    session.out().Line("  pinka admin invoice explain " + std::to_string(id) + ":" +
                       std::to_string(line.line()) + " --as idle --reason 'what it was'");
  }
}

std::string HeadOf(const Lab& lab, const v1::Invoice& invoice) {
  std::string head = "Bill " + invoice.ref() + " of " + invoice.provider() + ", " +
                     lab.zone.Day(FromProto(invoice.starts_at())) + " to " +
                     lab.zone.Day(FromProto(invoice.ends_at()));
  head += invoice.payer().empty() ? ", paid from outside" : ", paid by " + invoice.payer();
  head += invoice.id() == 0 ? ": not imported" : ": invoice " + std::to_string(invoice.id());
  if (const std::string month = MonthOf(lab, invoice); !month.empty())
    head += ", counts in " + month;
  return SanitizeForTerminal(head + ".");
}

std::string MonthOf(const Lab& lab, const v1::Invoice& invoice) {
  if (!invoice.has_booked_at()) return "";
  return lab.zone.Day(FromProto(invoice.booked_at())).substr(0, 7);
}

}  // namespace pinka::cli
