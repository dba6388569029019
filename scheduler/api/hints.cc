#include "scheduler/api/hints.h"

#include <algorithm>
#include <optional>
#include <string>

#include "advise/answers.h"
#include "base/parse.h"
#include "catalogue/cards.h"
#include "fmt/format.h"
#include "scheduler/core/plan.h"

namespace pinka::api {
namespace {

constexpr int64_t kFewRuns = 3;    // by name: other arguments may have been other work
constexpr int64_t kSmallPart = 4;  // of its limit: a quarter
constexpr int64_t kCheaperPercent = 80;
constexpr double kGib = 1024.0 * 1024 * 1024;

struct Asked {
  const JobRequest& request;
  const Board& board;
  const Board::Tier& tier;
  const v1::Quote& quote;
  const std::vector<db::PastRuns>& past;
  Duration limit;
};

// "5 runs of the same command", "one run named train"
std::string RunsText(int64_t runs, const db::PastRuns& past, const Asked& asked) {
  const std::string count = runs == 1 ? "one run" : fmt::format("{} runs", runs);
  return count + (past.by == "payload" ? " of the same command" : " named " + asked.request.name);
}

// Runs on that tier that say something: of the same command, else enough of the same name.
const db::PastRuns* PastOn(const Asked& asked, TierId tier) {
  for (const db::PastRuns& past : asked.past) {
    if (past.tier == tier && (past.by == "payload" || past.runs >= kFewRuns)) return &past;
  }
  return nullptr;
}

v1::Hint Make(v1::Hint::Kind kind, std::string text, const std::string& tier = "") {
  v1::Hint hint;
  hint.set_kind(kind);
  hint.set_text(std::move(text));
  hint.set_tier(tier);
  return hint;
}

// What so many units, or so much as was asked for, get; 0: it is not counted.
int64_t MemoryOf(const Board::Tier& tier, int32_t units, int64_t asked) {
  return std::max(asked, tier.row.unit_memory * units);
}

std::optional<v1::Hint> OutOfMemoryBefore(const Asked& asked) {
  const db::PastRuns* past = PastOn(asked, asked.tier.row.id);
  if (!past || past->out_of_memory == 0 || past->out_of_memory * 2 < past->runs) return {};
  const int64_t was = MemoryOf(asked.tier, past->memory_units, past->memory);
  const int64_t now = MemoryOf(asked.tier, asked.quote.units(), asked.request.memory);
  if (now > was) return {};
  return Make(
      v1::Hint::MEMORY,
      fmt::format("{} on {} ran out of memory{}: ask for more with --mem, or use a larger tier",
                  RunsText(past->out_of_memory, *past, asked), asked.tier.row.name,
                  was > 0 ? fmt::format(" with {:.3g} GiB", static_cast<double>(was) / kGib) : ""));
}

// The card that a tier's machines report, or that its name says.
const Card* CardOf(const Board& board, const Board::Tier& tier) {
  for (const Board::Node& node : board.nodes) {
    if (node.row.tier != tier.row.id || node.row.gpus.empty()) continue;
    if (const Card* card = FindCard(node.row.gpus.front().name)) return card;
  }
  return tier.row.unit_gpus > 0 ? FindCard(tier.row.name) : nullptr;
}

std::optional<v1::AdviseMemoryResponse> EstimateOn(const v1::Workload& workload, const Card& card) {
  v1::AdviseMemoryRequest request;
  *request.mutable_workload() = workload;
  request.add_cards(IdOf(card));
  StatusOr<v1::AdviseMemoryResponse> answer = advise::AdviseMemory(request);
  if (!answer.ok() || answer->fits().empty()) return std::nullopt;
  return *std::move(answer);
}

std::optional<v1::Hint> EstimateSaysNo(const Asked& asked, const v1::Workload& workload) {
  const Card* card = CardOf(asked.board, asked.tier);
  if (!card) return {};
  const auto estimate = EstimateOn(workload, *card);
  if (!estimate || estimate->fits(0).fit() == "yes") return {};
  const v1::CardFit& fit = estimate->fits(0);
  std::string text = fmt::format(
      "{} at batch {} {} a card of {}: about {:.1f} GiB ({:.1f} to {:.1f}) of {:.1f} usable",
      estimate->network(), std::max(workload.batch(), 1),
      fit.fit() == "no" ? "will not fit" : "may not fit", asked.tier.row.name,
      estimate->total_gib(), estimate->low_gib(), estimate->high_gib(), fit.usable_gib());
  text += fit.largest_batch() > 0
              ? fmt::format("; batch {} does, by the estimate", fit.largest_batch())
              : "; not even one sample does, by the estimate";
  return Make(v1::Hint::MEMORY, std::move(text));
}

// The run of the same command, code and all, that took most of a card.
const db::PastRuns* Measured(const Asked& asked) {
  const db::PastRuns* most = nullptr;
  for (const db::PastRuns& past : asked.past) {
    const bool said = past.by == "payload" && past.peak_gpu_memory > 0;
    if (said && (!most || past.peak_gpu_memory > most->peak_gpu_memory)) most = &past;
  }
  return most;
}

std::string TierNameOf(const Board& board, TierId id) {
  const auto tier =
      std::ranges::find_if(board.tiers, [id](const Board::Tier& t) { return t.row.id == id; });
  return tier == board.tiers.end() ? "another tier" : tier->row.name;
}

std::optional<v1::Hint> MeasuredSaysNo(const Asked& asked, const db::PastRuns& past) {
  const Card* card = CardOf(asked.board, asked.tier);
  if (!card || past.tier == asked.tier.row.id) return {};
  v1::AdviseMemoryRequest request;
  request.set_measured_gib(static_cast<double>(past.peak_gpu_memory) / kGib);
  request.add_cards(IdOf(*card));
  const StatusOr<v1::AdviseMemoryResponse> answer = advise::AdviseMemory(request);
  if (!answer.ok() || answer->fits(0).fit() == "yes") return {};
  return Make(v1::Hint::MEMORY,
              fmt::format("{} on {} used {:.1f} GiB of a card; one of {} has {:.1f} usable: it {}",
                          RunsText(1, past, asked), TierNameOf(asked.board, past.tier),
                          request.measured_gib(), asked.tier.row.name, answer->fits(0).usable_gib(),
                          answer->fits(0).fit() == "no" ? "will not fit" : "may not fit"));
}

std::optional<v1::Hint> LimitTooShort(const Asked& asked) {
  const db::PastRuns* past = PastOn(asked, asked.tier.row.id);
  if (!past || past->timeouts == 0 || past->timeouts * 2 < past->runs) return {};
  if (asked.limit > past->timeout_limit) return {};
  return Make(v1::Hint::TIME_LIMIT,
              fmt::format("{} on {} ended at a time limit, the longest at {}; this one has {}: ask "
                          "for more with --time, or write checkpoints",
                          RunsText(past->timeouts, *past, asked), asked.tier.row.name,
                          FormatDuration(past->timeout_limit), FormatDuration(asked.limit)));
}

// Whole tens of minutes above twice the longest run.
Duration EnoughFor(int64_t longest_ms) {
  constexpr int64_t kTenMinutesMs = 600'000;
  return Duration::Millis((2 * longest_ms / kTenMinutesMs + 1) * kTenMinutesMs);
}

std::optional<v1::Hint> LimitFarTooLong(const Asked& asked) {
  const db::PastRuns* past = PastOn(asked, asked.tier.row.id);
  if (!past || past->completed < kFewRuns || past->timeouts > 0) return {};
  const Duration enough = EnoughFor(past->longest_ms);
  if (asked.limit.millis() < kSmallPart * past->longest_ms || asked.limit <= enough) return {};
  return Make(v1::Hint::SHORTER_LIMIT,
              fmt::format("{} on {} took at most {} and this asks for {}: --time {} would start "
                          "sooner and hold less",
                          RunsText(past->completed, *past, asked), asked.tier.row.name,
                          FormatDuration(Duration::Seconds((past->longest_ms + 999) / 1'000)),
                          FormatDuration(asked.limit), FormatDuration(enough)));
}

Money WireMoney(const std::string& text) {
  const StatusOr<Money> money = ParseWireMoney(text);
  return money.ok() ? *money : Money();
}

std::optional<Money> CostOn(const Board::Tier& tier, const JobRequest& request, Duration time) {
  if (request.gpus > 0 && tier.row.unit_gpus == 0) return std::nullopt;
  const auto rate =
      std::ranges::find(tier.rates, Source::kOnDemand, &std::pair<Source, Rate>::first);
  if (rate == tier.rates.end() || rate->second <= Rate()) return std::nullopt;
  const UnitTime units =
      UnitTime::Of(UnitsOf(tier.row, request.gpus, request.cpus, request.memory), time);
  if (CostOverflows(units, rate->second)) return std::nullopt;
  return Cost(units, rate->second);
}

// The tier on which the same work has completed for less, by what a task costs there and here.
// Hours of a package are paid for whatever runs in them.
std::optional<v1::Hint> CheaperTier(const Asked& asked) {
  if (asked.quote.source() == Name(Source::kPackage)) return {};
  const db::PastRuns* here = PastOn(asked, asked.tier.row.id);
  const Duration usual = here && here->completed > 0
                             ? std::min(asked.limit, Duration::Millis(here->median_ms))
                             : asked.limit;
  const std::optional<Money> cost = CostOn(asked.tier, asked.request, usual);
  if (!cost) return {};
  std::optional<v1::Hint> best;
  Money least = Money::Micros(MulDivRound(cost->micros(), kCheaperPercent, 100));
  for (const Board::Tier& tier : asked.board.tiers) {
    const db::PastRuns* past = PastOn(asked, tier.row.id);
    if (tier.row.id == asked.tier.row.id || tier.row.absent || !past || past->completed == 0)
      continue;
    const Duration took = Duration::Millis(past->median_ms);
    const std::optional<Money> there = CostOn(tier, asked.request, took);
    if (!there || *there >= least) continue;
    least = *there;
    best = Make(v1::Hint::CHEAPER_TIER,
                fmt::format("{} completed on {} in {} for {}; here a task costs {} {}: --tier {}",
                            RunsText(past->completed, *past, asked), tier.row.name,
                            FormatDuration(Duration::Seconds(took.millis() / 1'000)),
                            FormatAmount(*there, asked.board.lab.currency),
                            here && here->completed > 0 ? "about" : "up to",
                            FormatAmount(*cost, asked.board.lab.currency), tier.row.name),
                tier.row.name);
  }
  return best;
}

std::optional<v1::Hint> MinimumDominates(const Asked& asked) {
  const Money least = WireMoney(asked.quote.min_block());
  const Money likely = WireMoney(asked.quote.likely());
  if (least == Money() || likely == Money() || least <= likely) return {};
  return Make(v1::Hint::MINIMUM_CHARGE,
              fmt::format("the provider bills the lab at least {} for a machine of {}, this job is "
                          "worth {}: send several together, or while a machine is on",
                          FormatAmount(least, asked.board.lab.currency), asked.tier.row.name,
                          FormatAmount(likely, asked.board.lab.currency)));
}

}  // namespace

std::vector<v1::Hint> HintsFor(const JobRequest& request, const v1::Workload* workload,
                               const Board& board, const v1::Quote& quote,
                               const std::vector<db::PastRuns>& past) {
  const auto tier = std::ranges::find_if(
      board.tiers, [&](const Board::Tier& t) { return t.row.id == request.tier; });
  if (tier == board.tiers.end()) return {};
  const Duration limit =
      request.time_limit > Duration() ? request.time_limit : tier->row.default_time;
  const Asked asked{request, board, *tier, quote, past, limit};
  std::vector<v1::Hint> hints;
  const auto add = [&hints](std::optional<v1::Hint> hint) {
    if (hint) hints.push_back(*std::move(hint));
  };
  add(OutOfMemoryBefore(asked));
  if (const db::PastRuns* measured = Measured(asked)) {
    add(MeasuredSaysNo(asked, *measured));  // better than any formula
  } else if (workload) {
    add(EstimateSaysNo(asked, *workload));
  }
  add(LimitTooShort(asked));
  add(LimitFarTooLong(asked));
  add(CheaperTier(asked));
  add(MinimumDominates(asked));
  return hints;
}

bool AdviceMayRefuse(const JobRequest& request, const Board& board) {
  return request.skip_gate.empty() && std::ranges::any_of(board.tiers, [&](const Board::Tier& t) {
           return t.row.id == request.tier && t.row.advice_refuses;
         });
}

std::string RefusedByAdvice(const JobRequest& request, const Board& board,
                            const std::vector<v1::Hint>& hints) {
  if (!AdviceMayRefuse(request, board)) return "";
  for (const v1::Hint& hint : hints) {
    if (hint.kind() == v1::Hint::MEMORY || hint.kind() == v1::Hint::TIME_LIMIT)
      return hint.text() + "; --skip-gate REASON sends it all the same";
  }
  return "";
}

Status CheckWorkload(const v1::JobSpec& spec) {
  if (!spec.has_workload()) return OkStatus();
  v1::AdviseMemoryRequest request;
  *request.mutable_workload() = spec.workload();
  return advise::AdviseMemory(request).status();
}

}  // namespace pinka::api
