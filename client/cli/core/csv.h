// CSV that opens in Excel (RFC 4180): lines end in CRLF, a file begins with a mark, so that 王芳
// stays 王芳, and no cell is run as a formula. A cell is guarded by what it is, not by how it
// begins: -10.00 in a column of amounts stays a number, a member called "-5" does not become one.
#pragma once

#include <string>
#include <vector>

namespace pinka::cli {

// What a file begins with.
inline constexpr char kCsvMark[] = "\xEF\xBB\xBF";

struct CsvCell {
  std::string text;
  bool number = false;
};

// Text that a spreadsheet would take for a formula gets an apostrophe in front: it begins with
// = + - @, their full-width forms, a tab or a line break, also behind blanks, quotes or a mark.
CsvCell CsvText(std::string text);
// Decimal digits with an optional minus and point, as they are; anything else is text.
CsvCell CsvNumber(std::string text);

// One line with its end.
std::string CsvLine(const std::vector<CsvCell>& cells);
// The titles of the columns.
std::string CsvTitles(const std::vector<std::string>& titles);

}  // namespace pinka::cli
