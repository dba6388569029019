#include "scheduler/api/card_file.h"

#include "absl/time/civil_time.h"
#include "scheduler/api/forms.h"

namespace pinka::api {
namespace {

constexpr int kMostNameChars = 64;
constexpr int kMostTextChars = 300;
constexpr int64_t kMost = 100'000'000;
constexpr int64_t kMib = 1 << 20;

void ReadText(TomlSection& section, const char* key, int most, std::string* out) {
  if (!section.Text(key, out)) return;
  if (Status s = CheckText(*out, most, key); !s.ok()) section.Fail(key, Message(s));
}

void ReadDay(TomlSection& section, const char* key, std::string* out) {
  if (!section.Text(key, out)) return;
  absl::CivilDay day;
  if (out->size() != 10 || !absl::ParseCivilTime(*out, &day))
    section.Fail(key, "is no day; write it as \"2026-11-20\"");
}

void ReadPrice(TomlSection& section, const char* key, Rate* out) {
  Money amount;
  if (section.Amount(key, &amount)) *out = Rate::MicrosPerUnitHour(amount.micros());
}

void ReadFacts(TomlSection& section, CardRow* row) {
  int64_t memory = 0;
  if (section.Memory("memory", &memory)) row->memory_mib = memory / kMib;
  section.Int("fp32_gflops", 0, kMost, &row->fp32_gflops);
  section.Int("fp16_gflops", 0, kMost, &row->fp16_gflops);
  section.Int("bandwidth_gbs", 0, kMost, &row->bandwidth_gbs);
  section.Int("power_w", 0, kMost, &row->power_w);
  section.Bool("bf16", &row->bf16);
}

}  // namespace

CardRow ReadCard(const toml::table& table, TomlErrors& errors) {
  TomlSection section(table, "[[card]]", errors);
  CardRow row;
  section.Require("name", "\"rtx4090\"");
  ReadText(section, "name", kMostNameChars, &row.name);
  ReadPrice(section, "price", &row.low);
  ReadPrice(section, "price_to", &row.high);
  ReadDay(section, "priced_on", &row.priced_on);
  ReadText(section, "good_for", kMostTextChars, &row.good_for);
  ReadText(section, "observation", kMostTextChars, &row.observation);
  ReadDay(section, "observed_on", &row.observed_on);
  ReadFacts(section, &row);
  section.Bool("absent", &row.absent);
  if (row.high > Rate() && row.high < row.low)
    section.Fail("price_to", "is below price: a range goes up");
  if (row.low > Rate() && row.priced_on.empty())
    section.Fail("price", "has no day; say when it was read: priced_on = \"2026-11-20\"");
  if (!row.observation.empty() && row.observed_on.empty())
    section.Fail("observation", "has no day; say when it was seen: observed_on = \"2026-11-20\"");
  section.Finish();
  if (!row.absent) return row;
  CardRow gone;
  gone.name = row.name;
  gone.absent = true;
  return gone;
}

}  // namespace pinka::api
