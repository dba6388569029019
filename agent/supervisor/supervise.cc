#include "agent/supervisor/supervise.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <utility>

#include "agent/core/environment.h"
#include "agent/process/devices.h"
#include "agent/process/kill_point.h"
#include "agent/process/limits.h"
#include "agent/supervisor/notice.h"
#include "agent/supervisor/spawn.h"

namespace pinka {
namespace {

constexpr Duration kMeterEvery = Duration::Seconds(5);
constexpr Duration kPokeEvery = Duration::Millis(100);  // of a growing log
constexpr Duration kLookAgain = Duration::Millis(20);   // while killing, or at escaped processes
constexpr Duration kKillPatience = Duration::Seconds(10);
constexpr Duration kGuardEvery = Duration::Seconds(1);
constexpr int kWriteAgainMs = 1'000;

Fd OpenSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopPlan::Limits LimitsOf(const Order& order, const WarningSignal& warning) {
  return {.time_limit = Duration::Millis(order.time_limit_ms),
          .grace = Duration::Millis(order.grace_ms),
          .fence = Duration::Millis(order.fence_ms),
          .warn_before = warning.before,
          .checkpoint_every = Duration::Millis(order.checkpoint_every_ms),
          .limit_reason = order.limit_reason.empty() ? "TimeLimit" : order.limit_reason};
}

// What submit has let through can be read; anything else is as if nothing had been asked.
WarningSignal WarningOf(const Order& order) {
  StatusOr<WarningSignal> asked = ParseWarningSignal(order.signal);
  return asked.ok() ? *asked : WarningSignal();
}

}  // namespace

Supervisor::Supervisor(AttemptDir dir, Order order, Cgroup groups, Fd control)
    : dir_(std::move(dir)),
      order_(std::move(order)),
      tree_(AttemptMarks(order_.lab_run, ToString(order_.attempt)), std::move(groups), Self()),
      control_(std::move(control)),
      signals_(OpenSignals()),
      timer_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)),
      warning_(WarningOf(order_)) {}

bool Supervisor::Run() {
  if (std::string why = WhyNotToStart(); !why.empty()) return NeverStarted(why);
  if (!Start()) return true;
  Loop();
  KillPoint("supervisor.tree_gone");
  log_->Finish();
  KillPoint("supervisor.log_closed");
  return End(Outcome());
}

// The last look before the point of no return; in the order that a person would ask.
std::string Supervisor::WhyNotToStart() const {
  if (std::optional<Stop> stop = dir_.ReadStop()) return stop->reason;
  Duration now = clock_.Boottime();
  if (order_.start_by_ms > 0 && now.millis() > order_.start_by_ms) return "StartWithin";
  if (order_.fence_ms > 0 && now >= HeartbeatAt() + Duration::Millis(order_.fence_ms)) {
    return "Fence";
  }
  return "";
}

// False: it has ended already, and the end is written.
bool Supervisor::Start() {
  Account account;
  if (!Prepare(&account)) return false;
  KillPoint("supervisor.prepared");
  Spawned job = Spawn(order_, account, tree_.cgroup(), log_->job_end());
  exec_at_ = clock_.Monotonic();
  if (job.pid == 0) {
    Failed("LaunchFailed", job.failure);
    return false;
  }
  KillPoint("supervisor.executed");
  log_->CloseJobEnd();
  main_ = job.pid;
  Duration now = clock_.Boottime();
  plan_.emplace(LimitsOf(order_, warning_), now, HeartbeatAt());
  dir_.WriteStarted({.at_us = clock_.Now().micros()}).IgnoreError();
  WriteMeter();
  Poke();
  KillPoint("supervisor.started");
  return true;
}

bool Supervisor::Prepare(Account* account) {
  StatusOr<Account> found = FindAccount(order_.account);
  if (!found.ok()) return Failed("LaunchFailed", Message(found.status())) && false;
  *account = *found;
  Status home = PrepareHome(order_, *account);
  if (!home.ok()) return Failed("StagingFailed", Message(home)) && false;
  dir_.HoldReserve();
  StatusOr<LogPump> log = LogPump::Open(dir_.LogPath(), order_.log_limit_bytes);
  if (!log.ok()) return Failed("StagingFailed", Message(log.status())) && false;
  log_.emplace(*std::move(log));
  // A job that opens /dev/stdout anew needs to own the pipe.
  if (account->change && fchown(log_->job_end(), account->uid, account->gid) != 0) {
    return Failed("LaunchFailed", "could not start: cannot hand over the log") && false;
  }
  MakeGroups();
  return true;
}

void Supervisor::MakeGroups() {
  Cgroup& groups = tree_.cgroup();
  groups.Create();
  if (order_.cpus > 0) LimitCpus(groups, order_.cpus);
  HideCards();
  bool held = order_.memory_bytes > 0 && LimitMemory(groups, order_.memory_bytes);
  memory_.emplace(&tree_, order_.memory_bytes, held);
  if (memory_->Guards()) guard_at_ = clock_.Boottime();
}

// A job that can open its own cards alone counts them from 0. Where this box does not let us, it
// sees all and is told which are its own; PINKA_GPUS_CONFINED says which it is.
void Supervisor::HideCards() {
  std::vector<DeviceNumber> hidden;
  for (const std::string& text : order_.hidden_devices) {
    if (DeviceNumber device; ParseDeviceNumber(text, &device)) hidden.push_back(device);
  }
  if (hidden.empty()) return;
  bool confined = HideDevices(tree_.cgroup(), hidden);
  if (!confined) std::fprintf(stderr, "pinka-supervisor: the cards of others cannot be hidden\n");
  order_.env = WithConfinedGpus(std::move(order_.env), order_.gpu_uuids.size(), confined);
}

void Supervisor::Loop() {
  LookForStop();  // it may have come while we were starting
  do {
    Act();
    WaitForEvents();
    ReadSignals();
    ReadControl();
    Reap();
    PumpLog();
  } while (!TreeIsGone() && !survivors_);
}

void Supervisor::WaitForEvents() {
  int64_t at = std::max<int64_t>(NextWake().micros(), 1);
  itimerspec when{};
  when.it_value.tv_sec = at / 1'000'000;
  when.it_value.tv_nsec = at % 1'000'000 * 1'000;
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  std::array<pollfd, 4> wait = {pollfd{signals_.get(), POLLIN, 0},
                                pollfd{control_.get(), POLLIN, 0}, pollfd{timer_.get(), POLLIN, 0},
                                pollfd{log_->poll_fd(), POLLIN, 0}};
  poll(wait.data(), wait.size(), -1);
  look_at_ = Duration::Micros(INT64_MAX);
}

Duration Supervisor::NextWake() const {
  Duration at = std::min({meter_at_, guard_at_, plan_->WakeAt(), look_at_});
  if (killing_) at = std::min({look_at_, meter_at_, guard_at_});
  return log_news_ ? std::min(at, poke_at_) : at;
}

// SIGCHLD only wakes; the others are somebody who ends this supervisor by hand, or the machine
// that goes down: the job is ended properly.
void Supervisor::ReadSignals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGCHLD) continue;
    plan_->Ask("NodeDrain", Duration::Millis(order_.grace_ms), clock_.Boottime());
  }
}

void Supervisor::ReadControl() {
  std::array<char, 64> bytes;
  bool woken = false;
  while (read(control_.get(), bytes.data(), bytes.size()) > 0) woken = true;
  if (woken) LookForStop();
}

void Supervisor::LookForStop() {
  std::optional<Stop> stop = dir_.ReadStop();
  if (!stop) return;
  plan_->Ask(stop->reason, Duration::Millis(stop->grace_ms), clock_.Boottime(),
             Duration::Millis(stop->lead_ms));
}

void Supervisor::Reap() {
  while (true) {
    // Seen before it is reaped: the record comes first, so that nobody can lose the exit code by
    // killing us in between.
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      children_ = errno != ECHILD;
      return;
    }
    if (info.si_pid == 0) return;
    if (info.si_pid == main_) MainEnded(info.si_code, info.si_status);
    waitpid(info.si_pid, nullptr, 0);
  }
}

void Supervisor::MainEnded(int code, int status) {
  KillPoint("supervisor.main_ended");
  // What it wrote is in the pipe: it goes first, so that whoever finds the record finds the log
  // too.
  // One turn moves more than a pipe holds.
  log_news_ |= log_->Pump();
  end_.emplace();
  (code == CLD_EXITED ? end_->code : end_->signal) = status;
  end_->metered_ms = MeteredMs();
  dir_.WriteMain(*end_).IgnoreError();
  main_ = 0;
  plan_->MainEnded(clock_.Boottime());
  KillPoint("supervisor.main_recorded");
}

void Supervisor::PumpLog() {
  log_news_ |= log_->Pump();
  Duration now = clock_.Boottime();
  // Nothing can be kept on this box any more, the job's own files neither.
  if (log_->write_error() != 0 && !plan_->ending()) {
    plan_->Ask("DiskFull", Duration::Millis(order_.grace_ms), now);
  }
  if (!log_news_ || now < poke_at_) return;
  log_news_ = false;
  poke_at_ = now + kPokeEvery;
  Poke();
}

void Supervisor::Act() {
  Duration now = clock_.Boottime();
  if (now >= meter_at_) {
    memory_->Look();
    WriteMeter();
    LookForStop();  // a wake-up may have been lost with the agent that owed it
  }
  if (now >= guard_at_) {
    memory_->Look();
    guard_at_ = now + kGuardEvery;
  }
  if (order_.fence_ms > 0) plan_->Heartbeat(HeartbeatAt());
  while (true) {
    switch (plan_->Next(now)) {
      case StopPlan::Act::kNone:
        return;
      case StopPlan::Act::kWarn:
        Warn();
        continue;  // TERM may be due with it
      case StopPlan::Act::kTerm:
        Terminate();
        continue;
      case StopPlan::Act::kKill:
        return Kill();
    }
  }
}

void Supervisor::Warn() {
  StopPlan::Warning warning = plan_->warning();
  Timestamp deadline = clock_.Now() + (warning.deadline - clock_.Boottime());
  WriteNotice(order_, warning.reason, deadline).IgnoreError();
  if (plan_->ending()) SayStopping();
  KillPoint("supervisor.noticed");
  bool main_only = warning_.target == WarningSignal::Target::kMain;
  if (!main_only || main_ != 0) tree_.Warn(warning_.number, main_only ? main_ : 0);
  KillPoint("supervisor.warned");
}

// The end has begun: from here on the attempt is said to be stopping.
void Supervisor::SayStopping() {
  if (std::exchange(stopping_said_, true)) return;
  dir_.WriteStopping({.reason = plan_->reason(), .grace_ms = plan_->grace().millis()})
      .IgnoreError();
  WriteMeter();
  Poke();
}

void Supervisor::Terminate() {
  if (!plan_->reason().empty()) SayStopping();
  tree_.Signal(SIGTERM);
  tree_.Signal(SIGCONT);  // a stopped process takes its TERM only then
  KillPoint("supervisor.terminated");
}

// Passes until the tree is gone; what resists for long is reported instead.
void Supervisor::Kill() {
  Duration now = clock_.Boottime();
  if (!killing_) {
    killing_ = true;
    kill_until_ = now + kKillPatience;
    KillPoint("supervisor.killing");
  }
  bool gone = tree_.KillPass();
  survivors_ = !gone && now >= kill_until_;
  look_at_ = now + kLookAgain;
}

// No child is left to a subreaper only if no descendant is. Processes that were adopted by somebody
// else are found by group and environment.
bool Supervisor::TreeIsGone() {
  if (main_ != 0 || children_) return false;
  if (tree_.List().empty()) return true;
  look_at_ = clock_.Boottime() + kLookAgain;
  return false;
}

void Supervisor::WriteMeter() {
  dir_.WriteMeter({.metered_ms = MeteredMs(), .peak_memory = memory_->Peak()}).IgnoreError();
  meter_at_ = clock_.Boottime() + kMeterEvery;
}

int64_t Supervisor::MeteredMs() const { return (clock_.Monotonic() - exec_at_).millis(); }

Duration Supervisor::HeartbeatAt() const {
  StatusOr<std::string> text = ReadFile(order_.heartbeat);
  int64_t ms = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), ms);
  return Duration::Millis(ms);
}

Exit Supervisor::Outcome() const {
  Exit exit{.reason = plan_->reason().empty() ? "Exited" : EndReasonOfStop(plan_->reason())};
  exit.message = memory_->Killed();
  if (plan_->reason().empty() && !exit.message.empty()) exit.reason = "OutOfMemory";
  if (exit.reason == "DiskFull") exit.message = "its log could not be written: " + log_->Trouble();
  if (end_) {
    exit.code = end_->code;
    exit.signal = end_->signal;
  }
  exit.metered_ms = MeteredMs();
  bool over = order_.time_limit_ms > 0 && exit.metered_ms > order_.time_limit_ms;
  exit.overrun_ms = over ? exit.metered_ms - order_.time_limit_ms : 0;
  exit.survivors = survivors_;
  exit.peak_memory = memory_->Peak();
  return exit;
}

bool Supervisor::NeverStarted(const std::string& why) {
  return End({.never_started = true, .reason = why});
}

bool Supervisor::Failed(const std::string& reason, const std::string& message) {
  return End({.reason = reason, .message = message});
}

// Whoever knows the end keeps it until the disk takes it, whatever filled the disk.
bool Supervisor::WriteEnd(const Exit& exit) const {
  dir_.DropReserve();
  while (!dir_.WriteExit(exit).ok()) {
    if (!PathExists(dir_.path())) return false;
    poll(nullptr, 0, kWriteAgainMs);
  }
  return true;
}

bool Supervisor::End(const Exit& outcome) {
  Exit exit = outcome;
  exit.at_us = clock_.Now().micros();
  exit.log_bytes = dir_.LogBytes();
  if (!exit.never_started && !survivors_) tree_.cgroup().Remove();
  bool written = WriteEnd(exit);
  KillPoint("supervisor.exit_written");
  Poke();
  return written;
}

}  // namespace pinka
