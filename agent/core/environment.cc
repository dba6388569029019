#include "agent/core/environment.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace pinka {
namespace {

using Names = std::map<std::string, std::string>;

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

void AddAsked(const std::vector<std::string>& asked, Names* names) {
  for (const auto& entry : asked) {
    size_t equals = entry.find('=');
    bool usable = equals != std::string::npos && equals > 0;  // submit has refused the others
    if (usable) (*names)[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
}

void AddIdentity(const JobEnvironment& job, Names* names) {
  TaskId task{.job = job.attempt.job, .index = job.attempt.index};
  (*names)["PINKA_LAB_RUN"] = job.lab_run;
  (*names)["PINKA_JOB_ID"] = std::to_string(job.attempt.job.value());
  (*names)["PINKA_TASK_ID"] = ToString(task);
  (*names)["PINKA_ATTEMPT"] = std::to_string(job.attempt.number);
  (*names)["PINKA_ATTEMPT_ID"] = ToString(job.attempt);
  (*names)["PINKA_RESTART_COUNT"] = std::to_string(job.restart_count);
  (*names)["PINKA_TIER"] = job.tier;
  (*names)["PINKA_TIME_LIMIT_S"] = std::to_string(job.time_limit_s);
  names->erase("PINKA_ARRAY_INDEX");
  names->erase("PINKA_ARRAY_SIZE");
  if (job.array_size == 0) return;
  (*names)["PINKA_ARRAY_INDEX"] = std::to_string(job.attempt.index);
  (*names)["PINKA_ARRAY_SIZE"] = std::to_string(job.array_size);
}

void AddPlaces(const JobEnvironment& job, Names* names) {
  const std::pair<const char*, const std::string*> places[] = {
      {"PINKA_CHECKPOINT_DIR", &job.checkpoint_dir},
      {"PINKA_OUTPUT_DIR", &job.output_dir},
      {"PINKA_SHARED_DIR", &job.shared_dir},
      {"PINKA_DATA_DIR", &job.data_dir},
      {"PINKA_NOTICE_FILE", &job.notice_file}};
  for (const auto& [name, value] : places) {
    if (!value->empty()) (*names)[name] = *value;
  }
}

// A job without GPUs sees none, also on a box that has some.
void AddGpus(const JobEnvironment& job, Names* names) {
  (*names)["PINKA_GPUS"] = std::to_string(job.gpu_uuids.size());
  (*names)["PINKA_GPU_UUIDS"] = Join(job.gpu_uuids);
  (*names)["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  (*names)["CUDA_VISIBLE_DEVICES"] = GpuIndices(job.gpu_uuids, job.box_gpus);
}

}  // namespace

std::string GpuIndices(const std::vector<std::string>& uuids,
                       const std::vector<std::string>& box_gpus) {
  std::vector<std::string> indices;
  for (size_t i = 0; i < box_gpus.size(); ++i) {
    bool mine = std::find(uuids.begin(), uuids.end(), box_gpus[i]) != uuids.end();
    if (mine) indices.push_back(std::to_string(i));
  }
  return Join(indices);
}

std::vector<std::string> WithConfinedGpus(std::vector<std::string> env, size_t gpus,
                                          bool confined) {
  constexpr std::string_view kVisible = "CUDA_VISIBLE_DEVICES=";
  std::vector<std::string> indices;
  for (size_t i = 0; i < gpus; ++i) indices.push_back(std::to_string(i));
  for (std::string& entry : env) {
    if (confined && entry.starts_with(kVisible)) entry = std::string(kVisible) + Join(indices);
  }
  env.push_back(std::string("PINKA_GPUS_CONFINED=") + (confined ? "1" : "0"));
  return env;
}

std::vector<std::string> BuildEnvironment(const JobEnvironment& job) {
  Names names = {{"HOME", job.home}, {"USER", job.user}, {"LANG", job.lang}, {"PATH", job.path}};
  AddAsked(job.asked, &names);
  AddIdentity(job, &names);
  AddPlaces(job, &names);
  AddGpus(job, &names);
  std::vector<std::string> env;
  for (const auto& [name, value] : names) env.push_back(name + "=" + value);
  return env;
}

}  // namespace pinka
