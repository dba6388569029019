// CSV that opens in Excel: UTF-8 with a mark in front, so that 王芳 stays 王芳, and no cell that a
// spreadsheet would run as a formula.
#pragma once

#include <string>
#include <vector>

namespace pinka::cli {

// What a file begins with.
inline constexpr char kCsvMark[] = "\xEF\xBB\xBF";

// One line, "\r\n" at its end. Text that begins with = + - @ or a control character gets an
// apostrophe in front; plain numbers stay numbers.
std::string CsvLine(const std::vector<std::string>& cells);

}  // namespace pinka::cli
