#include "scheduler/sim/trace.h"

#include <algorithm>
#include <map>

#include "fmt/format.h"

namespace pinka::sim {
namespace {

constexpr int64_t kMostSeconds = 10'000'000'000;
constexpr int64_t kMostGpus = 100'000;

std::vector<std::string> SplitLine(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

bool EndedWell(std::string_view status) {
  static constexpr std::string_view kWell[] = {"", "Pass", "COMPLETED", "Completed", "Succeeded"};
  return std::ranges::find(kWell, status) != std::end(kWell);
}

class Rows {
 public:
  Rows(const CsvLine& titles, const std::string& file) : file_(file) {
    for (size_t i = 0; i < titles.cells.size(); ++i) columns_.emplace(titles.cells[i], i);
  }

  Status CheckTitles() const {
    for (const char* title : {"submit_s", "duration_s", "gpus", "user"}) {
      if (columns_.contains(title)) continue;
      return Invalid(
          fmt::format("{} line 1: there is no column {}; a trace begins with "
                      "submit_s,duration_s,gpus,user,gpu_type,status",
                      file_, title));
    }
    return OkStatus();
  }

  StatusOr<TraceJob> Read(const CsvLine& line) const {
    TraceJob job;
    if (line.cells.size() < columns_.size()) {
      return Bad(line, fmt::format("has {} values where the titles are {}", line.cells.size(),
                                   columns_.size()));
    }
    const std::pair<const char*, int64_t*> numbers[] = {
        {"submit_s", &job.submit_ms}, {"duration_s", &job.duration_ms}, {"gpus", &job.gpus_milli}};
    for (const auto& [title, to] : numbers) {
      if (ParseThousandths(Cell(line, title), to)) continue;
      return Bad(line, fmt::format("{} is \"{}\"; write a number of 0 or more, like 90 or 0.5",
                                   title, Cell(line, title)));
    }
    if (job.gpus_milli > kMostGpus * 1'000)
      return Bad(line, fmt::format("gpus is above {}, which no machine has", kMostGpus));
    const std::pair<const char*, int64_t*> spans[] = {{"deadline_s", &job.deadline_ms},
                                                      {"limit_s", &job.limit_ms}};
    for (const auto& [title, to] : spans) {
      const std::string cell = Cell(line, title);
      if (cell.empty() || ParseThousandths(cell, to)) continue;
      return Bad(line, fmt::format("{} is \"{}\"; write seconds, or nothing", title, cell));
    }
    job.user = Cell(line, "user");
    if (job.user.empty()) return Bad(line, "names no user; every job is somebody's");
    job.gpu_type = Cell(line, "gpu_type");
    job.failed = !EndedWell(Cell(line, "status"));
    return job;
  }

 private:
  std::string Cell(const CsvLine& line, const char* title) const {
    const auto column = columns_.find(title);
    return column == columns_.end() ? "" : line.cells[column->second];
  }
  Status Bad(const CsvLine& line, const std::string& what) const {
    return Invalid(fmt::format("{} line {}: {}", file_, line.number, what));
  }

  const std::string& file_;
  std::map<std::string, size_t> columns_;
};

}  // namespace

bool ParseThousandths(std::string_view text, int64_t* out) {
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view part = point == std::string_view::npos ? "" : text.substr(point + 1);
  const bool empty = whole.empty() && part.empty();
  const auto digits = [](std::string_view s) {
    return std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (empty || whole.size() > 11 || !digits(whole) || !digits(part)) return false;
  int64_t value = 0;
  for (char c : whole) value = value * 10 + (c - '0');
  if (value > kMostSeconds) return false;
  for (size_t i = 0; i < 3; ++i) value = value * 10 + (i < part.size() ? part[i] - '0' : 0);
  *out = value;
  return true;
}

std::vector<CsvLine> SplitCsv(std::string_view text) {
  std::vector<CsvLine> lines;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back({number, SplitLine(line)});
  }
  return lines;
}

StatusOr<std::vector<TraceJob>> ParseTrace(std::string_view text, const std::string& file) {
  const std::vector<CsvLine> lines = SplitCsv(text);
  if (lines.size() < 2) {
    return Invalid(
        fmt::format("{} holds no jobs; a trace has a line of titles and one line a job", file));
  }
  const Rows rows(lines.front(), file);
  if (Status titles = rows.CheckTitles(); !titles.ok()) return titles;
  std::vector<TraceJob> jobs;
  jobs.reserve(lines.size() - 1);
  for (size_t i = 1; i < lines.size(); ++i) {
    StatusOr<TraceJob> job = rows.Read(lines[i]);
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  std::ranges::stable_sort(jobs, {}, &TraceJob::submit_ms);
  return jobs;
}

}  // namespace pinka::sim
