#include "scheduler/sim/headline.h"

#include <algorithm>

#include "base/parse.h"
#include "base/random.h"
#include "base/text.h"
#include "fmt/format.h"
#include "scheduler/sim/print.h"

namespace pinka::sim {
namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kDayMs = 24 * kHourMs;
constexpr int64_t kLongestMs = 3 * kDayMs;
constexpr int64_t kWidestMilli = 8'000;

// Where work goes that need not have an A100, and how much longer it takes there, in tenths.
constexpr int64_t kDebugMs = kHourMs / 2;  // one card, shorter: a T4
constexpr int64_t kSweepMs = kDayMs;       // one card, shorter: an RTX 3090
constexpr int64_t kT4Tenths = 40;
constexpr int64_t kRtxTenths = 18;

// The guide's prices in the middle of its ranges, in cents; spot is a third.
constexpr int64_t kT4 = 150;
constexpr int64_t kRtx = 380;
constexpr int64_t kA100 = 1'350;
constexpr int64_t kPackageCents = 945;  // "a weekly A100 is 30 % cheaper"
constexpr int64_t kPackagePart = 80;    // percent of what the A100 will be asked for

constexpr int32_t kSpotMachines = 4;

int64_t WorkMs(const TraceJob& job) { return job.gpus_milli * job.duration_ms / 1'000; }

LabChange::Tier TierAt(const char* name, int64_t cents) {
  LabChange::Tier tier;
  tier.row.name = name;
  tier.row.unit_gpus = 1;
  tier.row.unit_cpus = 8;
  tier.row.max_time = Duration::Days(90);
  for (const auto& [source, of] :
       {std::pair(Source::kOnDemand, cents), std::pair(Source::kSpot, cents / 3)}) {
    RateRow& rate = tier.rates.emplace_back();
    rate.source = source;
    rate.rate = Rate::MicrosPerUnitHour(of * 10'000);
  }
  return tier;
}

LabChange Lab() {
  LabChange lab;
  lab.set_lab = true;
  lab.lab.name = "ten people";
  lab.tiers = {TierAt("t4", kT4), TierAt("rtx3090", kRtx), TierAt("a100", kA100)};
  return lab;
}

TraceJob Placed(const TraceJob& job, bool tiers) {
  TraceJob placed = job;
  placed.gpu_type = "a100";
  if (!tiers || job.gpus_milli > 1'000) return placed;
  if (job.duration_ms <= kDebugMs) {
    placed.gpu_type = "t4";
    placed.duration_ms = job.duration_ms * kT4Tenths / 10;
  } else if (job.duration_ms <= kSweepMs) {
    placed.gpu_type = "rtx3090";
    placed.duration_ms = job.duration_ms * kRtxTenths / 10;
  }
  return placed;
}

struct Means {
  bool tiers = false;
  bool packages = false;
  bool spot = false;
};

StatusOr<HeadlineCase> CaseOf(const std::string& name, const Scenario& base,
                              const std::vector<TraceJob>& month, const Means& means) {
  std::vector<TraceJob> jobs;
  int64_t a100_ms = 0;
  for (const TraceJob& job : month) {
    jobs.push_back(Placed(job, means.tiers));
    if (jobs.back().gpu_type == "a100") a100_ms += WorkMs(jobs.back());
  }
  Scenario scenario = base;
  scenario.lab = Lab();
  scenario.nodes = {"t4:2x8", "rtx3090:4x8", "a100:6x8"};
  scenario.default_tier = "a100";
  scenario.spot_tier = "a100";
  if (!means.spot) {
    scenario.spot = {};
  } else if (scenario.spot.zones.empty()) {
    scenario.spot = DrawSpot(kSpotMachines, base.seed, month.back().submit_ms + 60 * kDayMs);
  }
  if (means.spot) scenario.spot_units = 8;
  auto input = BuildInput(scenario, jobs);
  if (!input.ok()) return input.status();
  HeadlineCase out;
  out.name = name;
  out.input = *std::move(input);
  if (!means.packages) return out;
  const int64_t hours = std::max<int64_t>(a100_ms * kPackagePart / 100 / kHourMs, 1);
  BuyPackage buy;
  buy.total_ms = hours * kHourMs;
  buy.price = Money::Micros(hours * kPackageCents * 10'000);
  buy.ends_at = out.input.start + Duration::Days(180);
  buy.borrow = BorrowRule::kFree;
  buy.reason = "the headline experiment";
  out.packages = buy.price;
  out.input.packages.push_back(buy);
  out.input.package_tiers.emplace_back("a100");
  return out;
}

double Ratio(Money paid, Money of) {
  return of > Money() ? static_cast<double>(paid.micros()) / static_cast<double>(of.micros()) : 0;
}

}  // namespace

StatusOr<Synthesis> ParseSynthesis(const std::string& text) {
  Synthesis out;
  const std::pair<const char*, int32_t*> keys[] = {
      {"people", &out.people}, {"days", &out.days}, {"hours", &out.hours}};
  std::string rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string part = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    const size_t equals = part.find('=');
    const auto key = std::ranges::find_if(
        keys, [&](const auto& k) { return part.substr(0, equals) == k.first; });
    const auto number = equals == std::string::npos
                            ? StatusOr<int64_t>(Invalid("no number"))
                            : ParseInt(part.substr(equals + 1), 1, 1'000'000, "it");
    if (key == std::end(keys) || !number.ok())
      return Invalid(fmt::format("is \"{}\"; write people=10,days=30,hours=1000", text));
    *key->second = static_cast<int32_t>(*number);
  }
  return out;
}

StatusOr<std::vector<TraceJob>> Synthesize(const std::vector<TraceJob>& from, const Synthesis& what,
                                           uint64_t seed) {
  const int64_t wanted_ms = int64_t{what.hours} * kHourMs;
  std::vector<const TraceJob*> fit;
  for (const TraceJob& job : from) {
    const bool small = job.gpus_milli <= kWidestMilli && job.duration_ms <= kLongestMs &&
                       WorkMs(job) <= wanted_ms / 10;
    if (small && WorkMs(job) > 0) fit.push_back(&job);
  }
  if (fit.empty()) {
    return Invalid(
        "the trace has no job to draw from: of eight cards and three days at most, and a "
        "tenth of the hours");
  }
  SeededRandom random(seed);
  std::vector<int64_t> eagerness;  // sums, to draw a person from
  for (int32_t p = 0; p < what.people; ++p) {
    const auto own = static_cast<int64_t>(1 + random.Below(4));
    eagerness.push_back((eagerness.empty() ? 0 : eagerness.back()) + own);
  }
  std::vector<TraceJob> month;
  for (int64_t done_ms = 0; done_ms < wanted_ms;) {
    TraceJob job = *fit[random.Below(fit.size())];
    const auto draw = static_cast<int64_t>(random.Below(static_cast<uint64_t>(eagerness.back())));
    const auto person = std::ranges::upper_bound(eagerness, draw) - eagerness.begin();
    job.user = fmt::format("person{:02}", person + 1);
    const auto day = static_cast<int64_t>(random.Below(static_cast<uint64_t>(what.days)));
    const bool at_work = random.Below(5) < 4;
    const int64_t first = at_work ? 9 * kHourMs : 0;
    const int64_t span = at_work ? 14 * kHourMs : kDayMs;
    job.submit_ms =
        day * kDayMs + first + static_cast<int64_t>(random.Below(static_cast<uint64_t>(span)));
    job.deadline_ms = -1;
    done_ms += WorkMs(job);
    month.push_back(job);
  }
  std::ranges::stable_sort(month, {}, &TraceJob::submit_ms);
  return month;
}

StatusOr<std::vector<HeadlineCase>> HeadlineCases(const Scenario& base,
                                                  const std::vector<TraceJob>& month) {
  const std::pair<const char*, Means> ways[] = {
      {"everything on on-demand A100", {}},
      {"tiers", {.tiers = true, .packages = false, .spot = false}},
      {"packages", {.tiers = false, .packages = true, .spot = false}},
      {"spot with checkpoints", {.tiers = false, .packages = false, .spot = true}},
      {"tiers and packages", {.tiers = true, .packages = true, .spot = false}},
      {"tiers and spot", {.tiers = true, .packages = false, .spot = true}},
      {"tiers, packages and spot", {.tiers = true, .packages = true, .spot = true}}};
  std::vector<HeadlineCase> cases;
  for (const auto& [name, means] : ways) {
    auto one = CaseOf(name, base, month, means);
    if (!one.ok()) return one.status();
    cases.push_back(*std::move(one));
  }
  return cases;
}

Money PaidOf(const Figures& figures, Money packages) {
  const auto used = figures.cost_by_source.find(std::string(Name(Source::kPackage)));
  const Money moved = used == figures.cost_by_source.end() ? Money() : used->second;
  return figures.cost - moved + packages;
}

std::string PrintHeadline(const std::vector<HeadlineRow>& rows) {
  std::string out = PadRight("PAID FOR WITH", 30) + PadLeft("PAID", 11) + PadLeft("OF FIRST", 10) +
                    PadLeft("WAIT MEAN", 11) + PadLeft("TAKEN", 7) + PadLeft("LOST", 9) + "\n";
  for (const HeadlineRow& row : rows) {
    out += PadRight(row.name, 30) + PadLeft(FormatMoney(row.paid), 11) +
           PadLeft(fmt::format("{:.2f}", Ratio(row.paid, rows.front().paid)), 10) +
           PadLeft(ShortSpan(row.figures.waits.mean_s), 11) +
           PadLeft(std::to_string(row.figures.reclaims), 7) +
           PadLeft(ShortSpan(row.figures.lost_s), 9) + "\n";
  }
  return out;
}

std::string HeadlineJson(const std::vector<HeadlineRow>& rows) {
  std::string out = "{\"schema\":\"pinka.v1.Headline\",\"cases\":[";
  for (const HeadlineRow& row : rows) {
    if (out.back() != '[') out += ",";
    out += fmt::format(
        "{{\"name\":\"{}\",\"paid\":\"{}\",\"ofOnDemand\":{:.4f},\"jobs\":{},\"meanWaitS\":{:.3f},"
        "\"reclaims\":{},\"lostWorkS\":{:.3f},\"unitHours\":{:.3f}}}",
        row.name, FormatWireMoney(row.paid), Ratio(row.paid, rows.front().paid), row.figures.jobs,
        row.figures.waits.mean_s, row.figures.reclaims, row.figures.lost_s, row.figures.unit_hours);
  }
  return out + "]}\n";
}

}  // namespace pinka::sim
