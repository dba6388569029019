#include "client/cli/core/job_spec.h"

#include <string_view>

#include "base/file.h"
#include "client/cli/core/directives.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Status CheckScript(const std::string& path, const std::string& content) {
  if (const auto size = static_cast<int64_t>(content.size()); size > kLargestScript) {
    return Invalid("the script " + path + " has " + std::to_string(size) +
                   " bytes and may have at most " + std::to_string(kLargestScript) +
                   "; keep data in files of their own");
  }
  if (!content.starts_with("#!")) {
    return Invalid("the script " + path +
                   " must begin with a line such as #!/bin/bash; a program is submitted as -- " +
                   path);
  }
  return OkStatus();
}

StatusOr<Work> ReadScript(const std::vector<std::string>& rest) {
  const std::string& path = rest[0];
  auto content = ReadFile(path);
  if (!content.ok()) {
    return Invalid("the script " + path + " cannot be read (" + Message(content.status()) +
                   "); a command is submitted as -- COMMAND ARG…");
  }
  PINKA_TRY(CheckScript(path, *content));
  Work work;
  work.script = *std::move(content);
  work.argv = rest;
  work.argv[0] = BaseName(path);
  PINKA_TRY_ASSIGN(Directives directives, ReadDirectives(work.script, path));
  work.fields = std::move(directives.fields);
  work.warnings = std::move(directives.warnings);
  return work;
}

// Adds up what the kernel adds up, and refuses the first string that is too large.
class Sizes {
 public:
  Status Add(const std::string& what, size_t bytes) {
    const auto size = static_cast<int64_t>(bytes);
    if (size > kLargestString) {
      return Invalid(what + " has " + std::to_string(size) + " bytes and may have at most " +
                     std::to_string(kLargestString) + "; put it into a file that the job reads");
    }
    constexpr int64_t kEach = 9;  // its end and the pointer to it
    total_ += size + kEach;
    return OkStatus();
  }
  Status Total() const {
    if (total_ <= kLargestTotal) return OkStatus();
    return Invalid("command and environment have " + std::to_string(total_) +
                   " bytes together and may have at most " + std::to_string(kLargestTotal) +
                   "; put large input into a file that the job reads");
  }

 private:
  int64_t total_ = 0;
};

Status CheckSizes(const SubmitFields& fields, const Work& work) {
  Sizes sizes;
  int number = 0;
  for (const std::string& argument : work.argv) {
    PINKA_TRY(sizes.Add("argument " + std::to_string(number++), argument.size()));
  }
  for (const EnvVar& var : fields.env) {
    PINKA_TRY(sizes.Add("variable " + var.name, var.name.size() + 1 + var.value.size()));
  }
  return sizes.Total();
}

Status CheckSweep(const SubmitFields& fields) {
  if (fields.sweep.empty()) return OkStatus();
  if (!fields.array.empty()) return Invalid("--sweep makes the tasks by itself; leave out --array");
  constexpr int64_t kMostTasks = 1'000'000;
  return CountSweep(fields.sweep, kMostTasks).status();
}

void FillShape(const SubmitFields& fields, v1::JobSpec* spec) {
  for (const std::string& tier : fields.tiers) spec->add_tiers(tier);
  spec->set_gpus(fields.gpus);
  spec->set_cpus(fields.cpus);
  spec->set_memory_bytes(fields.memory_bytes);
  spec->set_time_limit_ms(fields.time_ms);
  spec->set_grace_ms(fields.grace_ms);
  spec->set_signal(fields.signal);
  spec->set_checkpoint_every_ms(fields.checkpoint_every_ms);
  spec->set_array(fields.array);
  for (const SweepKey& key : fields.sweep) spec->add_sweep(FormatSweep(key));
}

void FillCourse(const SubmitFields& fields, v1::JobSpec* spec) {
  spec->set_dependency(fields.dependency);
  spec->set_keep_on_invalid_dep(fields.keep_on_invalid_dep);
  spec->set_night(fields.night);
  spec->set_source(fields.source);
  spec->set_max_cost(fields.max_cost);
  spec->set_max_rate(fields.max_rate);
  spec->set_need_cuda(fields.need_cuda);
  spec->set_retries(fields.retries);
  spec->set_no_requeue(fields.no_requeue);
  for (const int32_t code : fields.requeue_exit) spec->add_requeue_exit(code);
  spec->set_class_(fields.job_class);
  spec->set_nice(fields.nice);
  spec->set_project(fields.project);
  spec->set_name(fields.name);
  spec->set_comment(fields.comment);
  spec->set_skip_gate(fields.skip_gate);
  if (fields.workload) *spec->mutable_workload() = *fields.workload;
}

}  // namespace

StatusOr<Work> ReadWork(const std::vector<std::string>& rest, bool may_be_empty) {
  const bool is_command = !rest.empty() && rest[0] == "--";
  if (rest.size() <= (is_command ? 1u : 0u)) {
    if (may_be_empty) return Work{};
    return Invalid("nothing to run; write -- COMMAND ARG… or a SCRIPT behind the options");
  }
  if (!is_command) return ReadScript(rest);
  Work work;
  work.argv.assign(rest.begin() + 1, rest.end());
  if (work.argv[0].empty()) return Invalid("the command is an empty word");
  return work;
}

StatusOr<v1::JobSpec> BuildJobSpec(const SubmitFields& fields, const Work& work) {
  PINKA_TRY(CheckSizes(fields, work));
  PINKA_TRY(CheckSweep(fields));
  v1::JobSpec spec;
  for (const std::string& argument : work.argv) spec.add_argv(argument);
  spec.set_script(work.script);
  for (const EnvVar& var : fields.env) {
    v1::EnvVar* added = spec.add_env();
    added->set_name(var.name);
    added->set_value(var.value);
  }
  spec.set_chdir(fields.chdir);
  spec.set_output(fields.output);
  FillShape(fields, &spec);
  FillCourse(fields, &spec);
  return spec;
}

}  // namespace pinka::cli
