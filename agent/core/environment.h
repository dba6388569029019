// The environment a job starts with: clean, the same on every box but for the box's own facts, plus
// what its owner asked for, byte for byte. Names that say where and as what the job runs are the
// agent's and cannot be asked for: the tree of the job is found by them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

namespace pinka {

struct JobEnvironment {
  std::string home, user, lang, path;  // the box's
  std::string lab_run;
  AttemptId attempt;
  int32_t array_size = 0;  // 0: not an array
  int32_t restart_count = 0;
  std::string tier;
  int64_t time_limit_s = 0;
  std::vector<std::string> gpu_uuids;  // the attempt's
  std::vector<std::string> box_gpus;   // the box's, in PCI order
  std::string checkpoint_dir, output_dir, shared_dir, data_dir, notice_file;  // "": unset
  std::vector<std::string> asked;  // "NAME=value", payload first, then the point of a sweep
};

// "NAME=value", each name once, sorted by name.
std::vector<std::string> BuildEnvironment(const JobEnvironment& job);

// The same environment for a job that is confined to its `gpus` cards, which it then counts from 0;
// or for one that is not, and is told so.
std::vector<std::string> WithConfinedGpus(std::vector<std::string> env, size_t gpus, bool confined);

// Positions of `uuids` on the box, ascending: "0,2". Those that are not there are left out.
std::string GpuIndices(const std::vector<std::string>& uuids,
                       const std::vector<std::string>& box_gpus);

}  // namespace pinka
