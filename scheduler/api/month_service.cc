#include "scheduler/api/month_service.h"

#include <optional>

#include "db/reads_months.h"
#include "pinka/v1/month.grpc.pb.h"
#include "scheduler/api/convert_month.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/usage.h"
#include "scheduler/core/state.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

class MonthService final : public v1::MonthService::CallbackService {
 public:
  explicit MonthService(Desk& desk) : desk_(desk) {}

  Reactor* CloseMonth(Context* context, const v1::CloseMonthRequest* request,
                      v1::CloseMonthResponse* response) override {
    return desk_.Open(context, "pinka.v1.MonthService.CloseMonth", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
        StatusOr<Month> month = ParseMonth(request->month(), board->lab.timezone);
        if (!month.ok()) return call->Fail(month.status());
        StatusOr<RequestKey> key = KeyOf(*request);
        if (!key.ok()) return call->Fail(key.status());
        pinka::CloseMonth command{call->actor(), *key, month->start, month->end, request->force()};
        desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
          response->set_month(request->month());
          *response->mutable_starts_at() = ToProto(month->start);
          *response->mutable_ends_at() = ToProto(month->end);
          response->set_closed(outcome.reply.count > 0);
          response->set_note(outcome.reply.note);
          for (const std::string& line : outcome.reply.lines) response->add_late(line);
          *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
          call->Done();
        });
      });
    });
  }

  Reactor* SettleMonth(Context* context, const v1::SettleMonthRequest* request,
                       v1::SettleMonthResponse* response) override {
    return desk_.Open(context, "pinka.v1.MonthService.SettleMonth", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
        const Status status = Settle(call, *request, board, response);
        if (!status.ok()) call->Fail(status);
      });
    });
  }

  Reactor* ListPayments(Context* context, const v1::ListPaymentsRequest* request,
                        v1::ListPaymentsResponse* response) override {
    return desk_.Open(context, "pinka.v1.MonthService.ListPayments", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        std::optional<Timestamp> start;
        if (!request->month().empty()) {
          StatusOr<Month> month = ParseMonth(request->month(), board->lab.timezone);
          if (!month.ok()) return call->Fail(month.status());
          start = month->start;
        }
        auto rows = db::ListPayments(desk_.database(), start, request->all());
        if (!rows.ok()) return call->Fail(rows.status());
        for (const PaymentRow& row : *rows) FillPayment(row, *board, response->add_payments());
        response->set_currency(board->lab.currency);
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  }

  Reactor* MarkPaid(Context* context, const v1::MarkPaidRequest* request,
                    v1::MarkPaidResponse* response) override {
    return desk_.Open(context, "pinka.v1.MonthService.MarkPaid", [=, this](CallPtr call) {
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      if (Status s = CheckText(request->ref(), kMostTextChars, "ref"); !s.ok())
        return call->Fail(s);
      pinka::MarkPaid command{call->actor(), *key, PaymentId(request->payment_id()),
                              request->ref()};
      desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
        response->set_note(outcome.reply.note);
        AnswerPaid(call, PaymentId(outcome.reply.first), response);
      });
    });
  }

 private:
  // An error, or the call is on its way.
  Status Settle(CallPtr call, const v1::SettleMonthRequest& request, const BoardPtr& board,
                v1::SettleMonthResponse* response) {
    StatusOr<Month> month = ParseMonth(request.month(), board->lab.timezone);
    if (!month.ok()) return month.status();
    StatusOr<Spread> spread = ParseSpread(request.spread());
    if (!spread.ok()) return spread.status();
    StatusOr<RequestKey> key = KeyOf(request);
    if (!key.ok()) return key.status();
    StatusOr<db::ClosedMonth> known = db::ReadMonth(desk_.database(), month->start);
    if (!known.ok()) return known.status();
    if (known->row && known->row->settled_at) {
      const std::string note = MonthName(month->start) + " is settled already; nothing was changed";
      Answer(*known, *board, request.dry_run() ? "" : note, response);
      call->Done();
      return OkStatus();
    }
    auto facts = db::ReadPositionFacts(desk_.database(), month->start, month->end);
    if (!facts.ok()) return facts.status();
    pinka::SettleMonth command{call->actor(), *key,    month->start,
                               facts->since,  *spread, PositionsOf(*facts, month->start, *spread)};
    if (request.dry_run()) {
      Head(MonthName(month->start), known->row ? "closed" : "open", *spread, *board, response);
      FillProposals(command.positions, *board, response);
      call->Done();
      return OkStatus();
    }
    desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
      AnswerSettled(call, month->start, outcome.reply.note, response);
    });
    return OkStatus();
  }

  void Head(const std::string& month, const std::string& state, Spread spread, const Board& board,
            v1::SettleMonthResponse* out) {
    out->set_month(month);
    out->set_state(state);
    out->set_spread(std::string(Name(spread)));
    out->set_currency(board.lab.currency);
    *out->mutable_as_of() = ToProto(desk_.tools().clock.Now());
  }

  void Answer(const db::ClosedMonth& month, const Board& board, const std::string& note,
              v1::SettleMonthResponse* out) {
    Head(MonthName(month.row->start_at), "settled", month.row->spread, board, out);
    out->set_note(note);
    for (const PositionRow& row : month.positions) FillPosition(row, board, out->add_positions());
    for (const PaymentRow& row : month.payments) FillPayment(row, board, out->add_payments());
  }

  // The rows as they are after the commit.
  void AnswerSettled(CallPtr call, Timestamp start_at, const std::string& note,
                     v1::SettleMonthResponse* response) {
    desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
      StatusOr<db::ClosedMonth> month = db::ReadMonth(desk_.database(), start_at);
      if (!month.ok()) return call->Fail(month.status());
      if (!month->row) return call->Fail(Internal("a settled month without a row"));
      Answer(*month, *board, note, response);
      call->Done();
    });
  }

  void AnswerPaid(CallPtr call, PaymentId id, v1::MarkPaidResponse* response) {
    desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
      auto rows = db::ListPayments(desk_.database(), {}, true);
      if (!rows.ok()) return call->Fail(rows.status());
      for (const PaymentRow& row : *rows) {
        if (row.id == id) FillPayment(row, *board, response->mutable_payment());
      }
      response->set_currency(board->lab.currency);
      *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
      call->Done();
    });
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeMonthService(Desk& desk) {
  return std::make_unique<MonthService>(desk);
}

}  // namespace pinka::api
