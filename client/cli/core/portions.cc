#include "client/cli/core/portions.h"

#include <algorithm>

#include "base/parse.h"
#include "base/text.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/options.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

std::string TermsText(const v1::Package& package) {
  std::string borrow = package.borrow();
  if (borrow != "none" && borrow != "free") borrow = HoursText(borrow) + " each";
  return "split " + package.split() + ", borrow " + borrow + ", what is left goes to " +
         (package.lapse_to() == "owner" ? "its owners" : "overhead");
}

}  // namespace

std::string HoursText(const std::string& wire) {
  return wire.empty() ? "-" : FormatMoney(MoneyOf(wire)) + " h";
}

StatusOr<std::vector<std::string>> ParseNames(const std::string& text) {
  std::vector<std::string> names = SplitCommas(text);
  if (std::ranges::find(names, "") != names.end())
    return Invalid("'" + text + "' has an empty name; write a,b,c");
  return names;
}

StatusOr<std::vector<std::pair<std::string, std::string>>> ParseShares(const std::string& text) {
  PINKA_TRY_ASSIGN(const std::vector<std::string> parts, ParseNames(text));
  std::vector<std::pair<std::string, std::string>> shares;
  for (const std::string& part : parts) {
    const size_t equals = part.rfind('=');
    const bool whole = equals != std::string::npos && equals > 0;
    const auto share = ParseMoney(whole ? part.substr(equals + 1) : "");
    if (!whole || !share.ok() || *share < Money())
      return Invalid("'" + part + "' is no share; write name=number, as in alice=1,bob=2");
    shares.emplace_back(part.substr(0, equals), FormatWireMoney(*share));
  }
  return shares;
}

void PrintPortions(Session& session, const Lab& lab, const std::string& currency,
                   const std::vector<v1::Portion>& portions) {
  Table table({{"PACKAGE", 0},
               {"MEMBER", 8},
               {"TIER", 4},
               {"OWN", 0, true},
               {"USED", 0, true},
               {"BORROWED", 0, true},
               {"LENT", 0, true},
               {"HELD", 0, true},
               {"LEFT", 0, true},
               {"COST", 0, true},
               {"SPENT", 0, true},
               {"ENDS", 10}},
              session.terminal(), [&](std::string_view text) { session.out().Write(text); });
  for (const v1::Portion& p : portions) {
    table.Row({std::to_string(p.package_id()), p.owner(), p.tier(), HoursText(p.total()),
               HoursText(p.used()), HoursText(p.borrowed()), HoursText(p.lent()),
               HoursText(p.held()), HoursText(p.left()), Amount(p.cost(), currency),
               Amount(p.spent(), currency), lab.zone.Full(FromProto(p.ends_at()))});
  }
  table.Finish("");
}

void PrintPackage(Session& session, const Lab& lab, const std::string& currency,
                  const v1::Package& package) {
  constexpr int kTitleColumns = 12;
  const auto line = [&](const std::string& title, const std::string& text) {
    if (!text.empty())
      session.out().Line(PadRight(title, kTitleColumns) + SanitizeForTerminal(text));
  };
  line("Package", std::to_string(package.id()));
  line("Hours", HoursText(package.hours()) + " of " + package.tier() +
                    (package.units() > 0
                         ? ", " + std::to_string(package.units()) + " unit(s) for the whole time"
                         : ""));
  line("Price", Amount(package.price(), currency) + ", " + Amount(package.rate(), currency) +
                    " a unit-hour");
  line("Paid by", package.payer().empty() ? "from outside" : package.payer());
  line("Provider", package.provider());
  line("From", lab.zone.Full(FromProto(package.starts_at())));
  line("Until", lab.zone.Full(FromProto(package.ends_at())));
  line("Terms", TermsText(package));
  line("Used", HoursText(package.used()) + " for " + Amount(package.moved(), currency));
  line("Lapsed", Amount(package.lapsed(), currency));
  line("Left", Amount(package.inventory(), currency));
  if (package.has_closed_at()) line("Closed", lab.zone.Full(FromProto(package.closed_at())));
  session.out().Line("");
  PrintPortions(session, lab, currency, {package.portions().begin(), package.portions().end()});
}

}  // namespace pinka::cli
