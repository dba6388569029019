#include "scheduler/daemon/trace.h"

#include "fmt/format.h"

namespace pinka {
namespace {

std::string Seconds(Duration span) {
  return fmt::format("{}.{:03}", span.millis() / 1'000, span.millis() % 1'000);
}

// Names may hold commas and quotes, never a line break.
std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string TraceCsv(const std::vector<db::TraceTask>& tasks) {
  std::string out = "submit_s,duration_s,gpus,user,gpu_type,status,limit_s,deadline_s\n";
  for (const db::TraceTask& task : tasks) {
    const Timestamp start = tasks.front().waits_from;
    out += fmt::format("{},{},{},{},{},{},{},{}\n", Seconds(task.waits_from - start),
                       Seconds(task.run), task.gpus, Cell(task.member), Cell(task.tier),
                       Name(task.state), Seconds(task.time_limit),
                       task.deadline ? Seconds(task.deadline - start) : "");
  }
  return out;
}

}  // namespace pinka
