#include "scheduler/api/convert_job.h"

#include <algorithm>
#include <vector>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"
#include "pinka/v1/agent.pb.h"
#include "scheduler/api/convert_sweep.h"
#include "scheduler/api/forms.h"
#include "scheduler/core/timeline.h"
#include "scheduler/core/waits.h"

namespace pinka::api {
namespace {

// Why it waits, or what ended it.
void FillReason(const db::JobLine& line, const Board& board, v1::Job* out) {
  const auto waiting = board.waiting.find(line.id.value());
  if (IsWaiting(line.state) && waiting != board.waiting.end()) {
    const Waiting& w = waiting->second;
    out->set_reason(std::string(Name(w.reason)));
    out->set_reason_text(w.text.empty() ? fmt::format("{} ahead", w.position - 1) : w.text);
    out->set_position(w.position);
    SetTime(w.expected_start, [&] { return out->mutable_expected_start_at(); });
  } else if (line.state == TaskState::kHeld) {
    out->set_reason(std::string(Name(line.hold_reason)));
  } else if (line.state == TaskState::kCancelled && line.waits_on.starts_with('!')) {
    out->set_reason("DependencyNeverSatisfied");
    if (const auto waits = ParseWaits(line.waits_on); waits.ok())
      out->set_reason_text(NeverInWords(*waits));
  } else if (line.state == TaskState::kDeadline) {
    out->set_reason("Deadline");
    out->set_reason_text("it was too late to start it: it could not have ended by its deadline");
  } else if (IsTerminal(line.state) && line.state != TaskState::kCompleted) {
    if (line.end_reason == EndReason::kNone) return;
    out->set_reason(std::string(Name(line.end_reason)));
    out->set_reason_text(std::string(RuleOf(line.end_reason).text));
  }
}

template <class Row, class Message>
void FillExit(const Row& row, Message* out) {
  if (!row.exited) return;
  out->set_exit_code(row.exit_code);
  out->set_signal(row.signal);
}

void AddPhase(const char* name, Timestamp from, Timestamp to, std::string payer, v1::Attempt* out) {
  if (!from) return;
  v1::Phase* phase = out->add_phases();
  phase->set_name(name);
  SetTime(from, [&] { return phase->mutable_started_at(); });
  SetTime(to, [&] { return phase->mutable_ended_at(); });
  phase->set_payer(std::move(payer));
}

void FillWork(const db::AttemptDetail& detail, const std::string& member, v1::Attempt* out) {
  const AttemptRow& row = detail.row;
  // A run may be over before anybody heard that it had begun: then its meter says how long it was.
  Timestamp started = row.started_at;
  if (!started && row.ended_at && row.metered_ms > 0)
    started = std::max(row.ended_at - Duration::Millis(row.metered_ms), row.ordered_at);
  AddPhase("staging", row.ordered_at, started ? started : row.ended_at, "lab", out);
  if (!started) return;
  // What the lab pays after a checkpoint has a phase of its own.
  const auto paid = [&](bool by_lab) {
    return std::ranges::any_of(detail.payers, [&](const db::PayerShare& share) {
      return (share.payer == "lab") == by_lab && share.amount > Money();
    });
  };
  const bool ended = row.state == AttemptState::kEnded;
  const bool by_lab = detail.payers.empty() ? RuleOf(row.end_reason).payer == Payer::kLab
                                            : paid(true) && !paid(false);
  if (ended && by_lab) return AddPhase("run", started, row.ended_at, "lab", out);
  const bool saved = ended && paid(true) && row.overrun_ms == 0 && row.checkpoint_ms > 0 &&
                     RuleOf(row.end_reason).payer != Payer::kMember;
  const Timestamp kept = started + Duration::Millis(row.checkpoint_ms);
  AddPhase("run", started, saved ? std::min(kept, row.ended_at) : row.ended_at, member, out);
  if (saved && kept < row.ended_at) AddPhase("lost", kept, row.ended_at, "lab", out);
}

// The meter runs from exec to the end of the tree; what is before and after it is the lab's.
// `queued_at`: since when the task could have had this attempt.
void FillPhases(const db::AttemptDetail& detail, const std::string& member, Timestamp queued_at,
                v1::Attempt* out) {
  const AttemptRow& row = detail.row;
  AddPhase("queue", queued_at, row.ordered_at, "nobody", out);
  FillWork(detail, member, out);
  const bool sent = row.metered_ms > 0 && row.ended_at && row.uploaded_at != row.ended_at;
  if (sent) AddPhase("upload", row.ended_at, row.uploaded_at, "lab", out);
}

void FillAttempt(const db::AttemptDetail& detail, const View& view, const std::string& member,
                 Timestamp queued_at, v1::Attempt* out) {
  const AttemptRow& row = detail.row;
  out->set_number(row.id.number);
  out->set_node(detail.node);
  out->set_state(ToProto(row.state));
  out->set_end_reason(std::string(Name(row.end_reason)));
  FillExit(row, out);
  SetTime(row.ordered_at, [&] { return out->mutable_ordered_at(); });
  SetTime(row.started_at, [&] { return out->mutable_started_at(); });
  SetTime(row.ended_at, [&] { return out->mutable_ended_at(); });
  FillPhases(detail, member, queued_at, out);
  out->set_metered_ms(row.metered_ms);
  out->set_log_bytes(row.log_bytes);
  out->set_peak_memory_bytes(row.peak_memory);
  out->set_peak_gpu_memory_bytes(row.peak_gpu_memory);
  out->set_checkpoint_ms(row.checkpoint_ms);
  if (view.Sees(JobPart::kText)) out->set_message(SanitizeForTerminal(row.message));
  for (const std::string& uuid : detail.gpu_uuids) out->add_gpu_uuids(uuid);
  if (!view.Sees(JobPart::kMoney)) return;
  out->set_source(std::string(Name(row.source)));
  out->set_package_id(detail.package);
  out->set_rate(WireRate(row.rate));
  out->set_held(FormatWireMoney(detail.held));
  out->set_charged(FormatWireMoney(detail.charged));
  for (const db::PayerShare& share : detail.payers) {
    v1::PayerShare* payer = out->add_payers();
    payer->set_payer(share.payer);
    payer->set_amount(FormatWireMoney(share.amount));
  }
}

std::vector<std::string> Argv(const v1::Payload& payload) {
  return {payload.argv().begin(), payload.argv().end()};
}

}  // namespace

v1::TaskState::Value ToProto(TaskState state) {
  return static_cast<v1::TaskState::Value>(static_cast<int>(state) + 1);
}

v1::AttemptState::Value ToProto(AttemptState state) {
  return static_cast<v1::AttemptState::Value>(static_cast<int>(state) + 1);
}

void FillJob(const db::JobLine& line, const View& view, const Board& board, v1::Job* out) {
  out->set_id(line.id.value());
  out->set_user(line.user);
  out->set_tier(line.tier);
  out->set_gpus(line.gpus);
  out->set_units(line.units);
  out->set_cpus(line.cpus);
  out->set_memory_bytes(line.memory);
  out->set_state(ToProto(line.state));
  out->set_time_limit_ms(line.time_limit.millis());
  out->set_task_count(line.task_count);
  out->set_simulated(line.simulated ? "simulated" : "");
  SetTime(line.submitted_at, [&] { return out->mutable_submitted_at(); });
  SetTime(line.ended_at, [&] { return out->mutable_ended_at(); });
  SetTime(line.begin_at, [&] { return out->mutable_begin_at(); });
  SetTime(line.deadline, [&] { return out->mutable_deadline_at(); });
  out->set_night(line.night);
  FillReason(line, board, out);
  for (size_t i = 0; i < line.counts.size(); ++i) {
    if (line.counts[i] == 0) continue;
    (*out->mutable_task_states())[std::string(Name(static_cast<TaskState>(i)))] = line.counts[i];
  }
  if (view.Sees(JobPart::kText)) {
    out->set_name(line.name);
    out->set_comment(line.comment);
    out->set_array(line.array);
    out->set_project(line.project);
    out->set_dependency(line.dependency);
    if (!IsTerminal(line.state)) out->set_waits_on(line.waits_on);
  } else if (out->reason() == Name(Reason::kBudget) ||
             out->reason() == Name(Reason::kPackagePortion) ||
             out->reason() == Name(Reason::kPriceAboveCap)) {
    out->clear_reason_text();  // it names amounts
  }
  if (view.Sees(JobPart::kCommand)) out->set_chdir(line.chdir);
  if (view.Sees(JobPart::kMoney)) {
    out->set_source(std::string(Name(line.source)));
    out->set_charged(FormatWireMoney(line.charged));
    out->set_committed(FormatWireMoney(line.committed));
  }
}

void FillJobDetail(const db::JobDetail& detail, const View& view, const Board& board,
                   v1::Job* out) {
  FillJob(detail.line, view, board, out);
  if (view.Sees(JobPart::kCommand)) out->set_code(detail.row.code);
  if (detail.row.need_cuda > 0) out->set_need_cuda(PrintCuda(detail.row.need_cuda));
  if (view.Sees(JobPart::kMoney)) {
    if (detail.row.max_cost > Money()) out->set_max_cost(FormatWireMoney(detail.row.max_cost));
    if (detail.row.max_rate > Rate()) out->set_max_rate(WireRate(detail.row.max_rate));
  }
  auto attempt = detail.attempts.begin();
  for (const TaskRow& row : detail.tasks) {
    v1::Task* task = out->add_tasks();
    task->set_id(ToString(row.id));
    task->set_state(ToProto(row.state));
    FillExit(row, task);
    Timestamp queued_at = std::max(detail.row.submitted_at, detail.row.eligible_at);
    for (; attempt != detail.attempts.end() && attempt->row.id.index <= row.id.index; ++attempt) {
      if (attempt->row.id.index != row.id.index) continue;
      FillAttempt(*attempt, view, detail.line.user, queued_at, task->add_attempts());
      queued_at = attempt->row.ended_at;  // from there on it waited for the next
    }
  }
  // A plain job always has its one task, also before there is a row of it.
  if (out->tasks().empty() && detail.line.array.empty()) {
    v1::Task* task = out->add_tasks();
    task->set_id(ToString(TaskId{detail.line.id, 0}));
    task->set_state(ToProto(detail.line.state));
  }
}

void FillCheckpoints(const std::vector<FileSetRow>& sets, v1::Job* out) {
  for (v1::Task& task : *out->mutable_tasks()) {
    for (v1::Attempt& attempt : *task.mutable_attempts()) {
      for (const FileSetRow& set : sets) {
        const bool its = set.kind == FileKind::kCheckpoint &&
                         set.attempt.number == attempt.number() &&
                         ToString(TaskId{set.attempt.job, set.attempt.index}) == task.id();
        if (its) attempt.add_checkpoints(set.generation);
      }
    }
  }
}

void FillPayload(const std::string& bytes, const View& view, bool values, v1::Job* out) {
  v1::Payload payload;
  if (!view.Sees(JobPart::kCommand) || !payload.ParseFromString(bytes)) return;
  *out->mutable_argv() = payload.argv();
  out->set_command(ShellQuote(Argv(payload)));
  if (!IsValidUtf8(out->command())) out->clear_command();
  for (const SweepKey& key : SweepOf(payload)) out->add_sweep(FormatSweep(key));
  out->set_signal(payload.signal());
  const bool show_values = values && view.Sees(JobPart::kEnv);
  for (const std::string& line : payload.env()) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    out->add_env_names(line.substr(0, equals));
    if (!show_values) continue;
    v1::EnvVar* var = out->add_env();
    var->set_name(line.substr(0, equals));
    var->set_value(line.substr(equals + 1));
  }
}

bool SpecFromPayload(const std::string& bytes, v1::JobSpec* out) {
  v1::Payload payload;
  if (!payload.ParseFromString(bytes)) return false;
  *out->mutable_argv() = payload.argv();
  out->set_script(payload.script());
  out->set_chdir(payload.chdir());
  out->set_signal(payload.signal());
  out->set_code(payload.code());
  out->set_code_dir(payload.code_dir());
  out->set_checkpoint_every_ms(payload.checkpoint_every_ms());
  for (const SweepKey& key : SweepOf(payload)) out->add_sweep(FormatSweep(key));
  if (out->sweep_size() > 0) out->clear_array();  // the grid makes it again
  for (const std::string& line : payload.env()) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos) return false;
    v1::EnvVar* var = out->add_env();
    var->set_name(line.substr(0, equals));
    var->set_value(line.substr(equals + 1));
  }
  return true;
}

}  // namespace pinka::api
