#include "advise/answers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "advise/cards.h"
#include "advise/choice.h"
#include "advise/compat.h"
#include "advise/cost.h"
#include "advise/memory.h"
#include "advise/providers.h"
#include "base/parse.h"
#include "fmt/format.h"

namespace pinka::advise {
namespace {

constexpr double kMeasuredRoom = 1.03;  // another run allocates a little otherwise

constexpr const char* kCurrency = "CNY";  // the guide's
constexpr const char* kUsualCards[] = {"t4",      "rtx3060", "rtx3090", "rtx4090",
                                       "a100-40", "a100-80", "h100"};

std::string Wire(double yuan) { return FormatWireMoney(Money::Micros(std::llround(yuan * 1e6))); }

Status UnknownCard(const std::string& name) {
  const std::string nearest = NearestCard(name);
  return Invalid(fmt::format("no card is called '{}'{}", name,
                             nearest.empty() ? "; pinka gpus lists those that are known"
                                             : "; did you mean " + nearest + "?"));
}

StatusOr<const Card*> CardOf(const std::string& name) {
  if (const Card* card = FindCard(name)) return card;
  return UnknownCard(name);
}

StatusOr<Money> MoneyOf(const std::string& text, const char* what) {
  if (text.empty()) return Money();
  StatusOr<Money> money = ParseWireMoney(text);
  if (!money.ok()) return Invalid(fmt::format("{}: {}", what, Message(money.status())));
  return money;
}

StatusOr<Rate> RateOf(const std::string& text, const char* what) {
  StatusOr<Money> money = MoneyOf(text, what);
  if (!money.ok()) return money.status();
  return Rate::MicrosPerUnitHour(money->micros());
}

std::string FitName(Fit fit) {
  switch (fit) {
    case Fit::kYes:
      return "yes";
    case Fit::kTight:
      return "tight";
    case Fit::kNo:
      return "no";
  }
  return "";
}

StatusOr<Network> NetworkOf(const v1::Workload& w) {
  const int ways = !w.network().empty() + !w.config_json().empty() + (w.params_m() != 0);
  if (ways != 1)
    return Invalid("name one network: --model NAME, --config FILE or --params MILLIONS");
  if (!w.config_json().empty()) return ReadConfig(w.config_json());
  if (w.network().empty()) {
    if (!(w.params_m() > 0 && w.params_m() < 1e8)) return Invalid("parameters are above 0");
    return TypicalTransformer(w.params_m() * 1e6);
  }
  if (const Network* known = FindNetwork(w.network())) return *known;
  const std::string nearest = NearestNetwork(w.network());
  return Invalid(fmt::format("no network is known as '{}'{}; --params or --config describe any",
                             w.network(), nearest.empty() ? "" : ", the nearest is " + nearest));
}

template <class E>
Status Read(const std::string& text, const char* what, const char* choices, E* out) {
  if (text.empty() || FromName(text, out)) return OkStatus();
  return Invalid(fmt::format("{} '{}': use {}", what, text, choices));
}

StatusOr<Work> WorkOf(const v1::Workload& w) {
  StatusOr<Network> network = NetworkOf(w);
  if (!network.ok()) return network.status();
  Work work;
  work.network = *std::move(network);
  if (Status s = Read(w.method(), "method", "train, lora, qlora or infer", &work.method); !s.ok())
    return s;
  if (work.method == Method::kLora) work.precision = Precision::kHalf;
  if (work.method == Method::kQlora) work.precision = Precision::kFourBit;
  if (Status s = Read(w.precision(), "precision", "fp32, amp, fp16, bf16 or 4bit", &work.precision);
      !s.ok())
    return s;
  if (Status s = Read(w.optimizer(), "optimizer", "adam, adam8bit, adafactor, momentum or sgd",
                      &work.optimizer);
      !s.ok())
    return s;
  const auto within = [](int value, int most) { return value >= 0 && value <= most; };
  if (!within(w.batch(), 1 << 20)) return Invalid("batch is 1 to 1048576");
  if (!within(w.tokens(), 1 << 22)) return Invalid("tokens are 1 to 4194304");
  if (!within(w.image(), 1 << 14)) return Invalid("image is 1 to 16384 pixels of a side");
  if (!within(w.cards(), 4'096)) return Invalid("cards are 1 to 4096");
  if (!within(w.zero(), 3)) return Invalid("zero is the stage: 0, 1, 2 or 3");
  work.batch = std::max(w.batch(), 1);
  work.tokens = w.tokens();
  work.image = w.image();
  work.checkpointing = w.checkpointing();
  work.flash = w.flash();
  work.cards = std::max(w.cards(), 1);
  work.zero = w.zero();
  work.compiled = w.compiled();
  work.chunked_loss = w.chunked_loss();
  work.offload = w.offload();
  work.loads_whole = w.loads_whole();
  if ((work.offload || work.loads_whole) && work.zero != 3)
    return Invalid("offload and loads-whole speak of sharded weights: say --zero 3 too");
  return work;
}

v1::Card ToProto(const Card& card) {
  v1::Card out;
  out.set_id(IdOf(card));
  out.set_name(std::string(card.name));
  out.set_architecture(std::string(card.architecture));
  out.set_compute_capability(fmt::format("{}.{}", card.capability / 10, card.capability % 10));
  out.set_memory_gib(card.memory_gib);
  out.set_fp32_tflops(card.fp32_tflops);
  out.set_fp16_tflops(card.fp16_tflops);
  out.set_bandwidth_gbs(card.bandwidth_gbs);
  out.set_power_w(card.power_w);
  out.set_bf16(card.bf16);
  out.set_tensor_cores(card.tensor_cores);
  out.set_mig(card.mig);
  out.set_nvlink(card.nvlink);
  if (const GuidePrice* price = GuidePriceOf(card)) {
    out.set_price_low(Wire(price->low));
    if (price->high > 0) out.set_price_high(Wire(price->high));
    out.set_price_year(kGuidePricesYear);
    out.set_price_currency(kCurrency);
    out.set_price_per_tflop(Wire(price->low / card.fp32_tflops));
    out.set_price_per_gb(Wire(price->low / card.memory_gib));
    out.set_good_for(std::string(price->good_for));
  }
  for (const Observation& seen : Observations()) {
    if (seen.card == card.name) out.set_observation(std::string(seen.text));
  }
  return out;
}

// What cards are sorted by; those without a price last.
StatusOr<std::function<double(const v1::Card&)>> SortKey(const std::string& sort) {
  const auto price = [](const std::string& text) {
    return text.empty() ? 1e18 : static_cast<double>(ParseWireMoney(text)->micros());
  };
  using Key = std::function<double(const v1::Card&)>;
  const std::map<std::string, Key> keys = {
      {"memory", [](const v1::Card& c) { return c.memory_gib(); }},
      {"name", [](const v1::Card&) { return 0.0; }},
      {"fp32", [](const v1::Card& c) { return -c.fp32_tflops(); }},
      {"fp16", [](const v1::Card& c) { return -c.fp16_tflops(); }},
      {"bandwidth", [](const v1::Card& c) { return -c.bandwidth_gbs(); }},
      {"price", [price](const v1::Card& c) { return price(c.price_low()); }},
      {"per-tflop", [price](const v1::Card& c) { return price(c.price_per_tflop()); }},
      {"per-gb", [price](const v1::Card& c) { return price(c.price_per_gb()); }}};
  const auto it = keys.find(sort.empty() ? "memory" : sort);
  if (it != keys.end()) return it->second;
  return Invalid(
      fmt::format("cannot sort by '{}': use memory, name, fp32, fp16, bandwidth, price, "
                  "per-tflop or per-gb",
                  sort));
}

// The guide's cards at its low prices.
std::vector<Offer> GuideOffers() {
  std::vector<Offer> offers;
  for (const char* name : {"t4", "rtx3090", "a100-40", "a100-80", "h100"}) {
    const Card* card = FindCard(name);
    const GuidePrice* price = GuidePriceOf(*card);
    offers.push_back({card, "", Rate::MicrosPerUnitHour(std::llround(price->low * 1e6))});
  }
  return offers;
}

StatusOr<std::vector<Offer>> OffersOf(const v1::AdviseCardRequest& request) {
  if (request.offers().empty()) return GuideOffers();
  std::vector<Offer> offers;
  for (const v1::CardOffer& offer : request.offers()) {
    StatusOr<const Card*> card = CardOf(offer.card());
    if (!card.ok()) return card.status();
    StatusOr<Rate> rate = RateOf(offer.rate(), "rate");
    if (!rate.ok()) return rate.status();
    offers.push_back({*card, offer.tier(), *rate});
  }
  return offers;
}

v1::CardChoice ToProto(const Choice& c) {
  v1::CardChoice out;
  out.set_card(IdOf(*c.offer.card));
  out.set_name(std::string(c.offer.card->name));
  out.set_tier(c.offer.tier);
  if (c.offer.rate > Rate())
    out.set_rate(FormatWireMoney(Money::Micros(c.offer.rate.micros_per_unit_hour())));
  out.set_fit(FitName(c.fit));
  out.set_largest_batch(c.largest_batch);
  out.set_speed(c.speed);
  out.set_time_ms(c.time.millis());
  if (c.cost > Money()) out.set_cost(FormatWireMoney(c.cost));
  out.set_in_time(c.in_time);
  out.set_in_budget(c.in_budget);
  out.set_why(c.why);
  return out;
}

// A line for each card that is asked about, else for the usual ones; `judge` says the rest of it.
Status FillFits(const v1::AdviseMemoryRequest& request,
                const std::function<void(const Card&, v1::CardFit*)>& judge,
                v1::AdviseMemoryResponse* response) {
  std::vector<std::string> names(request.cards().begin(), request.cards().end());
  if (names.empty()) names.assign(std::begin(kUsualCards), std::end(kUsualCards));
  for (const std::string& name : names) {
    StatusOr<const Card*> card = CardOf(name);
    if (!card.ok()) return card.status();
    v1::CardFit* fit = response->add_fits();
    fit->set_card(IdOf(**card));
    fit->set_name(std::string((*card)->name));
    fit->set_usable_gib(UsableGib(**card));
    judge(**card, fit);
  }
  return OkStatus();
}

// Of what a run took: where it fits again, with a little room, no formula can say better.
StatusOr<v1::AdviseMemoryResponse> AdviseMeasured(const v1::AdviseMemoryRequest& request) {
  const double gib = request.measured_gib();
  if (!(gib > 0)) return Invalid("what was measured is more than 0 GiB");
  v1::AdviseMemoryResponse response;
  response.set_network("measured");
  response.set_total_gib(gib);
  response.set_low_gib(gib);
  response.set_high_gib(gib);
  const auto judge = [gib](const Card&, v1::CardFit* fit) {
    const Fit judged = gib > fit->usable_gib()                   ? Fit::kNo
                       : gib * kMeasuredRoom > fit->usable_gib() ? Fit::kTight
                                                                 : Fit::kYes;
    fit->set_fit(FitName(judged));
  };
  if (Status s = FillFits(request, judge, &response); !s.ok()) return s;
  return response;
}

}  // namespace

Status SortCards(const std::string& sort, v1::ListCardsResponse* cards) {
  auto key = SortKey(sort);
  if (!key.ok()) return key.status();
  std::ranges::stable_sort(*cards->mutable_cards(), [&key](const v1::Card& a, const v1::Card& b) {
    return std::pair((*key)(a), a.name()) < std::pair((*key)(b), b.name());
  });
  return OkStatus();
}

StatusOr<v1::ListCardsResponse> ListCards(const v1::ListCardsRequest& request) {
  v1::ListCardsResponse response;
  response.set_currency(kCurrency);
  for (const Card& card : Cards()) *response.add_cards() = ToProto(card);
  if (Status s = SortCards(request.sort(), &response); !s.ok()) return s;
  return response;
}

StatusOr<v1::AdviseMemoryResponse> AdviseMemory(const v1::AdviseMemoryRequest& request) {
  if (request.has_measured_gib()) return AdviseMeasured(request);
  StatusOr<Work> work = WorkOf(request.workload());
  if (!work.ok()) return work.status();
  v1::AdviseMemoryResponse response;
  const Estimate estimate = EstimateMemory(*work);
  response.set_network(work->network.name);
  response.set_params_m(work->network.params / 1e6);
  for (const Part& part : estimate.parts) {
    v1::MemoryPart* out = response.add_parts();
    out->set_name(part.name);
    out->set_gib(part.gib);
  }
  response.set_total_gib(estimate.total_gib);
  response.set_low_gib(estimate.low_gib);
  response.set_high_gib(estimate.high_gib);
  const auto judge = [&](const Card& card, v1::CardFit* fit) {
    fit->set_fit(FitName(FitOn(card, estimate)));
    fit->set_largest_batch(LargestBatch(card, *work));
  };
  if (Status s = FillFits(request, judge, &response); !s.ok()) return s;
  for (const std::string& note : estimate.notes) response.add_notes(note);
  if (!request.has_guide_input_gb()) return response;
  if (!(request.guide_input_gb() >= 0)) return Invalid("the input's GB are 0 or more");
  const GuideMemory guide = GuideFormula(work->network, request.guide_input_gb());
  v1::GuideMemory* out = response.mutable_guide();
  out->set_weights_gb(guide.weights_gb);
  out->set_input_gb(guide.input_gb);
  out->set_buffer_gb(guide.buffer_gb);
  out->set_total_gb(guide.total_gb);
  out->set_card_gb(guide.card_gb);
  out->set_guides_figure(guide.guides_figure);
  return response;
}

StatusOr<v1::AdviseCardResponse> AdviseCard(const v1::AdviseCardRequest& request) {
  Wish wish;
  StatusOr<Work> work = WorkOf(request.workload());
  if (!work.ok()) return work.status();
  wish.work = *std::move(work);
  if (request.reference_ms() < 0 || request.deadline_ms() < 0)
    return Invalid("times are 0 or more");
  if (request.reference_ms() > 0 && request.reference_card().empty())
    return Invalid("say on which card it takes that long: --takes 8h --on rtx3060");
  if (!request.reference_card().empty()) {
    StatusOr<const Card*> card = CardOf(request.reference_card());
    if (!card.ok()) return card.status();
    wish.reference = *card;
  }
  wish.on_reference = Duration::Millis(request.reference_ms());
  wish.deadline = Duration::Millis(request.deadline_ms());
  StatusOr<Money> budget = MoneyOf(request.budget(), "budget");
  if (!budget.ok()) return budget.status();
  wish.budget = *budget;
  auto offers = OffersOf(request);
  if (!offers.ok()) return offers.status();
  v1::AdviseCardResponse response;
  response.set_currency(kCurrency);
  for (const Choice& choice : RankCards(wish, *offers)) *response.add_choices() = ToProto(choice);
  return response;
}

StatusOr<v1::AdviseCostResponse> AdviseCost(const v1::AdviseCostRequest& request) {
  CostAsk ask;
  ask.local = Duration::Millis(request.local_ms());
  ask.watts = request.watts();
  ask.cloud = Duration::Millis(request.cloud_ms());
  ask.minimum = Duration::Millis(request.minimum_ms());
  if (request.block_ms() != 0) ask.block = Duration::Millis(request.block_ms());
  ask.egress_gb = request.egress_gb();
  ask.disk_gb = request.disk_gb();
  ask.epochs = request.epochs() == 0 ? 1 : request.epochs();
  const auto money = [](const std::string& text, const char* what, Money* out) {
    StatusOr<Money> read = MoneyOf(text, what);
    if (read.ok()) *out = *read;
    return read.status();
  };
  const auto rate = [](const std::string& text, const char* what, Rate* out) {
    StatusOr<Rate> read = RateOf(text, what);
    if (read.ok()) *out = *read;
    return read.status();
  };
  for (const Status& s :
       {money(request.kwh(), "kwh", &ask.kwh), money(request.wear(), "wear", &ask.wear),
        money(request.egress(), "egress", &ask.egress), rate(request.rate(), "rate", &ask.rate),
        rate(request.disk(), "disk", &ask.disk)}) {
    if (!s.ok()) return s;
  }
  StatusOr<CostAnswer> a = CompareCost(ask);
  if (!a.ok()) return a.status();
  v1::AdviseCostResponse response;
  response.set_currency(kCurrency);
  response.set_local(FormatWireMoney(a->local));
  response.set_cloud(FormatWireMoney(a->cloud));
  response.set_egress(FormatWireMoney(a->egress));
  response.set_disk(FormatWireMoney(a->disk));
  response.set_cloud_total(FormatWireMoney(a->cloud_total));
  response.set_billed_ms(a->billed.millis());
  response.set_unused(FormatWireMoney(a->unused));
  response.set_saved_ms(a->saved.millis());
  response.set_price_of_an_hour(FormatWireMoney(a->price_of_an_hour));
  if (a->break_even > Rate())
    response.set_break_even(FormatWireMoney(Money::Micros(a->break_even.micros_per_unit_hour())));
  response.set_cloud_is_cheaper(a->cloud_is_cheaper);
  for (const std::string& note : a->notes) response.add_notes(note);
  return response;
}

StatusOr<v1::AdviseCompatResponse> AdviseCompat(const v1::AdviseCompatRequest& request) {
  StatusOr<const Card*> card = CardOf(request.card());
  if (!card.ok()) return card.status();
  std::optional<Version> driver;
  if (!request.driver().empty()) {
    StatusOr<Version> read = ParseVersion(request.driver());
    if (!read.ok()) return read.status();
    driver = *read;
  }
  const Compatibility c = Compatible(**card, driver);
  v1::AdviseCompatResponse response;
  response.set_card(IdOf(**card));
  response.set_name(std::string((*card)->name));
  response.set_cuda_most(c.cuda_most);
  if (c.newest) {
    response.set_newest_torch(c.newest->torch);
    response.set_newest_wheel(c.newest->wheel);
    response.set_install(
        fmt::format("pip install 'torch=={}.*' --index-url https://download.pytorch.org/whl/{}",
                    c.newest->torch, c.newest->wheel));
  }
  for (const Wheel& wheel : c.wheels) {
    v1::Wheel* out = response.add_wheels();
    out->set_torch(wheel.torch);
    out->set_wheel(wheel.wheel);
    out->set_cuda(wheel.cuda);
    out->set_python(wheel.python);
    out->set_experimental(wheel.experimental);
    out->set_runs(wheel.runs);
    out->set_why(wheel.why);
  }
  for (const std::string& note : c.notes) response.add_notes(note);
  if (request.cuda().empty()) return response;
  StatusOr<Version> cuda = ParseVersion(request.cuda());
  if (!cuda.ok()) return cuda.status();
  if (std::string forbids = WhatCudaForbids(*cuda); !forbids.empty()) response.add_notes(forbids);
  return response;
}

StatusOr<v1::ListProvidersResponse> ListProviders(const v1::ListProvidersRequest& request) {
  if (!request.name().empty() && !FindProvider(request.name()))
    return Invalid(fmt::format("no provider is known as '{}'; pinka advise providers lists them",
                               request.name()));
  v1::ListProvidersResponse response;
  response.set_facts_of(std::string(kProvidersAsOf));
  for (const Provider& p : Providers()) {
    if (!request.name().empty() && FindProvider(request.name()) != &p) continue;
    v1::Provider* out = response.add_providers();
    out->set_name(std::string(p.name));
    out->set_region(std::string(p.region));
    out->set_counted(std::string(p.counted));
    out->set_minimum(std::string(p.minimum));
    out->set_stopped(std::string(p.stopped));
    out->set_spot(std::string(p.spot));
    out->set_egress(std::string(p.egress));
    out->set_offer(std::string(p.offer));
    out->set_trap(std::string(p.trap));
  }
  return response;
}

}  // namespace pinka::advise
