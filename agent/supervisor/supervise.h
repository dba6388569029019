// One attempt's life, after the claim: run it, meter it, end it, say how it ended. One thread.
//
//   prepare -> exec -> started -> (stop | limit | fence | main's end) -> tree gone -> exit
//                                      warn, TERM, KILL
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "agent/core/stop_plan.h"
#include "agent/process/job_tree.h"
#include "agent/record/attempt_dir.h"
#include "agent/supervisor/account.h"
#include "agent/supervisor/log_pump.h"
#include "agent/supervisor/memory_watch.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/warning_signal.h"

namespace pinka {

class Supervisor {
 public:
  // The claim is taken and names the groups. `control` is the open FIFO of the directory.
  Supervisor(AttemptDir dir, Order order, Cgroup groups, Fd control);

  // Returns when `exit` is written; false if it could not be.
  bool Run();

 private:
  std::string WhyNotToStart() const;
  bool Start();
  bool Prepare(Account* account);
  void MakeGroups();
  void HideCards();
  void Loop();
  void WaitForEvents();
  void ReadSignals();
  void ReadControl();
  void Reap();
  void MainEnded(int code, int status);
  void PumpLog();
  void Act();
  void Warn();
  void SayStopping();
  void Terminate();
  bool TreeIsGone();
  void Kill();
  void WriteMeter();
  void Poke() const { AttemptDir::PokeFifo(order_.wake); }
  void LookForStop();
  Duration HeartbeatAt() const;
  Duration NextWake() const;
  int64_t MeteredMs() const;
  Exit Outcome() const;
  bool End(const Exit& exit);
  bool WriteEnd(const Exit& exit) const;
  bool NeverStarted(const std::string& why);
  bool Failed(const std::string& reason, const std::string& message);

  SystemClock clock_;
  AttemptDir dir_;
  Order order_;
  JobTree tree_;
  Fd control_;
  Fd signals_;
  Fd timer_;
  std::optional<LogPump> log_;
  std::optional<StopPlan> plan_;
  std::optional<MemoryWatch> memory_;
  WarningSignal warning_;
  pid_t main_ = 0;  // 0 once it has been reaped
  std::optional<MainEnd> end_;
  bool children_ = true;  // somebody is left to be reaped
  bool stopping_said_ = false;
  bool killing_ = false;
  bool survivors_ = false;
  bool log_news_ = false;  // the agent has not been told of the log's growth
  Duration exec_at_;       // CLOCK_MONOTONIC
  Duration kill_until_;    // CLOCK_BOOTTIME from here on
  Duration meter_at_;
  Duration guard_at_ = Duration::Micros(INT64_MAX);  // look at the memory, where nobody else does
  Duration poke_at_;
  Duration look_at_ = Duration::Micros(INT64_MAX);  // look at the tree again, unasked
};

}  // namespace pinka
