#include "client/cli/core/job_text.h"

#include <vector>

#include "base/ranges.h"
#include "base/sweep.h"

namespace pinka::cli {

std::string JobIdText(const v1::Job& job) {
  const std::string id = std::to_string(job.id());
  if (job.array().empty()) return id;
  constexpr size_t kLongest = 16;  // columns of the spec that a list has room for
  const std::string& spec = job.array();
  return id + "_[" + (spec.size() <= kLongest ? spec : spec.substr(0, kLongest - 1) + "…") + "]";
}

std::string TierText(const v1::Job& job) {
  return job.simulated().empty() ? job.tier() : job.tier() + " (simulated)";
}

std::string WaitText(const v1::Job& job) {
  if (job.task_count() <= 1) return job.reason();
  const std::string counts = TaskCountsText(job);
  if (job.reason().empty() || counts.empty()) return job.reason() + counts;
  return job.reason() + "; " + counts;
}

std::string TaskCountsText(const v1::Job& job) {
  std::string text;
  for (int i = 1; i < v1::TaskState::Value_ARRAYSIZE; ++i) {
    const std::string& name = v1::TaskState::Value_Name(static_cast<v1::TaskState::Value>(i));
    const auto found = job.task_states().find(name);
    if (found == job.task_states().end() || found->second == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(found->second) + " " + name;
  }
  return text;
}

std::string SweepPointText(const v1::Job& job, const std::string& task) {
  std::vector<SweepKey> keys;
  for (const std::string& text : job.sweep()) {
    auto key = ParseSweep(text, INT32_MAX);
    if (!key.ok()) return "";
    keys.push_back(*std::move(key));
  }
  const auto slice = ParseJobSlice(task);
  const auto count = CountSweep(keys, INT32_MAX);
  if (keys.empty() || !slice.ok() || slice->indices.empty() || !count.ok()) return "";
  const int32_t index = slice->indices.First();
  if (index >= *count) return "";
  const std::vector<std::string> values = SweepValues(keys, index);
  std::string text;
  for (size_t n = 0; n < keys.size(); ++n)
    text += (n == 0 ? "" : " ") + FormatSweep({keys[n].key, {values[n]}});
  return text;
}

}  // namespace pinka::cli
