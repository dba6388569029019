#include "scheduler/api/lab_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/time/time.h"
#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"
#include "scheduler/api/billing_file.h"
#include "scheduler/api/card_file.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/toml_section.h"

namespace pinka::api {
namespace {

constexpr int32_t kMostUnits = 1'000'000;
constexpr int32_t kMostReclaims = 1'000;

// "23:00" in minutes of the day; -1 where it is no such time.
int32_t ReadMinute(std::string_view text) {
  const bool shaped = text.size() == 5 && text[2] == ':';
  if (!shaped) return -1;
  const auto hours = ParseInt(text.substr(0, 2), 0, 23, "an hour");
  const auto minutes = ParseInt(text.substr(3), 0, 59, "a minute");
  return hours.ok() && minutes.ok() ? static_cast<int32_t>(*hours * 60 + *minutes) : -1;
}

bool ReadNight(const std::string& text, int32_t* from, int32_t* to) {
  const size_t dash = text.find('-');
  if (dash == std::string::npos) return false;
  const int32_t first = ReadMinute(std::string_view(text).substr(0, dash));
  const int32_t last = ReadMinute(std::string_view(text).substr(dash + 1));
  if (first < 0 || last < 0 || first == last) return false;
  *from = first;
  *to = last;
  return true;
}

class Reader {
 public:
  Reader(const std::string& file, const LabBase& base) : base_(base), errors_(file) {}

  StatusOr<LabFile> Read(const toml::table& root) {
    TomlSection top(root, "file", errors_);
    if (const toml::table* lab = top.Table("lab")) ReadLab(*lab);
    if (const toml::table* simulated = top.Table("simulated_nodes")) simulated_ = simulated;
    if (const toml::table* payers = top.Table("payers")) ReadPayers(*payers);
    Each(top, "tier", [this](const toml::table& table) { ReadTier(table); });
    Each(top, "member", [this](const toml::table& table) { ReadMember(table); });
    Each(top, "project", [this](const toml::table& table) { ReadProject(table); });
    Each(top, "limit", [this](const toml::table& table) { ReadLimit(table); });
    Each(top, "card", [this](const toml::table& table) {
      out_.change.cards.push_back(ReadCard(table, errors_));
    });
    top.Finish();
    if (simulated_ != nullptr) ReadSimulated(*simulated_);
    if (!errors_.ok()) return errors_.status();
    return std::move(out_);
  }

 private:
  template <class F>
  void Each(TomlSection& top, const char* key, F read) {
    top.Known(key);
    const toml::node* node = top.table().get(key);
    if (!node) return;
    const toml::array* array = node->as_array();
    if (!array || !array->is_array_of_tables()) {
      errors_.At(*node, fmt::format("{0} is written [[{0}]], once for each", key));
      return;
    }
    for (const toml::node& item : *array) read(*item.as_table());
  }

  // A name of its own kind, given once in the file.
  void ReadName(TomlSection& section, const char* what, std::string* name) {
    section.Require("name", "\"…\"");
    if (!section.Text("name", name)) return;
    if (Status s = CheckName(*name, what); !s.ok()) section.Fail("name", Message(s));
    if (!seen_.insert(std::string(what) + ":" + *name).second)
      section.Fail("name", fmt::format("there are two of the name \"{}\"", *name));
  }

  void ReadLab(const toml::table& table) {
    TomlSection section(table, "[lab]", errors_);
    LabRow& lab = out_.change.lab;
    lab = base_.lab;
    out_.change.set_lab = true;
    if (section.Text("name", &lab.name)) {
      if (Status s = CheckText(lab.name, kMostNameChars, "lab's name"); !s.ok())
        section.Fail("name", Message(s));
    }
    section.Judged("currency", [&lab](const std::string& text) -> std::string {
      const bool code = text.size() == 3 &&
                        std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
      if (!code) return "is a code of three capital letters, like \"CNY\"";
      lab.currency = text;
      return "";
    });
    section.Judged("timezone", [&lab](const std::string& text) -> std::string {
      absl::TimeZone zone;
      if (text.empty() || !absl::LoadTimeZone(text, &zone))
        return "is no zone that this system knows; write one like \"Asia/Shanghai\"";
      lab.timezone = text;
      return "";
    });
    section.Judged("openness", [&lab](const std::string& text) -> std::string {
      return FromName(text, &lab.openness) ? "" : "is \"closed\", \"queue\" or \"open\"";
    });
    section.Amount("confirm_above", &lab.confirm_above);
    Duration half_life;
    if (section.Span("half_life", &half_life)) {
      if (half_life < Duration::Hours(1) || half_life > Duration::Days(90) ||
          half_life.seconds() % 3'600 != 0) {
        section.Fail("half_life", "is whole hours from \"1h\" to \"90d\"");
      } else {
        lab.half_life_h = static_cast<int32_t>(half_life.seconds() / 3'600);
      }
    }
    section.Judged("night", [&lab](const std::string& text) -> std::string {
      const bool read = ReadNight(text, &lab.night_from_min, &lab.night_to_min);
      return read ? "" : "is two different times of the day, like \"23:00-08:00\"";
    });
    if (const toml::table* simulated = section.Table("simulated_nodes")) simulated_ = simulated;
    section.Finish();
  }

  void ReadUnit(const toml::table& table, TierRow* row) {
    TomlSection unit(table, "unit of a tier", errors_);
    row->unit_gpus = 0;
    row->unit_cpus = 0;
    row->unit_memory = 0;
    unit.Int32("gpus", 0, 64, &row->unit_gpus);
    unit.Int32("cpus", 0, 4'096, &row->unit_cpus);
    unit.Memory("memory", &row->unit_memory);
    if (row->unit_gpus == 0 && row->unit_cpus == 0)
      unit.Fail("cpus",
                "a unit has gpus or cpus; write unit = {gpus = 1, cpus = 8, memory = \"32G\"}");
    unit.Finish();
  }

  void ReadRates(const toml::table& table, LabChange::Tier* tier) {
    TomlSection rates(table, "rates of a tier", errors_);
    for (Source source :
         {Source::kOwned, Source::kPackage, Source::kSpot, Source::kOnDemand, Source::kTrial}) {
      Money money;
      const std::string name(Name(source));
      if (!rates.Amount(name.c_str(), &money)) continue;
      RateRow row;
      row.source = source;
      row.rate = Rate::MicrosPerUnitHour(money.micros());
      tier->rates.push_back(row);
    }
    rates.Finish();
  }

  std::string TierNameOf(TierId id) const {
    const auto known = std::ranges::find(base_.tiers, id, &TierRow::id);
    return id && known != base_.tiers.end() ? known->name : "";
  }

  // gate = {} takes it away.
  void ReadGate(const toml::table& table, LabChange::Tier* tier) {
    TomlSection gate(table, "gate of a tier", errors_);
    tier->gate.clear();
    tier->row.gate_within = TierRow().gate_within;
    tier->row.gate_refuses = false;
    if (!table.empty()) gate.Require("tier", "\"t4\"");
    gate.Text("tier", &tier->gate);
    if (gate.Span("within", &tier->row.gate_within) && tier->row.gate_within <= Duration())
      gate.Fail("within", "is more than 0s");
    gate.Bool("refuse", &tier->row.gate_refuses);
    if (!tier->gate.empty() && tier->gate == tier->row.name)
      gate.Fail("tier", "is another tier, one that costs less");
    gate.Finish();
  }

  void ReadTier(const toml::table& table) {
    TomlSection section(table, "[[tier]]", errors_);
    std::string name;
    ReadName(section, "tier", &name);
    LabChange::Tier tier;
    const auto known = std::ranges::find(base_.tiers, name, &TierRow::name);
    if (known != base_.tiers.end()) tier.row = *known;
    tier.row.id = TierId();
    tier.row.name = name;
    if (section.Text("purpose", &tier.row.purpose)) {
      if (Status s = CheckText(tier.row.purpose, kMostTextChars, "purpose"); !s.ok())
        section.Fail("purpose", Message(s));
    }
    if (known == base_.tiers.end())
      section.Require("unit", "{gpus = 1, cpus = 8, memory = \"32G\"}");
    if (const toml::table* unit = section.Table("unit")) ReadUnit(*unit, &tier.row);
    const bool has_default = section.Span("default_time", &tier.row.default_time);
    const bool has_max = section.Span("max_time", &tier.row.max_time);
    if (tier.row.default_time <= Duration()) section.Fail("default_time", "is more than 0s");
    if (tier.row.default_time > tier.row.max_time) {
      section.Fail(
          has_max || !has_default ? "max_time" : "default_time",
          fmt::format("default_time ({}) is above max_time ({})",
                      FormatDuration(tier.row.default_time), FormatDuration(tier.row.max_time)));
    }
    section.Span("staging_limit", &tier.row.staging_limit);
    section.Span("fence", &tier.row.fence);
    section.Int32("on_demand_after", 0, kMostReclaims, &tier.row.on_demand_after);
    section.Int32("simulated_units", 0, kMostUnits, &tier.row.simulated_units);
    if (section.Bool("absent", &tier.row.absent) && tier.row.absent)
      out_.removals.push_back("tier " + name);
    if (const toml::table* rates = section.Table("rates")) ReadRates(*rates, &tier);
    if (const toml::table* billing = section.Table("billing"))
      tier.billing = ReadBilling(*billing, errors_);
    if (known != base_.tiers.end()) tier.gate = TierNameOf(known->gate);
    if (const toml::table* gate = section.Table("gate")) ReadGate(*gate, &tier);
    section.Judged("advice", [&tier](const std::string& text) -> std::string {
      tier.row.advice_refuses = text == "refuse";
      return text == "refuse" || text == "tell" ? "" : "is \"tell\" or \"refuse\"";
    });
    section.Finish();
    out_.change.tiers.push_back(std::move(tier));
  }

  void ReadMember(const toml::table& table) {
    TomlSection section(table, "[[member]]", errors_);
    LabChange::Member member;
    ReadName(section, "member", &member.name);
    const auto known = std::ranges::find_if(base_.members, [&](const MemberRow& row) {
      return row.name == member.name && !row.removed;
    });
    if (known != base_.members.end()) {
      member.share = known->share;
      member.admin = known->admin;
    }
    section.Int("share", 0, 1'000'000, &member.share);
    std::vector<std::string> roles;
    if (section.Texts("roles", &roles)) {
      member.admin = false;
      for (const std::string& role : roles) {
        if (role == "admin") member.admin = true;
        if (role != "admin" && role != "member")
          section.Fail("roles",
                       fmt::format("\"{}\" is no role; use \"member\" or \"admin\"", role));
      }
    }
    section.Finish();
    out_.change.members.push_back(std::move(member));
  }

  void ReadProject(const toml::table& table) {
    TomlSection section(table, "[[project]]", errors_);
    LabChange::Project project;
    ReadName(section, "project", &project.name);
    section.Require("members", "[\"alice\", \"bob\"]");
    section.Texts("members", &project.members);
    const auto known = std::ranges::find(base_.projects, project.name, &ProjectRow::name);
    if (known != base_.projects.end()) project.share = known->share;
    section.Int("share", 0, 1'000'000, &project.share);
    section.Finish();
    out_.change.projects.push_back(std::move(project));
  }

  // The amount in the unit that core counts in; "unlimited" is said.
  void ReadAmount(TomlSection& section, LimitRow* row) {
    section.Require("amount", "\"800\"");
    const toml::node* node = section.table().get("amount");
    if (node != nullptr && node->value_exact<std::string>() == "unlimited") {
      section.Known("amount");
      row->unlimited = true;
      return;
    }
    if (row->resource == LimitResource::kMoney) {
      Money money;
      if (section.Amount("amount", &money)) row->amount = money.micros();
      return;
    }
    int64_t count = 0;
    if (!section.Int("amount", 0, 1'000'000'000, &count)) return;
    const bool hours = row->resource == LimitResource::kUnitHours;
    row->amount = hours ? count * 3'600'000 : count;
  }

  // Who pays, by end reason, where it is not as the table of the books has it.
  void ReadPayers(const toml::table& table) {
    TomlSection payers(table, "[payers]", errors_);
    for (const EndRule& rule : EndRules()) {
      if (rule.reason == EndReason::kNone) continue;
      const std::string name(rule.name);
      PayerRow row;
      row.reason = rule.reason;
      const bool there = payers.Judged(name.c_str(), [&](const std::string& text) -> std::string {
        if (!PayerIsOpen(rule.reason))
          return "is not the lab's to say: the member's own end is the member's, and what never "
                 "ran costs nothing";
        const bool known = FromName(text, &row.payer) && row.payer != Payer::kNobody;
        return known ? "" : "is \"member\", \"lab\" or \"checkpoint\"";
      });
      if (there) out_.change.payers.push_back(row);
    }
    payers.Finish();
  }

  // An instant, or a day of the lab's zone.
  static std::string ReadInstant(const std::string& text, const std::string& zone, Timestamp* out) {
    absl::Time at;
    std::string error;
    absl::TimeZone tz;
    const bool day =
        absl::LoadTimeZone(zone, &tz) && absl::ParseTime("%Y-%m-%d", text, tz, &at, &error);
    if (!day && !absl::ParseTime(absl::RFC3339_full, text, &at, &error))
      return "is a day like \"2026-12-31\", or an instant like \"2026-12-31T23:59:59+08:00\"";
    *out = Timestamp::Micros(absl::ToUnixMicros(at));
    return "";
  }

  void ReadDates(TomlSection& section, LimitRow* row) {
    const std::string& zone = out_.change.set_lab ? out_.change.lab.timezone : base_.lab.timezone;
    const bool starts = section.Judged(
        "from", [&](const std::string& text) { return ReadInstant(text, zone, &row->starts_at); });
    const bool ends = section.Judged(
        "until", [&](const std::string& text) { return ReadInstant(text, zone, &row->until); });
    const bool dated = row->period == Period::kDated;
    if (dated && (!starts || !ends))
      section.Fail("period", "is \"dated\": write from and until, each the start of a day");
    if (!dated && starts) section.Fail("from", "goes with period = \"dated\" only");
  }

  // Percents of the amount: told at notify_at, nothing new from block_at on.
  void ReadSteps(TomlSection& section, LimitRow* row) {
    section.Int32("block_at", 1, 100, &row->block_at);
    const toml::node* node = section.table().get("notify_at");
    if (node == nullptr) return;
    section.Known("notify_at");
    const toml::array* percents = node->as_array();
    bool ok = percents != nullptr;
    for (size_t i = 0; ok && i < percents->size(); ++i) {
      const auto percent = (*percents)[i].value_exact<int64_t>();
      const int64_t before = row->notify_at.empty() ? 0 : row->notify_at.back();
      ok = percent && *percent > before && *percent <= 1000;
      if (ok) row->notify_at.push_back(static_cast<int32_t>(*percent));
    }
    if (!ok) section.Fail("notify_at", "is percents that rise, like [50, 80, 100]");
  }

  void ReadLimit(const toml::table& table) {
    TomlSection section(table, "[[limit]]", errors_);
    LabChange::Limit limit;
    section.Require("resource", "\"money\"");
    section.Judged("resource", [&](const std::string& text) -> std::string {
      return FromName(text, &limit.row.resource)
                 ? ""
                 : "is \"money\", \"running_units\", \"queued_tasks\" or \"unit_hours\"";
    });
    section.Judged("of", [&](const std::string& text) -> std::string {
      return FromName(text, &limit.row.of) ? "" : "is \"each\" (every single member) or \"all\"";
    });
    section.Judged("period", [&](const std::string& text) -> std::string {
      const bool known = FromName(text, &limit.row.period) && limit.row.period != Period::kNight;
      return known ? "" : "is \"none\", \"day\", \"month\" or \"dated\"";
    });
    section.Text("scope", &limit.scope);
    section.Text("tier", &limit.tier);
    if (section.Bool("absent", &limit.row.absent) && limit.row.absent)
      out_.removals.push_back("a limit of " + (limit.scope.empty() ? "lab" : limit.scope));
    ReadAmount(section, &limit.row);
    ReadDates(section, &limit.row);
    ReadSteps(section, &limit.row);
    section.Finish();
    out_.change.limits.push_back(std::move(limit));
  }

  // Tier to units, for labs without cards. The tier is the file's or the lab's.
  void ReadSimulated(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const auto units = node.value_exact<int64_t>();
      if (!units || *units < 0 || *units > kMostUnits) {
        errors_.At(node,
                   fmt::format("simulated_nodes: {} = a whole number of units, 0 or more", name));
        continue;
      }
      auto& tiers = out_.change.tiers;
      auto tier =
          std::ranges::find_if(tiers, [&](const LabChange::Tier& t) { return t.row.name == name; });
      if (tier == tiers.end()) {
        const auto known = std::ranges::find(base_.tiers, name, &TierRow::name);
        if (known == base_.tiers.end()) {
          errors_.AtLine(key.source().begin.line,
                         fmt::format("simulated_nodes: there is no tier \"{}\"", name));
          continue;
        }
        tier = tiers.emplace(tiers.end());
        tier->row = *known;
        tier->gate = TierNameOf(known->gate);
        tier->row.id = TierId();
      }
      tier->row.simulated_units = static_cast<int32_t>(*units);
    }
  }

  const LabBase& base_;
  TomlErrors errors_;
  LabFile out_;
  std::set<std::string> seen_;
  const toml::table* simulated_ = nullptr;
};

}  // namespace

StatusOr<LabFile> ReadLabFile(std::string_view text, const std::string& file, const LabBase& base) {
  StatusOr<toml::table> root = ParseToml(text, file);
  if (!root.ok()) return root.status();
  return Reader(file, base).Read(*root);
}

}  // namespace pinka::api
