// pinka advise gpu: which card for which work.
#include "advise/answers.h"
#include "advise/cards.h"
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/workload.h"
#include "fmt/format.h"

namespace pinka::cli {
namespace {

class AdviseGpu final : public Command {
 public:
  Description Describe() const override {
    return {
        "advise gpu",
        "",
        Group::kAdvice,
        "which card for it?",
        "Ranks cards for a piece of work: those that hold it, by what it would cost on them. "
        "With --lab the lab's own tiers and rates, else the guide's cards at its prices.",
        "pinka advise gpu --model resnet-50 --precision amp --batch 256 --takes 8h --on rtx3060"};
  }

  void Declare(Options& options) override {
    DeclareWorkload(options, &workload_);
    options.Value("--takes", "D", "how long it takes on the card of --on", &takes_);
    options.Value("--on", "CARD", "a card on which that is known", &on_);
    options.Value("--deadline", "D", "it must be done within", &deadline_);
    options.Value("--budget", "M", "it may cost", &budget_);
    options.Flag("--lab", "choose among this lab's tiers", &lab_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::AdviseCardRequest request;
    PINKA_TRY_ASSIGN(*request.mutable_workload(), WorkloadOf(workload_));
    if (!takes_.empty()) {
      PINKA_TRY_ASSIGN(const Duration takes, ParseDuration(takes_));
      request.set_reference_ms(takes.millis());
    }
    request.set_reference_card(on_);
    if (!deadline_.empty()) {
      PINKA_TRY_ASSIGN(const Duration deadline, ParseDuration(deadline_));
      request.set_deadline_ms(deadline.millis());
    }
    if (!budget_.empty()) {
      PINKA_TRY_ASSIGN(const Money budget, ParseMoney(budget_));
      request.set_budget(FormatWireMoney(budget));
    }
    if (lab_) PINKA_TRY(OfferTiers(session, &request));
    PINKA_TRY_ASSIGN(const v1::AdviseCardResponse answer, advise::AdviseCard(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Print(session, answer);
    return 0;
  }

 private:
  // Tiers that are called as a card is.
  Status OfferTiers(Session& session, v1::AdviseCardRequest* request) {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetStatusResponse status, api->GetStatus({}));
    for (const v1::TierStatus& tier : status.tiers()) {
      if (!FindCard(tier.tier())) continue;
      v1::CardOffer* offer = request->add_offers();
      offer->set_card(tier.tier());
      offer->set_tier(tier.tier());
      for (const v1::TierRate& rate : tier.rates()) {
        if (rate.source() == "on_demand") offer->set_rate(rate.rate());
      }
    }
    if (request->offers().empty())
      return Invalid("no tier of this lab is called as a card is; leave --lab out");
    return OkStatus();
  }

  void Print(Session& session, const v1::AdviseCardResponse& answer) {
    Table table({{"CARD", 0},
                 {"FITS", 0},
                 {"LARGEST BATCH", 0, true},
                 {"SPEED", 0, true},
                 {"TIME", 0, true},
                 {"AN HOUR", 0, true},
                 {"COST", 0, true},
                 {"WHY", 20}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::CardChoice& c : answer.choices()) {
      table.Row({c.tier().empty() ? c.card() : c.tier(), c.fit(),
                 c.largest_batch() == 0 ? "-" : std::to_string(c.largest_batch()),
                 fmt::format("{:.2f}", c.speed()),
                 c.time_ms() == 0 ? "-" : FormatDuration(Duration::Minutes(c.time_ms() / 60'000)),
                 Amount(c.rate(), answer.currency()), Amount(c.cost(), answer.currency()),
                 c.why()});
    }
    table.Finish("");
    session.out().Line(
        "Speed is from data sheets: cores weigh more for convolution, memory for attention. "
        "Measure "
        "an epoch before a long run.");
  }

  WorkloadOptions workload_;
  std::string takes_;
  std::string on_;
  std::string deadline_;
  std::string budget_;
  bool lab_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdviseGpu() { return std::make_unique<AdviseGpu>(); }

}  // namespace pinka::cli
