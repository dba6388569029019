#include "scheduler/api/balance.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace pinka::api {
namespace {

const AttemptId kAttempt{JobId(1), 0, 1};

db::Balances OneLot(Money credited, Money held) {
  db::Balances balances;
  db::LotBalance lot;
  lot.row.id = LotId(1);
  lot.row.credited = credited;
  lot.row.held = held;
  balances.lots.push_back(lot);
  return balances;
}

void AddHold(db::Balances& balances, AttemptId id, Money amount, int32_t units, Rate rate) {
  db::OpenHold hold;
  hold.row.attempt = id;
  hold.row.amount = amount;
  hold.units = units;
  hold.rate = rate;
  balances.holds.push_back(hold);
}

void AddLine(db::Balances& balances, AttemptId id, int32_t n, int64_t lot, Money amount) {
  balances.hold_lines.push_back({id, n, LotId(lot), amount, Money()});
}

void ExpectIdentity(const Numbers& n) {
  EXPECT_EQ(n.credited, n.settled + n.in_flight + n.committed + n.available - n.credit_limit);
}

TEST(Balance, CountsWhatIsMeteredAsInFlight) {
  db::Balances balances = OneLot(Money::Whole(100), Money::Whole(24));
  AddHold(balances, kAttempt, Money::Whole(24), 2, Rate::MicrosPerUnitHour(12'000'000));
  AddLine(balances, kAttempt, 0, 1, Money::Whole(24));
  const auto meter = [](const AttemptId&) { return Duration::Minutes(15); };
  const Numbers n = NumbersOfLots(balances, meter).at(0).numbers;
  EXPECT_EQ(n.in_flight, Money::Whole(6));
  EXPECT_EQ(n.committed, Money::Whole(18));
  EXPECT_EQ(n.available, Money::Whole(76));
  ExpectIdentity(n);
}

TEST(Balance, TakesTheNewerOfTwoMetersAndAtMostTheHold) {
  db::Balances balances = OneLot(Money::Whole(100), Money::Whole(12));
  AddHold(balances, kAttempt, Money::Whole(12), 1, Rate::MicrosPerUnitHour(12'000'000));
  balances.holds[0].metered_ms = Duration::Minutes(30).millis();
  AddLine(balances, kAttempt, 0, 1, Money::Whole(12));
  const auto with = [&](Duration newest) {
    return NumbersOfLots(balances, [=](const AttemptId&) { return newest; }).at(0).numbers;
  };
  EXPECT_EQ(with(Duration()).in_flight, Money::Whole(6));
  EXPECT_EQ(with(Duration::Minutes(45)).in_flight, Money::Whole(9));
  EXPECT_EQ(with(Duration::Hours(9)).in_flight, Money::Whole(12));
}

TEST(Balance, BurnsTheFirstLineFirst) {
  db::Balances balances = OneLot(Money::Whole(5), Money::Whole(5));
  balances.lots.push_back(balances.lots[0]);
  balances.lots[1].row.id = LotId(2);
  balances.lots[1].row.credited = Money::Whole(20);
  balances.lots[1].row.held = Money::Whole(7);
  AddHold(balances, kAttempt, Money::Whole(12), 1, Rate::MicrosPerUnitHour(12'000'000));
  AddLine(balances, kAttempt, 1, 2, Money::Whole(7));
  AddLine(balances, kAttempt, 0, 1, Money::Whole(5));
  const auto lots = NumbersOfLots(balances, [](const AttemptId&) { return Duration::Minutes(40); });
  EXPECT_EQ(lots[0].numbers.in_flight, Money::Whole(5));
  EXPECT_EQ(lots[1].numbers.in_flight, Money::Whole(3));
}

TEST(Balance, AddsUpWhateverTheNumbers) {
  SeededRandom random(20261130);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const auto money = [&] {
      return Money::Micros(static_cast<int64_t>(random.Below(1'000'000'007)));
    };
    db::Balances balances = OneLot(money(), money());
    balances.lots[0].row.posted = money();
    balances.lots[0].row.credit_limit = money();
    for (int i = 1; i < 4; ++i) {
      const AttemptId id{JobId(i), 0, 1};
      const Money amount = money();
      AddHold(balances, id, amount, 3, Rate::MicrosPerUnitHour(2'490'001));
      AddLine(balances, id, 0, 1, amount);
    }
    const auto meter = [&](const AttemptId&) {
      return Duration::Millis(static_cast<int64_t>(random.Below(1'000'000'000)));
    };
    Numbers sum;
    for (const LotNumbers& lot : NumbersOfLots(balances, meter)) {
      ExpectIdentity(lot.numbers);
      EXPECT_GE(lot.numbers.committed, Money());
      sum += lot.numbers;
    }
    ExpectIdentity(sum);
  }
}

}  // namespace
}  // namespace pinka::api
