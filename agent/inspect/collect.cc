#include "agent/inspect/collect.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "agent/hardware/parse_answer.h"
#include "agent/inspect/disk_speed.h"
#include "agent/inspect/run_program.h"
#include "base/file.h"
#include "base/text.h"

namespace pinka::inspect {
namespace {

using hardware::Run;
using Words = std::vector<std::string>;

constexpr size_t kMostFileBytes = 65'536;
constexpr Duration kNvccDeadline = Duration::Seconds(10);

// Few fields: one that a driver does not know fails the whole question.
const char kFields[] =
    "--query-gpu=index,uuid,name,pci.bus_id,memory.total,driver_version,mig.mode.current";
const char kBasicFields[] = "--query-gpu=index,uuid,name,pci.bus_id,memory.total,driver_version";

Run Ask(const Words& argv, Duration deadline) {
  Outcome outcome = RunProgram(argv, deadline);
  Run run;
  for (const std::string& word : argv) run.command += (run.command.empty() ? "" : " ") + word;
  run.text = std::move(outcome.output);
  run.status = outcome.status;
  run.timed_out = outcome.timed_out;
  run.took_ms = outcome.took.millis();
  return run;
}

bool ProvesCards(const Run& run) {
  if (run.timed_out) return false;
  const hardware::Answer answer = hardware::ParseAnswer(run.text);
  return hardware::Proves(answer.shape) && !answer.gpus.empty();
}

// The fullest answer first; less where that was not understood. A program that hangs once is not
// asked again. The plain call comes last: warnings ("infoROM is corrupted") stand only there.
void AskSmi(const Questions& questions, hardware::Evidence* evidence) {
  const Words full[] = {{questions.nvidia_smi, "-q", "-x"},
                        {questions.nvidia_smi, kFields, "--format=csv"},
                        {questions.nvidia_smi, kBasicFields, "--format=csv"},
                        {questions.nvidia_smi, "-L"}};
  for (const Words& argv : full) {
    evidence->smi.push_back(Ask(argv, questions.deadline));
    const Run& run = evidence->smi.back();
    if (run.timed_out || run.status == 127) return;
    if (ProvesCards(run)) break;
  }
  evidence->smi.push_back(Ask({questions.nvidia_smi}, questions.deadline));
}

std::string FirstFile(std::initializer_list<const char*> paths) {
  for (const char* path : paths) {
    StatusOr<std::string> text = ReadFile(path);
    if (text.ok()) return text->substr(0, kMostFileBytes);
  }
  return "";
}

std::string AskNvcc() {
  for (const char* program : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    const Run run = Ask({program, "--version"}, kNvccDeadline);
    if (run.status == 0 && !run.timed_out) return run.text.substr(0, kMostFileBytes);
  }
  return "";
}

}  // namespace

bool ProgramExists(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/bin:/bin" : path;
  for (size_t at = 0; at <= rest.size();) {
    const size_t end = std::min(rest.find(':', at), rest.size());
    if (access((rest.substr(at, end - at) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

hardware::Evidence Collect(const Questions& questions) {
  hardware::Evidence evidence;
  AskSmi(questions, &evidence);
  evidence.nvcc = AskNvcc();
  evidence.cuda_file = FirstFile({"/usr/local/cuda/version.json", "/usr/local/cuda/version.txt"});
  evidence.cudnn_header =
      FirstFile({"/usr/include/cudnn_version.h", "/usr/include/x86_64-linux-gnu/cudnn_version.h",
                 "/usr/local/cuda/include/cudnn_version.h"});
  if (!questions.disk.empty()) {
    evidence.disk_path = questions.disk;
    evidence.disk_bytes_per_s = DiskSpeed(questions.disk, questions.disk_bytes);
  }
  return evidence;
}

}  // namespace pinka::inspect
