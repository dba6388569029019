#include "scheduler/sim/scenario.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/parse.h"
#include "base/random.h"
#include "base/text.h"
#include "fmt/format.h"
#include "scheduler/sim/purchases.h"

namespace pinka::sim {
namespace {

// A Thursday; New Year's night in China, so that months of the trace are months of the calendar.
const Timestamp kStart = Timestamp::Seconds(1'767'196'800);
constexpr int32_t kWidth = 8;    // units of a machine that nobody said anything about
constexpr int64_t kSpare = 120;  // percent of the mean demand: machines of a lab made for a trace
constexpr int64_t kSpotAfterMs = int64_t{60} * 86'400'000;  // behind the last submit
const Money kEverything = Money::Whole(1'000'000'000'000);

std::string Letters(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0) out += c;
  }
  return out;
}

std::vector<std::string> SplitBars(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == '|') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

int32_t UnitsOf(const TraceJob& job) {
  return static_cast<int32_t>(std::max<int64_t>((job.gpus_milli + 999) / 1'000, 1));
}

class Builder {
 public:
  Builder(const Scenario& scenario, const std::vector<TraceJob>& trace)
      : scenario_(scenario), trace_(trace), random_(scenario.seed) {}

  StatusOr<ReplayInput> Build() {
    const StatusOr<Policy> policy = PolicyOf(scenario_.policy);
    if (!policy.ok()) return policy.status();
    input_.policy = *policy;
    input_.start = kStart;
    input_.checkpoint_every = scenario_.checkpoint_every;
    input_.restart = scenario_.restart;
    input_.pass = scenario_.pass;
    if (scenario_.lab) {
      input_.lab = *scenario_.lab;
    } else {
      MakeLab();
    }
    if (input_.lab.lab.timezone.empty()) input_.lab.lab.timezone = "Asia/Shanghai";
    input_.zone = input_.lab.lab.timezone;
    std::erase_if(input_.lab.tiers, [](const LabChange::Tier& tier) { return tier.row.absent; });
    if (input_.lab.tiers.empty())
      return Invalid("the lab has no tier; write one [[tier]] at least, with its rates");
    for (const auto& tier : input_.lab.tiers) tiers_.push_back(tier.row.name);
    if (Status s = MakeNodes(); !s.ok()) return s;
    for (const std::string& text : scenario_.buy) {
      if (Status s = Buy(text, &input_); !s.ok()) return Invalid("--buy " + Message(s));
    }
    if (Status s = ChooseDefault(); !s.ok()) return s;
    if (Status s = MakeSpot(); !s.ok()) return s;
    if (std::ranges::none_of(tiers_, [this](const std::string& t) { return HasMachines(t); })) {
      return Invalid(
          "the lab has no machines; write simulated_nodes = {TIER = UNITS} in its file, or --nodes "
          "TIER:N");
    }
    AddPeople();
    SetMoney();
    AddJobs();
    return std::move(input_);
  }

 private:
  void MakeLab();
  Status MakeNodes();
  Status ReadNodes(const std::string& text, bool more);
  Status ChooseDefault();
  Status MakeSpot();
  void AddPeople();
  void SetMoney();
  void AddJobs();
  int32_t WidthOf(const std::string& tier) const;
  bool HasMachines(const std::string& tier) const;
  std::vector<std::string> TiersOf(const TraceJob& job);
  Status CheckTier(const std::string& name, const char* option) const {
    if (std::ranges::find(tiers_, name) != tiers_.end()) return OkStatus();
    const std::string nearest = Nearest(name, tiers_);
    return Invalid(fmt::format("{} names tier \"{}\", which the lab does not have{}", option, name,
                               nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }

  const Scenario& scenario_;
  const std::vector<TraceJob>& trace_;
  SeededRandom random_;
  ReplayInput input_;
  std::vector<std::string> tiers_;
  std::string default_tier_;
  std::map<std::string, std::vector<std::string>> by_card_;
};

// One tier for each kind of card, with the guide's prices of an A100 and machines of eight for the
// mean demand and a fifth more.
void Builder::MakeLab() {
  std::map<std::string, int64_t> unit_ms;
  int64_t end_ms = 1;
  for (const TraceJob& job : trace_) {
    end_ms = std::max(end_ms, job.submit_ms + job.duration_ms - trace_.front().submit_ms);
    // Of several cards the first is to be large enough.
    int64_t demand = UnitsOf(job) <= kWidth ? UnitsOf(job) * job.duration_ms : 0;
    for (const std::string& name : SplitBars(job.gpu_type))
      unit_ms[name.empty() ? "gpu" : name] += std::exchange(demand, 0);
  }
  input_.lab.set_lab = true;
  input_.lab.lab.name = "simulation";
  for (const auto& [name, total] : unit_ms) {
    LabChange::Tier& tier = input_.lab.tiers.emplace_back();
    tier.row.name = name;
    tier.row.unit_gpus = 1;
    tier.row.unit_cpus = 4;
    tier.row.max_time = Duration::Days(3'650);
    for (const auto& [source, yuan_cents] :
         {std::pair(Source::kOnDemand, 1'350), std::pair(Source::kSpot, 450)}) {
      RateRow& rate = tier.rates.emplace_back();
      rate.source = source;
      rate.rate = Rate::MicrosPerUnitHour(int64_t{yuan_cents} * 10'000);
    }
    const int64_t mean = MulDivRound(total, kSpare, 100) / end_ms;
    const auto nodes = static_cast<int32_t>(mean / kWidth + 1);
    tier.row.simulated_units = nodes * kWidth;
  }
}

int32_t Builder::WidthOf(const std::string& tier) const {
  int32_t width = 0;
  for (const NodeGroup& group : input_.nodes) {
    if (group.tier == tier && group.nodes > 0) width = std::max(width, group.units);
  }
  return width > 0 ? width : kWidth;
}

bool Builder::HasMachines(const std::string& tier) const {
  return tier == input_.spot_tier || std::ranges::any_of(input_.nodes, [&](const NodeGroup& g) {
           return g.tier == tier && g.nodes > 0;
         });
}

// "a100:4x8"
Status Builder::ReadNodes(const std::string& text, bool more) {
  const char* option = more ? "--add" : "--nodes";
  const auto wrong = [&] {
    return Invalid(fmt::format("{} is \"{}\"; write TIER:NODES or TIER:NODESxUNITS, like a100:4x8",
                               option, text));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return wrong();
  const std::string tier = text.substr(0, colon);
  if (Status s = CheckTier(tier, option); !s.ok()) return s;
  const std::string rest = text.substr(colon + 1);
  const size_t cross = rest.find('x');
  const auto nodes = ParseInt(rest.substr(0, cross), 0, 100'000, "nodes");
  const auto units = cross == std::string::npos
                         ? StatusOr<int64_t>(WidthOf(tier))
                         : ParseInt(rest.substr(cross + 1), 1, 10'000, "units of a node");
  if (!nodes.ok() || !units.ok()) return wrong();
  if (!more) std::erase_if(input_.nodes, [&](const NodeGroup& g) { return g.tier == tier; });
  input_.nodes.push_back(
      {tier, static_cast<int32_t>(*nodes), static_cast<int32_t>(*units), Source::kOnDemand});
  return OkStatus();
}

// The lab file says how many units of each tier there are; they stand eight to a machine.
Status Builder::MakeNodes() {
  for (const auto& tier : input_.lab.tiers) {
    const int32_t units = tier.row.simulated_units;
    const int32_t whole = units / kWidth;
    if (whole > 0) input_.nodes.push_back({tier.row.name, whole, kWidth, Source::kOnDemand});
    if (units % kWidth > 0)
      input_.nodes.push_back({tier.row.name, 1, units % kWidth, Source::kOnDemand});
  }
  for (const std::string& text : scenario_.nodes) {
    if (Status s = ReadNodes(text, false); !s.ok()) return s;
  }
  for (const std::string& text : scenario_.add) {
    if (Status s = ReadNodes(text, true); !s.ok()) return s;
  }
  return OkStatus();
}

Status Builder::ChooseDefault() {
  default_tier_ = scenario_.default_tier;
  if (!default_tier_.empty()) return CheckTier(default_tier_, "--tier");
  std::map<std::string, int64_t> units;
  for (const NodeGroup& group : input_.nodes) units[group.tier] += group.nodes * group.units;
  default_tier_ = tiers_.front();
  for (const std::string& tier : tiers_) {
    if (units[tier] > units[default_tier_]) default_tier_ = tier;
  }
  return OkStatus();
}

Status Builder::MakeSpot() {
  input_.spot = scenario_.spot;
  if (input_.spot.zones.empty() && scenario_.spot_machines > 0) {
    const int64_t span = trace_.back().submit_ms - trace_.front().submit_ms;
    input_.spot = DrawSpot(scenario_.spot_machines, scenario_.seed, span + kSpotAfterMs);
  }
  if (input_.spot.zones.empty()) return OkStatus();
  input_.spot_tier = scenario_.spot_tier.empty() ? default_tier_ : scenario_.spot_tier;
  if (Status s = CheckTier(input_.spot_tier, "--spot-tier"); !s.ok()) return s;
  input_.spot_units = scenario_.spot_units > 0 ? scenario_.spot_units : WidthOf(input_.spot_tier);
  for (const auto& tier : input_.lab.tiers) {
    if (tier.row.name != input_.spot_tier) continue;
    if (std::ranges::find(tier.rates, Source::kSpot, &RateRow::source) != tier.rates.end())
      continue;
    return Invalid(
        fmt::format("tier {} has no spot price; write rates = {{spot = \"…\"}} in its "
                    "[[tier]]",
                    input_.spot_tier));
  }
  return OkStatus();
}

// Whom the lab does not know joins with share 1 and no limits of their own.
void Builder::AddPeople() {
  std::set<std::string> known;
  for (const auto& member : input_.lab.members) known.insert(member.name);
  std::vector<LabChange::Limit> each;
  for (const auto& limit : input_.lab.limits) {
    if (limit.row.of == LimitOf::kEach && (limit.scope.empty() || limit.scope == "lab"))
      each.push_back(limit);
  }
  for (const TraceJob& job : trace_) {
    if (!known.insert(job.user).second) continue;
    input_.lab.members.push_back({job.user, 1, false});
    for (LabChange::Limit limit : each) {
      limit.scope = job.user;
      limit.row.unlimited = true;
      limit.row.amount = 0;
      input_.lab.limits.push_back(limit);
    }
  }
}

void Builder::SetMoney() {
  input_.pot = scenario_.money && scenario_.pot > Money() ? scenario_.pot : kEverything;
  if (scenario_.money) return;
  std::erase_if(input_.lab.limits, [](const LabChange::Limit& limit) {
    return limit.row.resource == LimitResource::kMoney;
  });
}

std::vector<std::string> Builder::TiersOf(const TraceJob& job) {
  const auto known = by_card_.find(job.gpu_type);
  if (known != by_card_.end()) return known->second;
  std::vector<std::string> tiers;
  for (const std::string& part : SplitBars(job.gpu_type)) {
    const std::string tier = part.empty() ? default_tier_ : TierOfCard(part, tiers_);
    const bool known_already = std::ranges::find(tiers, tier) != tiers.end();
    if (!tier.empty() && !known_already && HasMachines(tier)) tiers.push_back(tier);
  }
  by_card_[job.gpu_type] = tiers;
  return tiers;
}

void Builder::AddJobs() {
  std::map<std::string, Duration> most;
  for (const auto& tier : input_.lab.tiers) most[tier.row.name] = tier.row.max_time;
  input_.jobs.reserve(trace_.size());
  for (const TraceJob& row : trace_) {
    ReplayJob& job = input_.jobs.emplace_back();
    job.submit = Duration::Millis(row.submit_ms - trace_.front().submit_ms);
    job.work = Duration::Millis(row.duration_ms);
    job.units = UnitsOf(row);
    job.user = row.user;
    job.tiers = TiersOf(row);
    job.failed = row.failed;
    if (row.deadline_ms >= 0)
      job.deadline = Duration::Millis(row.deadline_ms - trace_.front().submit_ms);
    // Drawn also where it is not used: the same seed, the same jobs.
    const auto factor = static_cast<int64_t>(1'000 + random_.Below(2'001));
    job.limit = std::max(job.work, Duration::Seconds(1));
    if (scenario_.exact_limits) {
      job.limit = job.limit + scenario_.restart;  // enough for a run that begins anew
      continue;
    }
    if (row.limit_ms > 0) {
      job.limit = Duration::Millis(row.limit_ms);
    } else {
      job.limit = Duration::Millis(MulDivRound(job.limit.millis(), factor, 1'000));
    }
    // Nobody asks for more than a tier gives where the work itself fits.
    for (const std::string& tier : job.tiers) {
      if (job.work <= most[tier]) job.limit = std::min(job.limit, most[tier]);
    }
  }
}

}  // namespace

StatusOr<Policy> PolicyOf(const std::string& name) {
  if (name == "pinka") return Policy{};
  if (name == "fifo") return Policy{false, false, false, false, false, false};
  if (name == "fifo-backfill") return Policy{false, false, false, false, true, false};
  const std::pair<const char*, SpotRule> rules[] = {{"pinka-uniform-progress", SpotRule::kUniform},
                                                    {"pinka-spot-then-switch", SpotRule::kSwitch},
                                                    {"pinka-on-demand", SpotRule::kOnDemand}};
  for (const auto& [rule_name, rule] : rules) {
    Policy policy;
    policy.spot = rule;
    if (name == rule_name) return policy;
  }
  const std::pair<const char*, bool Policy::*> parts[] = {
      {"fair-share", &Policy::fair_share}, {"age", &Policy::age},
      {"class", &Policy::job_class},       {"size", &Policy::size},
      {"backfill", &Policy::backfill},     {"preemption", &Policy::preemption}};
  for (const auto& [part, member] : parts) {
    if (name != std::string("pinka-no-") + part) continue;
    Policy policy;
    policy.*member = false;
    return policy;
  }
  return Invalid(fmt::format(
      "there is no policy \"{}\"; fifo, fifo-backfill, pinka, pinka-no- with fair-share, age, "
      "class, size, backfill or preemption, or for work with deadlines pinka-uniform-progress, "
      "pinka-spot-then-switch, pinka-on-demand",
      name));
}

std::string TierOfCard(const std::string& gpu_type, const std::vector<std::string>& tiers) {
  const std::string card = Letters(gpu_type);
  std::string best;
  for (const std::string& tier : tiers) {
    const std::string name = Letters(tier);
    if (name == card) return tier;
    const bool within = !name.empty() && !card.empty() &&
                        (card.find(name) != std::string::npos || name.find(card) == 0);
    if (within && tier.size() > best.size()) best = tier;
  }
  return best;
}

StatusOr<ReplayInput> BuildInput(const Scenario& scenario, const std::vector<TraceJob>& trace) {
  if (trace.empty()) return Invalid("the trace holds no jobs");
  return Builder(scenario, trace).Build();
}

}  // namespace pinka::sim
