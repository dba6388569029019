#include "scheduler/api/invoice_service.h"

#include <algorithm>
#include <functional>

#include "db/reads_rentals.h"
#include "pinka/v1/invoice.grpc.pb.h"
#include "scheduler/api/convert_invoice.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class InvoiceService final : public v1::InvoiceService::CallbackService {
 public:
  explicit InvoiceService(Desk& desk) : desk_(desk) {}

  Reactor* ImportInvoice(Context* context, const v1::ImportInvoiceRequest* request,
                         v1::ImportInvoiceResponse* response) override {
    return desk_.Open(context, "pinka.v1.InvoiceService.ImportInvoice", [=, this](CallPtr call) {
      // A member may have been added just now.
      desk_.tools().names.Fresh([=, this](BoardPtr board) {
        if (!board) return call->Fail(Unavailable("the scheduler is starting"));
        desk_.Read(call, [=, this] { Import(call, *request, board, response); });
      });
    });
  }

  Reactor* ListInvoices(Context* context, const v1::ListInvoicesRequest* request,
                        v1::ListInvoicesResponse* response) override {
    return desk_.Open(context, "pinka.v1.InvoiceService.ListInvoices", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        auto rows = db::ListInvoices(desk_.database());
        if (!rows.ok()) return call->Fail(rows.status());
        for (const db::InvoiceLine& row : *rows) FillInvoice(row, *board, response->add_invoices());
        Finish(call, *board, response);
      });
    });
  }

  Reactor* GetInvoice(Context* context, const v1::GetInvoiceRequest* request,
                      v1::GetInvoiceResponse* response) override {
    return desk_.Open(context, "pinka.v1.InvoiceService.GetInvoice", [=, this](CallPtr call) {
      const InvoiceId id(request->invoice_id());
      WithInvoice(call, request->min_batch(), id,
                  [=, this](const db::Invoice& invoice, const Board& board) {
                    FillHead(invoice, board, response);
                    for (const InvoiceLineRow& line : invoice.lines) {
                      if (line.n <= request->after_line()) continue;
                      if (request->unknown_only() && line.unknown == Money()) continue;
                      response->set_more(response->lines_size() == kMostPage);
                      if (response->more()) break;
                      FillLine(line, response->add_lines());
                    }
                    Finish(call, board, response);
                  });
    });
  }

  Reactor* ExplainLine(Context* context, const v1::ExplainLineRequest* request,
                       v1::ExplainLineResponse* response) override {
    return desk_.Open(context, "pinka.v1.InvoiceService.ExplainLine", [=, this](CallPtr call) {
      desk_.tools().names.Fresh([=, this](BoardPtr board) {
        if (!board) return call->Fail(Unavailable("the scheduler is starting"));
        StatusOr<RequestKey> key = KeyOf(*request);
        if (!key.ok()) return call->Fail(key.status());
        auto command = ConvertExplanation(*request, *board);
        if (!command.ok()) return call->Fail(command.status());
        command->actor = call->actor();
        command->request = *key;
        const InvoiceId id = command->invoice;
        desk_.Do(call, *std::move(command), [=, this](const Outcome& outcome) {
          response->set_entry_id(outcome.reply.first);
          WithInvoice(call, 0, id, [=, this](const db::Invoice& invoice, const Board& now) {
            FillHead(invoice, now, response);
            Finish(call, now, response);
          });
        });
      });
    });
  }

 private:
  void Import(CallPtr call, const v1::ImportInvoiceRequest& request, const BoardPtr& board,
              v1::ImportInvoiceResponse* response) {
    StatusOr<RequestKey> key = KeyOf(request);
    if (!key.ok()) return call->Fail(key.status());
    std::string preset;
    auto command = ConvertInvoice(request, *board, &preset);
    if (!command.ok()) return call->Fail(command.status());
    const auto& lines = command->lines;
    auto rentals = db::RentalsBetween(
        desk_.database(), command->invoice.provider,
        std::ranges::min(lines, {}, &InvoiceLineRow::starts_at).starts_at,
        std::ranges::max(lines, {}, &InvoiceLineRow::ends_at).ends_at + Duration::Micros(1));
    if (!rentals.ok()) return call->Fail(rentals.status());
    command->rentals = *std::move(rentals);
    command->actor = call->actor();
    command->request = *key;
    response->set_preset(preset);
    pinka::ImportInvoice head = *command;
    head.lines.clear();
    if (command->dry_run) command->request = {};
    desk_.Do(call, *std::move(command), [=, this](const Outcome& outcome) {
      if (head.dry_run) {
        FillDryRun(head, outcome.reply.bill, *board, response);
        return Finish(call, *board, response);
      }
      WithInvoice(call, 0, InvoiceId(outcome.reply.first),
                  [=, this](const db::Invoice& invoice, const Board& now) {
                    FillImported(invoice, now, response);
                    Finish(call, now, response);
                  });
    });
  }

  static void FillImported(const db::Invoice& invoice, const Board& board,
                           v1::ImportInvoiceResponse* response) {
    FillHead(invoice, board, response);
    response->set_lines(static_cast<int64_t>(invoice.lines.size()));
    for (const InvoiceLineRow& line : invoice.lines) {
      if (line.unknown == Money() || response->unknown_size() == kMostPage) continue;
      FillLine(line, response->add_unknown());
    }
  }

  template <class Response>
  static void FillHead(const db::Invoice& invoice, const Board& board, Response* response) {
    FillInvoice(invoice.head, board, response->mutable_invoice());
    FillIdentity(IdentityOf(invoice.lines, invoice.explained), response->mutable_identity());
  }

  // The bill as it is stored, where it is; else a refusal.
  void WithInvoice(CallPtr call, int64_t min_batch, InvoiceId id,
                   std::function<void(const db::Invoice&, const Board&)> then) {
    desk_.ReadWithBoard(call, min_batch, [=, this](BoardPtr board) {
      auto invoice = db::ReadInvoice(desk_.database(), id);
      if (!invoice.ok()) return call->Fail(invoice.status());
      if (!*invoice) {
        return call->Refuse(Reason::kNoSuchAccount,
                            "no such invoice; `pinka admin invoice ls` lists them all");
      }
      then(**invoice, *board);
    });
  }

  template <class Response>
  void Finish(CallPtr call, const Board& board, Response* response) {
    response->set_currency(board.lab.currency);
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    call->Done();
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeInvoiceService(Desk& desk) {
  return std::make_unique<InvoiceService>(desk);
}

}  // namespace pinka::api
