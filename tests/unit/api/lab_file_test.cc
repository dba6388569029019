#include "scheduler/api/lab_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "scheduler/config.h"

namespace pinka::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

LabFile Read(std::string_view text, const LabBase& base = {}) {
  auto file = ReadLabFile(text, "lab.toml", base);
  EXPECT_TRUE(file.ok()) << Message(file.status());
  return file.ok() ? *std::move(file) : LabFile{};
}

std::string Refused(std::string_view text) {
  auto file = ReadLabFile(text, "lab.toml", {});
  return file.ok() ? "" : Message(file.status());
}

TEST(LabFile, TheExampleIsRead) {
  const std::string text = ReadFile(PINKA_SOURCE_DIR "/deploy/examples/lab.toml").value();
  const LabChange change = Read(text).change;
  EXPECT_TRUE(change.set_lab);
  EXPECT_EQ(change.lab.timezone, "Asia/Shanghai");
  EXPECT_EQ(change.lab.confirm_above, Money::Whole(50));
  ASSERT_EQ(change.tiers.size(), 4u);
  EXPECT_EQ(change.tiers[0].row.name, "cpu");
  EXPECT_EQ(change.tiers[0].row.unit_gpus, 0);
  EXPECT_EQ(change.tiers[0].row.simulated_units, 4);
  EXPECT_EQ(change.tiers[3].row.unit_memory, int64_t{80} << 30);
  EXPECT_EQ(change.tiers[3].row.max_time, Duration::Days(3));
  ASSERT_EQ(change.tiers[3].rates.size(), 2u);
  EXPECT_EQ(change.members.size(), 4u);
  EXPECT_EQ(change.projects.at(0).members.size(), 4u);
  EXPECT_EQ(change.limits.at(0).row.amount, 800'000'000);
  EXPECT_EQ(change.limits.at(0).row.period, Period::kMonth);
}

TEST(LabFile, WhatItDoesNotNameStays) {
  LabBase base;
  base.lab.currency = "USD";
  TierRow tier;
  tier.name = "a100";
  tier.unit_gpus = 1;
  tier.max_time = Duration::Days(2);
  base.tiers.push_back(tier);
  base.members.push_back({MemberId(1), "ann", 3, true, false});
  const LabChange change =
      Read(
          "[lab]\nname = \"x\"\n[[tier]]\nname = \"a100\"\npurpose = \"final\"\n[[member]]\nname "
          "= \"ann\"\n",
          base)
          .change;
  EXPECT_EQ(change.lab.currency, "USD");
  EXPECT_EQ(change.tiers.at(0).row.max_time, Duration::Days(2));
  EXPECT_EQ(change.tiers.at(0).row.purpose, "final");
  EXPECT_EQ(change.members.at(0).share, 3);
  EXPECT_TRUE(change.members.at(0).admin);
}

TEST(LabFile, ReadsTheNight) {
  const LabRow lab = Read("[lab]\nnight = \"22:30-07:00\"\n").change.lab;
  EXPECT_EQ(lab.night_from_min, 22 * 60 + 30);
  EXPECT_EQ(lab.night_to_min, 7 * 60);
  for (const char* night :
       {"22:30", "22-7", "24:00-07:00", "22:60-07:00", "08:00-08:00", "a:bc-07:00"})
    EXPECT_THAT(Refused(std::string("[lab]\nnight = \"") + night + "\"\n"),
                HasSubstr("23:00-08:00"));
}

TEST(LabFile, WithoutALabSectionTheLabStays) { EXPECT_FALSE(Read("").change.set_lab); }

TEST(LabFile, PayersAreReadByEndReason) {
  const LabChange change =
      Read("[payers]\nNodeLost = \"member\"\nSpotReclaim = \"checkpoint\"\n").change;
  ASSERT_EQ(change.payers.size(), 2u);
  EXPECT_EQ(change.payers[0].reason, EndReason::kNodeLost);
  EXPECT_EQ(change.payers[0].payer, Payer::kMember);
  EXPECT_EQ(change.payers[1].payer, Payer::kCheckpoint);
  EXPECT_THAT(Refused("[payers]\nNodeLots = \"lab\"\n"), HasSubstr("did you mean \"NodeLost\""));
  EXPECT_THAT(Refused("[payers]\nNodeLost = \"nobody\"\n"), HasSubstr("\"member\", \"lab\""));
  EXPECT_THAT(Refused("[payers]\nExited = \"lab\"\n"), HasSubstr("the member's own end"));
}

TEST(LabFile, LimitsHaveThresholdsAndDates) {
  const LabChange change = Read(R"(
[lab]
timezone = "Asia/Shanghai"
[[limit]]
resource = "money"
amount = "900"
period = "dated"
from = "2026-09-01"
until = "2027-01-15"
notify_at = [50, 80, 100]
block_at = 95
)")
                               .change;
  const LimitRow& row = change.limits.at(0).row;
  EXPECT_EQ(row.period, Period::kDated);
  EXPECT_EQ(row.starts_at, Timestamp::Seconds(1'788'192'000));  // 2026-08-31T16:00:00Z
  EXPECT_EQ(row.until, Timestamp::Seconds(1'799'942'400));
  EXPECT_EQ(row.notify_at, (std::vector<int32_t>{50, 80, 100}));
  EXPECT_EQ(row.block_at, 95);
  const std::string limit = "[[limit]]\nresource = \"money\"\namount = \"9\"\n";
  EXPECT_THAT(Refused(limit + "period = \"dated\"\nfrom = \"2026-09-01\"\n"),
              HasSubstr("from and until"));
  EXPECT_THAT(Refused(limit + "from = \"2026-09-01\"\n"), HasSubstr("\"dated\" only"));
  EXPECT_THAT(Refused(limit + "until = \"next week\"\n"), HasSubstr("is a day like"));
  EXPECT_THAT(Refused(limit + "notify_at = [80, 50]\n"), HasSubstr("percents that rise"));
  EXPECT_THAT(Refused(limit + "block_at = 101\n"), HasSubstr("from 1 to 100"));
}

TEST(LabFile, SimulatedNodesStandAtEitherPlace) {
  const char* tier = "[[tier]]\nname = \"t4\"\nunit = {gpus = 1}\n";
  EXPECT_EQ(Read(std::string("simulated_nodes = {t4 = 2}\n") + tier)
                .change.tiers.at(0)
                .row.simulated_units,
            2);
  EXPECT_EQ(Read(std::string("[lab]\nsimulated_nodes = {t4 = 3}\n") + tier)
                .change.tiers.at(0)
                .row.simulated_units,
            3);
  EXPECT_THAT(Refused("simulated_nodes = {t5 = 2}\n"), HasSubstr("no tier \"t5\""));
}

TEST(LabFile, ErrorsNameTheLineAndWhatWouldBeRight) {
  EXPECT_THAT(Refused("[lab]\nname = \"x\"\ncurency = \"CNY\"\n"),
              StartsWith("lab.toml:3: [lab]: unknown key \"curency\", did you mean \"currency\""));
  EXPECT_THAT(Refused("[lab]\n\nopenness = \"half\"\n"), StartsWith("lab.toml:3: "));
  EXPECT_THAT(Refused("[lab]\ntimezone = \"Mars\"\n"), HasSubstr("Asia/Shanghai"));
  EXPECT_THAT(Refused("[lab]\nhalf_life = \"0s\"\n"), HasSubstr("\"1h\" to \"90d\""));
  EXPECT_THAT(Refused("[lab]\nconfirm_above = 50\n"), HasSubstr("a text in quotes"));
  EXPECT_THAT(Refused("[lab]\nconfirm_above = \"-1\"\n"), HasSubstr("0 or more"));
  EXPECT_THAT(Refused("x = = 1\n"), StartsWith("lab.toml:1: "));
  EXPECT_THAT(Refused("[tier]\nname = \"a\"\n"), HasSubstr("[[tier]]"));
  EXPECT_THAT(Refused("[[teir]]\nname = \"a\"\n"), HasSubstr("did you mean \"tier\""));
}

TEST(LabFile, RefusesTiersThatCannotBe) {
  EXPECT_THAT(Refused("[[tier]]\nunit = {gpus = 1}\n"), HasSubstr("name: is missing"));
  EXPECT_THAT(Refused("[[tier]]\nname = \"a\"\n"), HasSubstr("unit: is missing"));
  EXPECT_THAT(Refused("[[tier]]\nname = \"a\"\nunit = {memory = \"1G\"}\n"),
              HasSubstr("gpus or cpus"));
  EXPECT_THAT(Refused("[[tier]]\nname = \"a\"\nunit = {gpus = 1}\ndefault_time = \"3d\"\nmax_time "
                      "= \"1d\"\n"),
              HasSubstr("above max_time"));
  EXPECT_THAT(Refused("[[tier]]\nname = \"a\"\nunit = {gpus = 1}\nmax_time = \"90\"\n"),
              HasSubstr("lab.toml:4"));
  EXPECT_THAT(Refused("[[tier]]\nname = \"a\"\nunit = {gpus = 1}\nrates = {on_demad = \"1\"}\n"),
              HasSubstr("on_demand"));
  EXPECT_THAT(Refused("[[tier]]\nname = \"lab\"\nunit = {gpus = 1}\n"), HasSubstr("another name"));
}

TEST(LabFile, RefusesOneNameTwice) {
  EXPECT_THAT(Refused("[[member]]\nname = \"a\"\n[[member]]\nname = \"a\"\n"),
              StartsWith("lab.toml:4: "));
}

TEST(LabFile, RefusesBadMembersAndLimits) {
  EXPECT_THAT(Refused("[[member]]\nname = \"a\"\nshare = -1\n"), HasSubstr("from 0"));
  EXPECT_THAT(Refused("[[member]]\nname = \"a\"\nroles = [\"boss\"]\n"), HasSubstr("no role"));
  EXPECT_THAT(Refused("[[member]]\nname = \"a:b\"\n"), HasSubstr("':'"));
  EXPECT_THAT(Refused("[[limit]]\nresource = \"gold\"\namount = \"1\"\n"), HasSubstr("\"money\""));
  EXPECT_THAT(Refused("[[limit]]\nresource = \"money\"\n"), HasSubstr("amount: is missing"));
  EXPECT_THAT(Refused("[[limit]]\nresource = \"running_units\"\namount = \"8\"\n"),
              HasSubstr("whole number"));
}

TEST(LabFile, LimitsCountInTheirOwnUnit) {
  const auto limit = [](const std::string& text) { return Read(text).change.limits.at(0).row; };
  EXPECT_EQ(limit("[[limit]]\nresource = \"running_units\"\namount = 8\n").amount, 8);
  EXPECT_EQ(limit("[[limit]]\nresource = \"unit_hours\"\namount = 2\n").amount, 7'200'000);
  EXPECT_TRUE(limit("[[limit]]\nresource = \"money\"\namount = \"unlimited\"\n").unlimited);
  EXPECT_FALSE(limit("[[limit]]\nresource = \"money\"\namount = \"0\"\n").unlimited);
}

BillingRow Billing(const std::string& source, const std::string& rule) {
  const LabFile file = Read("[[tier]]\nname = \"a\"\nunit = {gpus = 1}\nbilling = {" + source +
                            " = {" + rule + "}}\n");
  EXPECT_EQ(file.change.tiers.at(0).billing.size(), 1u);
  return file.change.tiers.at(0).billing.at(0);
}

TEST(LabFile, BillingRulesArePresets) {
  const BillingRow autodl =
      Billing("on_demand", "preset = \"autodl\", provider = \"autodl\", rate = \"12\"");
  EXPECT_EQ(autodl.source, Source::kOnDemand);
  EXPECT_EQ(autodl.provider, "autodl");
  EXPECT_EQ(autodl.rule.rate, Rate::MicrosPerUnitHour(12'000'000));
  EXPECT_EQ(autodl.rule.rounding, Rounding::kUp);
  EXPECT_EQ(autodl.rule.round_at, RoundAt::kSegment);
  EXPECT_EQ(autodl.rule.round_to, Money::Micros(10'000));
  EXPECT_EQ(autodl.rule.cut, Duration::Hours(1));
  EXPECT_EQ(autodl.rule.cut_offset, Duration::Hours(8));
  const BillingRow aliyun = Billing("spot", "preset = \"aliyun\", rate = \"12\"");
  EXPECT_EQ(aliyun.rule.rounding, Rounding::kHalfAway);
  EXPECT_EQ(aliyun.rule.round_to, Money::Micros(10'000));
  EXPECT_EQ(aliyun.rule.notice, Duration::Minutes(5));
  const BillingRow minute = Billing("on_demand", "preset = \"minute\", rate = \"12\"");
  EXPECT_EQ(minute.rule.minimum, Duration::Minutes(1));
  EXPECT_EQ(minute.rule.block, Duration::Minutes(1));
  const BillingRow aws = Billing("spot", "preset = \"aws\", rate = \"0.918\"");
  EXPECT_EQ(aws.rule.minimum, Duration::Seconds(60));
  EXPECT_EQ(aws.rule.block, Duration::Seconds(1));
  EXPECT_EQ(aws.rule.notice, Duration::Minutes(2));
  EXPECT_EQ(Billing("spot", "preset = \"gcp\", rate = \"1\"").rule.notice, Duration::Seconds(30));
  const BillingRow hourly = Billing("on_demand", "preset = \"hourly\", rate = \"1\"");
  EXPECT_EQ(hourly.rule.minimum, Duration::Hours(1));
  EXPECT_EQ(hourly.rule.block, Duration::Hours(1));
  EXPECT_EQ(Billing("on_demand", "preset = \"second\", rate = \"1\"").rule.minimum, Duration());
}

TEST(LabFile, BillingRulesAreWhatTheFileSaysOverThePreset) {
  const BillingRule rule =
      Billing("on_demand",
              "preset = \"hourly\", rate = \"1\", minimum = \"2h\", block = \"30m\", rounding = "
              "\"up\", round_at = \"segment\", round_to = \"0.1\", cut = \"1d\", cut_offset = "
              "\"8h\", disk = \"0.0002\", egress = \"0.8\", notice = \"5m\", stopped_rate = "
              "\"0.1\"")
          .rule;
  EXPECT_EQ(rule.minimum, Duration::Hours(2));
  EXPECT_EQ(rule.block, Duration::Minutes(30));
  EXPECT_EQ(rule.rounding, Rounding::kUp);
  EXPECT_EQ(rule.round_at, RoundAt::kSegment);
  EXPECT_EQ(rule.round_to, Money::Micros(100'000));
  EXPECT_EQ(rule.cut, Duration::Days(1));
  EXPECT_EQ(rule.disk, Rate::MicrosPerUnitHour(200));
  EXPECT_EQ(rule.egress, Money::Micros(800'000));
  EXPECT_EQ(rule.notice, Duration::Minutes(5));
  EXPECT_EQ(rule.stopped_rate, Rate::MicrosPerUnitHour(100'000));
}

TEST(LabFile, AnOwnedMachineCostsPowerAndWear) {
  EXPECT_EQ(Billing("owned", "watts = 350, kwh_price = \"0.62\", wear = \"0.40\"").rule.rate,
            Rate::MicrosPerUnitHour(617'000));
  EXPECT_EQ(Billing("owned", "wear = \"0.40\"").rule.rate, Rate::MicrosPerUnitHour(400'000));
  EXPECT_EQ(Billing("owned", "rate = \"0.70\"").rule.rate, Rate::MicrosPerUnitHour(700'000));
}

TEST(LabFile, RefusesRulesThatNoProviderHas) {
  const auto refused = [](const std::string& billing) {
    return Refused("[[tier]]\nname = \"a\"\nunit = {gpus = 1}\nbilling = {" + billing + "}\n");
  };
  EXPECT_THAT(refused("on_demand = {preset = \"autodl\"}"), HasSubstr("rate: is missing"));
  EXPECT_THAT(refused("on_demand = {preset = \"azur\", rate = \"1\"}"), HasSubstr("\"hourly\""));
  EXPECT_THAT(refused("on_demand = {rate = \"1\", blok = \"1h\"}"), HasSubstr("\"block\""));
  EXPECT_THAT(refused("on_demand = {rate = \"1\", block = \"0s\"}"), HasSubstr("a block"));
  EXPECT_THAT(refused("on_demand = {rate = \"1\", cut = \"1s\"}"), HasSubstr("a cut"));
  EXPECT_THAT(refused("on_demand = {rate = \"1\", watts = 3}"), HasSubstr("unknown key"));
  EXPECT_THAT(refused("owned = {watts = 300}"), HasSubstr("come together"));
  EXPECT_THAT(refused("owned = {watts = 300, kwh_price = \"1\", rate = \"1\"}"),
              HasSubstr("leave it out"));
  EXPECT_THAT(refused("ondemand = {rate = \"1\"}"), HasSubstr("on_demand"));
}

TEST(LabFile, ReadsGatesAndTheSharesOfProjects) {
  const std::string tier = "[[tier]]\nname = \"a100\"\nunit = {gpus = 1}\n";
  const LabChange change = Read(tier +
                                "gate = {tier = \"t4\", within = \"14d\", refuse = true}\n"
                                "[[project]]\nname = \"vision\"\nmembers = []\nshare = 3\n")
                               .change;
  EXPECT_EQ(change.tiers.at(0).gate, "t4");
  EXPECT_EQ(change.tiers.at(0).row.gate_within, Duration::Days(14));
  EXPECT_TRUE(change.tiers.at(0).row.gate_refuses);
  EXPECT_EQ(change.projects.at(0).share, 3);
  EXPECT_THAT(Refused(tier + "gate = {within = \"1d\"}\n"), HasSubstr("tier: is missing"));
  EXPECT_THAT(Refused(tier + "gate = {tier = \"a100\"}\n"), HasSubstr("another tier"));
  EXPECT_THAT(Refused(tier + "gate = {tier = \"t4\", refuses = true}\n"),
              HasSubstr("did you mean \"refuse\""));
  EXPECT_THAT(Refused("[[project]]\nname = \"p\"\nmembers = []\nshare = -1\n"),
              HasSubstr("from 0"));
}

TEST(LabFile, GatesAndSharesThatItDoesNotNameStay) {
  LabBase base;
  TierRow small;
  small.id = TierId(1);
  small.name = "t4";
  TierRow big;
  big.id = TierId(2);
  big.name = "a100";
  big.gate = small.id;
  big.gate_refuses = true;
  base.tiers = {small, big};
  base.projects = {{ProjectId(3), "vision", {}, 5}};
  const std::string tier = "[[tier]]\nname = \"a100\"\n";
  const LabChange kept = Read(tier + "[[project]]\nname = \"vision\"\nmembers = []\n", base).change;
  EXPECT_EQ(kept.tiers.at(0).gate, "t4");
  EXPECT_TRUE(kept.tiers.at(0).row.gate_refuses);
  EXPECT_EQ(kept.projects.at(0).share, 5);
  const LabChange simulated = Read("simulated_nodes = {a100 = 2}\n", base).change;
  EXPECT_EQ(simulated.tiers.at(0).gate, "t4");
  EXPECT_EQ(Read(tier + "gate = {}\n", base).change.tiers.at(0).gate, "");
}

TEST(LabFile, RemovalsAreTold) {
  const LabFile file = Read("[[tier]]\nname = \"t4\"\nunit = {gpus = 1}\nabsent = true\n");
  EXPECT_THAT(file.removals, ::testing::ElementsAre("tier t4"));
  EXPECT_TRUE(file.change.tiers.at(0).row.absent);
}

TEST(Configuration, IsReadWhole) {
  const auto config = ParseConfig(
      "listen = \"127.0.0.1:0\"\ndatabase_url = \"postgresql:///pinka\"\ndata = "
      "\"/var/lib/pinka\"\n",
      "pinkad.toml");
  ASSERT_TRUE(config.ok()) << Message(config.status());
  EXPECT_EQ(config->database_url, "postgresql:///pinka");
}

TEST(Configuration, ErrorsNameTheLine) {
  const auto refused = [](const char* text) {
    return Message(ParseConfig(text, "pinkad.toml").status());
  };
  EXPECT_THAT(refused("data = \"/d\"\n"), HasSubstr("database_url: is missing"));
  EXPECT_THAT(refused("database_ur = \"x\"\n"), HasSubstr("did you mean \"database_url\""));
  EXPECT_THAT(refused("data = \"/d\"\nlisten = \"0.0.0.0:7433\"\ndatabase_url = \"x\"\n"),
              StartsWith("pinkad.toml:2: "));
  EXPECT_THAT(refused("data = \"d\"\ndatabase_url = \"x\"\n"), HasSubstr("absolute"));
}

}  // namespace
}  // namespace pinka::api
