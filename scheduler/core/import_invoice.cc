// reconcile: a provider's bill, against the rentals it is for (reconcile.h). What rentals have not
// posted yet is posted here, so that the books say what the provider says.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/money.h"
#include "scheduler/core/reconcile.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

constexpr size_t kMostLines = 100'000;
constexpr int64_t kMostOfBill = 1'000'000'000'000'000;  // micro-units: a thousand million

bool IsBlank(const std::string& text) { return text.find_first_not_of(' ') == std::string::npos; }

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::optional<Reply> RefuseHead(const State& state, const ImportInvoice& command) {
  const InvoiceRow& row = command.invoice;
  if (IsBlank(row.provider) || IsBlank(row.ref)) {
    return Refuse(Reason::kBadRequest,
                  "a bill has a provider and the provider's number of it; say them with --provider "
                  "and --ref, so that it is booked once");
  }
  if (command.request.key.empty() && !command.dry_run) {
    return Refuse(Reason::kBadRequest,
                  "a bill needs a request id, so that sending it again does not book it twice");
  }
  for (const auto& [id, known] : state.invoices.rows()) {
    if (Lower(known.provider) != Lower(row.provider) || known.ref != row.ref) continue;
    return Refuse(Reason::kConflict,
                  fmt::format("bill {0} was imported as invoice {1} already; `pinka admin invoice "
                              "show {1}` shows it",
                              row.ref, id.value()));
  }
  if (row.payer && !state.members.Find(row.payer)) {
    return Refuse(Reason::kNoSuchAccount,
                  "no such member to have paid it; `pinka admin member ls` lists them");
  }
  return std::nullopt;
}

std::optional<Reply> RefuseLine(const InvoiceLineRow& line) {
  if (line.ends_at < line.starts_at) {
    return Refuse(Reason::kBadRequest,
                  fmt::format("line {} ends before it starts; check its columns", line.n));
  }
  if (line.kind == InvoiceLineKind::kVoucher && line.amount > Money()) {
    return Refuse(Reason::kBadRequest,
                  fmt::format("line {} is a voucher above 0; a voucher lowers a bill, so write it "
                              "with a minus",
                              line.n));
  }
  return std::nullopt;
}

std::optional<Reply> RefuseLines(const State& state, const ImportInvoice& command) {
  if (command.lines.empty() || command.lines.size() > kMostLines) {
    return Refuse(Reason::kBadRequest, fmt::format("a bill has 1 to {} lines, this one {}",
                                                   kMostLines, command.lines.size()));
  }
  Int128 sum = 0;
  Int128 size = 0;
  int32_t n = 0;
  for (const InvoiceLineRow& line : command.lines) {
    if (line.n != ++n) return Refuse(Reason::kBadRequest, "lines are numbered from 1");
    if (auto refused = RefuseLine(line)) return refused;
    sum += line.amount.micros();
    size += line.amount < Money() ? -Int128{line.amount.micros()} : Int128{line.amount.micros()};
  }
  if (size > kMostOfBill)
    return Refuse(Reason::kBadRequest, "that is more money than a bill can be of");
  if (sum != command.invoice.total.micros()) {
    return Refuse(
        Reason::kBadRequest,
        fmt::format("the lines sum to {}, but the bill says {}; is a line missing?",
                    FormatAmount(Money::Micros(static_cast<int64_t>(sum)), state.lab.currency),
                    FormatAmount(command.invoice.total, state.lab.currency)));
  }
  return std::nullopt;
}

// Those of the provider, with what core may have forgotten: rentals, and names of nodes.
std::vector<PaidRental> RentalsOf(const State& state, const ImportInvoice& command) {
  std::map<RentalId, RentalRow> rows = state.rentals.rows();
  for (const RentalRow& row : command.rentals) {
    RentalRow& known = rows.emplace(row.id, row).first->second;
    if (known.instance.empty()) known.instance = row.instance;
  }
  std::vector<PaidRental> rentals;
  for (const auto& [id, row] : rows) {
    if (Lower(row.provider) != Lower(command.invoice.provider)) continue;
    const NodeRow* node = state.nodes.Find(row.node);
    const auto covered = state.covered.find(id);
    rentals.push_back({row, node ? node->name : "",
                       covered == state.covered.end() ? CoveredRow() : covered->second});
  }
  return rentals;
}

// What a rental has not posted cannot be compared yet.
std::optional<Reply> RefuseNotPosted(const std::vector<PaidRental>& rentals,
                                     const std::vector<InvoiceLineRow>& lines) {
  std::map<RentalId, const PaidRental*> open;
  for (const PaidRental& rental : rentals) {
    if (!rental.row.closed_at) open[rental.row.id] = &rental;
  }
  for (const InvoiceLineRow& line : lines) {
    const auto rental = open.find(line.rental);
    const bool compared =
        line.kind == InvoiceLineKind::kCompute || line.kind == InvoiceLineKind::kDisk;
    if (!compared || rental == open.end()) continue;
    const RentalRow& row = rental->second->row;
    if (line.ends_at <= row.posted_at) continue;
    return Refuse(
        Reason::kConflict,
        fmt::format(
            "line {0} runs to {1}, but rental {2} of {3} is open and posted up to {4} only; close "
            "it with `pinka admin rental close {2}`, or import the bill when the month is "
            "over",
            line.n, FormatUtc(line.ends_at), row.id.value(),
            rental->second->node.empty() ? line.instance : rental->second->node,
            row.posted_at ? FormatUtc(row.posted_at) : "its start"));
  }
  return std::nullopt;
}

// A bill counts in the month in which its time ends, if that is open; else in the first that is.
Timestamp BookedAt(const State& state, const InvoiceRow& invoice) {
  const Timestamp end = std::max(invoice.starts_at, invoice.ends_at - Duration::Micros(1));
  return std::min(std::max(end, ClosedUntil(state)), state.now);
}

void Post(State& state, const ImportInvoice& command, const InvoiceRow& invoice,
          const std::map<RentalId, RentalRow>& rentals, const InvoiceLineRow& line) {
  const LineEntry entry = EntryOf(line);
  if (entry.amount == Money()) return;
  const AccountId external = AccountOf(state, AccountKind::kExternal, OwnedByLab());
  const AccountId account = AccountOf(state, entry.account, OwnedByLab());
  TransferRow row;
  row.at = invoice.booked_at;
  row.kind = TransferKind::kInvoice;
  row.debit = entry.amount > Money() ? external : account;
  row.credit = entry.amount > Money() ? account : external;
  row.amount = entry.amount > Money() ? entry.amount : -entry.amount;
  row.reason = fmt::format("line {}: {}", line.n, line.text);
  row.person = command.actor.member;
  row.request_id = command.request.key;
  row.payer = OwnedByLab();
  row.invoice = invoice.id;
  if (line.rental) {
    const RentalRow& rental = rentals.at(line.rental);
    row.rental = rental.id;
    row.node = rental.node;
    row.tier = rental.tier;
    row.source = rental.source;
  }
  AppendTransfer(state, std::move(row));
}

}  // namespace

Reply Do(State& state, const ImportInvoice& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "bills are imported by admins");
  if (auto refused = RefuseHead(state, command)) return *refused;
  if (auto refused = RefuseLines(state, command)) return *refused;
  std::vector<InvoiceLineRow> lines = command.lines;
  const std::vector<PaidRental> rentals = RentalsOf(state, command);
  Reconcile(rentals, &lines);
  if (auto refused = RefuseNotPosted(rentals, lines)) return *refused;
  Reply reply;
  if (command.dry_run) {
    reply.bill = std::move(lines);
    return reply;
  }

  InvoiceRow invoice = command.invoice;
  invoice.id = InvoiceId(TakeId(state));
  invoice.at = state.now;
  invoice.by = command.actor.member;
  invoice.charges = IdentityOf(lines).charges;
  invoice.starts_at = std::ranges::min(lines, {}, &InvoiceLineRow::starts_at).starts_at;
  invoice.ends_at = std::ranges::max(lines, {}, &InvoiceLineRow::ends_at).ends_at;
  invoice.booked_at = BookedAt(state, invoice);
  std::map<RentalId, RentalRow> rows;
  for (const PaidRental& rental : rentals) rows.emplace(rental.row.id, rental.row);
  const TransferId first(state.lab.next_transfer);
  for (InvoiceLineRow& line : lines) {
    line.invoice = invoice.id;
    Post(state, command, invoice, rows, line);
    if (line.rental) Cover(line, &state.covered[line.rental]);
    state.invoice_lines.Put({line.invoice, line.n}, line);
  }
  Log(state, "invoice", std::to_string(invoice.id.value()), "imported",
      fmt::format("{} of {}: {}", invoice.ref, invoice.provider, FormatWireMoney(invoice.total)),
      command.actor.member);
  reply.first = invoice.id.value();
  reply.count = state.lab.next_transfer - first.value();
  Remember(state, command.actor, command.request, true, reply.first, reply.count);
  state.invoices.Put(invoice.id, std::move(invoice));
  return reply;
}

}  // namespace pinka
