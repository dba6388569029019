// pinka gpus: the catalogue of cards.
#include <map>

#include "advise/answers.h"
#include "advise/cards.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "fmt/format.h"

namespace pinka::cli {
namespace {

std::string Number(double value) { return value > 0 ? fmt::format("{:g}", value) : "-"; }

std::string PriceText(const v1::Card& card, const std::string& currency) {
  if (card.price_low().empty()) return "-";
  const std::string low = Amount(card.price_low(), currency);
  if (card.price_high().empty()) return low + " and more";
  return low + " to " + Amount(card.price_high(), currency);
}

class Gpus final : public Command {
 public:
  Description Describe() const override {
    return {"gpus",
            "",
            Group::kAdvice,
            "cards and prices",
            "The catalogue: what cards can do, what the guide of 2023 says they cost an hour, and "
            "which of them are tiers of this lab. Works without a scheduler.",
            "pinka gpus --sort per-gb"};
  }

  void Declare(Options& options) override {
    options.Value("--sort", "KEY", "memory, name, fp32, fp16, bandwidth, price, per-tflop, per-gb",
                  &sort_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ListCardsRequest request;
    request.set_sort(sort_);
    PINKA_TRY_ASSIGN(v1::ListCardsResponse cards, advise::ListCards(request));
    MarkTiers(session, &cards);
    if (session.json()) {
      session.PrintJson(cards);
      return 0;
    }
    Print(session, cards);
    return 0;
  }

 private:
  // Where a scheduler is set up and answers; the catalogue does not need one.
  void MarkTiers(Session& session, v1::ListCardsResponse* cards) {
    const StatusOr<Settings> settings = session.Resolve();
    if (!settings.ok() || settings->server.value.empty()) return;
    StatusOr<Api*> api = session.Connect();
    if (!api.ok()) return;
    (*api)->set_patience(Duration::Seconds(1));
    const StatusOr<v1::GetStatusResponse> status = (*api)->GetStatus({});
    if (!status.ok()) {
      session.Note("The lab's tiers are not marked: its scheduler does not answer.");
      return;
    }
    for (const v1::TierStatus& tier : status->tiers()) {
      const pinka::Card* card = FindCard(tier.tier());
      if (!card) continue;
      for (v1::Card& row : *cards->mutable_cards()) {
        if (row.id() != IdOf(*card)) continue;
        row.set_tier(tier.tier());
        for (const v1::TierRate& rate : tier.rates()) {
          if (rate.source() == "on_demand") row.set_tier_rate(rate.rate());
        }
      }
    }
  }

  void Print(Session& session, const v1::ListCardsResponse& cards) {
    Table table({{"CARD", 0},
                 {"GiB", 0, true},
                 {"FP32", 0, true},
                 {"FP16", 0, true},
                 {"GB/s", 0, true},
                 {"AN HOUR, 2023", 0, true},
                 {"A TFLOP", 0, true},
                 {"A GB", 0, true},
                 {"TIER", 6},
                 {"GOOD FOR", 10}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Card& card : cards.cards()) {
      const std::string tier =
          card.tier().empty()
              ? "-"
              : card.tier() + (card.tier_rate().empty()
                                   ? ""
                                   : " " + Amount(card.tier_rate(), cards.currency()));
      table.Row({card.id(), Number(card.memory_gib()), Number(card.fp32_tflops()),
                 Number(card.fp16_tflops()), Number(card.bandwidth_gbs()),
                 PriceText(card, cards.currency()),
                 Amount(card.price_per_tflop(), cards.currency()),
                 Amount(card.price_per_gb(), cards.currency()), tier, card.good_for()});
    }
    table.Finish("");
    for (const v1::Card& card : cards.cards()) {
      if (!card.observation().empty())
        session.out().Line(card.id() + ": " + card.observation() + ".");
    }
  }

  std::string sort_;
};

}  // namespace

std::unique_ptr<Command> MakeGpus() { return std::make_unique<Gpus>(); }

}  // namespace pinka::cli
