// A report as one HTML file that needs nothing else: style and bars are in it, there is no script,
// nothing is fetched. Readable on a phone, on paper, in light and dark. Every text is escaped.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/money.h"

namespace pinka::cli {

struct HtmlColumn {
  std::string title;
  bool number = false;  // to the right, in figures of one width
};

struct HtmlTable {
  std::string caption;  // may be empty
  std::vector<HtmlColumn> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> total;  // the last row; may be empty
  std::string if_empty;            // what stands in place of a table without rows
};

// One bar of a chart; below zero it goes to the left.
struct HtmlBar {
  std::string label;
  Money amount;
  std::string shown;  // the amount as people read it
  // Of the amount, drawn side by side in the legend's colours; or none. One below zero: not drawn.
  std::vector<Money> parts = {};
};

struct HtmlReport {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // "Lab", "Window", "Generated"
  std::string chart_title;
  std::vector<HtmlBar> bars;        // of many, the 40 largest are drawn
  std::vector<std::string> legend;  // of their parts, four at most
  std::vector<HtmlTable> tables;
  std::string note;  // below everything; may be empty
};

std::string RenderHtml(const HtmlReport& report);

// & < > " ' as entities; invalid bytes and control characters replaced.
std::string HtmlText(const std::string& text);

}  // namespace pinka::cli
