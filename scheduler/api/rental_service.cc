#include "scheduler/api/rental_service.h"

#include <algorithm>

#include "base/parse.h"
#include "db/reads_rentals.h"
#include "pinka/v1/rental.grpc.pb.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/core/billing.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

void FillRental(const db::RentalLine& line, Timestamp now, v1::Rental* out) {
  const RentalRow& row = line.row;
  out->set_id(row.id.value());
  out->set_node(line.node);
  out->set_tier(line.tier);
  out->set_source(std::string(Name(row.source)));
  out->set_provider(row.provider);
  out->set_instance(row.instance);
  out->set_units(row.units);
  const Rate rate = row.stopped ? row.rule.stopped_rate : row.rule.rate;
  out->set_rate(FormatWireMoney(Money::Micros(rate.micros_per_unit_hour())));
  SetTime(row.opened_at, [&] { return out->mutable_opened_at(); });
  SetTime(row.closed_at, [&] { return out->mutable_closed_at(); });
  SetTime(row.posted_at, [&] { return out->mutable_posted_at(); });
  out->set_by_hand(row.by_hand);
  out->set_billed(FormatWireMoney(row.billed));
  out->set_members(FormatWireMoney(row.members));
  out->set_lab(FormatWireMoney(row.lab));
  out->set_idle(FormatWireMoney(row.idle));
  out->set_rounding(FormatWireMoney(row.rounding));
  out->set_disk(FormatWireMoney(row.disk));
  out->set_variance(FormatWireMoney(row.variance));
  out->set_disk_gb(row.disk_gb);
  out->set_stopped(row.stopped);
  out->set_egress(FormatWireMoney(row.egress));
  out->set_egress_bytes(row.egress_bytes);
  if (row.stopped || row.closed_at || now < row.opened_at) return;
  const Duration left = PaidUntil(row.rule, row.opened_at, now) - now;
  out->set_paid_minutes_left(std::max(left, Duration()).seconds() / 60);
}

class RentalService final : public v1::RentalService::CallbackService {
 public:
  explicit RentalService(Desk& desk) : desk_(desk) {}

  Reactor* OpenRental(Context* context, const v1::OpenRentalRequest* request,
                      v1::OpenRentalResponse* response) override {
    return desk_.Open(context, "pinka.v1.RentalService.OpenRental", [=, this](CallPtr call) {
      pinka::OpenRental command;
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      if (Status s = CheckName(request->node(), "node"); !s.ok()) return call->Fail(s);
      if (Status s = CheckText(request->instance(), kMostNameChars, "instance"); !s.ok())
        return call->Fail(s);
      command.actor = call->actor();
      command.request = *key;
      command.node = request->node();
      command.instance = request->instance();
      command.disk_gb = request->disk_gb();
      if (request->has_at()) command.at = FromProto(request->at());
      desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
        Answer(call, RentalId(outcome.reply.first), response);
      });
    });
  }

  Reactor* CloseRental(Context* context, const v1::CloseRentalRequest* request,
                       v1::CloseRentalResponse* response) override {
    return desk_.Open(context, "pinka.v1.RentalService.CloseRental", [=, this](CallPtr call) {
      pinka::CloseRental command;
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return call->Fail(key.status());
      if (Status s = CheckText(request->reason(), kMostTextChars, "reason"); !s.ok())
        return call->Fail(s);
      command.actor = call->actor();
      command.request = *key;
      command.rental = RentalId(request->rental_id());
      command.reason = request->reason();
      command.egress_bytes = request->egress_bytes();
      command.stopped = request->stopped();
      if (request->has_at()) command.at = FromProto(request->at());
      desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
        response->set_note(outcome.reply.note);
        Answer(call, RentalId(outcome.reply.first), response);
      });
    });
  }

  Reactor* ListRentals(Context* context, const v1::ListRentalsRequest* request,
                       v1::ListRentalsResponse* response) override {
    return desk_.Open(context, "pinka.v1.RentalService.ListRentals", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        auto lines = db::ReadRentals(desk_.database(), {}, request->all());
        if (!lines.ok()) return call->Fail(lines.status());
        const Timestamp now = desk_.tools().clock.Now();
        for (const db::RentalLine& line : *lines) FillRental(line, now, response->add_rentals());
        response->set_currency(board->lab.currency);
        *response->mutable_as_of() = ToProto(now);
        call->Done();
      });
    });
  }

 private:
  // The rental as it is after the commit.
  template <class Response>
  void Answer(CallPtr call, RentalId id, Response* response) {
    desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
      auto lines = db::ReadRentals(desk_.database(), id, true);
      if (!lines.ok()) return call->Fail(lines.status());
      const Timestamp now = desk_.tools().clock.Now();
      for (const db::RentalLine& line : *lines) FillRental(line, now, response->mutable_rental());
      response->set_currency(board->lab.currency);
      *response->mutable_as_of() = ToProto(now);
      call->Done();
    });
  }

  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeRentalService(Desk& desk) {
  return std::make_unique<RentalService>(desk);
}

}  // namespace pinka::api
