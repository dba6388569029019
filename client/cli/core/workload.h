// The options that describe a piece of work to `pinka advise`.
#pragma once

#include <string>

#include "base/status.h"
#include "client/cli/core/options.h"
#include "pinka/v1/advice.pb.h"

namespace pinka::cli {

struct WorkloadOptions {
  std::string model;
  std::string config;
  std::string params;  // "110M", "7B"
  std::string method;
  std::string precision;
  std::string optimizer;
  std::string batch;
  std::string tokens;
  std::string image;
  std::string cards;
  std::string zero;
  bool checkpointing = false;
  bool flash = false;
  bool compiled = false;
  bool chunked_loss = false;
  bool offload = false;
  bool loads_whole = false;
};

void DeclareWorkload(Options& options, WorkloadOptions* to);
// Reads the file that --config names.
StatusOr<v1::Workload> WorkloadOf(const WorkloadOptions& options);
// The same in one word of submit: "bert-large batch=32 tokens=512 precision=amp flash".
StatusOr<v1::Workload> ParseWorkload(const std::string& text);

}  // namespace pinka::cli
