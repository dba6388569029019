#include "scheduler/api/ledger_service.h"

#include "pinka/v1/ledger.grpc.pb.h"
#include "scheduler/api/ledger_reads.h"
#include "scheduler/api/ledger_writes.h"
#include "scheduler/api/limit_calls.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class LedgerService final : public v1::LedgerService::CallbackService {
 public:
  explicit LedgerService(Desk& desk) : desk_(desk), reads_(desk), writes_(desk), limits_(desk) {}

  Reactor* GetBalance(Context* context, const v1::GetBalanceRequest* request,
                      v1::GetBalanceResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.GetBalance",
                      [=, this](CallPtr call) { reads_.Balance(call, request, response); });
  }
  Reactor* ListEntries(Context* context, const v1::ListEntriesRequest* request,
                       v1::ListEntriesResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.ListEntries",
                      [=, this](CallPtr call) { reads_.Entries(call, request, response); });
  }
  Reactor* ListLimits(Context* context, const v1::ListLimitsRequest* request,
                      v1::ListLimitsResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.ListLimits",
                      [=, this](CallPtr call) { limits_.List(call, request, response); });
  }

  Reactor* RaiseLimit(Context* context, const v1::RaiseLimitRequest* request,
                      v1::RaiseLimitResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.RaiseLimit",
                      [=, this](CallPtr call) { limits_.Raise(call, request, response); });
  }

  Reactor* Deposit(Context* context, const v1::DepositRequest* request,
                   v1::DepositResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.Deposit",
                      [=, this](CallPtr call) { writes_.Deposit(call, request, response); });
  }
  Reactor* Withdraw(Context* context, const v1::WithdrawRequest* request,
                    v1::WithdrawResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.Withdraw",
                      [=, this](CallPtr call) { writes_.Withdraw(call, request, response); });
  }
  Reactor* Refund(Context* context, const v1::RefundRequest* request,
                  v1::RefundResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.Refund",
                      [=, this](CallPtr call) { writes_.Refund(call, request, response); });
  }
  Reactor* Transfer(Context* context, const v1::TransferRequest* request,
                    v1::TransferResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.Transfer",
                      [=, this](CallPtr call) { writes_.Transfer(call, request, response); });
  }
  Reactor* Correct(Context* context, const v1::CorrectRequest* request,
                   v1::CorrectResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.Correct",
                      [=, this](CallPtr call) { writes_.Correct(call, request, response); });
  }

 private:
  Desk& desk_;
  LedgerReads reads_;
  LedgerWrites writes_;
  LimitCalls limits_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeLedgerService(Desk& desk) {
  return std::make_unique<LedgerService>(desk);
}

}  // namespace pinka::api
