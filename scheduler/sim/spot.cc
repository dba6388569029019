#include "scheduler/sim/spot.h"

#include <algorithm>
#include <tuple>

#include "base/random.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "scheduler/sim/trace.h"

namespace pinka::sim {
namespace {

constexpr int64_t kMostMachines = 10'000;

int Column(const CsvLine& titles, std::string_view title) {
  const auto it = std::ranges::find(titles.cells, title);
  return it == titles.cells.end() ? -1 : static_cast<int>(it - titles.cells.begin());
}

int32_t ZoneOf(SpotFile& spot, const std::string& name) {
  const auto it = std::ranges::find(spot.zones, name);
  if (it != spot.zones.end()) return static_cast<int32_t>(it - spot.zones.begin());
  spot.zones.push_back(name);
  spot.most.push_back(0);
  return static_cast<int32_t>(spot.zones.size() - 1);
}

}  // namespace

StatusOr<SpotFile> ParseSpot(std::string_view text, const std::string& file,
                             const std::string& zone) {
  const std::vector<CsvLine> lines = SplitCsv(text);
  const CsvLine none;
  const CsvLine& titles = lines.empty() ? none : lines.front();
  const int at = Column(titles, "t_s");
  const int where = Column(titles, "zone");
  const int up = Column(titles, "instances_up");
  if (at < 0 || where < 0 || up < 0) {
    return Invalid(
        fmt::format("{} line 1: spot availability begins with t_s,zone,instances_up,end_s", file));
  }
  SpotFile spot;
  std::vector<std::string> seen;
  const size_t least = static_cast<size_t>(std::max({at, where, up})) + 1;
  for (size_t i = 1; i < lines.size(); ++i) {
    const CsvLine& line = lines[i];
    SpotChange change;
    int64_t machines = 0;
    const bool good = line.cells.size() >= least &&
                      ParseThousandths(line.cells[static_cast<size_t>(at)], &change.at_ms) &&
                      ParseThousandths(line.cells[static_cast<size_t>(up)], &machines) &&
                      machines % 1'000 == 0 && machines <= kMostMachines * 1'000;
    if (!good) {
      return Invalid(fmt::format(
          "{} line {}: write seconds, a zone and a number of machines, like 900,us-east-2b,3", file,
          line.number));
    }
    const std::string& name = line.cells[static_cast<size_t>(where)];
    if (std::ranges::find(seen, name) == seen.end()) seen.push_back(name);
    if (!zone.empty() && name != zone) continue;
    change.zone = ZoneOf(spot, name);
    change.up = static_cast<int32_t>(machines / 1'000);
    int32_t& most = spot.most[static_cast<size_t>(change.zone)];
    most = std::max(most, change.up);
    spot.changes.push_back(change);
  }
  if (spot.changes.empty()) {
    return Invalid(zone.empty() ? fmt::format("{} holds no lines of availability", file)
                                : fmt::format("{} has no zone {}; it has {}", file, zone,
                                              fmt::join(seen, ", ")));
  }
  std::ranges::stable_sort(spot.changes, {},
                           [](const SpotChange& c) { return std::tuple(c.at_ms, c.zone); });
  return spot;
}

SpotFile DrawSpot(int32_t machines, uint64_t seed, int64_t until_ms) {
  constexpr int64_t kHourMs = 3'600'000;
  constexpr int64_t kUpMs = 6 * kHourMs;
  constexpr int64_t kAwayMs = kHourMs;
  constexpr int64_t kLeastMs = 60'000;
  SeededRandom random(seed);
  SpotFile spot;
  for (int32_t machine = 0; machine < machines; ++machine) {
    spot.zones.push_back(fmt::format("zone{}", machine));
    spot.most.push_back(1);
    int32_t up = 1;
    for (int64_t at = 0; at < until_ms; up = 1 - up) {
      spot.changes.push_back({at, machine, up});
      const int64_t mean = up == 1 ? kUpMs : kAwayMs;
      at += kLeastMs + static_cast<int64_t>(random.Below(static_cast<uint64_t>(2 * mean)));
    }
  }
  std::ranges::stable_sort(spot.changes, {}, &SpotChange::at_ms);
  return spot;
}

}  // namespace pinka::sim
