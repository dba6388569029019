#include "client/cli/core/plan_replay.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/parse.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/beside.h"
#include "client/cli/core/try.h"
#include "client/cli/core/when.h"
#include "fmt/format.h"

namespace pinka::cli {
namespace {

constexpr int64_t kMostTasks = 500'000;
constexpr int32_t kWidth = 8;  // units of a machine, unless a job is wider

// As a CSV cell and as a TOML string.
std::string CsvQuoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}
std::string TomlQuoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

double Hours(const std::string& wire) { return static_cast<double>(MoneyOf(wire).micros()) / 1e6; }

const v1::PlanCost* CostOf(const v1::TierPlan& tier, const std::string& name) {
  if (name == "advised") return tier.costs().empty() ? nullptr : &tier.costs(0);
  const auto it =
      std::ranges::find_if(tier.costs(), [&](const v1::PlanCost& c) { return c.plan() == name; });
  return it == tier.costs().end() ? nullptr : &*it;
}

int32_t WidthOf(const HistoryTrace& trace, const std::string& tier) {
  const auto it = trace.widest.find(tier);
  return std::max(kWidth, it == trace.widest.end() ? 0 : it->second);
}

Money Times(const std::string& wire, int64_t count) {
  return Money::Micros(MoneyOf(wire).micros() * count);
}

// What the tier buys under that plan.
void AddPurchases(const v1::TierPlan& tier, const v1::PlanCost& cost,
                  std::vector<std::string>* words) {
  const auto hours = static_cast<int64_t>(std::ceil(Hours(cost.package_hours())));
  if (hours > 0) {
    words->push_back("--buy");
    words->push_back(fmt::format("{}:{}h={}", tier.tier(), hours,
                                 FormatWireMoney(Times(tier.package(), hours))));
  }
  if (cost.weekly_units() > 0) {
    words->push_back("--buy");
    words->push_back(fmt::format("{}:{}u={}", tier.tier(), cost.weekly_units(),
                                 FormatWireMoney(Times(tier.weekly(), cost.weekly_units()))));
  }
}

struct Outcome {
  Money paid;
  double wait_s = 0;
  double lost_s = 0;
};

StatusOr<Outcome> ReadOutcome(const std::string& text) {
  google::protobuf::Struct answer;
  if (!google::protobuf::util::JsonStringToMessage(text, &answer).ok())
    return Internal("pinka-simulate gave no JSON");
  const auto& fields = answer.fields();
  const auto find = [&fields](const char* key) {
    const auto it = fields.find(key);
    return it == fields.end() ? google::protobuf::Value() : it->second;
  };
  return Outcome{MoneyOf(find("paid").string_value()), find("meanWaitS").number_value(),
                 find("lostWorkS").number_value()};
}

double Middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[(values.size() - 1) / 2];
}

v1::PlanReplay Summary(const std::string& name, std::vector<Outcome> outcomes) {
  std::ranges::sort(outcomes, {}, &Outcome::paid);
  v1::PlanReplay replay;
  replay.set_plan(name);
  replay.set_seeds(static_cast<int32_t>(outcomes.size()));
  replay.set_low(FormatWireMoney(outcomes.front().paid));
  replay.set_paid(FormatWireMoney(outcomes[(outcomes.size() - 1) / 2].paid));
  replay.set_high(FormatWireMoney(outcomes.back().paid));
  std::vector<double> waits, lost;
  for (const Outcome& one : outcomes) {
    waits.push_back(one.wait_s);
    lost.push_back(one.lost_s);
  }
  replay.set_mean_wait_s(Middle(waits));
  replay.set_lost_work_s(Middle(lost));
  return replay;
}

// A directory of its own, gone at the end.
class Scratch {
 public:
  static StatusOr<std::unique_ptr<Scratch>> Make() {
    std::error_code error;
    std::string path = std::filesystem::temp_directory_path(error) / "pinka-plan-XXXXXX";
    if (error || mkdtemp(path.data()) == nullptr)
      return Internal("no directory for temporary files can be made");
    return std::make_unique<Scratch>(path);
  }
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  ~Scratch() { RemoveTree(path_).IgnoreError(); }
  StatusOr<std::string> Write(const char* name, const std::string& text) const {
    const std::string path = path_ + "/" + name;
    PINKA_TRY(WriteFileDurably(path, text));
    return path;
  }

 private:
  std::string path_;
};

}  // namespace

HistoryTrace TraceOf(const std::vector<v1::Job>& jobs, const v1::GetUsageResponse& by_job,
                     const v1::AdvisePlanResponse& plan) {
  std::map<std::string, double> hours;
  for (const v1::UsageRow& row : by_job.rows()) hours[row.key()] = Hours(row.wall_hours());
  HistoryTrace trace;
  trace.csv = "submit_s,duration_s,gpus,user,gpu_type,status\n";
  for (const v1::Job& job : jobs) {
    const auto ran = hours.find(std::to_string(job.id()));
    const bool planned = std::ranges::any_of(
        plan.tiers(), [&](const v1::TierPlan& tier) { return tier.tier() == job.tier(); });
    if (ran == hours.end() || ran->second <= 0 || !planned) continue;
    const int32_t tasks = std::max(job.task_count(), 1);
    if (trace.tasks + tasks > kMostTasks) break;
    const std::string line =
        fmt::format("{:.3f},{:.3f},{},{},{},{}\n",
                    static_cast<double>(FromProto(job.submitted_at()).micros()) / 1e6,
                    std::max(ran->second * 3'600 / tasks, 0.001), std::max(job.units(), 1),
                    CsvQuoted(job.user()), CsvQuoted(job.tier()),
                    job.state() == v1::TaskState::COMPLETED ? "Pass" : "Failed");
    for (int32_t task = 0; task < tasks; ++task) trace.csv += line;
    trace.tasks += tasks;
    int32_t& widest = trace.widest[job.tier()];
    widest = std::max(widest, job.units());
  }
  return trace;
}

std::string LabOf(const v1::AdvisePlanResponse& plan, const std::string& zone) {
  std::string text = fmt::format("[lab]\nname = \"replay\"\ncurrency = {}\ntimezone = {}\n",
                                 TomlQuoted(plan.currency()), TomlQuoted(zone));
  for (const v1::TierPlan& tier : plan.tiers()) {
    text += fmt::format(
        "\n[[tier]]\nname = {}\nunit = {{gpus = 1, cpus = 1, memory = \"1G\"}}\n"
        "max_time = \"3650d\"\nrates = {{on_demand = \"{}\", spot = \"{}\"}}\n",
        TomlQuoted(tier.tier()), tier.on_demand(), tier.spot());
  }
  return text;
}

std::vector<std::string> PlansOf(const v1::AdvisePlanResponse& plan) {
  std::vector<std::string> names = {"on_demand"};
  for (const char* way : {"spot", "package", "weekly", "mixed"}) {
    if (std::ranges::any_of(plan.tiers(),
                            [&](const v1::TierPlan& tier) { return CostOf(tier, way); }))
      names.emplace_back(way);
  }
  names.emplace_back("advised");
  return names;
}

std::vector<std::string> WordsOf(const v1::AdvisePlanResponse& plan, const HistoryTrace& trace,
                                 const std::string& name) {
  std::vector<std::string> words = {"--json"};
  const v1::TierPlan* spot = nullptr;
  double most = 0;
  for (const v1::TierPlan& tier : plan.tiers()) {
    const int32_t width = WidthOf(trace, tier.tier());
    // Peaks are means of hours: twice that is there on demand.
    const int32_t nodes = 2 * tier.peak_units() / width + 2;
    words.push_back("--nodes");
    words.push_back(fmt::format("{}:{}x{}", tier.tier(), nodes, width));
    const v1::PlanCost* cost = CostOf(tier, name);
    if (!cost) continue;
    AddPurchases(tier, *cost, &words);
    if (Hours(cost->spot_hours()) > most) {
      most = Hours(cost->spot_hours());
      spot = &tier;
    }
  }
  if (!spot) return words;
  const int32_t width = WidthOf(trace, spot->tier());
  for (const std::string& word :
       {std::string("--spot-tier"), spot->tier(), std::string("--spot-machines"),
        std::to_string(spot->peak_units() / width + 1), std::string("--spot-units"),
        std::to_string(width)})
    words.push_back(word);
  return words;
}

Status RunReplays(const HistoryTrace& trace, const std::string& zone, int seeds,
                  v1::AdvisePlanResponse* plan) {
  PINKA_TRY_ASSIGN(const std::unique_ptr<Scratch> scratch, Scratch::Make());
  PINKA_TRY_ASSIGN(const std::string trace_file, scratch->Write("history.csv", trace.csv));
  PINKA_TRY_ASSIGN(const std::string lab_file, scratch->Write("lab.toml", LabOf(*plan, zone)));
  for (const std::string& name : PlansOf(*plan)) {
    std::vector<Outcome> outcomes;
    for (int seed = 1; seed <= seeds; ++seed) {
      std::vector<std::string> words = WordsOf(*plan, trace, name);
      for (const std::string& word : {std::string("--trace"), trace_file, std::string("--lab"),
                                      lab_file, std::string("--seed"), std::to_string(seed)})
        words.push_back(word);
      PINKA_TRY_ASSIGN(const std::string answer, RunBeside("pinka-simulate", words));
      PINKA_TRY_ASSIGN(const Outcome outcome, ReadOutcome(answer));
      outcomes.push_back(outcome);
    }
    *plan->add_replays() = Summary(name, std::move(outcomes));
  }
  return OkStatus();
}

}  // namespace pinka::cli
