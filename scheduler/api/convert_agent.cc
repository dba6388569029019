#include "scheduler/api/convert_agent.h"

#include <algorithm>
#include <limits>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/names.h"

namespace pinka::api {
namespace {

constexpr int kMostAttempts = 20'000;
constexpr int kMostGpus = 1'024;
constexpr size_t kMostIdBytes = 200;
constexpr int kMostMessageColumns = 500;
constexpr Duration kMostClockOff = Duration::Seconds(60);
constexpr size_t kMostEvidenceBytes = 100'000;

ObservedAttempt::State ConvertState(v1::ObservedAttempt::State state) {
  switch (state) {
    case v1::ObservedAttempt::ABSENT:
      return ObservedAttempt::State::kAbsent;
    case v1::ObservedAttempt::RUNNING:
      return ObservedAttempt::State::kRunning;
    case v1::ObservedAttempt::STOPPING:
      return ObservedAttempt::State::kStopping;
    case v1::ObservedAttempt::ENDED:
      return ObservedAttempt::State::kEnded;
    default:
      return ObservedAttempt::State::kStarting;
  }
}

StatusOr<ObservedAttempt> ConvertObserved(const v1::ObservedAttempt& seen) {
  ObservedAttempt out;
  StatusOr<AttemptId> id = ConvertAttempt(seen.name());
  if (!id.ok()) return id.status();
  if (seen.state() == v1::ObservedAttempt::STATE_UNSPECIFIED)
    return Invalid(fmt::format("attempt {} is reported without a state", ToString(*id)));
  out.id = *id;
  out.state = ConvertState(seen.state());
  out.metered_ms = std::max<int64_t>(seen.metered_ms(), 0);
  out.overrun_ms = std::clamp<int64_t>(seen.overrun_ms(), 0, out.metered_ms);
  out.log_bytes = std::max<int64_t>(seen.log_bytes(), 0);
  out.checkpoint_ms = std::clamp<int64_t>(seen.checkpoint_ms(), 0, out.metered_ms);
  // What never started tells why not in words of its own ("Cancel", "StartWithin"): for people.
  const bool ended = out.state == ObservedAttempt::State::kEnded;
  if (ended && !FromName(seen.end_reason(), &out.end_reason))
    return Invalid(fmt::format("attempt {} ended for an unknown reason", ToString(*id)));
  if (out.state == ObservedAttempt::State::kAbsent) FromName(seen.end_reason(), &out.end_reason);
  out.exited = seen.has_exit_code() || seen.has_signal();
  out.exit_code = seen.exit_code();
  out.signal = seen.signal();
  out.peak_memory = std::max<int64_t>(seen.peak_memory_bytes(), 0);
  out.peak_gpu_memory = std::max<int64_t>(seen.peak_gpu_memory_bytes(), 0);
  out.message = FitColumns(SanitizeForTerminal(seen.message()), kMostMessageColumns);
  out.survivors = seen.survivors();
  return out;
}

StatusOr<NodeFacts> ConvertFacts(const v1::NodeFacts& facts, const Board& board) {
  NodeFacts out;
  if (const Board::Tier* tier = FindTier(board, facts.tier())) out.tier = tier->row.id;
  if (facts.gpus_size() > kMostGpus) return Invalid("more GPUs than one node has");
  out.cpus = std::max(facts.cpus(), 0);
  out.memory = std::max<int64_t>(facts.memory_bytes(), 0);
  out.units = std::clamp(facts.units(), 0, 1'000'000);
  out.simulated = facts.simulated();
  out.cuda = std::clamp(facts.cuda(), 0, 100'000);
  for (const v1::GpuInfo& gpu : facts.gpus()) {
    if (!IsPrintableName(gpu.uuid(), kMostNameChars) ||
        !IsPrintableName(gpu.name(), kMostNameChars))
      return Invalid("a GPU's uuid and name are printable text");
    out.gpus.push_back({gpu.index(), gpu.uuid(), gpu.name(), gpu.memory_mib(),
                        FitColumns(SanitizeForTerminal(gpu.fault()), kMostMessageColumns)});
  }
  return out;
}

StatusOr<HardwareReport> ConvertHardware(const v1::HardwareReport& told) {
  HardwareReport out;
  static constexpr std::string_view kCauses[] = {"join", "demand", "random", "return"};
  if (std::ranges::find(kCauses, told.cause()) == std::end(kCauses))
    return Invalid("a check is made at joining, on demand, at random or on return");
  const bool known =
      told.verdict() >= v1::HardwareReport::OK && told.verdict() <= v1::HardwareReport::UNUSABLE;
  if (!known) return Invalid("a check has a verdict: OK, MISMATCH or UNUSABLE");
  if (told.id().empty() || !IsPrintableName(told.id(), kMostNameChars))
    return Invalid("a check has a short printable id");
  out.id = told.id();
  out.verdict = static_cast<HardwareVerdict>(told.verdict());
  out.cause = told.cause();
  out.demand = std::max<int64_t>(told.demand(), 0);
  out.why = FitColumns(SanitizeForTerminal(told.why()), kMostMessageColumns);
  out.evidence = SanitizeForTerminal(told.evidence().substr(0, kMostEvidenceBytes));
  if (out.why.empty()) out.why = "no reason given";
  return out;
}

Status CheckIds(const v1::SynchronizeRequest& request) {
  for (const std::string* id : {&request.instance(), &request.boot_id(), &request.lab_run()}) {
    if (id->size() > kMostIdBytes || !IsPrintableName(*id, static_cast<int>(kMostIdBytes)))
      return Invalid("instance, boot id and lab run are short printable ids");
  }
  if (request.instance().empty() || request.boot_id().empty())
    return Invalid("an agent names its instance and boot id");
  if (request.incarnation() < 0 || request.sequence() < 0)
    return Invalid("incarnation and sequence are not negative");
  return OkStatus();
}

// The word that the job's notice file gets.
const char* NoticeOf(StopReason reason) {
  switch (reason) {
    case StopReason::kNodeDrain:
      return "NodeDrain";
    case StopReason::kBudget:
      return "Budget";
    case StopReason::kPreempt:
      return "Preempt";
    case StopReason::kReclaim:
      return "SpotReclaim";
    case StopReason::kNone:
    case StopReason::kCancelByUser:
    case StopReason::kCancelByAdmin:
    case StopReason::kRequeue:
      return "Cancel";
  }
  return "Cancel";
}

void FillOrder(const NodeOrders::Order& order, v1::DesiredAttempt* out) {
  FillAttemptName(order.attempt.id, out->mutable_name());
  switch (order.attempt.want) {
    case Want::kRun:
      out->set_want(v1::DesiredAttempt::RUN);
      break;
    case Want::kStop:
      out->set_want(v1::DesiredAttempt::STOP);
      out->set_stop_reason(NoticeOf(order.attempt.stop_reason));
      break;
    case Want::kForget:
      out->set_want(v1::DesiredAttempt::FORGET);
      return;
  }
  out->set_payload(order.payload);
  out->set_time_limit_ms(order.attempt.time_limit.millis());
  out->set_grace_ms(order.attempt.grace.millis());
  out->set_start_within_ms(order.attempt.start_within.millis());
  out->set_gpus(order.gpus);
  for (const std::string& uuid : order.gpu_uuids) out->add_gpu_uuids(uuid);
  out->set_cpus(order.cpus);
  out->set_memory_bytes(order.memory);
  if (order.cut_by_budget) out->set_limit_reason("Budget");
  out->set_tier(order.tier);
  out->set_user(order.user);
  out->set_array_size(order.array_size);
  out->set_restart_count(order.restart_count);
  out->set_fence_ms(order.attempt.fence.millis());
}

}  // namespace

StatusOr<AttemptId> ConvertAttempt(const v1::AttemptName& name) {
  if (name.job_id() <= 0 || name.index() < 0 || name.number() <= 0)
    return Invalid("an attempt is named by a job, an index and a number");
  return AttemptId{JobId(name.job_id()), name.index(), name.number()};
}

void FillAttemptName(const AttemptId& id, v1::AttemptName* out) {
  out->set_job_id(id.job.value());
  out->set_index(id.index);
  out->set_number(id.number);
}

StatusOr<AgentReport> ConvertReport(const v1::SynchronizeRequest& request, const std::string& node,
                                    const Board& board) {
  if (Status s = CheckIds(request); !s.ok()) return s;
  if (request.attempts_size() > kMostAttempts) return Invalid("more attempts than a node can have");
  StatusOr<NodeFacts> facts = ConvertFacts(request.facts(), board);
  if (!facts.ok()) return facts.status();
  AgentReport report;
  report.node = node;
  report.instance = request.instance();
  report.incarnation = request.incarnation();
  report.boot_id = request.boot_id();
  report.lab_run = request.lab_run();
  report.facts = *std::move(facts);
  report.draining = request.draining();
  report.unfit = FitColumns(SanitizeForTerminal(request.unfit()), kMostMessageColumns);
  if (request.has_hardware()) {
    StatusOr<HardwareReport> hardware = ConvertHardware(request.hardware());
    if (!hardware.ok()) return hardware.status();
    report.hardware = *std::move(hardware);
  }
  for (const v1::ObservedAttempt& seen : request.attempts()) {
    StatusOr<ObservedAttempt> attempt = ConvertObserved(seen);
    if (!attempt.ok()) return attempt.status();
    report.attempts.push_back(*std::move(attempt));
  }
  return report;
}

std::string ClockTrouble(int64_t sent_at_us, Timestamp now) {
  if (sent_at_us <= 0) return "";
  const Duration off = Timestamp::Micros(sent_at_us) - now;
  const Duration amount = off < Duration() ? Duration() - off : off;
  if (amount <= kMostClockOff) return "";
  const int64_t minutes = (amount.seconds() + 30) / 60;
  return fmt::format("its clock is {} {}", FormatDuration(Duration::Minutes(minutes)),
                     off < Duration() ? "slow" : "fast");
}

void FillAnswer(const AgentBoard::Answer& answer, const std::vector<AttemptId>& unknown,
                v1::SynchronizeResponse* out) {
  out->set_term(answer.term);
  out->set_sequence(answer.sequence);
  out->set_lab_run(answer.lab_run);
  out->set_desired_version(answer.orders.version);
  out->set_drain(answer.orders.drain);
  out->set_verify(answer.orders.verify);
  for (const NodeOrders::Order& order : answer.orders.orders) FillOrder(order, out->add_attempts());
  for (const AttemptId& id : unknown) {
    const bool ordered = std::ranges::any_of(
        answer.orders.orders, [&](const NodeOrders::Order& o) { return o.attempt.id == id; });
    if (ordered) continue;
    v1::DesiredAttempt* forget = out->add_attempts();
    FillAttemptName(id, forget->mutable_name());
    forget->set_want(v1::DesiredAttempt::FORGET);
  }
}

}  // namespace pinka::api
