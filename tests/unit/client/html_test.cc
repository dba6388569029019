#include "client/cli/core/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HtmlReport Sample() {
  HtmlReport report;
  report.title = "Usage by <b>";
  report.facts = {{"Lab", "图灵 & Söhne"}};
  report.chart_title = "Amount";
  report.bars = {{"王芳", Money::Whole(30), "¥30.00"},
                 {"\"x\" onload='y'", Money::Whole(-10), "-¥10.00"},
                 {"nothing", Money(), "¥0.00"}};
  report.tables.push_back({"T",
                           {{"KEY", false}, {"AMOUNT", true}},
                           {{"<script>", "¥1.00"}},
                           {"total", "¥1.00"},
                           "empty"});
  return report;
}

TEST(Html, EscapesEveryText) {
  const std::string html = RenderHtml(Sample());
  EXPECT_THAT(html, HasSubstr("<title>Usage by &lt;b&gt;</title>"));
  EXPECT_THAT(html, HasSubstr("图灵 &amp; Söhne"));
  EXPECT_THAT(html, HasSubstr("<td>&lt;script&gt;</td>"));
  EXPECT_THAT(html, HasSubstr("&quot;x&quot; onload=&#39;y&#39;"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(HtmlText("\x1b[31m"), Not(HasSubstr("\x1b")));
}

TEST(Html, NeedsNothingElse) {
  const std::string html = RenderHtml(Sample());
  for (const char* outside : {"http:", "https:", "src=", "url(", "@import", "<link", "javascript"})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, HasSubstr("<meta charset=\"utf-8\">"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
}

TEST(Html, DrawsBarsFromTheZeroLine) {
  const std::string html = RenderHtml(Sample());
  // From -10 to 30: zero lies at a quarter of 1,000.
  EXPECT_THAT(html, HasSubstr("<rect class=\"plus\" x=\"250\" y=\"0\" width=\"750\""));
  EXPECT_THAT(html, HasSubstr("<rect class=\"minus\" x=\"0\" y=\"0\" width=\"250\""));
  EXPECT_THAT(html, HasSubstr("width=\"0\""));
  HtmlReport report;
  report.bars = {{"a", Money::Whole(1'000'000), "x"}, {"b", Money::Micros(1), "y"}};
  const std::string tiny = RenderHtml(report);
  EXPECT_THAT(tiny, HasSubstr("<rect class=\"plus\" x=\"0\" y=\"0\" width=\"2\""));
  EXPECT_THAT(tiny, Not(HasSubstr("\"zero\""))) << "nothing below it";
}

TEST(Html, DrawsThePartsOfABarSideBySide) {
  HtmlReport report;
  report.legend = {"used", "idle"};
  report.bars = {{"a", Money::Whole(40), "x", {Money::Whole(30), Money::Whole(10)}},
                 {"b", Money::Whole(20), "y", {Money::Whole(30), -Money::Whole(10)}}};
  const std::string html = RenderHtml(report);
  EXPECT_THAT(html, HasSubstr("<rect class=\"part0\" x=\"0\" y=\"0\" width=\"750\""));
  EXPECT_THAT(html, HasSubstr("<rect class=\"part1\" x=\"750\" y=\"0\" width=\"250\""));
  EXPECT_THAT(html, HasSubstr("<rect class=\"plus\" x=\"0\" y=\"0\" width=\"500\""))
      << "a part below zero";
  EXPECT_THAT(html, HasSubstr("</svg>idle</span>"));
}

TEST(Html, DrawsTheLargestOfManyInTheirOrder) {
  HtmlReport report;
  for (int i = 0; i < 100; ++i)
    report.bars.push_back({"key " + std::to_string(i) + ".", Money::Whole(i), ""});
  const std::string html = RenderHtml(report);
  EXPECT_THAT(html, Not(HasSubstr("key 59.")));
  EXPECT_THAT(html, HasSubstr("The 40 largest of 100"));
  EXPECT_LT(html.find("key 60."), html.find("key 99."));
}

TEST(Html, AlignsNumbersAndSaysWhatIsEmpty) {
  HtmlReport report = Sample();
  EXPECT_THAT(RenderHtml(report), HasSubstr("<td class=\"n\">¥1.00</td>"));
  EXPECT_THAT(RenderHtml(report), HasSubstr("<tfoot><tr><td>total</td>"));
  report.tables[0].rows.clear();
  EXPECT_THAT(RenderHtml(report), HasSubstr("<p class=\"dim\">empty</p>"));
}

}  // namespace
}  // namespace pinka::cli
