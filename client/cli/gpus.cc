// pinka gpus: the catalogue of cards.
#include <algorithm>
#include <cstdlib>

#include "advise/answers.h"
#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/when.h"
#include "fmt/format.h"

namespace pinka::cli {
namespace {

std::string Number(double value) { return value > 0 ? fmt::format("{:g}", value) : "-"; }

std::string PriceText(const v1::Card& card) {
  if (card.price_low().empty()) return "-";
  const std::string& currency = card.price_currency();
  const std::string low = Amount(card.price_low(), currency);
  if (!card.price_high().empty()) return low + " to " + Amount(card.price_high(), currency);
  return card.price_year() > 0 ? low + " and more" : low;
}

// "2023, 3 years", "2026-11-20, 10 days"
std::string AgeText(const v1::Card& card, Timestamp now) {
  if (card.price_low().empty()) return "-";
  const Zone utc;
  const std::string today = utc.Day(now);
  const auto plural = [](int64_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (card.price_year() > 0) {
    const int64_t years = std::max(std::atoi(today.c_str()) - card.price_year(), 0);
    return fmt::format("{}, {}", card.price_year(), plural(years, "year"));
  }
  const StatusOr<Timestamp> read = utc.Parse(card.price_date(), now);
  if (!read.ok()) return card.price_date();
  const int64_t days = std::max<int64_t>((now - *read).seconds() / 86'400, 0);
  return fmt::format("{}, {}", card.price_date(), plural(days, "day"));
}

class Gpus final : public Command {
 public:
  Description Describe() const override {
    return {"gpus",
            "",
            Group::kAdvice,
            "cards and prices",
            "The catalogue: what cards can do, what they cost an hour by the guide of 2023 or by "
            "what the lab's admins have read since, how old that is, and which of them are tiers "
            "of this lab. Works without a scheduler.",
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
    AskLab(session, request, &cards);
    if (session.json()) {
      session.PrintJson(cards);
      return 0;
    }
    Print(session, cards);
    return 0;
  }

 private:
  // Where a scheduler is set up and answers; the catalogue does not need one.
  static void AskLab(Session& session, const v1::ListCardsRequest& request,
                     v1::ListCardsResponse* cards) {
    const StatusOr<Settings> settings = session.Resolve();
    if (!settings.ok() || settings->server.value.empty()) return;
    StatusOr<Api*> api = session.Connect();
    if (!api.ok()) return;
    (*api)->set_patience(Duration::Seconds(1));
    StatusOr<v1::ListCardsResponse> answer = (*api)->ListCards(request);
    if (!answer.ok()) {
      session.Note(
          "The lab's tiers and prices are not shown: its scheduler does not answer. This is the "
          "catalogue alone.");
      return;
    }
    *cards = *std::move(answer);
  }

  void Print(Session& session, const v1::ListCardsResponse& cards) {
    Table table({{"CARD", 0},
                 {"GiB", 0, true},
                 {"FP32", 0, true},
                 {"FP16", 0, true},
                 {"GB/s", 0, true},
                 {"AN HOUR", 0, true},
                 {"PRICED", 0},
                 {"A TFLOP", 0, true},
                 {"A GB", 0, true},
                 {"TIER", 6},
                 {"GOOD FOR", 10}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    const Timestamp now = session.Now();
    for (const v1::Card& card : cards.cards()) {
      const std::string rate =
          card.tier_rate().empty() ? "" : " " + Amount(card.tier_rate(), cards.currency());
      table.Row({card.id(), Number(card.memory_gib()), Number(card.fp32_tflops()),
                 Number(card.fp16_tflops()), Number(card.bandwidth_gbs()), PriceText(card),
                 AgeText(card, now), Amount(card.price_per_tflop(), card.price_currency()),
                 Amount(card.price_per_gb(), card.price_currency()),
                 card.tier().empty() ? "-" : card.tier() + rate, card.good_for()});
    }
    table.Finish("");
    for (const v1::Card& card : cards.cards()) {
      if (!card.observation().empty())
        session.out().Line(card.id() + ": " + SanitizeForTerminal(card.observation()) + ".");
    }
  }

  std::string sort_;
};

}  // namespace

std::unique_ptr<Command> MakeGpus() { return std::make_unique<Gpus>(); }

}  // namespace pinka::cli
