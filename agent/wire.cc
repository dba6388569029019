#include "agent/wire.h"

#include "base/text.h"

namespace pinka {
namespace {

using Wire = v1::ObservedAttempt;

Wire::State StateOf(const Observation& seen) {
  switch (seen.record.phase) {
    case Record::Phase::kOrdered:
    case Record::Phase::kStarting:
      return Wire::STARTING;
    case Record::Phase::kRunning:
      return Wire::RUNNING;
    case Record::Phase::kLost:  // as it was, until it is buried and its end is known
      return seen.started_at_us != 0 ? Wire::RUNNING : Wire::STARTING;
    case Record::Phase::kStopping:
      return Wire::STOPPING;
    case Record::Phase::kEnded:  // once the next attempt can find what this one wrote
      return seen.record.files_done ? Wire::ENDED : Wire::STOPPING;
    case Record::Phase::kAbsent:
      return Wire::ABSENT;
  }
  return Wire::STATE_UNSPECIFIED;
}

// Exit 85 is "checkpoint written, run me again": it counts only with a checkpoint.
constexpr int kRunMeAgain = 85;

bool AsksToRunAgain(const Exit& exit) {
  return exit.reason == "Exited" && exit.code == kRunMeAgain;
}

std::string MessageOf(const Observation& seen) {
  std::string message = seen.exit.message;
  if (AsksToRunAgain(seen.exit) && seen.generations == 0)
    message = "exit 85 asks to run again and counts only with a new checkpoint generation";
  if (seen.files_message.empty()) return message;
  return (message.empty() ? "" : message + "; ") + "files not kept: " + seen.files_message;
}

// A proto3 string must be UTF-8; a program's name need not be.
std::string Text(const std::string& bytes) {
  return IsValidUtf8(bytes) ? bytes : SanitizeForTerminal(bytes);
}

std::optional<Desired::Want> WantOf(v1::DesiredAttempt::Want want) {
  if (want == v1::DesiredAttempt::RUN) return Desired::Want::kRun;
  if (want == v1::DesiredAttempt::STOP) return Desired::Want::kStop;
  if (want == v1::DesiredAttempt::FORGET) return Desired::Want::kForget;
  return std::nullopt;
}

}  // namespace

v1::AttemptName ToWire(const AttemptId& id) {
  v1::AttemptName name;
  name.set_job_id(id.job.value());
  name.set_index(id.index);
  name.set_number(id.number);
  return name;
}

AttemptId FromWire(const v1::AttemptName& name) {
  return {.job = JobId(name.job_id()), .index = name.index(), .number = name.number()};
}

v1::NodeFacts ToWire(const Box& box) {
  v1::NodeFacts facts;
  facts.set_tier(box.tier);
  facts.set_cpus(box.cpus);
  facts.set_memory_bytes(box.memory_bytes);
  facts.set_simulated(box.simulated);
  facts.set_agent_version("0.1.0");
  facts.set_hostname(box.hostname);
  facts.set_units(box.units);
  int32_t index = 0;
  for (const Gpu& gpu : box.gpus) {
    v1::GpuInfo* info = facts.add_gpus();
    info->set_index(index++);
    info->set_uuid(gpu.uuid);
    info->set_name(gpu.name);
    info->set_memory_mib(gpu.memory_mib);
  }
  return facts;
}

v1::ObservedAttempt ToWire(const Observation& seen) {
  Wire wire;
  *wire.mutable_name() = ToWire(seen.record.attempt);
  wire.set_state(StateOf(seen));
  wire.set_metered_ms(seen.metered_ms);
  wire.set_log_bytes(seen.log_bytes);
  wire.set_peak_memory_bytes(seen.peak_memory);
  wire.set_peak_gpu_memory_bytes(seen.peak_gpu_memory);
  wire.set_started_at_us(seen.started_at_us);
  wire.set_checkpoint_ms(seen.checkpoint_ms);
  if (wire.state() != Wire::ENDED && wire.state() != Wire::ABSENT) return wire;
  const Exit& exit = seen.exit;
  bool again = AsksToRunAgain(exit) && seen.generations > 0;
  wire.set_end_reason(again ? "RunAgain" : Text(exit.reason));
  if (exit.code) wire.set_exit_code(*exit.code);
  if (exit.signal) wire.set_signal(*exit.signal);
  wire.set_message(Text(MessageOf(seen)));
  wire.set_ended_at_us(exit.at_us);
  wire.set_survivors(exit.survivors);
  wire.set_overrun_ms(exit.overrun_ms);
  return wire;
}

Answer FromWire(const v1::SynchronizeResponse& response, Duration request_sent_at) {
  Answer answer{.lab_run = response.lab_run(), .attempts = {}, .request_sent_at = request_sent_at};
  for (const v1::DesiredAttempt& line : response.attempts()) {
    std::optional<Desired::Want> want = WantOf(line.want());
    if (!want) continue;
    answer.attempts.push_back(
        {.attempt = FromWire(line.name()),
         .want = *want,
         .stop_reason = line.stop_reason().empty() ? "Cancel" : line.stop_reason(),
         .grace = Duration::Millis(line.grace_ms()),
         .lead = Duration::Millis(line.stop_lead_ms()),
         .start_within = Duration::Millis(line.start_within_ms()),
         .gpu_uuids = {line.gpu_uuids().begin(), line.gpu_uuids().end()}});
  }
  return answer;
}

}  // namespace pinka
