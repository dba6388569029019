#include "client/cli/core/pool_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::PoolRow Row(const std::string& tier, const std::string& paid, const std::string& used,
                const std::string& wasted, const std::string& idle, const std::string& other) {
  v1::PoolRow row;
  row.set_tier(tier);
  row.set_paid(paid);
  row.set_used(used);
  row.set_wasted(wasted);
  row.set_idle(idle);
  row.set_other(other);
  row.set_used_percent("75.00");
  row.set_idle_percent("25.00");
  row.set_gpu_hours("0.333333");
  return row;
}

v1::GetPoolResponse Answer() {
  v1::GetPoolResponse answer;
  answer.set_currency("CNY");
  *answer.add_rows() = Row("a100", "33.333333", "25.000000", "0.000000", "8.333333", "0.000000");
  *answer.add_rows() =
      Row("王芳的卡", "33.333333", "10.000000", "10.000000", "10.000000", "3.333333");
  *answer.add_rows() = Row("", "33.333334", "40.000000", "0.000000", "0.000000", "-6.666666");
  *answer.mutable_total() =
      Row("", "100.000000", "75.000000", "10.000000", "18.333333", "-3.333333");
  answer.mutable_total()->set_gpu_hours("0.999999");
  return answer;
}

TEST(PoolForms, PrintLinesThatSumToTheTotal) {
  const auto cells = PoolCells(Answer());
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_THAT(cells[0], ElementsAre("a100", "¥33.33", "75.00 %", "", "25.00 %", "", "0.34",
                                    "###############....."));
  EXPECT_EQ(cells[2][0], "-") << "without a tier";
  EXPECT_EQ(cells[2][1], "¥33.34") << "the largest remainder";
  EXPECT_EQ(cells[3][0], "total");
  EXPECT_EQ(cells[3][1], "¥100.00");
  EXPECT_EQ(cells[0].size(), PoolColumns().size());
  EXPECT_TRUE(PoolCells({}).empty());
}

TEST(PoolForms, DrawTheWholeBarOrNone) {
  const v1::GetPoolResponse answer = Answer();
  EXPECT_EQ(PoolBar(answer.rows(1)), "######xxxxxx......++");
  EXPECT_EQ(PoolBar(answer.rows(2)), "") << "a part is below zero";
  EXPECT_EQ(PoolBar({}), "");
}

TEST(PoolForms, AreAPageWithTheirParts) {
  v1::GetPoolResponse answer = Answer();
  answer.mutable_from()->set_seconds(1'793'462'400);
  const Lab lab{"图灵", "CNY", "", Zone("Asia/Shanghai")};
  const HtmlReport page = PoolPage(answer, lab);
  EXPECT_THAT(page.facts[1].second, HasSubstr("2026-11-01"));
  EXPECT_THAT(page.facts[1].second, HasSubstr("to now"));
  ASSERT_EQ(page.bars.size(), 3u);
  EXPECT_EQ(page.bars[1].label, "王芳的卡");
  Money sum;
  for (const Money part : page.bars[1].parts) sum += part;
  EXPECT_EQ(sum, page.bars[1].amount);
  EXPECT_EQ(page.legend.size(), page.bars[1].parts.size());
  ASSERT_EQ(page.tables.size(), 1u);
  EXPECT_EQ(page.tables[0].rows.size(), 3u);
  EXPECT_EQ(page.tables[0].total[1], "¥100.00");
  EXPECT_EQ(page.tables[0].columns.size(), page.tables[0].total.size());
  EXPECT_TRUE(PoolPage({}, lab).tables[0].rows.empty());
}

TEST(PoolForms, AreExactInSpreadsheets) {
  v1::GetPoolResponse answer = Answer();
  answer.mutable_rows(0)->set_tier("=cmd");
  const std::string csv = PoolCsv(answer);
  EXPECT_THAT(csv, HasSubstr("tier,paid,used,wasted,idle,other,used_percent"));
  EXPECT_THAT(csv, HasSubstr("\r\n'=cmd,33.333333,25.000000,0.000000,8.333333,0.000000,75.00,"));
  EXPECT_THAT(csv, HasSubstr(",-6.666666,"));
}

}  // namespace
}  // namespace pinka::cli
