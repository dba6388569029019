#include "scheduler/api/report_service.h"

#include "base/parse.h"
#include "pinka/v1/report.grpc.pb.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/lost_work.h"
#include "scheduler/api/names.h"
#include "scheduler/api/pool.h"
#include "scheduler/api/statement.h"
#include "scheduler/api/usage.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

void FillTier(const Board::Tier& tier, v1::TierStatus* out) {
  out->set_tier(tier.row.name);
  out->set_purpose(tier.row.purpose);
  out->set_units(tier.units);
  out->set_free(tier.free);
  out->set_pending(tier.pending);
  out->set_running(tier.running);
  out->set_simulated(tier.simulated);
  for (const auto& [source, rate] : tier.rates) {
    v1::TierRate* line = out->add_rates();
    line->set_source(std::string(Name(source)));
    line->set_rate(WireRate(rate));
  }
}

class ReportService final : public v1::ReportService::CallbackService {
 public:
  explicit ReportService(Desk& desk) : desk_(desk) {}

  Reactor* GetUsage(Context* context, const v1::GetUsageRequest* request,
                    v1::GetUsageResponse* response) override {
    return desk_.Open(context, "pinka.v1.ReportService.GetUsage", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        StatusOr<db::UsageQuery> query = ConvertUsage(*request, call->who(), *board);
        if (!query.ok()) return call->Fail(query.status());
        auto known = db::KnownUsageNames(desk_.database(), *query);
        if (!known.ok()) return call->Fail(known.status());
        if (Status s = RefuseUnknownNames(*known); !s.ok()) return call->Fail(s);
        auto report = db::ReadUsage(desk_.database(), *query);
        if (!report.ok()) return call->Fail(report.status());
        FillUsage(*query, *report, response);
        response->set_currency(board->lab.currency);
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  }

  Reactor* GetStatement(Context* context, const v1::GetStatementRequest* request,
                        v1::GetStatementResponse* response) override {
    return desk_.Open(context, "pinka.v1.ReportService.GetStatement", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        const Timestamp now = desk_.tools().clock.Now();
        auto query = ConvertStatement(*request, call->who(), *board, now);
        if (!query.ok()) return call->Fail(query.status());
        auto statement = db::ReadStatement(desk_.database(), query->member, query->window.start,
                                           query->window.end);
        if (!statement.ok()) return call->Fail(statement.status());
        FillStatement(*statement, response);
        response->set_user(MemberName(*board, query->member));
        response->set_month(query->month);
        SetTime(query->window.start, [&] { return response->mutable_from(); });
        SetTime(query->window.end, [&] { return response->mutable_to(); });
        response->set_so_far(now < query->window.end);
        response->set_currency(board->lab.currency);
        *response->mutable_as_of() = ToProto(now);
        call->Done();
      });
    });
  }

  Reactor* GetPool(Context* context, const v1::GetPoolRequest* request,
                   v1::GetPoolResponse* response) override {
    return desk_.Open(context, "pinka.v1.ReportService.GetPool", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        StatusOr<Month> window = ConvertPool(*request, call->who(), *board);
        if (!window.ok()) return call->Fail(window.status());
        auto lines = db::ReadPoolReport(desk_.database(), window->start, window->end);
        if (!lines.ok()) return call->Fail(lines.status());
        FillPool(*window, *lines, response);
        response->set_currency(board->lab.currency);
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  }

  Reactor* GetLostWork(Context* context, const v1::GetLostWorkRequest* request,
                       v1::GetLostWorkResponse* response) override {
    return desk_.Open(context, "pinka.v1.ReportService.GetLostWork", [=, this](CallPtr call) {
      desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
        StatusOr<db::LostQuery> query = ConvertLost(*request, call->who(), *board);
        if (!query.ok()) return call->Fail(query.status());
        auto lines = db::ReadLostWork(desk_.database(), *query);
        if (!lines.ok()) return call->Fail(lines.status());
        FillLost(*query, *lines, response);
        response->set_currency(board->lab.currency);
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  }

  Reactor* GetStatus(Context* context, const v1::GetStatusRequest*,
                     v1::GetStatusResponse* response) override {
    return desk_.Open(context, "pinka.v1.ReportService.GetStatus", [=, this](CallPtr call) {
      desk_.tools().names.Fresh([=, this](BoardPtr board) {
        if (!board) return call->Fail(Unavailable("the scheduler is starting"));
        for (const Board::Tier& tier : board->tiers) FillTier(tier, response->add_tiers());
        response->set_lab(board->lab.name);
        response->set_currency(board->lab.currency);
        response->set_timezone(board->lab.timezone);
        response->set_version(std::string(desk_.tools().version));
        response->set_batch(board->batch);
        if (call->who().admin) {
          for (const std::string& alarm : desk_.tools().runtime.alarms())
            response->add_alarms(alarm);
        }
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  }

  Reactor* WhoAmI(Context* context, const v1::WhoAmIRequest*,
                  v1::WhoAmIResponse* response) override {
    return desk_.Open(context, "pinka.v1.ReportService.WhoAmI", [=, this](CallPtr call) {
      desk_.tools().names.Recent([=](BoardPtr board) {
        if (!board) return call->Fail(Unavailable("the scheduler is starting"));
        response->set_name(call->who().name);
        response->add_roles("member");
        if (call->who().admin) response->add_roles("admin");
        response->set_lab(board->lab.name);
        response->set_currency(board->lab.currency);
        response->set_confirm_above(FormatWireMoney(board->lab.confirm_above));
        response->set_timezone(board->lab.timezone);
        call->Done();
      });
    });
  }

 private:
  Desk& desk_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeReportService(Desk& desk) {
  return std::make_unique<ReportService>(desk);
}

}  // namespace pinka::api
