// Bills against rentals: numbers of semantics.md 9, and the identity for whatever a provider
// writes.
#include "scheduler/core/reconcile.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace pinka {
namespace {

using Kind = InvoiceLineKind;

Timestamp Min(int64_t minutes) { return Timestamp::Seconds(1'000'000 + minutes * 60); }
Money Cents(int64_t n) { return Money::Micros(n * 10'000); }

// Two jobs of 20 and 25 minutes in one paid hour at 12.00: 4.00 + 5.00, idle 3.00.
PaidRental Hour(int64_t id = 1, int64_t from = 0) {
  PaidRental rental;
  rental.node = "box";
  RentalRow& row = rental.row;
  row.id = RentalId(id);
  row.provider = "aliyun";
  row.instance = "i-1";
  row.opened_at = Min(from);
  row.closed_at = row.posted_at = Min(from + 60);
  row.billed = Cents(1'200);
  row.members = Cents(900);
  row.idle = Cents(300);
  return rental;
}

InvoiceLineRow Line(Kind kind, int64_t from, int64_t to, Money amount,
                    const std::string& instance = "i-1") {
  InvoiceLineRow line;
  line.n = 1;
  line.kind = kind;
  line.instance = instance;
  line.starts_at = Min(from);
  line.ends_at = Min(to);
  line.amount = amount;
  return line;
}

std::vector<InvoiceLineRow> Bill(const std::vector<PaidRental>& rentals,
                                 std::vector<InvoiceLineRow> lines) {
  int32_t n = 0;
  for (InvoiceLineRow& line : lines) line.n = ++n;
  Reconcile(rentals, &lines);
  EXPECT_TRUE(AddsUp(IdentityOf(lines)));
  return lines;
}

TEST(Reconcile, CoversAnHourOfTwoJobsAndWhatStoodIdle) {
  const auto lines = Bill({Hour()}, {Line(Kind::kCompute, 0, 60, Cents(1'200))});
  EXPECT_EQ(lines[0].rental, RentalId(1));
  EXPECT_EQ(lines[0].charges, Cents(900));
  EXPECT_EQ(lines[0].idle, Cents(300));
  EXPECT_EQ(EntryOf(lines[0]).amount, Money());
  EXPECT_EQ(lines[0].unknown, Money());
}

TEST(Reconcile, BooksAnotherPriceAsVariance) {
  for (const int64_t cents : {1'350, 1'000, 0}) {
    const auto lines = Bill({Hour()}, {Line(Kind::kCompute, 0, 60, Cents(cents))});
    EXPECT_EQ(EntryOf(lines[0]).account, AccountKind::kVariance);
    EXPECT_EQ(EntryOf(lines[0]).amount, Cents(cents - 1'200));
    const Identity sum = IdentityOf(lines);
    EXPECT_EQ(sum.variance, Cents(cents - 1'200));
    EXPECT_EQ(sum.charges, Cents(900));
  }
}

// What the rental itself has posted as variance and what the bill adds to it are one account.
TEST(Reconcile, AddsUpTheVarianceOfTheRentalAndOfTheBill) {
  PaidRental rental = Hour();
  rental.row.members = Cents(950);
  rental.row.variance = Cents(-50);
  const auto lines = Bill({rental}, {Line(Kind::kCompute, 0, 60, Cents(1'210))});
  EXPECT_EQ(EntryOf(lines[0]).amount, Cents(10));
  EXPECT_EQ(IdentityOf(lines).variance, Cents(-40));
}

TEST(Reconcile, TakesSegmentsRoundedUpToTheCentFromWhatTheRuleHasRounded) {
  // AutoDL: 100 segments of 37 s at 12.00 cost 13.00; 12.333333 ran, 0.666667 is rounding.
  std::vector<PaidRental> rentals;
  std::vector<InvoiceLineRow> lines;
  for (int64_t i = 0; i < 100; ++i) {
    PaidRental one = Hour(i + 1);
    one.row.opened_at = Min(10 * i);
    one.row.closed_at = one.row.posted_at = one.row.opened_at + Duration::Seconds(37);
    one.row.billed = Cents(13);
    one.row.members = Money::Micros(123'333);
    one.row.idle = {};
    one.row.rounding = Cents(13) - Money::Micros(123'333);
    rentals.push_back(one);
    lines.push_back(Line(Kind::kCompute, 10 * i, 10 * i, Cents(13)));
    lines.back().ends_at = one.row.closed_at;
  }
  const Identity sum = IdentityOf(Bill(rentals, lines));
  EXPECT_EQ(sum.total, Cents(1'300));
  EXPECT_EQ(sum.charges, Money::Micros(12'333'300));
  EXPECT_EQ(sum.rounding, Money::Micros(666'700));
  EXPECT_EQ(sum.variance, Money());
}

TEST(Reconcile, SharesARentalAmongItsLinesByTimeToTheLastMicroUnit) {
  PaidRental rental = Hour();
  rental.row.members = Money::Micros(1'000'001);
  const auto lines = Bill(
      {rental}, {Line(Kind::kCompute, 40, 60, Cents(400)), Line(Kind::kCompute, 0, 20, Cents(400)),
                 Line(Kind::kCompute, 20, 40, Cents(400))});
  EXPECT_EQ(lines[1].charges, Money::Micros(333'334));
  EXPECT_EQ(lines[2].charges, Money::Micros(333'334));
  EXPECT_EQ(lines[0].charges, Money::Micros(333'333));
  EXPECT_EQ(lines[0].idle + lines[1].idle + lines[2].idle, Cents(300));
}

// September was full, October stood idle: each bill covers what was posted in its own month.
TEST(Reconcile, CoversOfALongRentalWhatEarlierBillsHaveNot) {
  PaidRental rental = Hour();
  rental.row.closed_at = {};
  rental.row.members = Cents(1'200);
  rental.row.idle = {};
  const auto september = Bill({rental}, {Line(Kind::kCompute, 0, 60, Cents(1'200))});
  EXPECT_EQ(september[0].charges, Cents(1'200));
  Cover(september[0], &rental.covered);
  rental.row.posted_at = Min(120);
  rental.row.billed = Cents(2'400);
  rental.row.idle = Cents(1'200);
  const auto october = Bill({rental}, {Line(Kind::kCompute, 60, 120, Cents(1'200))});
  EXPECT_EQ(october[0].charges, Money());
  EXPECT_EQ(october[0].idle, Cents(1'200));
  EXPECT_EQ(EntryOf(october[0]).amount, Money());
}

TEST(Reconcile, BooksTheSameTimeBilledTwiceAsVariance) {
  const auto lines = Bill({Hour()}, {Line(Kind::kCompute, 0, 60, Cents(1'200)),
                                     Line(Kind::kCompute, 0, 60, Cents(1'200))});
  EXPECT_EQ(IdentityOf(lines).charges, Cents(900));
  EXPECT_EQ(IdentityOf(lines).variance, Cents(1'200));
}

TEST(Reconcile, FindsTheRentalByTheMachineOrTheNodeAndByTime) {
  const std::vector<PaidRental> rentals = {Hour(1, 0), Hour(2, 100), Hour(3, 200)};
  struct Case {
    const char* why;
    InvoiceLineRow line;
    int64_t rental;  // 0: unknown
  };
  const Case cases[] = {
      {"by the provider's name", Line(Kind::kCompute, 100, 160, Cents(1)), 2},
      {"by the node's", Line(Kind::kCompute, 200, 260, Cents(1), "box"), 3},
      {"a few minutes off", Line(Kind::kCompute, 95, 158, Cents(1)), 2},
      {"a machine that nobody knows", Line(Kind::kCompute, 0, 60, Cents(1), "i-2"), 0},
      {"no machine", Line(Kind::kCompute, 0, 60, Cents(1), ""), 0},
      {"when none was up", Line(Kind::kCompute, 70, 90, Cents(1)), 0},
      {"half of one, half of another", Line(Kind::kCompute, 30, 130, Cents(1)), 0},
      {"nearly all of one", Line(Kind::kCompute, 0, 103, Cents(1)), 1},
      {"an instant", Line(Kind::kCompute, 110, 110, Cents(1)), 2},
      {"the end is open", Line(Kind::kCompute, 60, 60, Cents(1)), 0},
  };
  for (const Case& c : cases) {
    const auto lines = Bill(rentals, {c.line});
    EXPECT_EQ(lines[0].rental.value(), c.rental) << c.why;
    EXPECT_EQ(lines[0].unknown, c.rental == 0 ? Cents(1) : Money()) << c.why;
  }
}

TEST(Reconcile, TakesALineThatEndsSecondsBeforeItsRentalAsTheWholeOfIt) {
  InvoiceLineRow line = Line(Kind::kCompute, 0, 60, Cents(1'200));
  line.ends_at = Min(60) - Duration::Seconds(40);
  EXPECT_EQ(Bill({Hour()}, {line})[0].charges, Cents(900));
  line.ends_at = Min(30);
  EXPECT_EQ(Bill({Hour()}, {line})[0].charges, Cents(450));
}

TEST(Reconcile, BooksDisksThatAreBilledWhileTheMachineIsOff) {
  PaidRental rental = Hour();
  rental.row.disk = Cents(10);
  const auto lines =
      Bill({rental}, {Line(Kind::kDisk, 0, 60, Cents(12)), Line(Kind::kDisk, 500, 560, Cents(12)),
                      Line(Kind::kDisk, 500, 560, Cents(12), "i-2")});
  EXPECT_EQ(lines[0].disk, Cents(10));
  EXPECT_EQ(EntryOf(lines[0]).amount, Cents(2));
  EXPECT_EQ(lines[1].rental, RentalId(1));
  EXPECT_EQ(EntryOf(lines[1]).account, AccountKind::kDisk);
  EXPECT_EQ(EntryOf(lines[1]).amount, Cents(12));
  EXPECT_EQ(lines[2].unknown, Cents(12)) << "the disk of a machine that nobody knows";
  EXPECT_EQ(IdentityOf(lines).disk, Cents(24));
  const auto off = Bill({rental}, {Line(Kind::kDisk, 500, 560, Cents(12))});
  EXPECT_EQ(off[0].disk, Money()) << "of the time when it was up nothing is covered";
  EXPECT_EQ(EntryOf(off[0]).amount, Cents(12));
}

TEST(Reconcile, BooksEgressVouchersAndTheRest) {
  const auto lines = Bill(
      {Hour()},
      {Line(Kind::kEgress, 0, 60, Cents(70), ""), Line(Kind::kEgress, 0, 60, Cents(30), "i-1"),
       Line(Kind::kEgress, 0, 60, Cents(5), "i-9"), Line(Kind::kVoucher, 0, 60, Cents(-500), "i-1"),
       Line(Kind::kVoucher, 0, 60, Cents(-20), ""), Line(Kind::kOther, 0, 60, Cents(11), "i-1"),
       Line(Kind::kOther, 0, 60, Cents(-4), "")});
  const Identity sum = IdentityOf(lines);
  EXPECT_EQ(sum.egress, Cents(100));
  EXPECT_EQ(sum.vouchers, Cents(520));
  EXPECT_EQ(sum.unknown, Cents(12));
  EXPECT_EQ(sum.total, Cents(-408));
  EXPECT_EQ(lines[3].rental, RentalId(1)) << "a credit against a rental";
  EXPECT_FALSE(lines[4].rental);
  EXPECT_FALSE(lines[5].rental);
}

TEST(Reconcile, CoversTheEgressThatARentalHasPosted) {
  PaidRental rental = Hour();
  rental.row.egress = Cents(80);
  const auto lines =
      Bill({rental}, {Line(Kind::kEgress, 0, 60, Cents(95)), Line(Kind::kEgress, 0, 60, Cents(10)),
                      Line(Kind::kEgress, 0, 60, Cents(7), "")});
  EXPECT_EQ(lines[0].egress, Cents(80));
  EXPECT_EQ(EntryOf(lines[0]).account, AccountKind::kEgress);
  EXPECT_EQ(EntryOf(lines[0]).amount, Cents(15)) << "more than was told";
  EXPECT_EQ(lines[1].egress, Money()) << "nothing twice";
  EXPECT_EQ(EntryOf(lines[1]).amount, Cents(10));
  EXPECT_EQ(EntryOf(lines[2]).amount, Cents(7));
  EXPECT_EQ(IdentityOf(lines).egress, Cents(112));
}

TEST(Reconcile, MovesWhatIsExplainedWithinTheIdentity) {
  const auto lines = Bill({Hour()}, {Line(Kind::kCompute, 0, 60, Cents(1'200)),
                                     Line(Kind::kOther, 0, 60, Cents(100), "")});
  const Identity sum = IdentityOf(lines, {{AccountKind::kIdle, Cents(10)},
                                          {AccountKind::kSpent, Cents(20)},
                                          {AccountKind::kOverheadOther, Cents(30)}});
  EXPECT_TRUE(AddsUp(sum));
  EXPECT_EQ(sum.idle, Cents(310));
  EXPECT_EQ(sum.members, Cents(20));
  EXPECT_EQ(sum.overhead, Cents(30));
  EXPECT_EQ(sum.unknown, Cents(40));
  Identity wrong = sum;
  wrong.idle += Money::Micros(1);
  EXPECT_FALSE(AddsUp(wrong));
}

PaidRental AnyRental(SeededRandom& random, int64_t id) {
  PaidRental rental = Hour(id, static_cast<int64_t>(random.Below(300)));
  RentalRow& row = rental.row;
  row.instance = "i-" + std::to_string(random.Below(3));
  row.node = NodeId(id);
  rental.node = random.Below(2) == 0 ? "" : "box";
  const auto money = [&] { return Money::Micros(static_cast<int64_t>(random.Below(9'000'000))); };
  row.members = money();
  row.lab = money();
  row.idle = money();
  row.rounding = money();
  row.disk = money();
  row.variance = money() - Money::Micros(4'500'000);
  row.egress = money();
  return rental;
}

// Whatever is billed, in however many bills: the identity holds, and nothing of a rental is covered
// twice or turned round.
TEST(Reconcile, KeepsTheIdentityForAnyBill) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    std::vector<PaidRental> rentals;
    for (int64_t id = 1; id <= 6; ++id) rentals.push_back(AnyRental(random, id));
    for (int bill = 0; bill < 3; ++bill) {
      std::vector<InvoiceLineRow> lines;
      for (int i = 0; i < 12; ++i) {
        const auto from = static_cast<int64_t>(random.Below(360));
        const auto kind = static_cast<Kind>(random.Below(5));
        const auto micros = static_cast<int64_t>(random.Below(20'000'000));
        const bool below = kind == Kind::kVoucher || random.Below(10) == 0;
        const char* names[] = {"i-0", "i-1", "i-2", "i-3", "box", ""};
        lines.push_back(Line(kind, from, from + static_cast<int64_t>(random.Below(90)),
                             Money::Micros(below ? -micros : micros), names[random.Below(6)]));
      }
      lines = Bill(rentals, std::move(lines));
      for (const InvoiceLineRow& line : lines) {
        EXPECT_EQ(line.amount, line.charges + line.idle + line.rounding + line.disk + line.egress +
                                   line.variance + EntryOf(line).amount);
        if (line.rental)
          Cover(line, &rentals[static_cast<size_t>(line.rental.value()) - 1].covered);
      }
      for (const PaidRental& rental : rentals) {
        EXPECT_GE(rental.covered.charges, Money());
        EXPECT_LE(rental.covered.charges, rental.row.members + rental.row.lab);
        EXPECT_LE(rental.covered.idle, rental.row.idle);
        EXPECT_LE(rental.covered.rounding, rental.row.rounding);
        EXPECT_LE(rental.covered.disk, rental.row.disk);
        EXPECT_LE(rental.covered.egress, rental.row.egress);
      }
    }
  }
}

}  // namespace
}  // namespace pinka
