// Providers' bills as CSV: quoted cells, a mark at the front, titles in any language. What a column
// means is a preset's, by its title; each can be told otherwise.
//
//   InvoiceCsv how;
//   how.preset = PresetFor("", "tencent");
//   how.zone = "Asia/Shanghai";       // of times without an offset, where the preset has none
//   how.map = {"amount=优惠后总价"};
//   StatusOr<std::vector<InvoiceLineRow>> lines = ParseInvoiceCsv(bytes, how);
//
// Refuses with the line of the file and the title of the column. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "scheduler/core/rows.h"

namespace pinka::api {

inline constexpr size_t kMostInvoiceLines = 100'000;

struct InvoiceCsv {
  std::string preset = "generic";
  std::string zone = "UTC";
  std::vector<std::string> map;  // "amount=COLUMN"; instance, kind, from, to, amount, text
};

// The preset named so; "": the provider's, where it has one, else generic.
StatusOr<std::string> PresetFor(const std::string& named, const std::string& provider);

// Lines in the order of the file, numbered from 1. A day without a time is all of it.
StatusOr<std::vector<InvoiceLineRow>> ParseInvoiceCsv(std::string_view csv, const InvoiceCsv& how);

// "GPU 实例", "DataTransfer-Out-Bytes", "disk": what kind of line a product's name speaks of.
InvoiceLineKind KindOfProduct(std::string_view product);

}  // namespace pinka::api
