// The forms of usage and statements: what is printed sums to what is printed below it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/parse.h"
#include "base/random.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/ledger_csv.h"
#include "client/cli/core/report_file.h"
#include "client/cli/core/statement_report.h"
#include "client/cli/core/usage_report.h"

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// "-¥1.23" as money.
Money Shown(std::string cell) {
  if (const size_t sign = cell.find("¥"); sign != std::string::npos) cell.erase(sign, 2);
  return ParseMoney(cell).value();
}

v1::GetUsageResponse Thirds() {
  v1::GetUsageResponse answer;
  answer.set_by("member");
  answer.set_currency("CNY");
  answer.mutable_as_of()->set_seconds(1'796'018'400);
  for (const char* key : {"bob", "", "王芳"}) {
    v1::UsageRow* row = answer.add_rows();
    row->set_key(key);
    row->set_amount("33.333333");
    row->set_gpu_hours("0.333333");
    row->set_wall_hours("0.005000");
    row->set_wasted("0.000000");
    row->set_wasted_share("0.00");
    row->set_share("0.33");
    row->set_jobs(2);
    row->set_attempts(3);
  }
  answer.mutable_rows(2)->set_amount("33.333334");
  answer.mutable_total()->set_amount("100.000000");
  answer.mutable_total()->set_gpu_hours("0.999999");
  answer.mutable_total()->set_wall_hours("0.015000");
  answer.mutable_total()->set_wasted("0.000000");
  return answer;
}

TEST(UsageForms, PrintLinesThatSumToTheTotal) {
  const auto cells = UsageCells(Thirds());
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(cells[0].size(), UsageTitles("member").size());
  EXPECT_EQ(cells[1][0], "-") << "without a key";
  EXPECT_EQ(cells[2][3], "¥33.34") << "the largest remainder";
  EXPECT_EQ(cells[3][3], "¥100.00");
  for (const size_t column : {1u, 2u, 3u, 7u}) {
    Money sum;
    for (size_t row = 0; row < 3; ++row) sum += Shown(cells[row][column]);
    EXPECT_EQ(sum, Shown(cells[3][column])) << column;
  }
  EXPECT_EQ(cells[0][2], "0.34") << "ties by the order of keys";
  EXPECT_EQ(cells[0][4], "33.3 %");
  EXPECT_TRUE(UsageCells({}).empty());
  v1::GetUsageResponse half = Thirds();
  half.mutable_rows(0)->set_wasted("16.666667");
  half.mutable_total()->set_wasted("16.666667");
  EXPECT_EQ(UsageCells(half)[0][8], "50.0 %");
  EXPECT_EQ(UsageCells(half)[3][8], "16.7 %");
  v1::GetUsageResponse below = Thirds();
  below.mutable_total()->set_amount("-66.666666");
  EXPECT_EQ(UsageCells(below)[0][4], "-50.0 %") << "a month of corrections";
}

TEST(UsageForms, AreExactInSpreadsheets) {
  v1::GetUsageResponse answer = Thirds();
  answer.mutable_rows(0)->set_key("=cmd");
  answer.mutable_rows(1)->set_amount("-0.010000");
  EXPECT_EQ(UsageCsv(answer),
            "member,wall_hours,gpu_hours,amount,share,jobs,attempts,median_wait_s,wasted,wasted_"
            "share,currency\r\n"
            "'=cmd,0.005000,0.333333,33.333333,0.33,2,3,0,0.000000,0.00,CNY\r\n"
            ",0.005000,0.333333,-0.010000,0.33,2,3,0,0.000000,0.00,CNY\r\n"
            "王芳,0.005000,0.333333,33.333334,0.33,2,3,0,0.000000,0.00,CNY\r\n");
}

TEST(UsageForms, NameLabWindowAndTimeOnThePage) {
  v1::GetUsageResponse answer = Thirds();
  answer.mutable_from()->set_seconds(1'793'462'400);
  const Lab lab{"图灵", "CNY", "", Zone("Asia/Shanghai")};
  const HtmlReport page = UsagePage(answer, lab, "tier a100");
  EXPECT_EQ(page.facts[1].second, "2026-11-01 00:00:00+08:00 to now");
  EXPECT_EQ(page.facts[2].second, "tier a100");
  EXPECT_EQ(page.facts[3].second, "2026-11-30 14:00:00+08:00");
  EXPECT_EQ(page.bars.size(), 3u);
  EXPECT_EQ(page.tables[0].rows.size(), 3u);
  EXPECT_EQ(page.tables[0].total[3], "¥100.00");
  const HtmlReport empty = UsagePage({}, lab, "");
  EXPECT_THAT(RenderHtml(empty), HasSubstr("Nothing was used in this window."));
}

v1::StatementLine* Add(v1::StatementSection* section, const std::string& amount) {
  v1::StatementLine* line = section->add_lines();
  line->set_amount(amount);
  line->set_kind("charge");
  line->set_account("spent:alice");
  line->mutable_at()->set_seconds(1'793'462'400);
  return line;
}

v1::GetStatementResponse Month() {
  v1::GetStatementResponse answer;
  answer.set_user("王芳");
  answer.set_month("2026-11");
  answer.set_currency("CNY");
  answer.mutable_from()->set_seconds(1'793'462'400);
  answer.mutable_to()->set_seconds(1'796'054'400);
  answer.set_opening("0.004000");
  Add(answer.mutable_credits(), "10.000000")->set_kind("deposit");
  for (int i = 0; i < 3; ++i) Add(answer.mutable_charges(), "-0.333333");
  v1::StatementLine* other = Add(answer.mutable_elsewhere(), "7.006000");
  other->set_account("project:vision");
  answer.set_closing("9.004001");
  return answer;
}

TEST(StatementForms, SumFromThePrintedOpeningToThePrintedClosing) {
  const v1::GetStatementResponse answer = Month();
  const auto parts = StatementParts(answer);
  ASSERT_EQ(parts.size(), 7u);
  EXPECT_EQ(parts[0].total, Money::Whole(10));
  EXPECT_EQ(parts[1].total, -Money::Whole(1)) << "-0.33 -0.33 -0.34";
  EXPECT_EQ(parts[6].name, "elsewhere");
  EXPECT_EQ(parts[6].total, Money::Micros(7'010'000));
  Money moved;
  for (size_t i = 0; i < 6; ++i) moved += parts[i].total;
  EXPECT_EQ(RoundToCents(MoneyOf(answer.opening())) + moved,
            RoundToCents(MoneyOf(answer.closing())));
}

TEST(StatementForms, SumWhateverTheNumbers) {
  SeededRandom random(20261130);
  for (int round = 0; round < 300; ++round) {
    v1::GetStatementResponse answer;
    const auto some = [&] { return static_cast<int64_t>(random.Below(20'000'001)) - 10'000'000; };
    Money balance = Money::Micros(some());
    answer.set_opening(FormatWireMoney(balance));
    for (int64_t i = static_cast<int64_t>(random.Below(6)); i > 0; --i) {
      const Money amount = Money::Micros(some());
      Add(i % 2 == 0 ? answer.mutable_charges() : answer.mutable_refunds(),
          FormatWireMoney(amount));
      balance += amount;
    }
    answer.set_closing(FormatWireMoney(balance));
    Money shown = RoundToCents(MoneyOf(answer.opening()));
    for (const StatementPart& part : StatementParts(answer)) {
      for (const StatementRow& row : part.rows) {
        shown += row.cents;
        EXPECT_LE(std::abs((row.cents - MoneyOf(row.line->amount())).micros()), 20'000);
      }
    }
    EXPECT_EQ(shown, RoundToCents(balance)) << round;
  }
}

TEST(StatementForms, SayWhatTheyAreOf) {
  v1::GetStatementResponse answer = Month();
  EXPECT_EQ(StatementTitle(answer), "王芳, 2026-11");
  answer.set_so_far(true);
  EXPECT_EQ(StatementTitle(answer), "王芳, 2026-11 so far");
  const Zone zone("Asia/Shanghai");
  const auto cells = StatementCells({&answer.charges().lines(0), Money::Whole(-1)}, "CNY", zone);
  EXPECT_THAT(cells, ElementsAre("11-01 00:00+08:00", "charge", "", "", "", "", "-¥1.00", "", ""));
  const Lab lab{"图灵", "CNY", "", Zone("Asia/Shanghai")};
  const HtmlReport page = StatementPage(answer, lab);
  EXPECT_EQ(page.tables.size(), 4u) << "in short, credits, charges, elsewhere";
  EXPECT_EQ(page.tables[0].total, (std::vector<std::string>{"Closing so far", "¥9.00"}));
  EXPECT_EQ(page.tables[2].columns.size(), 3u) << "time, kind and amount: the rest is empty";
  EXPECT_EQ(page.tables[2].total, (std::vector<std::string>{"total", "", "-¥1.00"}));
  EXPECT_EQ(page.bars.size(), 2u);
  EXPECT_THAT(RenderHtml(page), HasSubstr("Statement of 王芳, 2026-11 so far"));
}

TEST(StatementForms, AreExactInSpreadsheets) {
  v1::GetStatementResponse answer = Month();
  v1::StatementLine* line = answer.mutable_charges()->mutable_lines(0);
  line->set_job("36_0.2");
  line->set_gpu_hours("2.500000");
  line->set_rate("12.000000");
  line->set_reason("=1");
  const std::string csv = StatementCsv(answer, Zone("Asia/Shanghai"));
  EXPECT_THAT(csv, HasSubstr("\r\nopening,2026-11-01 00:00:00+08:00,,,,,,,,0.004000,,,CNY\r\n"));
  EXPECT_THAT(csv,
              HasSubstr("charges,2026-11-01 00:00:00+08:00,charge,36_0.2,,,,2.500000,12.000000,"
                        "-0.333333,spent:alice,'=1,CNY\r\n"));
  EXPECT_THAT(csv, HasSubstr("closing,2026-12-01 00:00:00+08:00,,,,,,,,9.004001,,,CNY\r\n"));
  EXPECT_THAT(csv, EndsWith("7.006000,project:vision,,CNY\r\n"));
}

TEST(LedgerCsv, HasOneLineAnEntry) {
  v1::Entry entry;
  entry.set_id(7);
  entry.mutable_at()->set_seconds(1'793'462'400);
  entry.set_kind("deposit");
  entry.set_debit("external");
  entry.set_credit("王芳");
  entry.set_amount("12.500000");
  entry.set_person("王芳");
  entry.set_reason("微调,第\"1\"版");
  EXPECT_EQ(LedgerCsvLine(entry, "CNY", Zone("Asia/Shanghai")),
            "7,2026-11-01 00:00:00+08:00,deposit,external,王芳,12.500000,CNY,,,,,,,0,王芳,"
            "\"微调,第\"\"1\"\"版\",\r\n");
  const std::string titles = LedgerCsvTitles();
  const std::string line = LedgerCsvLine({}, "CNY", Zone());
  EXPECT_EQ(std::count(titles.begin(), titles.end(), ','),
            std::count(line.begin(), line.end(), ','));
}

TEST(LedgerBalance, GoesFromEntryToEntry) {
  RunningBalance balance("王芳");
  v1::Entry entry;
  entry.set_credit("王芳");
  entry.set_debit("external");
  entry.set_amount("12.500000");
  EXPECT_EQ(balance.After(entry), "12.500000");
  entry.set_debit("王芳");
  entry.set_credit("spent:王芳");
  entry.set_amount("0.333333");
  EXPECT_EQ(balance.After(entry), "12.166667");
  entry.set_debit("external");
  entry.set_credit("idle");
  EXPECT_EQ(balance.After(entry), "12.166667") << "of other accounts";
  entry.set_asset("package:7");
  EXPECT_EQ(balance.After(entry), "") << "hours are no money";
  EXPECT_EQ(RunningBalance("").After(entry), "");
}

TEST(ReportFiles, AreThereWholeAndReplaceTheOneOfTheirName) {
  const std::string folder = ::testing::TempDir() + "pinka-reports";
  ASSERT_TRUE(MakeDirectories(folder).ok());
  const std::string path = folder + "/王芳.csv";
  ASSERT_TRUE(WriteReport(path, std::string("one")).ok());
  ASSERT_TRUE(WriteReport(path, std::string("two")).ok());
  EXPECT_EQ(ReadFile(path).value(), "two");
  const Status directory = WriteReport(folder, std::string("x"));
  EXPECT_THAT(Message(directory), HasSubstr("is a directory"));
  const Status nowhere = WriteReport(folder + "/none/x", std::string("x"));
  EXPECT_THAT(Message(nowhere), StartsWith("cannot write"));
  EXPECT_TRUE(WriteReport("/dev/null", std::string("x")).ok()) << "a device is not replaced";
  EXPECT_TRUE(RemoveTree(folder).ok());
}

}  // namespace
}  // namespace pinka::cli
