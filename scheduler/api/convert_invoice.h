// Providers' bills on the wire.
#pragma once

#include <string>

#include "db/reads_invoices.h"
#include "pinka/v1/invoice.pb.h"
#include "scheduler/api/names.h"
#include "scheduler/core/command.h"
#include "scheduler/core/reconcile.h"

namespace pinka::api {

// The lines of the file, under the head that the request tells; actor and key unset. `preset` is
// the one that was taken.
StatusOr<ImportInvoice> ConvertInvoice(const v1::ImportInvoiceRequest& request, const Board& board,
                                       std::string* preset);

// "idle", "overhead", "member=alice" and an amount other than 0, or none for all.
StatusOr<ExplainLine> ConvertExplanation(const v1::ExplainLineRequest& request, const Board& board);

void FillInvoice(const db::InvoiceLine& line, const Board& board, v1::Invoice* out);
void FillIdentity(const Identity& identity, v1::Identity* out);
void FillLine(const InvoiceLineRow& row, v1::InvoiceLine* out);

// What a dry run answers: a bill without a number.
void FillDryRun(const ImportInvoice& command, const std::vector<InvoiceLineRow>& lines,
                const Board& board, v1::ImportInvoiceResponse* out);

}  // namespace pinka::api
