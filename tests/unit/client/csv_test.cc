#include "client/cli/core/csv.h"

#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

TEST(CsvLine, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(CsvLine({"王芳", "a,b", "say \"hi\"", ""}), "王芳,\"a,b\",\"say \"\"hi\"\"\",\r\n");
}

TEST(CsvLine, LeavesNumbersAndDisarmsFormulas) {
  EXPECT_EQ(CsvLine({"-1.500000", "12"}), "-1.500000,12\r\n");
  EXPECT_EQ(CsvLine({"=1+1", "+x", "-x", "@x", "-"}), "'=1+1,'+x,'-x,'@x,'-\r\n");
  EXPECT_EQ(CsvLine({"\tx"}), "'\tx\r\n");
}

}  // namespace
}  // namespace pinka::cli
