// A proposed payment that was made is one entry between two members.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

const Timestamp kStart = At(2026, 9, 1, 12);

// Bob owes alice 12.00.
PaymentId Owe(CoreWorld& w) {
  pinka::Deposit deposit;
  deposit.actor = w.Admin();
  deposit.to = OwnedByLab();
  deposit.from = w.Member("alice");
  deposit.amount = Money::Whole(50);
  w.Do(deposit);
  w.AddNode("box", "a100", 1);
  const JobId job = w.Submit("bob", w.Job("a100", Duration::Hours(1)));
  w.Run(job);
  w.Advance(Duration::Hours(1));
  w.Exit(job, 0);
  w.AdvanceTo(At(2026, 10, 2));
  EXPECT_EQ(w.Close(kStart).count, 1);
  const Reply reply = w.Settle(kStart);
  EXPECT_EQ(reply.count, 1) << reply.detail;
  return PaymentId(reply.first);
}

TEST(MarkPaid, BooksOneEntryBetweenTheTwo) {
  CoreWorld w(kStart);
  const PaymentId id = Owe(w);
  const Reply reply = w.MarkPaid(id, "银行 4711");
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  EXPECT_EQ(reply.count, 1);
  const PaymentRow row = w.store().tables().payments.at(id);
  EXPECT_EQ(row.state, PaymentState::kPaid);
  EXPECT_EQ(row.paid_at, w.now);
  EXPECT_EQ(row.ref, "银行 4711");
  const auto entries = w.Transfers(TransferKind::kPayment);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].id, row.transfer);
  EXPECT_EQ(entries[0].amount, Money::Whole(12));
  EXPECT_EQ(entries[0].member, w.Member("bob"));
  EXPECT_EQ(entries[0].person, w.Member("admin"));
  EXPECT_EQ(entries[0].reason, "2026-09: 银行 4711");
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "bob"), -Money::Whole(12));
  EXPECT_EQ(w.Balance(AccountKind::kPaidIn, "alice"), -Money::Whole(38));
}

TEST(MarkPaid, TwiceChangesNothingAndSaysSo) {
  CoreWorld w(kStart);
  const PaymentId id = Owe(w);
  w.MarkPaid(id, "first");
  const std::string before = w.core().Digest();
  const Reply again = w.MarkPaid(id, "second");
  EXPECT_EQ(again.reason, Reason::kOk);
  EXPECT_EQ(again.count, 0);
  EXPECT_EQ(again.note, "payment " + std::to_string(id.value()) +
                            " was marked as paid already (ref first); nothing was changed");
  EXPECT_EQ(w.core().Digest(), before);
}

TEST(MarkPaid, AnswersARepeatedRequestAsTheFirstTime) {
  CoreWorld w(kStart);
  const pinka::MarkPaid command{w.Admin(), {"key", "hash"}, Owe(w), "bank"};
  EXPECT_FALSE(w.Do(command).repeated);
  const Reply again = w.Do(command);
  EXPECT_TRUE(again.repeated);
  EXPECT_EQ(again.first, command.payment.value());
  EXPECT_EQ(again.count, 1);
}

TEST(MarkPaid, IsRefused) {
  CoreWorld w(kStart);
  const PaymentId id = Owe(w);
  EXPECT_EQ(w.Do(pinka::MarkPaid{w.By("alice"), {}, id, "bank"}).reason, Reason::kNotPermitted);
  EXPECT_EQ(w.MarkPaid(id, " ").detail,
            "a payment needs a word on how it was made; say it with --ref");
  EXPECT_EQ(w.MarkPaid(PaymentId(9'999)).detail,
            "no payment 9999; `pinka admin payment ls --all` lists them");
  EXPECT_TRUE(w.Transfers(TransferKind::kPayment).empty());
}

}  // namespace
}  // namespace pinka::test
