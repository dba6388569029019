// A provider's bill in the books (semantics.md 9).
#include <gtest/gtest.h>

#include "scheduler/core/positions.h"
#include "scheduler/core/reconcile.h"
#include "tests/support/bills.h"

namespace pinka::test {
namespace {

using Kind = InvoiceLineKind;

const Timestamp kStart = At(2026, 9, 10, 12);
const Timestamp kEnd = At(2026, 9, 10, 13);

// Two jobs in one paid hour at 12.00, and an orphan that nobody knows.
ImportInvoice OrphanBill(CoreWorld& w, const std::string& payer = "") {
  w.AddNode("box", "a100", 1);
  ImportInvoice bill = Invoice(w, "2026-09", payer);
  bill.rentals = {Rental(w, "box", kStart, kEnd, Money::Whole(12), Money::Whole(9))};
  AddLine(bill, Kind::kCompute, "i-box", kStart, kEnd, Money::Micros(12'500'000));
  AddLine(bill, Kind::kCompute, "i-orphan", kStart, kEnd, Money::Whole(30));
  AddLine(bill, Kind::kEgress, "", kStart, kStart, Money::Micros(700'000));
  AddLine(bill, Kind::kDisk, "box", kStart, kEnd, Money::Micros(120'000));
  AddLine(bill, Kind::kVoucher, "i-box", kStart, kEnd, Money::Whole(-5));
  return bill;
}

TEST(ImportInvoice, BooksWhatNoRentalHasPosted) {
  CoreWorld w(kEnd);
  const ImportInvoice bill = OrphanBill(w);
  const Reply reply = w.Do(bill);
  ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(reply.count, 5);
  EXPECT_EQ(w.Balance(AccountKind::kVariance, "lab"), Money::Micros(500'000));
  EXPECT_EQ(w.Balance(AccountKind::kUnknown, "lab"), Money::Whole(30));
  EXPECT_EQ(w.Balance(AccountKind::kEgress, "lab"), Money::Micros(700'000));
  EXPECT_EQ(w.Balance(AccountKind::kDisk, "lab"), Money::Micros(120'000));
  EXPECT_EQ(w.Balance(AccountKind::kVoucher, "lab"), Money::Whole(-5));
  const InvoiceRow& row = w.store().tables().invoices.at(InvoiceId(reply.first));
  EXPECT_EQ(row.total, Money::Micros(38'320'000));
  EXPECT_EQ(row.charges, Money::Whole(9));
  EXPECT_EQ(row.starts_at, kStart);
  EXPECT_EQ(row.ends_at, kEnd);
  EXPECT_EQ(row.by, w.Member("admin"));
  const TransferRow entry = w.Transfers(TransferKind::kInvoice).at(0);
  EXPECT_EQ(entry.rental, bill.rentals[0].id);
  EXPECT_EQ(entry.node, w.Node("box"));
  EXPECT_EQ(entry.tier, w.Tier("a100"));
  EXPECT_EQ(entry.invoice, row.id);
  EXPECT_EQ(entry.reason, "line 1: 行 i-box");
  EXPECT_EQ(entry.payer, OwnedByLab());
}

TEST(ImportInvoice, KeepsTheIdentityInTheStoredLines) {
  CoreWorld w(kEnd);
  const Reply reply = w.Do(OrphanBill(w));
  std::vector<InvoiceLineRow> lines;
  for (const auto& [key, line] : w.store().tables().invoice_lines) lines.push_back(line);
  const Identity sum = IdentityOf(lines);
  EXPECT_TRUE(AddsUp(sum));
  EXPECT_EQ(sum.total, Money::Micros(38'320'000));
  EXPECT_EQ(sum.charges, Money::Whole(9));
  EXPECT_EQ(sum.idle, Money::Whole(3));
  EXPECT_EQ(sum.variance, Money::Micros(500'000));
  EXPECT_EQ(sum.vouchers, Money::Whole(5));
  EXPECT_EQ(sum.unknown, Money::Whole(30));
  EXPECT_EQ(lines[1].unknown, Money::Whole(30));
}

TEST(ImportInvoice, KeepsInMemoryOnlyWhatIsUnknownAndWhatIsCovered) {
  CoreWorld w(kEnd);
  const Reply reply = w.Do(OrphanBill(w));
  ASSERT_EQ(w.state().invoice_lines.rows().size(), 1u);
  EXPECT_EQ(w.state().invoice_lines.rows().begin()->first,
            std::pair(InvoiceId(reply.first), int32_t{2}));
  ASSERT_EQ(w.state().covered.size(), 1u);
  const CoveredRow covered = w.state().covered.begin()->second;
  EXPECT_EQ(covered.charges, Money::Whole(9));
  EXPECT_EQ(covered.until, kEnd);
  const std::string digest = w.core().Digest();
  w.Reload();
  EXPECT_EQ(w.core().Digest(), digest);
}

TEST(ImportInvoice, CoversNothingTwice) {
  CoreWorld w(kEnd);
  ImportInvoice bill = OrphanBill(w);
  w.Do(bill);
  w.Reload();
  bill.invoice.ref = "2026-09 again";
  bill.request.key = "another";
  const Reply again = w.Do(bill);
  ASSERT_EQ(again.reason, Reason::kOk) << again.detail;
  EXPECT_EQ(w.store().tables().invoices.at(InvoiceId(again.first)).charges, Money());
  EXPECT_EQ(w.Balance(AccountKind::kVariance, "lab"), Money::Micros(13'000'000));
}

TEST(ImportInvoice, OfADryRunShowsTheLinesAndChangesNothing) {
  CoreWorld w(kEnd);
  ImportInvoice bill = OrphanBill(w);
  bill.dry_run = true;
  bill.request = {};
  const std::string before = w.core().Digest();
  const Reply reply = w.Do(bill);
  ASSERT_EQ(reply.bill.size(), 5u);
  EXPECT_EQ(reply.bill[0].charges, Money::Whole(9));
  EXPECT_EQ(reply.bill[1].unknown, Money::Whole(30));
  EXPECT_EQ(w.core().Digest(), before);
}

TEST(ImportInvoice, AnswersARepeatedRequestAsTheFirstTime) {
  CoreWorld w(kEnd);
  const ImportInvoice bill = OrphanBill(w);
  const Reply first = w.Do(bill);
  const Reply again = w.Do(bill);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(w.store().tables().invoices.size(), 1u);
  ImportInvoice other = bill;
  other.request.hash = "other";
  EXPECT_EQ(w.Do(other).reason, Reason::kConflict);
}

TEST(ImportInvoice, TakesALineOfALongRentalOnlyUpToWhatIsPosted) {
  CoreWorld w(kEnd);
  ImportInvoice bill = OrphanBill(w);
  bill.rentals[0].closed_at = {};
  bill.rentals[0].posted_at = kEnd - Duration::Minutes(1);
  const Reply early = w.Do(bill);
  EXPECT_EQ(early.reason, Reason::kConflict);
  EXPECT_EQ(early.detail,
            "line 1 runs to 2026-09-10T05:00:00Z, but rental " +
                std::to_string(bill.rentals[0].id.value()) +
                " of box is open and posted up to 2026-09-10T04:59:00Z only; close it with `pinka "
                "admin rental close " +
                std::to_string(bill.rentals[0].id.value()) +
                "`, or import the bill when the month is over");
  bill.rentals[0].posted_at = kEnd;
  EXPECT_EQ(w.Do(bill).reason, Reason::kOk);
}

struct Refusal {
  const char* why;
  void (*change)(ImportInvoice&);
  Reason reason;
  const char* says;
};

TEST(ImportInvoice, IsRefused) {
  const Refusal cases[] = {
      {"no ref", [](ImportInvoice& b) { b.invoice.ref = " "; }, Reason::kBadRequest, "--ref"},
      {"no provider", [](ImportInvoice& b) { b.invoice.provider = ""; }, Reason::kBadRequest,
       "--provider"},
      {"no request id", [](ImportInvoice& b) { b.request = {}; }, Reason::kBadRequest,
       "request id"},
      {"another total", [](ImportInvoice& b) { b.invoice.total += Money::Micros(1); },
       Reason::kBadRequest, "is a line missing?"},
      {"no lines", [](ImportInvoice& b) { b.lines.clear(); }, Reason::kBadRequest,
       "1 to 100000 lines, this one 0"},
      {"numbered otherwise", [](ImportInvoice& b) { b.lines[1].n = 7; }, Reason::kBadRequest,
       "numbered from 1"},
      {"backwards", [](ImportInvoice& b) { b.lines[1].ends_at = Timestamp::Seconds(1); },
       Reason::kBadRequest, "line 2 ends before it starts"},
      {"a voucher above 0",
       [](ImportInvoice& b) {
         b.lines[4].amount = Money::Whole(5);
         b.invoice.total += Money::Whole(10);
       },
       Reason::kBadRequest, "line 5 is a voucher above 0"},
      {"too much",
       [](ImportInvoice& b) {
         b.lines[1].amount += Money::Whole(2'000'000'000);
         b.invoice.total += Money::Whole(2'000'000'000);
       },
       Reason::kBadRequest, "more money than a bill can be of"},
      {"paid by nobody we know", [](ImportInvoice& b) { b.invoice.payer = MemberId(9'999); },
       Reason::kNoSuchAccount, "no such member"},
      {"by a member", [](ImportInvoice& b) { b.actor.admin = false; }, Reason::kNotPermitted,
       "by admins"},
  };
  for (const Refusal& c : cases) {
    SCOPED_TRACE(c.why);
    CoreWorld w(kEnd);
    ImportInvoice bill = OrphanBill(w);
    c.change(bill);
    const std::string before = w.core().Digest();
    const Reply reply = w.Do(bill);
    EXPECT_EQ(reply.reason, c.reason) << reply.detail;
    EXPECT_NE(reply.detail.find(c.says), std::string::npos) << reply.detail;
    EXPECT_EQ(w.core().Digest(), before);
  }
}

TEST(ImportInvoice, OfOneBillTwiceIsRefusedAndNamesTheFirst) {
  CoreWorld w(kEnd);
  ImportInvoice bill = OrphanBill(w);
  const std::string id = std::to_string(w.Do(bill).first);
  w.Reload();
  bill.request.key = "another";
  bill.invoice.provider = "Aliyun";
  const Reply again = w.Do(bill);
  EXPECT_EQ(again.reason, Reason::kConflict);
  EXPECT_EQ(again.detail, "bill 2026-09 was imported as invoice " + id +
                              " already; `pinka admin invoice show " + id + "` shows it");
}

TEST(ImportInvoice, TakesRentalsOfItsOwnProviderOnly) {
  CoreWorld w(kEnd);
  ImportInvoice bill = OrphanBill(w);
  bill.rentals[0].provider = "autodl";
  const Reply reply = w.Do(bill);
  EXPECT_EQ(w.store().tables().invoices.at(InvoiceId(reply.first)).charges, Money());
  EXPECT_EQ(w.Balance(AccountKind::kUnknown, "lab"), Money::Micros(42'620'000));
}

// Alice paid 38.32: 9.00 of it are charges of attempts, which the pool has paid for; 29.32 is
// everybody's, but for the 30.00 of the orphan that turn out to be bob's.
TEST(ImportInvoice, PaidByAMemberIsOwedByAllBeyondTheCharges) {
  CoreWorld w(kEnd);
  const Reply reply = w.Do(OrphanBill(w, "alice"));
  const auto of = [&](const std::string& name) {
    for (const PositionRow& row : w.Positions(kEnd, Spread::kEqual)) {
      if (row.member == w.Member(name)) return row;
    }
    return PositionRow();
  };
  EXPECT_EQ(of("alice").paid, Money::Micros(29'320'000));
  Money overhead;
  for (const PositionRow& row : w.Positions(kEnd, Spread::kEqual)) overhead += row.overhead;
  EXPECT_EQ(overhead, Money::Micros(29'320'000));
  ExplainLine bobs = Explain(w, reply, 2, AccountKind::kSpent, Money(), "e-1");
  bobs.member = w.Member("bob");
  ASSERT_EQ(w.Do(bobs).reason, Reason::kOk);
  EXPECT_EQ(of("bob").spent, Money::Whole(30));
  overhead = Money();
  for (const PositionRow& row : w.Positions(kEnd, Spread::kEqual)) overhead += row.overhead;
  EXPECT_EQ(overhead, Money::Micros(-680'000)) << "the voucher was more than the rest";
  EXPECT_TRUE(AddUp(w.Positions(kEnd)));
}

// What is booked of a bill, and who owes it, counts in the bill's own month.
TEST(ImportInvoice, CountsWhereItsTimeEnds) {
  CoreWorld w(At(2026, 9, 30, 12));
  w.AdvanceTo(At(2026, 10, 3));
  ImportInvoice bill = Invoice(w, "2026-09", "alice");
  AddLine(bill, Kind::kCompute, "i-orphan", kStart, kEnd, Money::Whole(30));
  AddLine(bill, Kind::kEgress, "", kStart, At(2026, 10, 1), Money::Whole(6));
  const Reply reply = w.Do(bill);
  ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
  const Timestamp last = At(2026, 10, 1) - Duration::Micros(1);
  EXPECT_EQ(w.store().tables().invoices.at(InvoiceId(reply.first)).booked_at, last);
  for (const TransferRow& row : w.Transfers(TransferKind::kInvoice)) EXPECT_EQ(row.at, last);
  ExplainLine bobs = Explain(w, reply, 1, AccountKind::kSpent, Money(), "e-1");
  bobs.member = w.Member("bob");
  ASSERT_EQ(w.Do(bobs).reason, Reason::kOk);
  EXPECT_EQ(w.Transfers(TransferKind::kExplain).at(0).at, last) << "with what it explains";
  w.Close(At(2026, 9, 30));
  const auto rows = w.Positions(At(2026, 9, 30), Spread::kEqual);
  Money overhead;
  for (const PositionRow& row : rows) {
    overhead += row.overhead;
    if (row.member == w.Member("alice")) {
      EXPECT_EQ(row.paid, Money::Whole(36)) << "in September";
    }
    if (row.member == w.Member("bob")) {
      EXPECT_EQ(row.spent, Money::Whole(30));
    }
  }
  EXPECT_EQ(overhead, Money::Whole(6));
}

TEST(ImportInvoice, OfAClosedMonthCountsAtTheStartOfTheOpenOne) {
  CoreWorld w(At(2026, 9, 30, 12));
  w.AdvanceTo(At(2026, 10, 3));
  w.Close(At(2026, 9, 30));
  ImportInvoice bill = Invoice(w, "2026-09 late");
  AddLine(bill, Kind::kEgress, "", kStart, kEnd, Money::Whole(6));
  EXPECT_EQ(w.Do(bill).reason, Reason::kOk);
  EXPECT_EQ(w.Transfers(TransferKind::kInvoice).at(0).at, At(2026, 10, 1));
  // Of time that is still to come it counts now.
  ImportInvoice ahead = Invoice(w, "2026-10");
  AddLine(ahead, Kind::kEgress, "", w.now, w.now + Duration::Days(9), Money::Whole(1));
  EXPECT_EQ(w.Do(ahead).reason, Reason::kOk);
  EXPECT_EQ(w.Transfers(TransferKind::kInvoice).at(1).at, w.now);
}

// What left a machine is told by hand or by the bill, not by both.
TEST(ImportInvoice, WithEgressOfARentalLeavesNoneToTellByHand) {
  CoreWorld w(kStart);
  LabChange::Tier change;
  change.row = w.state().tiers.Get(w.Tier("a100"));
  change.billing.push_back({});
  change.billing[0].provider = "aliyun";
  change.billing[0].rule.egress = Money::Micros(800'000);
  LabChange lab;
  lab.tiers.push_back(change);
  w.Apply(lab);
  w.AddNode("box", "a100", 1);
  w.AddNode("told", "a100", 1);
  w.AdvanceTo(kEnd);
  const RentalId box = w.state().open_rentals.at(w.Node("box"));
  const RentalId told = w.state().open_rentals.at(w.Node("told"));
  const auto close = [&](RentalId id, int64_t bytes) {
    return w.Do(CloseRental{w.Admin(), {}, id, {}, "off", bytes});
  };
  EXPECT_EQ(close(told, 1'000'000'000).reason, Reason::kOk);  // 0.80
  ImportInvoice bill = Invoice(w, "2026-09");
  AddLine(bill, Kind::kEgress, "box", kStart, kEnd, Money::Whole(1));
  AddLine(bill, Kind::kEgress, "told", kStart, kEnd, Money::Whole(1));
  EXPECT_EQ(w.Do(bill).reason, Reason::kOk);
  EXPECT_EQ(w.Balance(AccountKind::kEgress, "lab"), Money::Whole(2)) << "as billed, once each";
  w.Reload();
  const Reply twice = close(box, 1'000'000'000);
  EXPECT_EQ(twice.reason, Reason::kConflict);
  EXPECT_NE(twice.detail.find("on it already"), std::string::npos) << twice.detail;
  EXPECT_EQ(close(box, 0).reason, Reason::kOk);
}

TEST(ImportInvoice, PaidFromOutsideIsAGift) {
  CoreWorld w(kEnd);
  const Reply reply = w.Do(OrphanBill(w));
  ExplainLine bobs = Explain(w, reply, 2, AccountKind::kSpent, Money(), "e-1");
  bobs.member = w.Member("bob");
  ASSERT_EQ(w.Do(bobs).reason, Reason::kOk);
  for (const PositionRow& row : w.Positions(kEnd)) EXPECT_EQ(row.position, Money());
}

}  // namespace
}  // namespace pinka::test
