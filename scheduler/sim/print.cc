#include "scheduler/sim/print.h"

#include <algorithm>
#include <cmath>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka::sim {
namespace {

constexpr int kWide = 110;

// A text that JSON can hold.
std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// 1,234,567
std::string Thousands(int64_t n) {
  std::string digits = std::to_string(n);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string Percent(double part) { return fmt::format("{:.1f} %", part * 100); }

struct Cell {
  const char* title;
  int width;
  bool wide_only;
  std::string (*text)(const MemberFigures&);
};

const Cell kMemberCells[] = {
    {"JOBS", 8, false, [](const MemberFigures& m) { return Thousands(m.jobs); }},
    {"UNIT-HOURS", 12, false,
     [](const MemberFigures& m) { return Thousands(std::llround(m.unit_hours)); }},
    {"WAIT MEAN", 10, false, [](const MemberFigures& m) { return ShortSpan(m.waits.mean_s); }},
    {"MEDIAN", 9, true, [](const MemberFigures& m) { return ShortSpan(m.waits.median_s); }},
    {"P95", 9, false, [](const MemberFigures& m) { return ShortSpan(m.waits.p95_s); }},
    {"SLOWDOWN", 10, false,
     [](const MemberFigures& m) { return fmt::format("{:.2f}", m.slowdown); }},
    {"LAG UNIT-HOURS", 15, true,
     [](const MemberFigures& m) { return fmt::format("{:.1f}", m.lag_unit_hours); }},
};

std::string MemberTable(const Figures& f, int columns) {
  const bool wide = columns >= kWide;
  int taken = 0;
  for (const Cell& cell : kMemberCells) taken += cell.wide_only && !wide ? 0 : cell.width + 1;
  int names = 6;
  for (const MemberFigures& m : f.members)
    names = std::max(names, DisplayWidth(SanitizeForTerminal(m.name)));
  names = std::min(names, columns - taken);
  std::string out = PadRight("MEMBER", names);
  for (const Cell& cell : kMemberCells) {
    if (!cell.wide_only || wide) out += " " + PadLeft(cell.title, cell.width);
  }
  out += "\n";
  for (const MemberFigures& m : f.members) {
    out += PadRight(FitColumns(SanitizeForTerminal(m.name), names), names);
    for (const Cell& cell : kMemberCells) {
      if (!cell.wide_only || wide) out += " " + PadLeft(cell.text(m), cell.width);
    }
    out += "\n";
  }
  return out;
}

std::string Line(const std::string& what, const std::string& value) {
  return PadRight(what, 14) + value + "\n";
}

std::string JobsLine(const Figures& f) {
  std::string text = fmt::format("{}, {} ended", Thousands(f.jobs), Thousands(f.completed));
  for (const auto& [reason, count] : f.refused)
    text += fmt::format(", {} infeasible ({})", Thousands(count), reason);
  if (f.unfinished > 0) text += fmt::format(", {} not finished", Thousands(f.unfinished));
  return text;
}

std::string WaitsJson(const Waits& w) {
  return fmt::format("\"meanWaitS\":{:.3f},\"medianWaitS\":{:.3f},\"p95WaitS\":{:.3f}", w.mean_s,
                     w.median_s, w.p95_s);
}

std::string ListsJson(const Figures& f) {
  std::string out = ",\"infeasibleReasons\":{";
  for (const auto& [reason, count] : f.refused) {
    if (out.back() != '{') out += ",";
    out += fmt::format("{}:{}", Quoted(reason), count);
  }
  out += "},\"costBySource\":{";
  for (const auto& [source, amount] : f.cost_by_source) {
    if (out.back() != '{') out += ",";
    out += fmt::format("{}:\"{}\"", Quoted(source), FormatWireMoney(amount));
  }
  out += fmt::format("}},\"overhead\":\"{}\",\"idle\":\"{}\",\"tiers\":[",
                     FormatWireMoney(f.overhead), FormatWireMoney(f.idle));
  for (const TierFigures& t : f.tiers) {
    if (out.back() != '[') out += ",";
    out += fmt::format("{{\"tier\":{},\"unitHours\":{:.3f},\"utilization\":{:.6f}}}",
                       Quoted(t.name), t.unit_hours, t.utilization);
  }
  out += "],\"members\":[";
  for (const MemberFigures& m : f.members) {
    if (out.back() != '[') out += ",";
    out += fmt::format(
        "{{\"name\":{},\"jobs\":{},\"unitHours\":{:.3f},{},\"slowdown\":{:.4f},"
        "\"serviceLagUnitHours\":{:.3f}}}",
        Quoted(m.name), m.jobs, m.unit_hours, WaitsJson(m.waits), m.slowdown, m.lag_unit_hours);
  }
  return out + "]";
}

}  // namespace

std::string ShortSpan(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f}s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3'600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86'400) return fmt::format("{}h{:02}m", whole / 3'600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86'400, whole / 3'600 % 24);
}

std::string PrintFigures(const Figures& f, const RunFacts& facts, int columns) {
  columns = std::max(columns, 80);
  std::string out =
      FitColumns(SanitizeForTerminal(
                     fmt::format("{}, policy {}, seed {}", facts.trace, facts.policy, facts.seed)),
                 columns) +
      "\n\n";
  out += Line("Jobs", FitColumns(JobsLine(f), columns - 14));
  out += Line("Wait", fmt::format("mean {}, median {}, 95 % within {}", ShortSpan(f.waits.mean_s),
                                  ShortSpan(f.waits.median_s), ShortSpan(f.waits.p95_s)));
  out += Line("Makespan", ShortSpan(f.makespan_s));
  std::string tiers;
  for (const TierFigures& t : f.tiers) {
    if (f.tiers.size() > 1)
      tiers += fmt::format("{} {} {}", tiers.empty() ? ":" : ",", t.name, Percent(t.utilization));
  }
  const std::string use = fmt::format("{} of what was up{}", Percent(f.utilization), tiers);
  out += Line("Utilisation", FitColumns(SanitizeForTerminal(use), columns - 14));
  std::string cost = FormatMoney(f.cost);
  for (const auto& [source, amount] : f.cost_by_source)
    cost += fmt::format("{} {} {}", cost.find(':') == std::string::npos ? ":" : ",", source,
                        FormatMoney(amount));
  if (f.overhead != Money()) cost += fmt::format(", the lab's {}", FormatMoney(f.overhead));
  if (f.idle != Money()) cost += fmt::format(", idle machines {}", FormatMoney(f.idle));
  out += Line("Cost", FitColumns(cost, columns - 14));
  if (facts.paid > f.cost)
    out += Line("Paid", FormatMoney(facts.paid) + ", what was bought ahead whole");
  out += Line("Fairness", fmt::format("Jain {:.3f} of members' mean slowdowns", f.jain));
  if (!f.lag_member.empty()) {
    const std::string behind =
        fmt::format("{:.1f} unit-hours of service: {}", f.lag_unit_hours, f.lag_member);
    out += Line("Most behind", FitColumns(SanitizeForTerminal(behind), columns - 14));
  }
  if (f.deadlines > 0)
    out += Line("Deadlines", fmt::format("{} of {} met", f.deadlines_met, f.deadlines));
  out += Line("Interrupted",
              fmt::format("{} preempted, {} taken back by providers; lost {}",
                          Thousands(f.preemptions), Thousands(f.reclaims), ShortSpan(f.lost_s)));
  if (facts.seconds >= 0) {
    const double rate = facts.seconds > 0 ? static_cast<double>(f.events) / facts.seconds : 0;
    out += Line("Simulated", fmt::format("{} events in {:.1f} s, {} a second", Thousands(f.events),
                                         facts.seconds, Thousands(std::llround(rate))));
  }
  return out + "\n" + MemberTable(f, columns);
}

std::string FiguresJson(const Figures& f, const RunFacts& facts) {
  std::string out = fmt::format(
      "{{\"schema\":\"pinka.v1.Simulation\",\"asOf\":\"{}\",\"trace\":{},\"policy\":{},\"seed\":{},"
      "\"money\":{},\"jobs\":{},\"completed\":{},\"infeasible\":{},\"unfinished\":{},",
      FormatUtc(facts.as_of), Quoted(facts.trace), Quoted(facts.policy), facts.seed, facts.money,
      f.jobs, f.completed, f.infeasible, f.unfinished);
  out += WaitsJson(f.waits);
  out += fmt::format(
      ",\"makespanS\":{:.3f},\"utilization\":{:.6f},\"unitHours\":{:.3f},\"cost\":\"{}\",\"paid\":"
      "\"{}\","
      "\"jain\":{:.6f},\"meanSlowdown\":{:.4f},\"serviceLagUnitHours\":{:.3f},"
      "\"serviceLagMember\":{},\"deadlines\":{},\"deadlinesMet\":{},\"preemptions\":{},"
      "\"reclaims\":{},\"lostWorkS\":{:.3f}",
      f.makespan_s, f.utilization, f.unit_hours, FormatWireMoney(f.cost),
      FormatWireMoney(facts.paid), f.jain, f.slowdown, f.lag_unit_hours, Quoted(f.lag_member),
      f.deadlines, f.deadlines_met, f.preemptions, f.reclaims, f.lost_s);
  out += ListsJson(f);
  out += fmt::format(",\"events\":{}", f.events);
  if (facts.seconds >= 0) {
    const double rate = facts.seconds > 0 ? static_cast<double>(f.events) / facts.seconds : 0;
    out += fmt::format(",\"seconds\":{:.3f},\"eventsPerSecond\":{:.0f}", facts.seconds, rate);
  }
  return out + "}\n";
}

}  // namespace pinka::sim
