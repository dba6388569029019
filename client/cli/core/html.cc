#include "client/cli/core/html.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace pinka::cli {
namespace {

constexpr size_t kMostBars = 40;
constexpr int64_t kBarWidth = 1'000;  // of the drawing; it is stretched to the page

constexpr char kStyle[] = R"(
:root{color-scheme:light dark;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--paper:#fff;--band:#f6f8fa;
--plus:#0a63c2;--minus:#b35900}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#a0aab4;--line:#3d444d;--paper:#0f1419;
--band:#171d24;--plus:#58a6ff;--minus:#f0a35e}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1.5rem 1rem 3rem;background:var(--paper);color:var(--ink);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",
sans-serif}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
h2,caption{margin:2rem 0 .5rem;font-size:1.1rem;font-weight:600;text-align:left}
caption{margin:0;padding-bottom:.5rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0;font-size:.9rem}
dt{color:var(--dim)}
dd{margin:0;overflow-wrap:anywhere}
.bars{display:grid;grid-template-columns:minmax(4rem,max-content) minmax(4rem,1fr) max-content;
gap:.35rem .75rem;align-items:center}
.key{max-width:16rem;overflow-wrap:anywhere;line-height:1.3}
svg{display:block;width:100%;height:1rem}
.plus{fill:var(--plus)}
.minus{fill:var(--minus)}
.zero{fill:var(--dim)}
.part0{fill:var(--plus)}
.part1{fill:var(--minus)}
.part2{fill:#9aa4ae}
.part3{fill:#8b6fc0}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.75rem 0 0;font-size:.9rem}
.legend span{display:flex;align-items:center;gap:.4rem}
.legend svg{width:.8rem;height:.8rem}
.scroll{margin-top:2rem;overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.9rem}
th,td{padding:.4rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--dim);font-weight:600;white-space:nowrap}
td:first-child{min-width:7rem}
tbody tr:nth-child(even){background:var(--band)}
tfoot td{border-top:2px solid var(--ink);border-bottom:0;font-weight:600}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.dim{color:var(--dim);font-size:.9rem}
@media(max-width:40rem){.key{max-width:7rem}body{padding:1rem .75rem 2rem}}
@media print{body{max-width:none;padding:0;font-size:10pt}.scroll{overflow:visible}
tr,.bars>*{break-inside:avoid}rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)";

std::string Facts(const HtmlReport& report) {
  std::string html = "<dl>\n";
  for (const auto& [name, value] : report.facts) {
    html += "<dt>" + HtmlText(name) + "</dt><dd>" + HtmlText(value) + "</dd>\n";
  }
  return html + "</dl>\n";
}

// Indices of what is drawn, in the report's order.
std::vector<size_t> Largest(const std::vector<HtmlBar>& bars) {
  std::vector<size_t> chosen(bars.size());
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  if (bars.size() <= kMostBars) return chosen;
  const auto size = [&](size_t i) { return std::abs(bars[i].amount.micros()); };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](size_t a, size_t b) { return size(a) > size(b); });
  chosen.resize(kMostBars);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::string Rect(const char* kind, int64_t x, int64_t width) {
  return std::string("<rect class=\"") + kind + "\" x=\"" + std::to_string(x) +
         "\" y=\"0\" width=\"" + std::to_string(width) + "\" height=\"20\"/>";
}

// One rectangle a part, each from where the one before it ends.
template <class Scaled>
std::string Parts(const HtmlBar& bar, int64_t zero, const Scaled& scaled) {
  std::string html;
  Money upto;
  for (size_t i = 0; i < bar.parts.size(); ++i) {
    const int64_t from = zero + scaled(upto);
    upto += bar.parts[i];
    const int64_t width = zero + scaled(upto) - from;
    if (width > 0) html += Rect(("part" + std::to_string(i)).c_str(), from, width);
  }
  return html;
}

std::string Legend(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string html = "<p class=\"legend\">";
  for (size_t i = 0; i < names.size(); ++i) {
    html += "<span><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\">" +
            Rect(("part" + std::to_string(i)).c_str(), 0, 20) + "</svg>" + HtmlText(names[i]) +
            "</span>";
  }
  return html + "</p>\n";
}

std::string Bar(const HtmlBar& bar, Money lowest, Money highest) {
  const int64_t span = std::max<int64_t>(1, (highest - lowest).micros());
  const auto scaled = [&](Money m) { return MulDivRound(m.micros(), kBarWidth, span); };
  const int64_t zero = scaled(-lowest);
  // What is not nothing can be seen.
  const int64_t width =
      bar.amount == Money() ? 0 : std::max<int64_t>(2, std::abs(scaled(bar.amount)));
  const bool minus = bar.amount < Money();
  const bool whole = bar.parts.empty() || std::ranges::min(bar.parts) < Money() || minus;
  std::string html = "<span class=\"key\">" + HtmlText(bar.label) + "</span>";
  html += "<svg viewBox=\"0 0 1000 20\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" +
          HtmlText(bar.label + ": " + bar.shown) + "\">";
  if (!whole)
    html += Parts(bar, zero, scaled);
  else
    html += minus ? Rect("minus", std::max<int64_t>(0, zero - width), width)
                  : Rect("plus", std::min(zero, kBarWidth - width), width);
  if (lowest < Money()) html += Rect("zero", std::min(zero, kBarWidth - 2), 2);
  return html + "</svg><span class=\"n\">" + HtmlText(bar.shown) + "</span>\n";
}

std::string Chart(const HtmlReport& report) {
  if (report.bars.empty()) return "";
  Money lowest;
  Money highest;
  for (const HtmlBar& bar : report.bars) {
    lowest = std::min(lowest, bar.amount);
    highest = std::max(highest, bar.amount);
  }
  std::string html = "<h2>" + HtmlText(report.chart_title) + "</h2>\n<div class=\"bars\">\n";
  for (const size_t i : Largest(report.bars)) html += Bar(report.bars[i], lowest, highest);
  html += "</div>\n" + Legend(report.legend);
  if (report.bars.size() > kMostBars) {
    html += "<p class=\"dim\">The " + std::to_string(kMostBars) + " largest of " +
            std::to_string(report.bars.size()) + "; the table has all.</p>\n";
  }
  return html;
}

std::string Row(const std::vector<HtmlColumn>& columns, const std::vector<std::string>& cells) {
  std::string html = "<tr>";
  for (size_t i = 0; i < columns.size(); ++i) {
    html += columns[i].number ? "<td class=\"n\">" : "<td>";
    html += HtmlText(i < cells.size() ? cells[i] : "") + "</td>";
  }
  return html + "</tr>\n";
}

std::string Table(const HtmlTable& table) {
  if (table.rows.empty()) return "<p class=\"dim\">" + HtmlText(table.if_empty) + "</p>\n";
  std::string html = "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty()) html += "<caption>" + HtmlText(table.caption) + "</caption>\n";
  html += "<thead><tr>";
  for (const HtmlColumn& column : table.columns) {
    html += column.number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">";
    html += HtmlText(column.title) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) html += Row(table.columns, row);
  html += "</tbody>\n";
  if (!table.total.empty()) html += "<tfoot>" + Row(table.columns, table.total) + "</tfoot>\n";
  return html + "</table></div>\n";
}

}  // namespace

std::string HtmlText(const std::string& text) {
  std::string html;
  for (const char c : SanitizeForTerminal(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string RenderHtml(const HtmlReport& report) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n<title>";
  html += HtmlText(report.title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n";
  html += "<h1>" + HtmlText(report.title) + "</h1>\n" + Facts(report) + Chart(report);
  for (const HtmlTable& table : report.tables) html += Table(table);
  if (!report.note.empty()) html += "<p class=\"dim\">" + HtmlText(report.note) + "</p>\n";
  return html + "</body>\n</html>\n";
}

}  // namespace pinka::cli
