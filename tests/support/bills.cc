#include "tests/support/bills.h"

#include "base/hash.h"

namespace pinka::test {

RentalRow Rental(const CoreWorld& w, const std::string& node, Timestamp from, Timestamp to,
                 Money billed, Money charged) {
  RentalRow row;
  const NodeRow& of = w.state().nodes.Get(w.Node(node));
  row.id = RentalId(900'000 + of.id.value());
  row.node = of.id;
  row.tier = of.tier;
  row.source = of.source;
  row.provider = "aliyun";
  row.instance = "i-" + node;
  row.opened_at = from;
  row.closed_at = row.posted_at = to;
  row.billed = billed;
  row.members = charged;
  row.idle = billed - charged;
  return row;
}

ImportInvoice Invoice(const CoreWorld& w, const std::string& ref, const std::string& payer) {
  ImportInvoice bill;
  bill.actor = w.Admin();
  bill.request = {"bill " + ref, Sha256Hex(ref)};
  bill.invoice.provider = "aliyun";
  bill.invoice.ref = ref;
  if (!payer.empty()) bill.invoice.payer = w.Member(payer);
  return bill;
}

void AddLine(ImportInvoice& bill, InvoiceLineKind kind, const std::string& instance, Timestamp from,
             Timestamp to, Money amount) {
  InvoiceLineRow line;
  line.n = static_cast<int32_t>(bill.lines.size()) + 1;
  line.kind = kind;
  line.instance = instance;
  line.text = "行 " + instance;
  line.starts_at = from;
  line.ends_at = to;
  line.amount = amount;
  bill.lines.push_back(line);
  bill.invoice.total += amount;
}

ExplainLine Explain(const CoreWorld& w, const Reply& imported, int32_t n, AccountKind as,
                    Money amount, const std::string& key) {
  ExplainLine command;
  command.actor = w.Admin();
  command.request = {key, Sha256Hex(key)};
  command.invoice = InvoiceId(imported.first);
  command.n = n;
  command.as = as;
  command.amount = amount;
  command.reason = "found it";
  return command;
}

}  // namespace pinka::test
