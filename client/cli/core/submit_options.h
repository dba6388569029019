// The options of submit, run and quote, from the command line and from `#PINKA` lines alike.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/sweep.h"
#include "client/cli/core/env_vars.h"
#include "client/cli/core/options.h"
#include "pinka/v1/job.pb.h"

namespace pinka::cli {

// A job's name as it may be: UTF-8, 100 characters, nothing invisible.
StatusOr<std::string> CheckName(const std::string& text);

struct SubmitFields {
  std::vector<std::string> tiers;
  int32_t gpus = 0;  // 0 here and below: the tier's own
  int32_t cpus = 0;
  int64_t memory_bytes = 0;
  int64_t time_ms = 0;
  int64_t grace_ms = 0;
  std::string array;
  std::vector<SweepKey> sweep;
  std::string source;  // "": any
  int32_t retries = 0;
  bool no_requeue = false;
  std::vector<int32_t> requeue_exit;
  v1::JobSpec::Class job_class = v1::JobSpec::CLASS_UNSPECIFIED;
  int32_t nice = 0;
  std::string project;
  std::string max_cost;  // as the wire has it; "": no ceiling
  std::string max_rate;
  std::string name;
  std::string comment;
  std::string output;
  std::string chdir;
  std::string workdir;  // as typed; "": the default, "none": no files go along
  std::string dependency;
  bool keep_on_invalid_dep = false;
  std::string begin;  // as typed: the lab's zone reads it
  bool night = false;
  std::string deadline;
  std::vector<EnvVar> env;
  int64_t checkpoint_every_ms = 0;  // 0: never
  std::string need_cuda;
  std::string signal;  // the warning before the end; "": USR2@2m
  std::string request_id;
  std::string skip_gate;
  std::optional<v1::Workload> workload;  // what it trains
  bool wait = false;
  bool quiet = false;
  bool yes = false;
};

// One place where options stand. What it reads is kept as changes, so that a command line can be
// laid over what a script says: flags win, environments merge by name.
class SubmitLine {
 public:
  // `this` must outlive the parsing of `options`.
  void Declare(Options& options);
  void ApplyOver(SubmitFields* below) const;

 private:
  using Change = std::function<void(SubmitFields&)>;
  // What a value means, or why it is refused.
  using Reading = std::function<StatusOr<Change>(const std::string&)>;
  void Value(Options& options, const std::string& names, const std::string& value_name,
             const std::string& help, Reading read);
  void Text(Options& options, const std::string& names, const std::string& value_name,
            const std::string& help, std::string SubmitFields::*to);
  void Int(Options& options, const std::string& names, const std::string& value_name,
           const std::string& help, int64_t min, int64_t max, int32_t SubmitFields::*to);
  void Span(Options& options, const std::string& names, const std::string& help,
            int64_t SubmitFields::*to);
  void Ceiling(Options& options, const std::string& names, const std::string& help,
               std::string SubmitFields::*to);
  void Flag(Options& options, const std::string& names, const std::string& help,
            bool SubmitFields::*to);
  void DeclareShape(Options& options);
  void DeclareEnvironment(Options& options);
  void DeclareTimes(Options& options);
  void DeclareCourse(Options& options);

  std::vector<Change> changes_;
};

}  // namespace pinka::cli
