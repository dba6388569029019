#include "tests/db/sample_invoices.h"

#include "tests/db/sample.h"

namespace pinka::testing {

std::vector<InvoiceLineRow> SampleInvoiceLines() {
  InvoiceLineRow unknown{.invoice = InvoiceId(60),
                         .n = 1,
                         .kind = InvoiceLineKind::kOther,
                         .instance = "i-9",
                         .text = "公网 IP",
                         .starts_at = At(20),
                         .ends_at = At(30),
                         .amount = Money::Micros(-40),
                         .rental = {},
                         .unknown = Money::Micros(-4),
                         .charges = {},
                         .idle = {},
                         .rounding = {},
                         .disk = {},
                         .variance = {},
                         .egress = {}};
  InvoiceLineRow covers = unknown;
  covers.n = 2;
  covers.kind = InvoiceLineKind::kCompute;
  covers.ends_at = At(31);
  covers.amount = Money::Micros(100);
  covers.rental = RentalId(70);
  covers.unknown = {};
  covers.charges = Money::Micros(10);
  covers.idle = Money::Micros(20);
  covers.rounding = Money::Micros(30);
  covers.variance = Money::Micros(-1);
  InvoiceLineRow disk = covers;
  disk.n = 3;
  disk.kind = InvoiceLineKind::kDisk;
  disk.ends_at = At(33);
  disk.charges = disk.idle = disk.rounding = disk.variance = {};
  disk.disk = Money::Micros(7);
  InvoiceLineRow egress = disk;
  egress.n = 4;
  egress.kind = InvoiceLineKind::kEgress;
  egress.starts_at = At(21);
  egress.ends_at = At(32);
  egress.disk = {};
  egress.egress = Money::Micros(5);
  return {unknown, covers, disk, egress};
}

InvoiceRow SampleInvoice() {
  return {.id = InvoiceId(60),
          .provider = "算力云",
          .ref = "2026-11/7",
          .starts_at = At(20),
          .ends_at = At(33),
          .payer = MemberId(9),
          .total = Money::Micros(260),
          .charges = Money::Micros(10),
          .at = At(96),
          .by = MemberId(1),
          .booked_at = At(32)};
}

CoveredRow SampleCovered() {
  return {.rental = RentalId(70),
          .until = At(31),
          .disk_until = At(33),
          .charges = Money::Micros(10),
          .idle = Money::Micros(20),
          .rounding = Money::Micros(30),
          .disk = Money::Micros(7),
          .variance = Money::Micros(-1),
          .egress_until = At(32),
          .egress = Money::Micros(5)};
}

}  // namespace pinka::testing
