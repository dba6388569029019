#include "scheduler/api/convert_invoice.h"

#include <algorithm>
#include <map>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/invoice_csv.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/status_table.h"

namespace pinka::api {
namespace {

StatusOr<MemberId> MemberNamed(const Board& board, const std::string& name) {
  if (const auto member = FindMember(board, name)) return *member;
  return Refusal(Reason::kNoSuchMember,
                 fmt::format("no such member {}; `pinka admin member ls` lists them",
                             SanitizeForTerminal(FitColumns(name, 40))));
}

// Core judges bills; this only keeps their sum within 64 bits.
StatusOr<Money> SumOf(const std::vector<InvoiceLineRow>& lines) {
  Int128 sum = 0;
  for (const InvoiceLineRow& line : lines) sum += line.amount.micros();
  constexpr int64_t kMost = 1'000'000'000'000'000'000;
  if (sum > kMost || sum < -kMost) return Invalid("that is more money than a bill can be of");
  return Money::Micros(static_cast<int64_t>(sum));
}

Status CheckHead(const v1::ImportInvoiceRequest& request) {
  if (Status s = CheckText(request.provider(), kMostNameChars, "provider"); !s.ok()) return s;
  return CheckText(request.ref(), kMostNameChars, "ref");
}

}  // namespace

StatusOr<ImportInvoice> ConvertInvoice(const v1::ImportInvoiceRequest& request, const Board& board,
                                       std::string* preset) {
  if (Status s = CheckHead(request); !s.ok()) return s;
  StatusOr<std::string> named = PresetFor(request.preset(), request.provider());
  if (!named.ok()) return named.status();
  *preset = *named;
  InvoiceCsv how{*named, board.lab.timezone, {request.map().begin(), request.map().end()}};
  StatusOr<std::vector<InvoiceLineRow>> lines = ParseInvoiceCsv(request.csv(), how);
  if (!lines.ok()) return lines.status();
  ImportInvoice command;
  command.dry_run = request.dry_run();
  command.invoice.provider = request.provider();
  command.invoice.ref = request.ref();
  if (!request.payer().empty()) {
    StatusOr<MemberId> payer = MemberNamed(board, request.payer());
    if (!payer.ok()) return payer.status();
    command.invoice.payer = *payer;
  }
  StatusOr<Money> sum = SumOf(*lines);
  if (!sum.ok()) return sum.status();
  command.invoice.total = *sum;
  if (!request.total().empty()) {
    StatusOr<Money> total = ParseWireMoney(request.total());
    if (!total.ok()) return total.status();
    command.invoice.total = *total;
  }
  command.lines = *std::move(lines);
  return command;
}

StatusOr<ExplainLine> ConvertExplanation(const v1::ExplainLineRequest& request,
                                         const Board& board) {
  static const std::map<std::string, AccountKind> kKinds = {
      {"idle", AccountKind::kIdle},         {"disk", AccountKind::kDisk},
      {"egress", AccountKind::kEgress},     {"rounding", AccountKind::kRounding},
      {"variance", AccountKind::kVariance}, {"overhead", AccountKind::kOverheadOther}};
  constexpr std::string_view kMember = "member=";
  ExplainLine command;
  if (Status s = CheckText(request.reason(), kMostTextChars, "reason"); !s.ok()) return s;
  command.invoice = InvoiceId(request.invoice_id());
  command.n = request.line();
  command.reason = request.reason();
  if (request.as().starts_with(kMember)) {
    StatusOr<MemberId> member = MemberNamed(board, request.as().substr(kMember.size()));
    if (!member.ok()) return member.status();
    command.as = AccountKind::kSpent;
    command.member = *member;
  } else if (const auto kind = kKinds.find(request.as()); kind != kKinds.end()) {
    command.as = kind->second;
  } else {
    return Invalid(
        "a line is explained as idle, disk, egress, rounding, variance, overhead or member=NAME");
  }
  if (request.amount().empty()) return command;
  StatusOr<Money> amount = ParseWireMoney(request.amount());
  if (!amount.ok()) return amount.status();
  if (*amount == Money())
    return Invalid("an explanation is not of 0; leave the amount out for all that is unknown");
  command.amount = *amount;
  return command;
}

void FillInvoice(const db::InvoiceLine& line, const Board& board, v1::Invoice* out) {
  out->set_id(line.row.id.value());
  out->set_provider(line.row.provider);
  out->set_ref(line.row.ref);
  SetTime(line.row.starts_at, [&] { return out->mutable_starts_at(); });
  SetTime(line.row.ends_at, [&] { return out->mutable_ends_at(); });
  if (line.row.payer) out->set_payer(MemberName(board, line.row.payer));
  out->set_total(FormatWireMoney(line.row.total));
  SetTime(line.row.at, [&] { return out->mutable_imported_at(); });
  if (line.row.by) out->set_imported_by(MemberName(board, line.row.by));
  out->set_unknown(FormatWireMoney(line.unknown));
  out->set_unknown_lines(line.unknown_lines);
  SetTime(line.row.booked_at, [&] { return out->mutable_booked_at(); });
}

void FillIdentity(const Identity& identity, v1::Identity* out) {
  out->set_total(FormatWireMoney(identity.total));
  out->set_charges(FormatWireMoney(identity.charges));
  out->set_members(FormatWireMoney(identity.members));
  out->set_overhead(FormatWireMoney(identity.overhead));
  out->set_idle(FormatWireMoney(identity.idle));
  out->set_rounding(FormatWireMoney(identity.rounding));
  out->set_disk(FormatWireMoney(identity.disk));
  out->set_egress(FormatWireMoney(identity.egress));
  out->set_variance(FormatWireMoney(identity.variance));
  out->set_vouchers(FormatWireMoney(identity.vouchers));
  out->set_unknown(FormatWireMoney(identity.unknown));
}

void FillLine(const InvoiceLineRow& row, v1::InvoiceLine* out) {
  const LineEntry entry = EntryOf(row);
  out->set_line(row.n);
  out->set_kind(std::string(Name(row.kind)));
  out->set_instance(row.instance);
  out->set_text(row.text);
  SetTime(row.starts_at, [&] { return out->mutable_starts_at(); });
  SetTime(row.ends_at, [&] { return out->mutable_ends_at(); });
  out->set_amount(FormatWireMoney(row.amount));
  out->set_rental_id(row.rental.value());
  out->set_charges(FormatWireMoney(row.charges));
  out->set_idle(FormatWireMoney(row.idle));
  out->set_rounding(FormatWireMoney(row.rounding));
  out->set_disk(FormatWireMoney(row.disk));
  out->set_variance(FormatWireMoney(row.variance));
  out->set_account(std::string(Name(entry.account)));
  out->set_booked(FormatWireMoney(entry.amount));
  out->set_unknown(FormatWireMoney(row.unknown));
  out->set_egress(FormatWireMoney(row.egress));
}

void FillDryRun(const ImportInvoice& command, const std::vector<InvoiceLineRow>& lines,
                const Board& board, v1::ImportInvoiceResponse* out) {
  db::InvoiceLine head;
  head.row = command.invoice;
  head.row.starts_at = std::ranges::min(lines, {}, &InvoiceLineRow::starts_at).starts_at;
  head.row.ends_at = std::ranges::max(lines, {}, &InvoiceLineRow::ends_at).ends_at;
  for (const InvoiceLineRow& line : lines) {
    if (line.unknown == Money()) continue;
    head.unknown += line.unknown;
    ++head.unknown_lines;
    if (out->unknown_size() < kMostPage) FillLine(line, out->add_unknown());
  }
  FillInvoice(head, board, out->mutable_invoice());
  FillIdentity(IdentityOf(lines), out->mutable_identity());
  out->set_lines(static_cast<int64_t>(lines.size()));
}

}  // namespace pinka::api
