#include "scheduler/web/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Metrics::Now OneTier() {
  Metrics::Now now;
  Figures::Tier tier;
  tier.name = "a\"100\n";
  tier.units = 8;
  tier.charged = Money::Micros(12'500'000);
  tier.oldest_wait = Duration::Millis(1'500);
  now.figures.tiers.push_back(tier);
  now.figures.limits.push_back({.scope = "lab",
                                .tier = "",
                                .resource = LimitResource::kUnitHours,
                                .used = 1'800'000,
                                .amount = 7'200'000});
  now.currency = "CNY";
  now.leads = true;
  return now;
}

TEST(Metrics, UnitsAreSecondsHoursAndTheCurrency) {
  const std::string text = Metrics().Text(OneTier());
  EXPECT_THAT(text, HasSubstr("pinka_month_charged{currency=\"CNY\",tier=\"a\\\"100\\n\"} 12.5\n"));
  EXPECT_THAT(text, HasSubstr("pinka_oldest_wait_seconds{tier=\"a\\\"100\\n\"} 1.5\n"));
  EXPECT_THAT(text,
              HasSubstr("pinka_limit_used{resource=\"unit_hours\",scope=\"lab\",tier=\"\"} 0.5\n"));
  EXPECT_THAT(text, HasSubstr("pinka_limit{resource=\"unit_hours\",scope=\"lab\",tier=\"\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("pinka_leads 1\n"));
}

TEST(Metrics, WhatIsGoneIsNotShownAgain) {
  const Metrics metrics;
  EXPECT_THAT(metrics.Text(OneTier()), HasSubstr("pinka_units{"));
  EXPECT_THAT(metrics.Text({}), Not(HasSubstr("pinka_units{")));
}

TEST(Metrics, BatchesAreCountedByHowLongTheyTook) {
  Metrics metrics;
  metrics.Committed(Duration::Millis(2));
  metrics.Committed(Duration::Millis(20));
  metrics.Stepped(Duration::Micros(50));
  metrics.Reloaded();
  const std::string text = metrics.Text({});
  EXPECT_THAT(text, HasSubstr("pinka_commit_seconds_count 2\n"));
  EXPECT_THAT(text, HasSubstr("pinka_commit_seconds_bucket{le=\"0.003\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("pinka_step_seconds_bucket{le=\"0.0001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("pinka_reloads_total 1\n"));
}

}  // namespace
}  // namespace pinka::web
