// pinka advise plan: how many hours to buy of which tier, and how.
#include <algorithm>

#include "advise/plan_answer.h"
#include "base/parse.h"
#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/plan_replay.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/when.h"
#include "client/cli/core/window.h"
#include "fmt/format.h"

namespace pinka::cli {
namespace {

constexpr int64_t kMostSeeds = 100;

// "a100=1000x4": hours a month, on so many units at once.
StatusOr<v1::PlanWork> ParseWork(const std::string& text) {
  const Status wrong =
      Invalid(fmt::format("'{}' is no work; write TIER=HOURS or TIER=HOURSxUNITS, like a100=1000x4",
                          SanitizeForTerminal(text)));
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return wrong;
  const std::string amount = text.substr(equals + 1);
  const size_t cross = amount.find('x');
  const auto hours = ParseMoney(amount.substr(0, cross));
  const auto units = cross == std::string::npos
                         ? StatusOr<int64_t>(1)
                         : ParseInt(amount.substr(cross + 1), 1, 4'096, "units");
  if (!hours.ok() || !units.ok()) return wrong;
  v1::PlanWork work;
  work.set_tier(text.substr(0, equals));
  work.set_unit_hours(static_cast<double>(hours->micros()) / 1e6);
  work.set_at_once(static_cast<int32_t>(*units));
  return work;
}

// "a100:weekly=1400"
StatusOr<v1::PlanOffer> ParseOffer(const std::string& text) {
  const Status wrong = Invalid(fmt::format(
      "'{}' is no offer; write TIER:KIND=PRICE, of on_demand, spot, package (an hour) or weekly (a "
      "unit for a week), like a100:package=9.5",
      SanitizeForTerminal(text)));
  const size_t equals = text.rfind('=');
  const size_t colon = text.rfind(':', equals);
  if (equals == std::string::npos || colon == std::string::npos) return wrong;
  v1::PlanOffer offer;
  v1::PlanOffer::Kind kind;
  const auto price = ParseMoney(text.substr(equals + 1));
  if (!price.ok() || !v1::PlanOffer::Kind_Parse(text.substr(colon + 1, equals - colon - 1), &kind))
    return wrong;
  offer.set_tier(text.substr(0, colon));
  offer.set_kind(kind);
  offer.set_rate(FormatWireMoney(*price));
  return offer;
}

std::string Hours(const std::string& wire) {
  return fmt::format("{:.0f}", static_cast<double>(MoneyOf(wire).micros()) / 1e6);
}

std::string Words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

class AdvisePlan final : public Command {
 public:
  Description Describe() const override {
    return {"advise plan",
            "[--from D --to D | --work TIER=HOURS …] [--offer TIER:KIND=PRICE …]",
            Group::kAdvice,
            "what to buy ahead",
            "Says how many hours to buy of which tier as a package, by the week, on spot machines "
            "and on demand: by what was used in the last 28 days (admins: by the lab), or by a "
            "workload. Plays the history through the simulator under each plan. Without offers, "
            "spot is reckoned at a third and a week at 30 % less.",
            "pinka advise plan --offer a100:package=9.5 --offer a100:weekly=1400"};
  }

  void Declare(Options& options) override {
    options.Value("--from", "D", "of the history (28 days ago)", &from_);
    options.Value("--to", "D", "up to it, not included (now)", &to_);
    options.List("--work", "TIER=HOURS[xN]", "instead: hours a month, on N units at once", &work_);
    options.List("--offer", "TIER:KIND=PRICE",
                 "on_demand, spot, package: of an hour; weekly: of a unit for a week", &offers_);
    options.Value("--seed", "N", "of the months that are drawn (1)", &seed_);
    options.Value("--replays", "N", "seeds of the simulator for each plan (3; 0: none)", &replays_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const v1::AdvisePlanRequest request, Request(session));
    int64_t seeds = 3;
    if (!replays_.empty()) {
      PINKA_TRY_ASSIGN(seeds, ParseInt(replays_, 0, kMostSeeds, "--replays"));
    }
    PINKA_TRY_ASSIGN(v1::AdvisePlanResponse plan, Ask(session, request));
    if (request.work().empty() && seeds > 0)
      PINKA_TRY(Replay(session, static_cast<int>(seeds), &plan));
    if (session.json()) {
      session.PrintJson(plan);
    } else {
      Print(session, plan);
    }
    return 0;
  }

 private:
  StatusOr<v1::AdvisePlanRequest> Request(Session& session) const {
    v1::AdvisePlanRequest request;
    if (!work_.empty() && !(from_.empty() && to_.empty()))
      return Invalid("--work stands instead of the history: leave out --from and --to");
    for (const std::string& text : work_) {
      PINKA_TRY_ASSIGN(*request.add_work(), ParseWork(text));
    }
    for (const std::string& text : offers_) {
      PINKA_TRY_ASSIGN(*request.add_offers(), ParseOffer(text));
    }
    if (!seed_.empty()) {
      PINKA_TRY_ASSIGN(const int64_t seed, ParseInt(seed_, 1, INT64_MAX, "--seed"));
      request.set_seed(static_cast<uint64_t>(seed));
    }
    PINKA_TRY(FillWindow(session, from_, to_, &request));
    return request;
  }

  // A workload with a price on demand for each tier needs no scheduler.
  static StatusOr<v1::AdvisePlanResponse> Ask(Session& session,
                                              const v1::AdvisePlanRequest& request) {
    const bool priced = std::ranges::all_of(request.work(), [&](const v1::PlanWork& work) {
      return std::ranges::any_of(request.offers(), [&](const v1::PlanOffer& offer) {
        return offer.tier() == work.tier() && offer.kind() == v1::PlanOffer::on_demand;
      });
    });
    if (!request.work().empty() && priced) return advise::AdvisePlan(request, "CNY", {});
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    return api->AdvisePlan(request);
  }

  static Status Replay(Session& session, int seeds, v1::AdvisePlanResponse* plan) {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::WhoAmIResponse who, api->WhoAmI({}));
    const bool admin = std::ranges::find(who.roles(), "admin") != who.roles().end();
    v1::GetUsageRequest usage;
    usage.set_by("job");
    *usage.mutable_from() = plan->from();
    *usage.mutable_to() = plan->to();
    if (!admin) usage.set_user(who.name());
    PINKA_TRY_ASSIGN(const v1::GetUsageResponse by_job, api->GetUsage(usage));
    std::vector<v1::Job> jobs;
    v1::ListJobsRequest request;
    request.set_all(true);
    request.set_mine(!admin);
    request.set_page_size(5'000);
    *request.mutable_since() = plan->from();
    do {
      PINKA_TRY_ASSIGN(const v1::ListJobsResponse page, api->ListJobs(request));
      for (const v1::Job& job : page.jobs()) jobs.push_back(job);
      request.set_after_job_id(page.next_after_job_id());
    } while (request.after_job_id() != 0);
    const HistoryTrace trace = TraceOf(jobs, by_job, *plan);
    if (trace.tasks == 0) {
      session.Note("Nothing of the history can be replayed: no job has been charged yet.");
      return OkStatus();
    }
    return RunReplays(trace, who.timezone(), seeds, plan);
  }

  static void Print(Session& session, const v1::AdvisePlanResponse& plan) {
    PrintTiers(session, plan);
    PrintPlans(session, plan);
    for (const std::string& note : plan.notes()) session.out().Line("Note: " + note + ".");
  }

  static void PrintTiers(Session& session, const v1::AdvisePlanResponse& plan) {
    const auto money = [&](const std::string& wire) { return Amount(wire, plan.currency()); };
    for (const v1::TierPlan& tier : plan.tiers()) {
      session.out().Line(
          fmt::format("{}: {} unit-hours a month ({} to {}), {} units at most at once",
                      SanitizeForTerminal(tier.tier()), Hours(tier.unit_hours()),
                      Hours(tier.low_hours()), Hours(tier.high_hours()), tier.peak_units()));
      session.out().Line("  Buy: " + tier.why() + ".");
      std::string prices =
          fmt::format("  Prices: {} on demand, {} spot, {} a unit by the week",
                      money(tier.on_demand()), money(tier.spot()), money(tier.weekly()));
      if (!tier.package().empty()) prices += ", " + money(tier.package()) + " as a package";
      for (const std::string& kind : tier.assumed()) prices += "; " + kind + " by the usual ratio";
      session.out().Line(prices + ".");
      session.out().Line(
          fmt::format("  Pays: a week from {} busy hours on{}; spot up to {} of its hours lost.",
                      tier.weekly_pays_from(),
                      tier.package_pays_from().empty()
                          ? ""
                          : ", a package from " + tier.package_pays_from() + " of it used on",
                      tier.spot_pays_to()));
      Table table({{"PLAN", 0},
                   {"A MONTH", 0, true},
                   {"FROM", 0, true},
                   {"TO", 0, true},
                   {"PACKAGE HOURS", 0, true},
                   {"WEEKLY UNITS", 0, true},
                   {"SPOT HOURS", 0, true}},
                  session.terminal(), [&](std::string_view text) { session.out().Write(text); });
      for (const v1::PlanCost& cost : tier.costs())
        table.Row({Words(cost.plan()), money(cost.cost()), money(cost.low()), money(cost.high()),
                   Hours(cost.package_hours()), std::to_string(cost.weekly_units()),
                   Hours(cost.spot_hours())});
      table.Finish("");
      session.out().Line("");
    }
  }

  static void PrintPlans(Session& session, const v1::AdvisePlanResponse& plan) {
    const auto money = [&](const std::string& wire) { return Amount(wire, plan.currency()); };
    for (const v1::PlanCost& total : plan.totals())
      session.out().Line(fmt::format("All tiers, {}: {} a month ({} to {})", Words(total.plan()),
                                     money(total.cost()), money(total.low()), money(total.high())));
    if (plan.replays().empty()) return;
    session.out().Line("");
    session.out().Line("The history, played under each plan:");
    Table table({{"PLAN", 0},
                 {"WOULD HAVE COST", 0, true},
                 {"FROM", 0, true},
                 {"TO", 0, true},
                 {"MEAN WAIT", 0, true}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::PlanReplay& replay : plan.replays())
      table.Row({Words(replay.plan()), money(replay.paid()), money(replay.low()),
                 money(replay.high()),
                 FormatSpan(Duration::Seconds(static_cast<int64_t>(replay.mean_wait_s())))});
    table.Finish("");
  }

  std::string from_;
  std::string to_;
  std::string seed_;
  std::string replays_;
  std::vector<std::string> work_;
  std::vector<std::string> offers_;
};

}  // namespace

std::unique_ptr<Command> MakeAdvisePlan() { return std::make_unique<AdvisePlan>(); }

}  // namespace pinka::cli
