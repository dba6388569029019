#include "scheduler/api/ledger_writes.h"

#include <memory>
#include <utility>

#include "base/parse.h"
#include "db/reads.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"

namespace pinka::api {
namespace {

Status NoSuchOwner() {
  return Refusal(Reason::kNoSuchAccount,
                 "no such account; use a member's name, project:NAME or lab");
}

// What all money verbs have: a key and a reason.
template <class C, class Request>
Status FillFounded(const Request& request, C* command) {
  StatusOr<RequestKey> key = KeyOf(request);
  if (!key.ok()) return key.status();
  command->request = *key;
  command->reason = request.reason();
  return CheckText(request.reason(), kMostTextChars, "reason");
}

// And all but a correction: an amount above 0.
template <class C, class Request>
Status FillVerb(const Request& request, C* command) {
  if (Status s = FillFounded(request, command); !s.ok()) return s;
  StatusOr<Money> amount = PositiveMoney(request.amount(), "the amount");
  if (amount.ok()) command->amount = *amount;
  return amount.status();
}

StatusOr<pinka::Deposit> ConvertDeposit(const v1::DepositRequest& request, const Board& board) {
  pinka::Deposit command;
  if (Status s = FillVerb(request, &command); !s.ok()) return s;
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
  return command;
}

StatusOr<pinka::Withdraw> ConvertWithdraw(const v1::WithdrawRequest& request, const Board& board) {
  pinka::Withdraw command;
  if (Status s = FillVerb(request, &command); !s.ok()) return s;
  const auto owner = FindOwner(board, request.from());
  if (!owner) return NoSuchOwner();
  command.from = *owner;
  return command;
}

StatusOr<pinka::Transfer> ConvertTransfer(const v1::TransferRequest& request, const Board& board) {
  pinka::Transfer command;
  if (Status s = FillVerb(request, &command); !s.ok()) return s;
  const auto from = FindOwner(board, request.from());
  const auto to = FindOwner(board, request.to());
  if (!from || !to) return NoSuchOwner();
  command.from = *from;
  command.to = *to;
  return command;
}

StatusOr<pinka::Refund> ConvertRefund(const v1::RefundRequest& request) {
  pinka::Refund command;
  const bool hours = request.unit_ms() != 0;
  if (Status s = FillFounded(request, &command); !s.ok()) return s;
  if (!request.amount().empty() || (!hours && !request.all())) {
    StatusOr<Money> amount = PositiveMoney(request.amount(), "the amount");
    if (!amount.ok()) return amount.status();
    command.amount = *amount;
  }
  command.unit_ms = request.unit_ms();
  command.all = request.all();
  StatusOr<RefundName> name = ParseRefundName(request.entry());
  if (!name.ok()) return name.status();
  command.entry = name->entry;
  command.name = name->entry ? "entry " + request.entry() : request.entry();
  return command;
}

StatusOr<pinka::Correct> ConvertCorrect(const v1::CorrectRequest& request) {
  pinka::Correct command;
  if (Status s = FillFounded(request, &command); !s.ok()) return s;
  StatusOr<Money> amount = ParseWireMoney(request.amount());
  if (!amount.ok()) return Invalid("the amount: " + Message(amount.status()));
  command.amount = *amount;
  if (request.entry_id() <= 0) return Invalid("no entry is named; `pinka ledger` lists them");
  command.entry = TransferId(request.entry_id());
  return command;
}

// Sends what has an amount to answer with.
template <class C, class Response>
void Send(Desk& desk, const CallPtr& call, C command, Response* response,
          std::function<void(const Reply&)> fill) {
  command.actor = call->actor();
  const std::string amount = FormatWireMoney(command.amount);
  desk.Do(call, std::move(command), [=, &desk, fill = std::move(fill)](const Outcome& outcome) {
    fill(outcome.reply);
    response->set_amount(amount);
    *response->mutable_as_of() = ToProto(desk.tools().clock.Now());
    call->Done();
  });
}

}  // namespace

StatusOr<RefundName> ParseRefundName(const std::string& text) {
  RefundName name;
  if (ParseAttemptId(text, &name.attempt)) return name;
  if (ParseAttemptId(text + ".1", &name.attempt)) {
    name.attempt.number = 0;
    return name;
  }
  StatusOr<int64_t> id = ParseInt(text, 1, INT64_MAX, "an entry");
  if (!id.ok()) {
    return Invalid(
        "a refund names a charge by its number in the ledger (1204), an attempt (36_1.2) or a task "
        "(36_1)");
  }
  name.entry = TransferId(*id);
  return name;
}

void LedgerWrites::Deposit(CallPtr call, const v1::DepositRequest* request,
                           v1::DepositResponse* response) {
  desk_.tools().names.Fresh([=, this](BoardPtr board) {
    StatusOr<pinka::Deposit> command = ConvertDeposit(*request, *board);
    if (!command.ok()) return call->Fail(command.status());
    Send(desk_, call, *std::move(command), response,
         [=](const Reply& reply) { response->set_lot_id(reply.first); });
  });
}

void LedgerWrites::Withdraw(CallPtr call, const v1::WithdrawRequest* request,
                            v1::WithdrawResponse* response) {
  desk_.tools().names.Fresh([=, this](BoardPtr board) {
    StatusOr<pinka::Withdraw> command = ConvertWithdraw(*request, *board);
    if (!command.ok()) return call->Fail(command.status());
    Send(desk_, call, *std::move(command), response,
         [=](const Reply& reply) { response->set_note(reply.note); });
  });
}

void LedgerWrites::Transfer(CallPtr call, const v1::TransferRequest* request,
                            v1::TransferResponse* response) {
  desk_.tools().names.Fresh([=, this](BoardPtr board) {
    StatusOr<pinka::Transfer> command = ConvertTransfer(*request, *board);
    if (!command.ok()) return call->Fail(command.status());
    Send(desk_, call, *std::move(command), response, [=](const Reply& reply) {
      response->set_first_entry_id(reply.first);
      response->set_entries(reply.count);
    });
  });
}

void LedgerWrites::Refund(CallPtr call, const v1::RefundRequest* request,
                          v1::RefundResponse* response) {
  desk_.Read(call, [=, this] {
    StatusOr<pinka::Refund> command = ConvertRefund(*request);
    if (!command.ok()) return call->Fail(command.status());
    const StatusOr<RefundName> name = ParseRefundName(request->entry());
    auto entries = name->entry ? db::EntryNamed(desk_.database(), name->entry)
                               : db::ChargesOf(desk_.database(), name->attempt);
    if (!entries.ok()) return call->Fail(entries.status());
    command->entries = *std::move(entries);
    response->set_unit_ms(command->unit_ms);
    Send(desk_, call, *std::move(command), response, [=](const Reply& reply) {
      response->set_first_entry_id(reply.first);
      response->set_entries(reply.count);
      response->set_note(reply.note);
    });
  });
}

void LedgerWrites::Correct(CallPtr call, const v1::CorrectRequest* request,
                           v1::CorrectResponse* response) {
  desk_.Read(call, [=, this] {
    StatusOr<pinka::Correct> command = ConvertCorrect(*request);
    if (!command.ok()) return call->Fail(command.status());
    auto entries = db::EntryNamed(desk_.database(), command->entry);
    if (!entries.ok()) return call->Fail(entries.status());
    command->entries = *std::move(entries);
    Send(desk_, call, *std::move(command), response,
         [=](const Reply& reply) { response->set_entry_id(reply.first); });
  });
}

}  // namespace pinka::api
