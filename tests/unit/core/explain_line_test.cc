// What is unknown of a bill is explained, all of it before the month closes (semantics.md 9).
#include <gtest/gtest.h>

#include "tests/support/bills.h"

namespace pinka::test {
namespace {

using Kind = InvoiceLineKind;

const Timestamp kStart = At(2026, 9, 10, 12);
const Timestamp kEnd = At(2026, 9, 10, 13);

Reply Import(CoreWorld& w, Money orphan = Money::Whole(30)) {
  ImportInvoice bill = Invoice(w, "2026-09");
  AddLine(bill, Kind::kCompute, "i-orphan", kStart, kEnd, orphan);
  AddLine(bill, Kind::kVoucher, "", kStart, kEnd, Money::Whole(-1));
  return w.Do(bill);
}

TEST(ExplainLine, TakesPartsUntilNothingIsUnknown) {
  CoreWorld w(kEnd);
  const Reply bill = Import(w);
  const auto explain = [&](AccountKind as, Money amount, const std::string& key) {
    return w.Do(Explain(w, bill, 1, as, amount, key));
  };
  EXPECT_EQ(explain(AccountKind::kIdle, Money::Whole(10), "e-1").reason, Reason::kOk);
  EXPECT_EQ(explain(AccountKind::kDisk, Money::Whole(4), "e-2").reason, Reason::kOk);
  const Reply over = explain(AccountKind::kIdle, Money::Micros(16'000'001), "e-3");
  EXPECT_EQ(over.reason, Reason::kInsufficient);
  EXPECT_EQ(over.detail, "of line 1 of invoice " + std::to_string(bill.first) +
                             ", ¥16.00 is unknown; ¥16.00 is not a part of that");
  EXPECT_EQ(explain(AccountKind::kOverheadOther, Money(), "e-4").count, 1) << "all that is left";
  EXPECT_EQ(w.Balance(AccountKind::kIdle, "lab"), Money::Whole(10));
  EXPECT_EQ(w.Balance(AccountKind::kDisk, "lab"), Money::Whole(4));
  EXPECT_EQ(w.Balance(AccountKind::kOverheadOther, "lab"), Money::Whole(16));
  EXPECT_EQ(w.Balance(AccountKind::kUnknown, "lab"), Money());
  EXPECT_TRUE(w.state().invoice_lines.rows().empty());
  EXPECT_EQ(explain(AccountKind::kIdle, Money::Whole(1), "e-5").reason, Reason::kConflict);
}

TEST(ExplainLine, IsOneEntryWithItsLineAndReason) {
  CoreWorld w(kEnd);
  const Reply bill = Import(w);
  ExplainLine command = Explain(w, bill, 1, AccountKind::kSpent, Money::Whole(2), "e-1");
  command.member = w.Member("王芳");
  const Reply reply = w.Do(command);
  ASSERT_EQ(reply.reason, Reason::kOk) << reply.detail;
  const TransferRow entry = w.Transfers(TransferKind::kExplain).at(0);
  EXPECT_EQ(entry.id.value(), reply.first);
  EXPECT_EQ(entry.reason, "line 1: found it");
  EXPECT_EQ(entry.invoice.value(), bill.first);
  EXPECT_EQ(entry.member, w.Member("王芳"));
  EXPECT_EQ(entry.payer, OwnedBy(w.Member("王芳")));
  EXPECT_EQ(entry.person, w.Member("admin"));
  EXPECT_EQ(w.Balance(AccountKind::kSpent, "王芳"), Money::Whole(2));
  EXPECT_EQ(w.state().invoice_lines.Get({InvoiceId(bill.first), 1}).unknown, Money::Whole(28));
}

TEST(ExplainLine, OfALineBelowZeroGoesTheOtherWay) {
  CoreWorld w(kEnd);
  const Reply bill = Import(w, Money::Whole(-6));
  EXPECT_EQ(w.Balance(AccountKind::kUnknown, "lab"), Money::Whole(-6));
  EXPECT_EQ(w.Do(Explain(w, bill, 1, AccountKind::kIdle, Money::Whole(1), "e-1")).reason,
            Reason::kInsufficient);
  EXPECT_EQ(w.Do(Explain(w, bill, 1, AccountKind::kIdle, Money::Whole(-7), "e-2")).reason,
            Reason::kInsufficient);
  EXPECT_EQ(w.Do(Explain(w, bill, 1, AccountKind::kIdle, Money::Whole(-2), "e-3")).reason,
            Reason::kOk);
  EXPECT_EQ(w.Balance(AccountKind::kIdle, "lab"), Money::Whole(-2));
  EXPECT_EQ(w.Do(Explain(w, bill, 1, AccountKind::kVariance, Money(), "e-4")).reason, Reason::kOk);
  EXPECT_EQ(w.Balance(AccountKind::kVariance, "lab"), Money::Whole(-4));
  EXPECT_EQ(w.Balance(AccountKind::kUnknown, "lab"), Money());
}

TEST(ExplainLine, AnswersARepeatedRequestAsTheFirstTime) {
  CoreWorld w(kEnd);
  const Reply bill = Import(w);
  const ExplainLine command = Explain(w, bill, 1, AccountKind::kIdle, Money::Whole(1), "e-1");
  const Reply first = w.Do(command);
  w.Reload();
  const Reply again = w.Do(command);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, first.first);
  EXPECT_EQ(w.Transfers(TransferKind::kExplain).size(), 1u);
}

struct Refusal {
  const char* why;
  void (*change)(ExplainLine&);
  Reason reason;
  const char* says;
};

TEST(ExplainLine, IsRefused) {
  const Refusal cases[] = {
      {"no reason", [](ExplainLine& c) { c.reason = " "; }, Reason::kBadRequest, "needs a reason"},
      {"no request id", [](ExplainLine& c) { c.request = {}; }, Reason::kBadRequest, "request id"},
      {"no such bill", [](ExplainLine& c) { c.invoice = InvoiceId(9'999); }, Reason::kNoSuchAccount,
       "no invoice 9999; `pinka admin invoice ls` lists them"},
      {"no such line", [](ExplainLine& c) { c.n = 9; }, Reason::kConflict,
       "nothing of line 9 of invoice"},
      {"a line that was known", [](ExplainLine& c) { c.n = 2; }, Reason::kConflict,
       "nothing of line 2 of invoice"},
      {"as a lot", [](ExplainLine& c) { c.as = AccountKind::kLot; }, Reason::kBadRequest,
       "is explained as idle, disk"},
      {"as unknown", [](ExplainLine& c) { c.as = AccountKind::kUnknown; }, Reason::kBadRequest,
       "is explained as idle, disk"},
      {"a member's, of nobody", [](ExplainLine& c) { c.as = AccountKind::kSpent; },
       Reason::kBadRequest, "--as member=NAME"},
      {"idle, of a member", [](ExplainLine& c) { c.member = MemberId(1); }, Reason::kBadRequest,
       "--as member=NAME"},
      {"of nobody we know",
       [](ExplainLine& c) {
         c.as = AccountKind::kSpent;
         c.member = MemberId(9'999);
       },
       Reason::kNoSuchAccount, "no such member"},
      {"by a member", [](ExplainLine& c) { c.actor.admin = false; }, Reason::kNotPermitted,
       "by admins"},
  };
  CoreWorld w(kEnd);
  const Reply bill = Import(w);
  for (const Refusal& c : cases) {
    SCOPED_TRACE(c.why);
    ExplainLine command = Explain(w, bill, 1, AccountKind::kIdle, Money::Whole(1), "e-1");
    c.change(command);
    const std::string before = w.core().Digest();
    const Reply reply = w.Do(command);
    EXPECT_EQ(reply.reason, c.reason) << reply.detail;
    EXPECT_NE(reply.detail.find(c.says), std::string::npos) << reply.detail;
    EXPECT_EQ(w.core().Digest(), before);
  }
}

TEST(ExplainLine, MustBeDoneBeforeTheMonthCloses) {
  CoreWorld w(kEnd);
  const Reply bill = Import(w);
  w.AdvanceTo(At(2026, 10, 2));
  for (const bool force : {false, true}) {
    const Reply early = w.Close(kEnd, force);
    EXPECT_EQ(early.reason, Reason::kConflict);
    EXPECT_EQ(early.detail, "¥30.00 of line 1 of invoice " + std::to_string(bill.first) +
                                " is unknown; say what it was with `pinka admin invoice explain " +
                                std::to_string(bill.first) +
                                ":1 --as ... --reason ...`, then close 2026-09");
  }
  w.Reload();
  EXPECT_EQ(w.Close(kEnd).reason, Reason::kConflict) << "also after a restart";
  EXPECT_EQ(w.Do(Explain(w, bill, 1, AccountKind::kIdle, Money(), "e-1")).reason, Reason::kOk);
  EXPECT_EQ(w.Close(kEnd).count, 1);
}

TEST(ExplainLine, OfALaterMonthsBillDoesNotHoldUpTheMonthBefore) {
  CoreWorld w(At(2026, 10, 2));
  ImportInvoice bill = Invoice(w, "2026-10");
  AddLine(bill, Kind::kOther, "", At(2026, 10, 1), At(2026, 10, 2), Money::Whole(3));
  ASSERT_EQ(w.Do(bill).reason, Reason::kOk);
  EXPECT_EQ(w.Close(kEnd).reason, Reason::kOk);
}

}  // namespace
}  // namespace pinka::test
