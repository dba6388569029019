#include "scheduler/api/card_catalogue.h"

#include <algorithm>

#include "advise/answers.h"
#include "base/parse.h"
#include "catalogue/cards.h"
#include "fmt/format.h"

namespace pinka::api {
namespace {

std::string WireOf(Rate rate) {
  return FormatWireMoney(Money::Micros(rate.micros_per_unit_hour()));
}

v1::Card* FindRow(v1::ListCardsResponse* cards, const std::string& id) {
  const auto it = std::ranges::find_if(*cards->mutable_cards(),
                                       [&](const v1::Card& card) { return card.id() == id; });
  return it == cards->mutable_cards()->end() ? nullptr : &*it;
}

void TakeFacts(const CardRow& row, v1::Card* card) {
  constexpr double kGiga = 1'000;
  constexpr double kMibInGib = 1'024;
  if (row.memory_mib > 0) card->set_memory_gib(static_cast<double>(row.memory_mib) / kMibInGib);
  if (row.fp32_gflops > 0) card->set_fp32_tflops(static_cast<double>(row.fp32_gflops) / kGiga);
  if (row.fp16_gflops > 0) {
    card->set_fp16_tflops(static_cast<double>(row.fp16_gflops) / kGiga);
    card->set_tensor_cores(true);
  }
  if (row.bandwidth_gbs > 0) card->set_bandwidth_gbs(static_cast<double>(row.bandwidth_gbs));
  if (row.power_w > 0) card->set_power_w(static_cast<double>(row.power_w));
  if (row.bf16) card->set_bf16(true);
}

void TakePrice(const CardRow& row, const std::string& currency, v1::Card* card) {
  if (row.low <= Rate()) return;
  card->set_price_low(WireOf(row.low));
  card->clear_price_high();
  if (row.high > Rate()) card->set_price_high(WireOf(row.high));
  card->clear_price_year();
  card->set_price_date(row.priced_on);
  card->set_price_currency(currency);
  card->clear_price_per_tflop();
  card->clear_price_per_gb();
  const auto per = [&](double amount) {
    return FormatWireMoney(Money::Micros(
        static_cast<int64_t>(static_cast<double>(row.low.micros_per_unit_hour()) / amount + 0.5)));
  };
  if (card->fp32_tflops() > 0) card->set_price_per_tflop(per(card->fp32_tflops()));
  if (card->memory_gib() > 0) card->set_price_per_gb(per(card->memory_gib()));
}

void TakeCard(const CardRow& row, const std::string& currency, v1::ListCardsResponse* cards) {
  v1::Card* card = FindRow(cards, row.name);
  if (!card) {
    card = cards->add_cards();
    card->set_id(row.name);
    card->set_name(row.name);
  }
  TakeFacts(row, card);
  TakePrice(row, currency, card);
  if (!row.good_for.empty()) card->set_good_for(row.good_for);
  if (row.observation.empty()) return;
  const std::string seen = fmt::format("{} ({})", row.observation, row.observed_on);
  card->set_observation(card->observation().empty() ? seen : seen + "; " + card->observation());
}

// The card that a tier's machines report, the lab's own of the tier's name, or what the name says.
v1::Card* CardOfTier(const Board& board, const Board::Tier& tier, v1::ListCardsResponse* cards) {
  for (const Board::Node& node : board.nodes) {
    if (node.row.tier != tier.row.id || node.row.gpus.empty()) continue;
    const Card* card = FindCard(node.row.gpus.front().name);
    if (card) return FindRow(cards, IdOf(*card));
  }
  if (tier.row.unit_gpus == 0) return nullptr;
  if (v1::Card* own = FindRow(cards, tier.row.name)) return own;
  const Card* card = FindCard(tier.row.name);
  return card ? FindRow(cards, IdOf(*card)) : nullptr;
}

void MarkTier(const Board& board, const Board::Tier& tier, v1::ListCardsResponse* cards) {
  v1::Card* card = CardOfTier(board, tier, cards);
  if (!card) return;
  card->set_tier(card->tier().empty() ? tier.row.name : card->tier() + ", " + tier.row.name);
  for (const auto& [source, rate] : tier.rates) {
    if (source == Source::kOnDemand && card->tier_rate().empty()) card->set_tier_rate(WireOf(rate));
  }
}

}  // namespace

StatusOr<v1::ListCardsResponse> LabCards(const v1::ListCardsRequest& request, const Board& board) {
  StatusOr<v1::ListCardsResponse> cards = advise::ListCards(request);
  if (!cards.ok()) return cards;
  cards->set_currency(board.lab.currency);
  for (const CardRow& row : board.cards) TakeCard(row, board.lab.currency, &*cards);
  for (const Board::Tier& tier : board.tiers) MarkTier(board, tier, &*cards);
  if (Status s = advise::SortCards(request.sort(), &*cards); !s.ok()) return s;
  return cards;
}

Status NameCards(LabChange* change) {
  for (CardRow& row : change->cards) {
    if (const Card* card = FindCard(row.name)) {
      row.name = IdOf(*card);
    } else if (row.memory_mib == 0 && !row.absent) {
      const std::string nearest = NearestCard(row.name);
      return Invalid(
          fmt::format("a [[card]] is called '{}', which the catalogue does not have{}; one "
                      "of your own needs its memory, as in memory = \"24G\"",
                      row.name, nearest.empty() ? "" : " (the nearest is " + nearest + ")"));
    }
  }
  return OkStatus();
}

}  // namespace pinka::api
