#include "scheduler/api/ledger_service.h"

#include "base/parse.h"
#include "fmt/format.h"
#include "pinka/v1/ledger.grpc.pb.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/ledger_reads.h"
#include "scheduler/api/limits.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

Status NoSuchOwner() {
  return Refusal(Reason::kNoSuchAccount,
                 "no such account; use a member's name, project:NAME or lab");
}

StatusOr<pinka::Deposit> ConvertDeposit(const v1::DepositRequest& request, const Board& board) {
  pinka::Deposit command;
  StatusOr<RequestKey> key = KeyOf(request);
  if (!key.ok()) return key.status();
  command.request = *key;
  StatusOr<Money> amount = PositiveMoney(request.amount(), "the amount");
  if (!amount.ok()) return amount.status();
  command.amount = *amount;
  const auto owner = FindOwner(board, request.to());
  if (!owner) return NoSuchOwner();
  command.to = *owner;
  if (!request.from().empty()) {
    const auto payer = FindMember(board, request.from());
    if (!payer) return Refusal(Reason::kNoSuchMember, "who paid it in is no member of the lab");
    command.from = *payer;
  }
  if (request.has_until()) command.until = FromProto(request.until());
  if (!request.tier().empty()) {
    const Board::Tier* tier = FindTier(board, request.tier());
    if (!tier) return Refusal(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
    command.tier = tier->row.id;
  }
  if (Status s = CheckText(request.reason(), kMostTextChars, "reason"); !s.ok()) return s;
  command.reason = request.reason();
  return command;
}

StatusOr<pinka::Withdraw> ConvertWithdraw(const v1::WithdrawRequest& request, const Board& board) {
  pinka::Withdraw command;
  StatusOr<RequestKey> key = KeyOf(request);
  if (!key.ok()) return key.status();
  command.request = *key;
  StatusOr<Money> amount = PositiveMoney(request.amount(), "the amount");
  if (!amount.ok()) return amount.status();
  command.amount = *amount;
  const auto owner = FindOwner(board, request.from());
  if (!owner) return NoSuchOwner();
  command.from = *owner;
  if (Status s = CheckText(request.reason(), kMostTextChars, "reason"); !s.ok()) return s;
  command.reason = request.reason();
  return command;
}

class LedgerService final : public v1::LedgerService::CallbackService {
 public:
  explicit LedgerService(Desk& desk) : desk_(desk), reads_(desk) {}

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
                      [=, this](CallPtr call) { reads_.Limits(call, request, response); });
  }

  Reactor* Deposit(Context* context, const v1::DepositRequest* request,
                   v1::DepositResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.Deposit", [=, this](CallPtr call) {
      desk_.tools().names.Fresh([=, this](BoardPtr board) {
        StatusOr<pinka::Deposit> command = ConvertDeposit(*request, *board);
        if (!command.ok()) return call->Fail(command.status());
        command->actor = call->actor();
        const std::string amount = FormatWireMoney(command->amount);
        desk_.Do(call, *std::move(command), [=, this](const Outcome& outcome) {
          response->set_lot_id(outcome.reply.first);
          response->set_amount(amount);
          *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
          call->Done();
        });
      });
    });
  }

  Reactor* Withdraw(Context* context, const v1::WithdrawRequest* request,
                    v1::WithdrawResponse* response) override {
    return desk_.Open(context, "pinka.v1.LedgerService.Withdraw", [=, this](CallPtr call) {
      desk_.tools().names.Fresh([=, this](BoardPtr board) {
        StatusOr<pinka::Withdraw> command = ConvertWithdraw(*request, *board);
        if (!command.ok()) return call->Fail(command.status());
        command->actor = call->actor();
        const std::string amount = FormatWireMoney(command->amount);
        desk_.Do(call, *std::move(command), [=, this](const Outcome&) {
          response->set_amount(amount);
          *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
          call->Done();
        });
      });
    });
  }

 private:
  Desk& desk_;
  LedgerReads reads_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeLedgerService(Desk& desk) {
  return std::make_unique<LedgerService>(desk);
}

}  // namespace pinka::api
