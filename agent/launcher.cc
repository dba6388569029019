#include "agent/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "agent/core/environment.h"
#include "agent/core/stop_plan.h"
#include "agent/nvidia_cards.h"
#include "agent/process/job_tree.h"
#include "agent/process/kill_point.h"
#include "agent/process/limits.h"
#include "agent/process/oom_victim.h"
#include "base/clock.h"
#include "base/sweep.h"

namespace pinka {
namespace {

constexpr Duration kTryAgain = Duration::Seconds(1);
constexpr int64_t kBuryPatienceMs = 10'000;
constexpr int64_t kDefaultLogLimit = int64_t{100} << 20;

int64_t NowUs() { return SystemClock().Now().micros(); }

// The end of an attempt whose supervisor did not live to write it.
Exit EndOfLost(const AttemptDir& dir, bool rebooted) {
  Exit exit{.reason = rebooted ? "NodeRebooted" : "SupervisorLost"};
  if (std::optional<Meter> meter = dir.ReadMeter()) {
    exit.metered_ms = meter->metered_ms;
    exit.peak_memory = meter->peak_memory;
  }
  if (std::optional<MainEnd> main = dir.ReadMain()) {
    std::optional<Stop> stopping = dir.ReadStopping();
    exit.reason = stopping ? EndReasonOfStop(stopping->reason) : "Exited";
    exit.code = main->code;
    exit.signal = main->signal;
    exit.metered_ms = main->metered_ms;
  }
  StatusOr<Order> order = dir.ReadOrder();
  int64_t limit = order.ok() ? order->time_limit_ms : 0;
  exit.overrun_ms = limit > 0 && exit.metered_ms > limit ? exit.metered_ms - limit : 0;
  return exit;
}

std::vector<SweepKey> SweepOf(const v1::Payload& payload) {
  std::vector<SweepKey> keys;
  for (const v1::Payload::SweepKey& key : payload.sweep()) {
    keys.push_back({key.key(), {key.values().begin(), key.values().end()}});
  }
  return keys;
}

// Whether the task is a point of its sweep's grid; without a sweep always.
bool IsPoint(const v1::Payload& payload, int32_t index) {
  const std::vector<SweepKey> keys = SweepOf(payload);
  if (keys.empty()) return true;
  const StatusOr<int64_t> count = CountSweep(keys, INT32_MAX);
  return count.ok() && index >= 0 && index < *count;
}

}  // namespace

Launcher::Launcher(const StateDir& state, const Box& box, Payloads* payloads, Stager* stager,
                   std::string supervisor, std::string scratch)
    : state_(state),
      box_(box),
      payloads_(payloads),
      stager_(stager),
      supervisor_(std::move(supervisor)),
      scratch_(std::move(scratch)),
      boot_id_(BootId()) {}

std::string Launcher::Home(const AttemptKey& key) const {
  return scratch_ + "/" + key.first + "/" + ToString(key.second);
}

Duration Launcher::Launch(const AttemptKey& key, const v1::DesiredAttempt& desired,
                          Duration start_by) const {
  StatusOr<std::shared_ptr<const v1::Payload>> payload = payloads_->Get(desired.payload());
  if (absl::IsUnavailable(payload.status())) {
    spdlog::warn("{}: payload not to be had yet: {}", ToString(key.second),
                 Message(payload.status()));
    return kTryAgain;
  }
  if (!payload.ok()) return FailStaging(key, Message(payload.status()));
  if (!IsPoint(**payload, key.second.index))
    return FailStaging(key, "the task is not in the grid of its sweep");
  const bool wants_cards = desired.gpu_uuids_size() > 0;
  const std::vector<std::string> cards = wants_cards ? PciOrder() : std::vector<std::string>();
  for (const std::string& uuid : desired.gpu_uuids()) {
    if (std::ranges::find(cards, uuid) == cards.end()) return Refuse(key, "HardwareLost");
  }
  StatusOr<Stager::Staged> staged =
      stager_->Stage({.job = key.second.job, .index = key.second.index}, **payload,
                     {.home = Home(key), .account = AccountFor(box_, desired.user()).account});
  if (absl::IsUnavailable(staged.status())) {
    spdlog::warn("{}: not staged yet: {}", ToString(key.second), Message(staged.status()));
    return kTryAgain;
  }
  if (!staged.ok()) return FailStaging(key, Message(staged.status()));
  AttemptDir dir = state_.Attempt(key.first, key.second);
  KillPoint("agent.before_order");
  Status recorded = dir.Create();
  KillPoint("agent.directory");
  if (recorded.ok())
    recorded = dir.WriteOrder(MakeOrder(key, desired, **payload, *staged, start_by, cards));
  if (!recorded.ok()) {
    spdlog::error("{}: cannot be recorded: {}", ToString(key.second), Message(recorded));
    return kTryAgain;
  }
  KillPoint("agent.ordered");
  bool decided = StartSupervisor(dir);
  KillPoint("agent.spawned");
  if (!decided) spdlog::error("{}: the supervisor did not start", ToString(key.second));
  return decided ? Duration() : kTryAgain;
}

Order Launcher::MakeOrder(const AttemptKey& key, const v1::DesiredAttempt& desired,
                          const v1::Payload& payload, const Stager::Staged& staged,
                          Duration start_by, const std::vector<std::string>& cards) const {
  Order order;
  order.lab_run = key.first;
  order.attempt = key.second;
  const std::vector<SweepKey> sweep = SweepOf(payload);
  const std::vector<std::string> point = SweepValues(sweep, sweep.empty() ? 0 : key.second.index);
  for (const std::string& argument : payload.argv())
    order.argv.push_back(FillSweep(argument, sweep, point));
  order.script = payload.script();
  order.chdir = staged.directory.empty() ? payload.chdir() : staged.directory;
  order.restored = staged.restored;
  order.home = Home(key);
  order.account = AccountFor(box_, desired.user()).account;
  order.wake = state_.EventsPath();
  order.heartbeat = state_.HeartbeatPath();
  order.gpu_uuids.assign(desired.gpu_uuids().begin(), desired.gpu_uuids().end());
  order.time_limit_ms = desired.time_limit_ms();
  order.grace_ms = desired.grace_ms();
  order.fence_ms = desired.fence_ms();
  order.start_by_ms = start_by.millis();
  order.log_limit_bytes =
      desired.log_limit_bytes() > 0 ? desired.log_limit_bytes() : kDefaultLogLimit;
  for (const DeviceNumber& device : OthersCards(NvidiaCards(), order.gpu_uuids))
    order.hidden_devices.push_back(ToString(device));
  order.cpus = desired.cpus();
  order.memory_bytes = desired.memory_bytes();
  order.signal = payload.signal();
  order.checkpoint_every_ms = payload.checkpoint_every_ms();
  order.limit_reason = desired.limit_reason();
  order.env = Environment(order, desired, payload, cards);
  return order;
}

std::vector<std::string> Launcher::Environment(const Order& order,
                                               const v1::DesiredAttempt& desired,
                                               const v1::Payload& payload,
                                               const std::vector<std::string>& cards) const {
  JobEnvironment job;
  JobAccount account = AccountFor(box_, desired.user());
  job.home = account.home.empty() ? order.Scratch() : account.home;
  job.user = account.user;
  job.lang = box_.lang;
  job.path = box_.path;
  job.lab_run = order.lab_run;
  job.attempt = order.attempt;
  job.array_size = desired.array_size();
  job.restart_count = desired.restart_count();
  job.tier = desired.tier();
  job.time_limit_s = desired.time_limit_ms() / 1'000;
  job.gpu_uuids = order.gpu_uuids;
  // The driver's own order is the one that CUDA counts by.
  for (const NvidiaCard& card : NvidiaCards()) job.box_gpus.push_back(card.uuid);
  if (job.box_gpus.empty()) job.box_gpus = cards;
  job.checkpoint_dir = order.Checkpoints();
  job.output_dir = order.Output();
  job.shared_dir = box_.shared_dir;
  job.data_dir = box_.data_dir;
  job.notice_file = order.Notice();
  job.asked.assign(payload.env().begin(), payload.env().end());
  const std::vector<SweepKey> sweep = SweepOf(payload);
  const std::vector<std::string> point =
      SweepValues(sweep, sweep.empty() ? 0 : order.attempt.index);
  for (size_t n = 0; n < sweep.size(); ++n)
    job.asked.push_back(SweepVariable(sweep[n].key) + "=" + point[n]);
  return BuildEnvironment(job);
}

std::vector<std::string> Launcher::PciOrder() const {
  if (ask_pci_order_) return ask_pci_order_();
  std::vector<std::string> uuids;
  for (const Gpu& gpu : box_.gpus) uuids.push_back(gpu.uuid);
  return uuids;
}

bool Launcher::StartSupervisor(const AttemptDir& dir) const {
  std::string errors = dir.ErrorPath();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  // gRPC's threads run with signals blocked; a supervisor starts from a clean slate.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::string path = dir.path();
  std::string kill_at = "PINKA_TEST_CRASH_AT=" + KillPointSetting();
  std::array<char*, 3> argv = {const_cast<char*>("pinka-supervisor"), path.data(), nullptr};
  std::array<char*, 2> env = {KillPointSetting().empty() ? nullptr : kill_at.data(), nullptr};
  pid_t pid = 0;
  int error = posix_spawn(&pid, supervisor_.c_str(), &files, &attributes, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Duration Launcher::FailStaging(const AttemptKey& key, const std::string& message) const {
  AttemptDir dir = state_.Attempt(key.first, key.second);
  if (!dir.Create().ok()) return kTryAgain;
  StatusOr<bool> claimed = dir.TakeClaim({});
  if (!claimed.ok()) return kTryAgain;
  if (*claimed) {
    Exit exit{.reason = "StagingFailed", .message = message, .at_us = NowUs()};
    dir.WriteExit(exit).IgnoreError();
  }
  return Duration();
}

Duration Launcher::Refuse(const AttemptKey& key, const std::string& reason) const {
  AttemptDir dir = state_.Attempt(key.first, key.second);
  if (!dir.Create().ok()) return kTryAgain;
  KillPoint("agent.refusing");
  StatusOr<bool> claimed = dir.TakeClaim({});
  if (!claimed.ok()) return kTryAgain;
  KillPoint("agent.refused");
  if (*claimed) {
    Exit exit{.never_started = true, .reason = reason, .at_us = NowUs()};
    dir.WriteExit(exit).IgnoreError();
  }
  return Duration();
}

Duration Launcher::Bury(const AttemptKey& key) const {
  AttemptDir dir = state_.Attempt(key.first, key.second);
  std::optional<Claim> claim = dir.ReadClaim();
  if (!claim) return kTryAgain;
  bool rebooted = claim->boot_id != boot_id_;
  Exit exit = EndOfLost(dir, rebooted);
  KillPoint("agent.burying");
  if (!rebooted) {
    JobTree tree(AttemptMarks(key.first, ToString(key.second)), Cgroup(claim->cgroups), {});
    exit.survivors = !KillWholeTree(tree, kBuryPatienceMs);
    if (exit.reason == "Exited" && OomKills(tree.cgroup()) > 0) {
      exit.reason = "OutOfMemory";
      exit.message = OomVictim(tree.cgroup()) + " was killed for memory";
    }
    if (!exit.survivors) tree.cgroup().Remove();
  }
  KillPoint("agent.killed");
  exit.at_us = NowUs();
  exit.log_bytes = dir.LogBytes();
  spdlog::warn("{}: its supervisor is gone; ended as {}", ToString(key.second), exit.reason);
  return dir.WriteExit(exit).ok() ? Duration() : kTryAgain;
}

Duration Launcher::Forget(const AttemptKey& key) const {
  AttemptDir dir = state_.Attempt(key.first, key.second);
  KillPoint("agent.forgetting");
  // The job's files first: they are found by the record. The record goes in one step, by its
  // claim's directory leaving the place where attempts are looked for.
  if (Status gone = RemoveTree(Home(key)); !gone.ok()) {
    spdlog::warn("{}: {}", ToString(key.second), Message(gone));
  }
  std::string aside = state_.ForgottenPath(key.first, key.second);
  if (rename(dir.path().c_str(), aside.c_str()) != 0) return kTryAgain;
  KillPoint("agent.forgotten");
  return RemoveTree(aside).ok() ? Duration() : kTryAgain;
}

}  // namespace pinka
