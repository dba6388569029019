// What was found out about a box, before anybody judges it: programs' answers as they came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pinka::hardware {

struct Run {
  std::string command;     // for people: "nvidia-smi -q -x"
  std::string text;        // standard output and standard error, cut to a bound
  int status = 0;          // 127: there is no such program; 128 + n: ended by a signal
  bool timed_out = false;  // did not end within its deadline; what it printed proves nothing
  int64_t took_ms = 0;
};

struct Evidence {
  std::vector<Run> smi;           // nvidia-smi, in the order asked
  std::string nvcc;               // of `nvcc --version`; "" where there is none
  std::string cuda_file;          // of /usr/local/cuda/version.txt or version.json
  std::string cudnn_header;       // of cudnn_version.h
  int64_t disk_bytes_per_s = -1;  // written and synced; < 0: not measured
  std::string disk_path;          // where
};

}  // namespace pinka::hardware
