#include "scheduler/sim/box.h"

#include <algorithm>

#include "fmt/format.h"

namespace pinka::sim {
namespace {

using Phase = Record::Phase;
constexpr Duration kMeterEvery = Duration::Seconds(10);  // what a supervisor makes durable

Desired DesiredOf(const NodeOrders::Order& order) {
  Desired d;
  d.attempt = order.attempt.id;
  switch (order.attempt.want) {
    case Want::kRun:
      d.want = Desired::Want::kRun;
      break;
    case Want::kStop:
      d.want = Desired::Want::kStop;
      break;
    case Want::kForget:
      d.want = Desired::Want::kForget;
      break;
  }
  d.stop_reason = std::string(Name(order.attempt.stop_reason));
  d.grace = order.attempt.grace;
  d.start_within = order.attempt.start_within;
  d.gpu_uuids = order.gpu_uuids;
  return d;
}

ObservedAttempt::State Observed(Phase phase) {
  using S = ObservedAttempt::State;
  switch (phase) {
    case Phase::kOrdered:
    case Phase::kStarting:
      return S::kStarting;
    case Phase::kRunning:
    case Phase::kLost:  // until it is buried
      return S::kRunning;
    case Phase::kStopping:
      return S::kStopping;
    case Phase::kEnded:
      return S::kEnded;
    case Phase::kAbsent:
      return S::kAbsent;
  }
  return S::kStarting;
}

EndReason EndOfStop(const std::string& reason) {
  if (reason == Name(StopReason::kNodeDrain)) return EndReason::kNodeDrain;
  if (reason == Name(StopReason::kCancelByAdmin)) return EndReason::kCancelledByAdmin;
  if (reason == "Withdrawn") return EndReason::kWithdrawn;
  return EndReason::kCancelledByUser;
}

}  // namespace

void Truth::Exec(const AttemptId& id, Timestamp now) {
  const TaskId task{id.job, id.index};
  if (const auto other = running_.find(task); other != running_.end()) {
    violations.push_back(
        fmt::format("{} begins while {} runs", ToString(id), ToString(other->second)));
  }
  if (!began_.emplace(id, now).second)
    violations.push_back(fmt::format("{} begins twice", ToString(id)));
  running_[task] = id;
}

void Truth::Over(const AttemptId& id, Timestamp now) {
  auto it = running_.find({id.job, id.index});
  if (it == running_.end() || it->second != id) return;
  running_.erase(it);
  ran_[id] = now - began_.at(id);
}

Duration Truth::Ran(const AttemptId& id) const {
  const auto it = ran_.find(id);
  return it == ran_.end() ? Duration() : it->second;
}

Box::Box(EventHeap& heap, Chance& chance, Network& network, SchedulerHost& scheduler, Truth& truth,
         std::string name, NodeFacts facts)
    : heap_(heap),
      chance_(chance),
      network_(network),
      scheduler_(scheduler),
      truth_(truth),
      name_(std::move(name)),
      facts_(std::move(facts)) {
  for (const Gpu& gpu : facts_.gpus) gpu_uuids_.insert(gpu.uuid);
}

void Box::Later(Duration span, std::function<void()> what) {
  heap_.After(span, [this, boot = boot_, what = std::move(what)] {
    if (boot == boot_) what();
  });
}

void Box::Start() {
  ++boot_;
  disk_full_ = false;
  booted_at_ = heap_.now();
  heartbeat_ = {};
  StartAgent();
}

void Box::StartAgent() {
  agent_up_ = true;
  ++incarnation_;
  sequence_ = 0;
  answer_.reset();
  SyncLoop(++agent_life_);
}

void Box::CrashAgent() {
  if (!agent_up_) return;
  agent_up_ = false;
  ++agent_life_;
  Later(chance_.Upto(Duration::Minutes(3)), [this] {
    if (!agent_up_) StartAgent();
  });
}

void Box::CrashMachine() {
  for (auto& [id, job] : records_) {
    if (job.record.Over() || job.record.phase == Phase::kOrdered) continue;
    truth_.Over(id, heap_.now());
    job.record.phase = Phase::kLost;
  }
  agent_up_ = false;
  ++agent_life_;
  ++boot_;
  const bool long_gone = chance_.Percent(15);
  const Duration off = chance_.Upto(long_gone ? Duration::Hours(8) : Duration::Minutes(10));
  Later(off, [this] { Start(); });
}

void Box::CrashSupervisor() {
  for (auto& [id, job] : records_) {
    const bool lives = job.record.phase == Phase::kRunning || job.record.phase == Phase::kStopping;
    if (!lives || chance_.Percent(50)) continue;
    job.record.phase = Phase::kLost;  // its processes go on until the agent buries it
    return;
  }
}

void Box::FillDisk() {
  disk_full_ = true;
  std::vector<AttemptId> met;
  for (const auto& [id, job] : records_) {
    if (job.record.phase == Phase::kRunning && chance_.Percent(50)) met.push_back(id);
  }
  for (const AttemptId& id : met) Finish(id, EndReason::kDiskFull, false, 0);
  Later(chance_.Upto(Duration::Minutes(20)), [this] { disk_full_ = false; });
}

void Box::SyncLoop(int64_t agent_life) {
  if (agent_life != agent_life_ || !agent_up_) return;
  Act();
  SendSync();
  Later(Duration::Seconds(1) + chance_.Upto(Duration::Seconds(24)),
        [this, agent_life] { SyncLoop(agent_life); });
}

AgentReport Box::Report() const {
  AgentReport report;
  report.node = name_;
  report.instance = "instance of " + name_;
  report.incarnation = incarnation_;
  report.boot_id = fmt::format("boot {}", boot_);
  report.lab_run = lab_run_;
  report.facts = facts_;
  report.unfit = disk_full_ ? "its disk has no room left" : "";
  for (const auto& [id, job] : records_) {
    ObservedAttempt seen = job.seen;
    seen.id = id;
    seen.state = Observed(job.record.phase);
    const bool runs = job.record.phase == Phase::kRunning || job.record.phase == Phase::kStopping;
    if (runs) seen.metered_ms = (heap_.now() - job.exec_at).millis();
    report.attempts.push_back(std::move(seen));
  }
  return report;
}

void Box::SendSync() {
  SyncRequest request{Report(), ++sequence_, Boottime()};
  network_.Send([this, request, life = agent_life_] {
    scheduler_.Synchronize(request, [this, life](const SyncAnswer& answer) {
      network_.Send([this, life, answer] {
        if (life == agent_life_ && agent_up_) Hear(answer);
      });
    });
  });
}

void Box::Hear(const SyncAnswer& answer) {
  if (!fence_.Admit(answer.lab_run, answer.term, answer.sequence)) return;
  lab_run_ = answer.lab_run;
  heartbeat_ = std::max(heartbeat_, answer.request_sent_at);
  answer_.emplace();
  answer_->lab_run = answer.lab_run;
  answer_->request_sent_at = answer.request_sent_at;
  orders_.clear();
  for (const NodeOrders::Order& order : answer.orders.orders) {
    answer_->attempts.push_back(DesiredOf(order));
    orders_[order.attempt.id] = order;
  }
  Act();
}

void Box::Act() {
  std::vector<Record> records;
  for (const auto& [id, job] : records_) records.push_back(job.record);
  Situation situation;
  situation.now = heap_.now();
  situation.boottime = Boottime();
  situation.gpu_uuids = gpu_uuids_;
  situation.unfit = disk_full_;
  const Answer* answer = answer_ ? &*answer_ : nullptr;
  for (const Action& action : Reconcile(answer, records, situation)) Do(action);
}

void Box::Do(const Action& action) {
  const AttemptId& id = action.attempt;
  switch (action.kind) {
    case Action::Kind::kLaunch:
      return Launch(id, action.start_by);
    case Action::Kind::kRefuse: {
      Job& job = records_[id];
      job.record.lab_run = action.lab_run;
      job.record.attempt = id;
      job.record.phase = Phase::kAbsent;
      job.seen.message = action.reason;
      return;
    }
    case Action::Kind::kStop:
      return Stop(id, action.reason, action.grace);
    case Action::Kind::kBury:
      return Bury(id);
    case Action::Kind::kForget:
      records_.erase(id);
      return;
  }
}

void Box::Launch(const AttemptId& id, Duration start_by) {
  const NodeOrders::Order& order = orders_.at(id);
  Job& job = records_[id];
  job.record.lab_run = answer_->lab_run;
  job.record.attempt = id;
  job.record.phase = Phase::kStarting;
  job.record.gpu_uuids = order.gpu_uuids;
  job.time_limit = order.attempt.time_limit;
  job.grace = order.attempt.grace;
  job.start_by = start_by;
  job.fence = order.attempt.fence;
  Later(chance_.Upto(Duration::Seconds(20)), [this, id] { Exec(id); });
}

// The supervisor's part: refused late, else the job begins.
void Box::Exec(const AttemptId& id) {
  auto it = records_.find(id);
  if (it == records_.end() || it->second.record.phase != Phase::kStarting) return;
  Job& job = it->second;
  const bool late = job.start_by > Duration() && Boottime() > job.start_by;
  if (late || FenceCrossed(job)) {
    job.record.phase = Phase::kAbsent;
    return;
  }
  if (chance_.Fault(chance_.faults.bad_start))
    return Finish(id, EndReason::kLaunchFailed, false, 0);
  truth_.Exec(id, heap_.now());
  job.exec_at = heap_.now();
  job.record.phase = Phase::kRunning;
  if (job.fence > Duration()) WatchFence(id);
  const Duration work =
      chance_.Upto(chance_.Percent(30) ? Duration::Hours(3) : Duration::Minutes(20));
  const int code = chance_.Percent(80) ? 0 : static_cast<int>(chance_.Between(1, 3));
  if (work < job.time_limit) {
    Later(work, [this, id, code] { Finish(id, EndReason::kExited, true, code); });
  } else {
    Later(job.time_limit, [this, id] { Finish(id, EndReason::kTimeLimit, false, 0); });
  }
}

bool Box::FenceCrossed(const Job& job) const {
  return job.fence > Duration() && Boottime() >= heartbeat_ + job.fence;
}

// The supervisor's part: it ends its job alone when nobody has answered for too long.
void Box::WatchFence(const AttemptId& id) {
  auto it = records_.find(id);
  if (it == records_.end() || it->second.record.phase != Phase::kRunning) return;
  Job& job = it->second;
  if (!FenceCrossed(job)) {
    Later(heartbeat_ + job.fence - Boottime(), [this, id] { WatchFence(id); });
    return;
  }
  job.record.phase = Phase::kStopping;
  Later(chance_.Upto(job.grace), [this, id] { Finish(id, EndReason::kNodeLost, false, 0); });
}

void Box::Stop(const AttemptId& id, const std::string& reason, Duration grace) {
  Job& job = records_.at(id);
  job.record.stop_asked = reason;
  job.record.stop_asked_within = grace;
  if (job.record.phase == Phase::kStarting) {
    job.record.phase = Phase::kAbsent;  // before exec: it never runs
    return;
  }
  job.record.phase = Phase::kStopping;
  Later(chance_.Upto(grace), [this, id, reason] { Finish(id, EndOfStop(reason), false, 0); });
}

void Box::Finish(const AttemptId& id, EndReason reason, bool exited, int code) {
  auto it = records_.find(id);
  if (it == records_.end()) return;
  Job& job = it->second;
  if (job.record.Over() || job.record.phase == Phase::kLost) return;
  const bool ran = job.record.phase == Phase::kRunning || job.record.phase == Phase::kStopping;
  truth_.Over(id, heap_.now());
  job.record.phase = Phase::kEnded;
  job.record.ended_at = heap_.now();
  job.record.log_done = true;
  job.seen.end_reason = reason;
  job.seen.exited = exited;
  job.seen.exit_code = code;
  job.seen.metered_ms = ran ? (heap_.now() - job.exec_at).millis() : 0;
}

// Kills what is left and writes the end, with the meter that was durable.
void Box::Bury(const AttemptId& id) {
  Job& job = records_.at(id);
  truth_.Over(id, heap_.now());
  job.record.phase = Phase::kEnded;
  job.record.ended_at = heap_.now();
  job.record.log_done = true;
  job.seen.end_reason = EndReason::kSupervisorLost;
  const Duration ran = truth_.Ran(id);
  job.seen.metered_ms =
      Duration::Micros(ran.micros() / kMeterEvery.micros() * kMeterEvery.micros()).millis();
}

}  // namespace pinka::sim
