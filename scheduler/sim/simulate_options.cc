#include "scheduler/sim/simulate_options.h"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka::sim {
namespace {

struct Option {
  const char* name;
  const char* value;  // nullptr: a flag
  const char* help;
  std::function<Status(SimulateOptions&, const std::string&)> take;
};

Status Keep(std::string& to, const std::string& value) {
  to = value;
  return OkStatus();
}

// One of two words; true for the first.
Status OneOf(const std::string& value, const char* yes, const char* no, bool* to) {
  if (value != yes && value != no)
    return Invalid(fmt::format("is \"{}\"; write {} or {}", value, yes, no));
  *to = value == yes;
  return OkStatus();
}

Status TakeInt(const std::string& value, int64_t least, int64_t most, auto* to) {
  const auto number = ParseInt(value, least, most, "it");
  if (!number.ok())
    return Invalid(fmt::format("is \"{}\"; write a whole number from {} on", value, least));
  *to = static_cast<std::remove_pointer_t<decltype(to)>>(*number);
  return OkStatus();
}

Status TakeSpan(const std::string& value, Duration* to) {
  const auto span = ParseDuration(value);
  if (!span.ok()) return Invalid(fmt::format("is \"{}\"; write 30m, or 0s for none", value));
  *to = *span;
  return OkStatus();
}

Status TakeMoney(const std::string& value, Money* to) {
  const auto money = ParseMoney(value);
  if (!money.ok() || *money <= Money())
    return Invalid(fmt::format("is \"{}\"; write an amount above 0, like 5000", value));
  *to = *money;
  return OkStatus();
}

const std::vector<Option>& All() {
  using O = SimulateOptions;
  using S = const std::string&;
  static const std::vector<Option> options = {
      {"--trace", "FILE", "jobs: submit_s,duration_s,gpus,user,gpu_type,status (required)",
       [](O& o, S v) { return Keep(o.trace, v); }},
      {"--lab", "FILE", "tiers, prices, members, limits (else a lab made for the trace)",
       [](O& o, S v) { return Keep(o.lab, v); }},
      {"--policy", "P", "fifo, fifo-backfill, pinka (default), pinka-no-PART",
       [](O& o, S v) {
         const Status known = PolicyOf(v).status();
         return known.ok() ? Keep(o.scenario.policy, v) : known;
       }},
      {"--seed", "N", "of what is drawn: time limits (default 1)",
       [](O& o, S v) { return TakeInt(v, 0, INT64_MAX, &o.scenario.seed); }},
      {"--limits", "HOW", "exact: ask for the duration; factor (default): 1 to 3 times that",
       [](O& o, S v) { return OneOf(v, "exact", "factor", &o.scenario.exact_limits); }},
      {"--money", "on|off", "whether budgets count (default off)",
       [](O& o, S v) { return OneOf(v, "on", "off", &o.scenario.money); }},
      {"--deposit", "AMOUNT", "with --money on: the lab's money (else only limits count)",
       [](O& o, S v) { return TakeMoney(v, &o.scenario.pot); }},
      {"--nodes", "TIER:N[xU]", "the tier's machines, of U units; may be repeated",
       [](O& o, S v) { return o.scenario.nodes.push_back(v), OkStatus(); }},
      {"--add", "TIER:N[xU]", "machines beside those; may be repeated",
       [](O& o, S v) { return o.scenario.add.push_back(v), OkStatus(); }},
      {"--buy", "WHAT", "TIER:HOURSh=PRICE, a package; TIER:UNITSu=PRICE, a machine by the week",
       [](O& o, S v) { return o.scenario.buy.push_back(v), OkStatus(); }},
      {"--tier", "T", "where jobs go that name none (default: the largest)",
       [](O& o, S v) { return Keep(o.scenario.default_tier, v); }},
      {"--spot", "FILE", "availability of spot machines: t_s,zone,instances_up,end_s",
       [](O& o, S v) { return Keep(o.spot, v); }},
      {"--spot-zone", "Z", "only this zone of it", [](O& o, S v) { return Keep(o.spot_zone, v); }},
      {"--spot-tier", "T", "the tier they belong to (default: that of --tier)",
       [](O& o, S v) { return Keep(o.scenario.spot_tier, v); }},
      {"--spot-units", "U", "of each (default: as the tier's machines)",
       [](O& o, S v) { return TakeInt(v, 1, 10'000, &o.scenario.spot_units); }},
      {"--spot-machines", "N", "without --spot: so many that come and go by the seed",
       [](O& o, S v) { return TakeInt(v, 1, 10'000, &o.scenario.spot_machines); }},
      {"--checkpoint", "SPAN", "run time between checkpoints (default 30m; 0s: none)",
       [](O& o, S v) { return TakeSpan(v, &o.scenario.checkpoint_every); }},
      {"--restart", "SPAN", "run time before a task that was taken back goes on (default none)",
       [](O& o, S v) { return TakeSpan(v, &o.scenario.restart); }},
      {"--pass", "SPAN", "between passes over who waits, if nothing happens (default 1m)",
       [](O& o, S v) {
         const Status taken = TakeSpan(v, &o.scenario.pass);
         const bool none = taken.ok() && o.scenario.pass <= Duration();
         return none ? Invalid("is none; write a span above 0, like 1m") : taken;
       }},
      {"--synthesize", "WHAT", "people=10,days=30,hours=1000: a month drawn from the trace",
       [](O& o, S v) {
         auto what = ParseSynthesis(v);
         if (what.ok()) o.synthesis = *what;
         return what.status();
       }},
      {"--html", "FILE", "write a page with plots", [](O& o, S v) { return Keep(o.html, v); }},
      {"--json", nullptr, "one JSON object for programs",
       [](O& o, S) { return o.json = true, OkStatus(); }},
      {"--help", nullptr, "this text", [](O& o, S) { return o.help = true, OkStatus(); }},
  };
  return options;
}

Status Unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const Option& option : All()) names.emplace_back(option.name);
  const std::string nearest = Nearest(word, names);
  return Invalid(
      fmt::format("there is no option {}; {}", SanitizeForTerminal(word),
                  nearest.empty() ? "--help lists them" : "did you mean " + nearest + "?"));
}

}  // namespace

StatusOr<SimulateOptions> ParseSimulateOptions(const std::vector<std::string>& words) {
  SimulateOptions options;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i] == "-h" ? "--help" : words[i];
    std::string value;
    const size_t equals = name.find('=');
    const bool joined = name.starts_with("--") && equals != std::string::npos;
    if (joined) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    const auto option =
        std::ranges::find_if(All(), [&](const Option& o) { return name == o.name; });
    if (option == All().end()) return Unknown(name);
    if (option->value != nullptr && !joined) {
      if (i + 1 == words.size())
        return Invalid(fmt::format("{} needs a value: {} {}", name, name, option->value));
      value = words[++i];
    }
    if (Status s = option->take(options, value); !s.ok())
      return Invalid(fmt::format("{}: {}", name, Message(s)));
  }
  if (!options.help && options.trace.empty()) {
    return Invalid(
        "there is no trace; name one with --trace FILE, a CSV of submit_s,duration_s,"
        "gpus,user,gpu_type,status");
  }
  return options;
}

std::string SimulateHelp() {
  std::string out =
      "Usage: pinka simulate --trace FILE [--lab lab.toml] [OPTION…]\n\n"
      "Plays a trace through the scheduler on a virtual clock, and prints waits, use, cost and "
      "fairness.\n\n";
  for (const Option& option : All()) {
    const std::string left =
        option.value == nullptr ? option.name : fmt::format("{} {}", option.name, option.value);
    out += "  " + PadRight(left, 20) + " " + option.help + "\n";
  }
  return out;
}

}  // namespace pinka::sim
