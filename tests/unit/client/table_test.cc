#include "client/cli/core/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"

namespace pinka::cli {
namespace {

std::vector<Column> Queue() {
  return {{"ID", 0}, {"NAME", 8}, {"USER", 6}, {"STATE", 0}, {"POS", 0, true}, {"REASON", 8}};
}

std::string Printed(int columns, int rows, bool color = false) {
  Terminal terminal;
  terminal.columns = columns;
  terminal.color = color;
  std::string text;
  Table table(Queue(), terminal, [&](std::string_view part) { text += part; });
  for (int i = 0; i < rows; ++i) {
    table.Row({std::to_string(i + 1), "训练一个很大的模型 with a long name", "王芳", "PENDING",
               std::to_string(i), "Budget: the lot of project vision is short by 12.00, and more"});
  }
  table.Finish("Nothing.");
  return text;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Table, FitsEightyColumnsAndCutsTheRightmostFirst) {
  const std::vector<std::string> lines = Lines(Printed(80, 3));
  ASSERT_EQ(lines.size(), 4u);
  for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), 80) << line;
  EXPECT_NE(lines[1].find("with a long name"), std::string::npos) << "the name still fits";
  EXPECT_NE(lines[1].find("…"), std::string::npos);
}

TEST(Table, ShowsAllInTwoHundredColumns) {
  const std::vector<std::string> lines = Lines(Printed(200, 3));
  EXPECT_EQ(lines[1].find("…"), std::string::npos);
  EXPECT_NE(lines[1].find("and more"), std::string::npos);
}

TEST(Table, AlignsWideCharactersAndNeverBreaksOne) {
  for (const int columns : {0, 40, 60, 80, 200}) {
    const std::vector<std::string> lines = Lines(Printed(columns, 12));
    const size_t title = lines[0].find("STATE");
    const int at = DisplayWidth(lines[0].substr(0, title));
    for (const std::string& line : lines) {
      EXPECT_TRUE(IsValidUtf8(line));
      if (line.find("PENDING") == std::string::npos) continue;
      EXPECT_EQ(DisplayWidth(line.substr(0, line.find("PENDING"))), at) << columns << line;
    }
  }
}

TEST(Table, DropsWholeColumnsBeforeItOverflows) {
  for (const std::string& line : Lines(Printed(36, 2))) {
    EXPECT_LE(DisplayWidth(line), 36) << line;
    EXPECT_EQ(line.find("REASON"), std::string::npos);
  }
}

TEST(Table, StreamsBeyondTheFirstThousandRows) {
  EXPECT_EQ(Lines(Printed(80, 2'500)).size(), 2'501u);
}

TEST(Table, SaysWhenThereIsNothing) { EXPECT_EQ(Printed(80, 0), "Nothing.\n"); }

TEST(Table, KeepsControlCharactersFromTheTerminal) {
  std::string text;
  Table table({{"A", 0}}, Terminal{}, [&](std::string_view part) { text += part; });
  table.Row({"x\033[31m\ny\tz"});
  table.Finish("");
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(Lines(text).size(), 2u);
}

TEST(Table, ColorsOnlyWhereItMay) {
  EXPECT_EQ(Printed(80, 1, false).find('\033'), std::string::npos);
  EXPECT_NE(Printed(80, 1, true).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace pinka::cli
