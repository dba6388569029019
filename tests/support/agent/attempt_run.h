// One attempt under a real pinka-supervisor in a temporary directory.
//
//   AttemptRun run({"sh", "-c", "exit 3"});
//   Exit exit = run.Finish();
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/process/proc.h"
#include "agent/record/attempt_dir.h"
#include "tests/support/agent/files.h"

namespace pinka::test {

class AttemptRun {
 public:
  explicit AttemptRun(std::vector<std::string> argv);
  ~AttemptRun();  // ends whatever still runs

  Order order;           // change it before Start
  std::string crash_at;  // PINKA_TEST_CRASH_AT of the supervisor
  const AttemptDir& dir() const { return dir_; }
  const TempDir& temp() const { return temp_; }
  std::string Marks() const { return marks_; }  // a directory that the job may write

  int Start();  // the exit status of the program that was called
  bool WaitStarted() const;
  void Stop(const std::string& reason, int64_t grace_ms, int64_t lead_ms = 0) const;
  std::optional<Exit> WaitExit(int seconds = 30) const;
  Exit Finish();  // Start and WaitExit; a failed test if there is no end
  std::string Log() const { return Slurp(dir_.LogPath()); }
  ProcessId Supervisor() const;
  // What still carries the attempt's marks.
  std::vector<ProcessId> Left() const;

 private:
  TempDir temp_;
  AttemptDir dir_;
  std::string marks_;
};

// Runs a program to its end with exactly this environment; its exit status.
int RunProgram(const std::vector<std::string>& argv, const std::vector<std::string>& env);

}  // namespace pinka::test
