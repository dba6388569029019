#include "scheduler/api/billing_file.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/core/rentals.h"

namespace pinka::api {
namespace {

constexpr int32_t kMostWatts = 1'000'000;

std::optional<BillingRule> PresetNamed(std::string_view name) {
  BillingRule rule;
  if (name == "second") return rule;
  if (name == "aws" || name == "gcp") {
    rule.minimum = Duration::Seconds(60);
    rule.notice = name == "aws" ? Duration::Minutes(2) : Duration::Seconds(30);
    return rule;
  }
  if (name == "hourly") {
    rule.minimum = Duration::Hours(1);
    rule.block = Duration::Hours(1);
    return rule;
  }
  if (name == "minute") {
    rule.minimum = Duration::Minutes(1);
    rule.block = Duration::Minutes(1);
    return rule;
  }
  if (name == "aliyun") {  // by the second, settled each hour, amounts to the cent
    rule.round_at = RoundAt::kSegment;
    rule.round_to = Money::Micros(10'000);
    rule.cut = Duration::Hours(1);
    rule.cut_offset = Duration::Hours(8);
    rule.notice = Duration::Minutes(5);
    return rule;
  }
  if (name == "autodl") {
    rule.rounding = Rounding::kUp;
    rule.round_at = RoundAt::kSegment;
    rule.round_to = Money::Micros(10'000);
    rule.cut = Duration::Hours(1);
    rule.cut_offset = Duration::Hours(8);
    return rule;
  }
  return std::nullopt;
}

void ReadRate(TomlSection& section, const char* key, Rate* rate) {
  Money money;
  if (section.Amount(key, &money)) *rate = Rate::MicrosPerUnitHour(money.micros());
}

// What an hour of one's own machine costs, per unit.
void ReadOwned(TomlSection& section, BillingRule* rule) {
  int32_t watts = 0;
  Money kwh, wear;
  const bool has_watts = section.Int32("watts", 0, kMostWatts, &watts);
  const bool has_price = section.Amount("kwh_price", &kwh);
  const bool has_wear = section.Amount("wear", &wear);
  if (has_watts != has_price)
    section.Fail(has_watts ? "watts" : "kwh_price", "watts and kwh_price come together");
  if (!has_watts && !has_wear) return;
  if (section.Has("rate"))
    section.Fail("rate", "is what watts, kwh_price and wear come to: leave it out");
  if (kwh > Money::Whole(100'000) || wear > Money::Whole(100'000))
    return section.Fail("wear", "prices are up to 100000");
  const int64_t power = MulDivRound(watts, kwh.micros(), 1'000);
  rule->rate = Rate::MicrosPerUnitHour(power + wear.micros());
}

void ReadRounding(TomlSection& section, BillingRule* rule) {
  section.Judged("rounding", [&](const std::string& text) -> std::string {
    return FromName(text, &rule->rounding) ? "" : "is \"up\" or \"half_away\"";
  });
  section.Judged("round_at", [&](const std::string& text) -> std::string {
    return FromName(text, &rule->round_at) ? "" : "is \"segment\" (each time) or \"bill\" (once)";
  });
  section.Amount("round_to", &rule->round_to);
}

void ReadRule(const toml::table& table, Source source, TomlErrors& errors, BillingRow* row) {
  TomlSection section(table, "billing of a tier", errors);
  row->source = source;
  BillingRule& rule = row->rule;
  section.Judged("preset", [&](const std::string& text) -> std::string {
    const auto preset = PresetNamed(text);
    if (!preset) {
      return "is \"aliyun\", \"autodl\", \"aws\", \"gcp\", \"hourly\", \"minute\" or \"second\"";
    }
    rule = *preset;
    return "";
  });
  if (section.Text("provider", &row->provider)) {
    if (Status s = CheckText(row->provider, kMostNameChars, "provider"); !s.ok())
      section.Fail("provider", Message(s));
  }
  const bool owned = source == Source::kOwned;
  if (!owned || !(table.contains("watts") || table.contains("wear")))
    section.Require("rate", "\"12.00\"");
  ReadRate(section, "rate", &rule.rate);
  if (owned) ReadOwned(section, &rule);
  ReadRate(section, "stopped_rate", &rule.stopped_rate);
  section.Span("minimum", &rule.minimum);
  section.Span("block", &rule.block);
  ReadRounding(section, &rule);
  section.Span("cut", &rule.cut);
  section.Span("cut_offset", &rule.cut_offset);
  ReadRate(section, "disk", &rule.disk);
  section.Amount("egress", &rule.egress);
  section.Span("notice", &rule.notice);
  section.Finish();
  if (const std::string wrong = BadRule(rule); !wrong.empty()) errors.At(table, wrong);
}

}  // namespace

std::vector<BillingRow> ReadBilling(const toml::table& table, TomlErrors& errors) {
  std::vector<BillingRow> rows;
  TomlSection billing(table, "billing of a tier", errors);
  for (Source source :
       {Source::kOwned, Source::kPackage, Source::kSpot, Source::kOnDemand, Source::kTrial}) {
    const std::string name(Name(source));
    const toml::table* rule = billing.Table(name.c_str());
    if (rule) ReadRule(*rule, source, errors, &rows.emplace_back());
  }
  billing.Finish();
  return rows;
}

}  // namespace pinka::api
