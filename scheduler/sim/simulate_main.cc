// pinka-simulate: what `pinka simulate` runs. Reads the files, plays the trace, prints. Exit codes:
// 0, 1 for what fails, 2 for a command line or a file that is not understood.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/api/lab_file.h"
#include "scheduler/runtime/calendar.h"
#include "scheduler/sim/headline.h"
#include "scheduler/sim/plots.h"
#include "scheduler/sim/print.h"
#include "scheduler/sim/purchases.h"
#include "scheduler/sim/simulate_options.h"

namespace pinka::sim {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int Fail(const Status& status) {
  std::cerr << fmt::format("pinka simulate: {}\n", Message(status));
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

int Columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const auto number = ParseInt(columns == nullptr ? "" : columns, 1, 10'000, "COLUMNS");
  return number.ok() ? static_cast<int>(*number) : 80;
}

StatusOr<std::vector<TraceJob>> ReadFiles(SimulateOptions& options) {
  const auto trace_text = ReadFile(options.trace);
  if (!trace_text.ok()) return trace_text.status();
  if (!options.lab.empty()) {
    const auto text = ReadFile(options.lab);
    if (!text.ok()) return text.status();
    auto lab = api::ReadLabFile(*text, options.lab, {});
    if (!lab.ok()) return lab.status();
    options.scenario.lab = std::move(lab->change);
  }
  if (!options.spot.empty()) {
    const auto text = ReadFile(options.spot);
    if (!text.ok()) return text.status();
    auto spot = ParseSpot(*text, options.spot, options.spot_zone);
    if (!spot.ok()) return spot.status();
    options.scenario.spot = *std::move(spot);
  }
  return ParseTrace(*trace_text, options.trace);
}

Status AddCalendar(ReplayInput& input) {
  const auto calendar = PeriodsAround(input.zone, input.start);
  if (calendar.ok()) input.calendar = *calendar;
  return calendar.status();
}

ReplayResult Play(const ReplayInput& input, const Clock& clock) {
  Replay replay(input);
  const bool terminal = isatty(STDERR_FILENO) == 1;
  Duration told = clock.Monotonic();
  const auto all = static_cast<int64_t>(input.jobs.size());
  while (replay.Step()) {
    if (!terminal || clock.Monotonic() - told < Duration::Millis(500)) continue;
    told = clock.Monotonic();
    std::cerr << fmt::format("\r{} of {} jobs", replay.over(), all) << std::flush;
  }
  if (terminal) std::cerr << "\r\033[K" << std::flush;
  return replay.Finish();
}

Status RunOne(const SimulateOptions& options, const std::vector<TraceJob>& trace,
              const Clock& clock) {
  const Duration begin = clock.Monotonic();
  auto input = BuildInput(options.scenario, trace);
  if (!input.ok()) return input.status();
  if (Status s = AddCalendar(*input); !s.ok()) return s;
  const ReplayResult result = Play(*input, clock);
  const Figures figures = FiguresOf(result);
  RunFacts facts;
  facts.trace = options.trace.substr(options.trace.rfind('/') + 1);
  facts.policy = options.scenario.policy;
  facts.seed = options.scenario.seed;
  facts.money = options.scenario.money;
  facts.as_of = result.end;
  facts.paid = PaidOf(figures, PaidAhead(*input, result.end));
  facts.seconds = static_cast<double>((clock.Monotonic() - begin).micros()) / 1e6;
  if (!options.html.empty()) {
    const std::string page = PlotsHtml(result, figures, facts);
    if (Status s = WriteFileDurably(options.html, page, 0644); !s.ok()) return s;
  }
  std::cout << (options.json ? FiguresJson(figures, facts)
                             : PrintFigures(figures, facts, Columns()));
  return OkStatus();
}

Status RunHeadline(const SimulateOptions& options, const std::vector<TraceJob>& trace,
                   const Clock& clock) {
  const auto month = Synthesize(trace, *options.synthesis, options.scenario.seed);
  if (!month.ok()) return month.status();
  auto cases = HeadlineCases(options.scenario, *month);
  if (!cases.ok()) return cases.status();
  std::vector<HeadlineRow> rows;
  for (HeadlineCase& one : *cases) {
    if (Status s = AddCalendar(one.input); !s.ok()) return s;
    const Figures figures = FiguresOf(Play(one.input, clock));
    rows.push_back({one.name, figures, PaidOf(figures, one.packages)});
  }
  std::cout << (options.json ? HeadlineJson(rows) : PrintHeadline(rows));
  return OkStatus();
}

int Main(const std::vector<std::string>& words) {
  auto options = ParseSimulateOptions(words);
  if (!options.ok()) return Fail(options.status());
  if (options->help) {
    std::cout << SimulateHelp();
    return 0;
  }
  const auto trace = ReadFiles(*options);
  if (!trace.ok()) return Fail(trace.status());
  const SystemClock clock;
  const Status done =
      options->synthesis ? RunHeadline(*options, *trace, clock) : RunOne(*options, *trace, clock);
  if (!done.ok()) return Fail(done);
  return std::cout.flush() ? 0 : kFailed;
}

}  // namespace
}  // namespace pinka::sim

int main(int argc, char** argv) {
  return pinka::sim::Main(std::vector<std::string>(argv + 1, argv + argc));
}
