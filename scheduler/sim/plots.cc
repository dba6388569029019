#include "scheduler/sim/plots.h"

#include <algorithm>
#include <vector>

#include "fmt/format.h"

namespace pinka::sim {
namespace {

constexpr size_t kParts = 240;
constexpr int kWidth = 960;
constexpr int kHeight = 220;
constexpr int kLeft = 44;
constexpr int kTop = 8;
constexpr size_t kMostMembers = 11;
// Told apart also by those who do not see red and green apart; the last is for others.
constexpr const char* kColors[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                   "#66ccee", "#aa3377", "#ee8866", "#332288",
                                   "#88ccaa", "#dd77cc", "#997700", "#bbbbbb"};

std::string Escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

// Unit-seconds in equal parts of the replay's time.
class Parts {
 public:
  explicit Parts(const ReplayResult& result)
      : start_(result.start.micros()),
        span_(std::max<int64_t>((result.end - result.start).micros() / int64_t{kParts} + 1, 1)) {}
  using Series = std::vector<double>;
  static Series Empty() { return Series(kParts, 0.0); }
  void Add(Series& to, Timestamp from_at, Timestamp to_at, double units) const {
    const int64_t end = std::min(to_at.micros() - start_, span_ * int64_t{kParts});
    for (int64_t at = std::max<int64_t>(from_at.micros() - start_, 0); at < end;) {
      const int64_t part = at / span_;
      const int64_t until = std::min(end, (part + 1) * span_);
      to[static_cast<size_t>(part)] += static_cast<double>(until - at) / 1e6 * units;
      at = until;
    }
  }

 private:
  int64_t start_;
  int64_t span_;
};

double X(size_t part) {
  return kLeft + static_cast<double>(part) * kWidth / static_cast<double>(kParts);
}
double Y(double value) { return kTop + (1 - std::clamp(value, 0.0, 1.0)) * kHeight; }

std::string Frame(const Figures& f) {
  std::string out;
  for (int percent = 0; percent <= 100; percent += 25) {
    const double y = Y(percent / 100.0);
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}%</text>",
        kLeft, kLeft + kWidth, y, kLeft - 5, y + 4, percent);
  }
  for (int quarter = 0; quarter <= 4; ++quarter) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
                       kLeft + kWidth * quarter / 4.0, kTop + kHeight + 16,
                       quarter == 0 ? "start" : (quarter == 4 ? "end" : "middle"),
                       ShortSpan(f.makespan_s * quarter / 4));
  }
  return out;
}

// The area between two curves, stepped by parts.
std::string Area(const Parts::Series& low, const Parts::Series& high, const std::string& color,
                 const std::string& title) {
  std::string path;
  for (size_t i = 0; i < kParts; ++i) {
    path += fmt::format("{}{:.1f},{:.1f} L{:.1f},{:.1f} ", i == 0 ? "M" : "L", X(i), Y(high[i]),
                        X(i + 1), Y(high[i]));
  }
  for (size_t i = kParts; i-- > 0;) {
    path += fmt::format("L{:.1f},{:.1f} L{:.1f},{:.1f} ", X(i + 1), Y(low[i]), X(i), Y(low[i]));
  }
  return fmt::format("<path d=\"{}Z\" fill=\"{}\"><title>{}</title></path>\n", path, color,
                     Escaped(title));
}

std::string Svg(const std::string& title, const std::string& inside) {
  return fmt::format(
      "<h2>{}</h2>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
      Escaped(title), kLeft + kWidth + 16, kTop + kHeight + 24, Escaped(title), inside);
}

std::string Utilisation(const ReplayResult& result, const Figures& f) {
  const Parts parts(result);
  std::string out;
  for (const auto& [tier, name] : result.tiers) {
    Parts::Series busy = Parts::Empty();
    Parts::Series up = Parts::Empty();
    for (const Run& run : result.runs) {
      if (run.tier == tier) parts.Add(busy, run.from, run.to, run.units);
    }
    for (const Capacity& change : result.capacity) {
      if (change.tier == tier) parts.Add(up, change.at, result.end, change.units);
    }
    for (size_t i = 0; i < kParts; ++i) busy[i] = up[i] > 0 ? busy[i] / up[i] : 0;
    out += Svg(fmt::format("Utilisation of {}", name),
               Area(Parts::Empty(), busy, kColors[0], name) + Frame(f));
  }
  return out;
}

// Members by what they used, most first; those beyond the colours together.
std::vector<std::pair<std::string, std::vector<MemberId>>> Groups(const ReplayResult& result) {
  std::map<MemberId, double> used;
  for (const Run& run : result.runs)
    used[run.member] += static_cast<double>((run.to - run.from).micros()) * run.units;
  std::vector<MemberId> order;
  for (const auto& [id, amount] : used) order.push_back(id);
  std::ranges::stable_sort(order, [&](MemberId a, MemberId b) { return used[a] > used[b]; });
  std::vector<std::pair<std::string, std::vector<MemberId>>> groups;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i < kMostMembers) {
      groups.push_back({result.members.at(order[i]).first, {order[i]}});
    } else if (i == kMostMembers) {
      groups.push_back({"others", {order[i]}});
    } else {
      groups.back().second.push_back(order[i]);
    }
  }
  return groups;
}

std::string Shares(const ReplayResult& result, const Figures& f) {
  const Parts parts(result);
  const auto groups = Groups(result);
  std::map<MemberId, size_t> group_of;
  for (size_t g = 0; g < groups.size(); ++g) {
    for (MemberId id : groups[g].second) group_of[id] = g;
  }
  std::vector<Parts::Series> used(groups.size(), Parts::Empty());
  Parts::Series all = Parts::Empty();
  for (const Run& run : result.runs) {
    parts.Add(used[group_of.at(run.member)], run.from, run.to, run.units);
    parts.Add(all, run.from, run.to, run.units);
  }
  std::string areas;
  std::string legend = "<ul>\n";
  Parts::Series low = Parts::Empty();
  for (size_t g = 0; g < groups.size(); ++g) {
    Parts::Series high = low;
    for (size_t i = 0; i < kParts; ++i) high[i] += all[i] > 0 ? used[g][i] / all[i] : 0;
    areas += Area(low, high, kColors[g], groups[g].first);
    legend += fmt::format("<li><i style=\"background:{}\"></i>{}</li>\n", kColors[g],
                          Escaped(groups[g].first));
    low = high;
  }
  return Svg("Each member's share of what was used", areas + Frame(f)) + legend + "</ul>\n";
}

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1040px;margin:2em auto;padding:0 1em;"
    "color:#222}svg{width:100%;height:auto}text{font-size:12px;fill:#555}h1{font-size:1.4em}"
    "h2{font-size:1.1em;margin:1.6em 0 .3em}pre{overflow-x:auto;background:#f6f6f6;padding:1em}"
    "ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3em 1.2em}"
    "i{display:inline-block;width:1em;height:1em;margin-right:.4em;vertical-align:-.1em}";

}  // namespace

std::string PlotsHtml(const ReplayResult& result, const Figures& figures, const RunFacts& facts) {
  RunFacts quiet = facts;
  quiet.seconds = -1;  // the page is equal for equal inputs
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>pinka simulate: "
      "{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>pinka simulate: {0}, policy {2}</h1>\n"
      "<pre>{3}</pre>\n{4}{5}</body>\n</html>\n",
      Escaped(facts.trace), kStyle, Escaped(facts.policy),
      Escaped(PrintFigures(figures, quiet, 120)), Shares(result, figures),
      Utilisation(result, figures));
}

}  // namespace pinka::sim
