// explain: what an unknown line of a bill was. One entry out of the unknown, where the bill's
// entries stand; several partial ones may, together at most what was unknown of the line.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/money.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

bool MayBe(AccountKind as) {
  return as == AccountKind::kIdle || as == AccountKind::kDisk || as == AccountKind::kEgress ||
         as == AccountKind::kRounding || as == AccountKind::kVariance ||
         as == AccountKind::kOverheadOther || as == AccountKind::kSpent;
}

std::optional<Reply> RefuseAs(const State& state, const ExplainLine& command) {
  if (!MayBe(command.as)) {
    return Refuse(Reason::kBadRequest,
                  "a line is explained as idle, disk, egress, rounding, variance, overhead or "
                  "member=NAME");
  }
  if ((command.as == AccountKind::kSpent) != static_cast<bool>(command.member)) {
    return Refuse(Reason::kBadRequest,
                  "say which member is charged for it: --as member=NAME, and none otherwise");
  }
  if (!command.member) return std::nullopt;
  return RefuseOwner(state, OwnedBy(command.member));
}

std::optional<Reply> RefuseLine(const State& state, const ExplainLine& command) {
  const int64_t id = command.invoice.value();
  if (!state.invoices.Find(command.invoice)) {
    return Refuse(Reason::kNoSuchAccount,
                  fmt::format("no invoice {}; `pinka admin invoice ls` lists them", id));
  }
  const InvoiceLineRow* line = state.invoice_lines.Find({command.invoice, command.n});
  if (!line || line->unknown == Money()) {
    return Refuse(Reason::kConflict,
                  fmt::format("nothing of line {0} of invoice {1} is unknown; `pinka admin invoice "
                              "show {1}` lists what is",
                              command.n, id));
  }
  const bool below = line->unknown < Money();
  const Money most = below ? -line->unknown : line->unknown;
  const Money wanted = below ? -command.amount : command.amount;
  if (command.amount != Money() && (wanted < Money() || wanted > most)) {
    return Refuse(Reason::kInsufficient,
                  fmt::format("of line {} of invoice {}, {} is unknown; {} is not a part of that",
                              command.n, id, FormatAmount(line->unknown, state.lab.currency),
                              FormatAmount(command.amount, state.lab.currency)));
  }
  return std::nullopt;
}

}  // namespace

Reply Do(State& state, const ExplainLine& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin)
    return Refuse(Reason::kNotPermitted, "lines of bills are explained by admins");
  if (auto refused = RefuseUnfounded("an explanation", command.request, command.reason))
    return *refused;
  if (auto refused = RefuseAs(state, command)) return *refused;
  if (auto refused = RefuseLine(state, command)) return *refused;

  const TransferId first(state.lab.next_transfer);
  InvoiceLineRow& line = state.invoice_lines.Edit({command.invoice, command.n});
  const Money amount = command.amount == Money() ? line.unknown : command.amount;
  line.unknown -= amount;
  const Owner owner = command.member ? OwnedBy(command.member) : OwnedByLab();
  const AccountId unknown = AccountOf(state, AccountKind::kUnknown, OwnedByLab());
  const AccountId account = AccountOf(state, command.as, owner);
  TransferRow row = MoneyVerb(command.actor, command.request, TransferKind::kExplain, owner,
                              fmt::format("line {}: {}", command.n, command.reason));
  row.at = std::max(state.invoices.Get(command.invoice).booked_at, ClosedUntil(state));
  row.debit = amount > Money() ? unknown : account;
  row.credit = amount > Money() ? account : unknown;
  row.amount = amount > Money() ? amount : -amount;
  row.invoice = command.invoice;
  AppendTransfer(state, std::move(row));
  Log(state, "invoice", std::to_string(command.invoice.value()), "explained",
      fmt::format(
          "line {}: {} as {}", command.n, FormatWireMoney(amount),
          command.member ? MemberName(state, command.member) : std::string(Name(command.as))),
      command.actor.member);
  return AnswerEntries(state, command.actor, command.request, first);
}

}  // namespace pinka
