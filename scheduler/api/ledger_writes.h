// LedgerService's verbs, for admins: each is read, converted and sent to core, which judges it.
// What a refund or a correction names is read beforehand and attached; core answers a known request
// id before it looks at that.
#pragma once

#include "pinka/v1/ledger.pb.h"
#include "scheduler/api/call.h"

namespace pinka::api {

class LedgerWrites {
 public:
  explicit LedgerWrites(Desk& desk) : desk_(desk) {}
  void Deposit(CallPtr call, const v1::DepositRequest* request, v1::DepositResponse* response);
  void Withdraw(CallPtr call, const v1::WithdrawRequest* request, v1::WithdrawResponse* response);
  void Refund(CallPtr call, const v1::RefundRequest* request, v1::RefundResponse* response);
  void Transfer(CallPtr call, const v1::TransferRequest* request, v1::TransferResponse* response);
  void Correct(CallPtr call, const v1::CorrectRequest* request, v1::CorrectResponse* response);

 private:
  Desk& desk_;
};

// What a refund names: "1204" an entry, "36_1.2" an attempt, "36_1" a task (number 0).
struct RefundName {
  TransferId entry;
  AttemptId attempt;
};
StatusOr<RefundName> ParseRefundName(const std::string& text);

}  // namespace pinka::api
