// The verbs about money of an admin, with what they name attached.
#include <gtest/gtest.h>

#include "tests/support/core_world.h"

namespace pinka::test {

LotId CoreWorld::PayIn(const std::string& from, const std::string& to, Money amount) {
  pinka::Deposit command;
  command.actor = Admin();
  command.to = OwnerNamed(state(), to);
  command.from = Member(from);
  command.amount = amount;
  const Reply reply = Do(command);
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  return LotId(reply.first);
}

Reply CoreWorld::Withdraw(const std::string& from, Money amount, const std::string& key) {
  pinka::Withdraw command;
  command.actor = Admin();
  command.request = {key, from + " " + std::to_string(amount.micros())};
  command.from = OwnerNamed(state(), from);
  command.amount = amount;
  command.reason = "out";
  return Do(command);
}

Reply CoreWorld::Transfer(const std::string& from, const std::string& to, Money amount,
                          const std::string& key) {
  pinka::Transfer command;
  command.actor = Admin();
  command.request = {key, from + to + std::to_string(amount.micros())};
  command.from = OwnerNamed(state(), from);
  command.to = OwnerNamed(state(), to);
  command.amount = amount;
  command.reason = "moved";
  return Do(command);
}

Reply CoreWorld::Refund(TransferId entry, Money amount, const std::string& key) {
  pinka::Refund command;
  command.actor = Admin();
  command.request = {key, std::to_string(entry.value()) + " " + std::to_string(amount.micros())};
  command.entry = entry;
  command.name = "entry " + std::to_string(entry.value());
  command.amount = amount;
  command.reason = "slow";
  command.entries = store_.EntryNamed(entry);
  return Do(command);
}

Reply CoreWorld::Refund(const AttemptId& attempt, Money amount, const std::string& key) {
  pinka::Refund command;
  command.actor = Admin();
  command.request = {key, ToString(attempt) + " " + std::to_string(amount.micros())};
  command.name = ToString(attempt);
  command.amount = amount;
  command.reason = "slow";
  command.entries = store_.ChargesOf(attempt);
  return Do(command);
}

Reply CoreWorld::RefundHours(TransferId entry, int64_t unit_ms, const std::string& key) {
  pinka::Refund command;
  command.actor = Admin();
  command.request = {key, std::to_string(entry.value()) + " h" + std::to_string(unit_ms)};
  command.entry = entry;
  command.name = "entry " + std::to_string(entry.value());
  command.unit_ms = unit_ms;
  command.all = unit_ms == 0;
  command.reason = "slow";
  command.entries = store_.EntryNamed(entry);
  return Do(command);
}

Reply CoreWorld::RefundHours(const AttemptId& attempt, int64_t unit_ms, const std::string& key) {
  pinka::Refund command;
  command.actor = Admin();
  command.request = {key, ToString(attempt) + " h" + std::to_string(unit_ms)};
  command.name = ToString(attempt);
  command.unit_ms = unit_ms;
  command.all = unit_ms == 0;
  command.reason = "slow";
  command.entries = store_.ChargesOf(attempt);
  return Do(command);
}

Reply CoreWorld::Correct(TransferId entry, Money amount, const std::string& key) {
  pinka::Correct command;
  command.actor = Admin();
  command.request = {key, std::to_string(entry.value()) + " " + std::to_string(amount.micros())};
  command.entry = entry;
  command.amount = amount;
  command.reason = "wrong";
  command.entries = store_.EntryNamed(entry);
  return Do(command);
}

}  // namespace pinka::test
