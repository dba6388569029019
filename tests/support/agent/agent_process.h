// A real pinka-agent in a temporary directory, which can be killed and started again.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/agent/files.h"

namespace pinka::test {

class AgentProcess {
 public:
  // Talks to `server`; nothing runs yet.
  AgentProcess(std::string server, std::vector<std::string> options = {});
  ~AgentProcess();

  // Returns once it has said that it is ready (or has died before that). `crash_at`:
  // PINKA_TEST_CRASH_AT.
  void Start(const std::string& crash_at = "");
  void Kill();                       // SIGKILL, and its end
  int Terminate();                   // SIGTERM; its exit status
  bool WaitDeath(int seconds = 60);  // that it ends by itself
  pid_t pid() const { return pid_; }
  std::string StateDir() const { return temp_.path() + "/state"; }
  std::string TokenFile() const { return temp_.path() + "/token"; }
  std::string Marks() const { return marks_; }  // jobs may write there
  std::string Output() const { return Slurp(temp_.path() + "/agent.err"); }

 private:
  int Reap();

  TempDir temp_;
  std::string server_;
  std::string marks_;
  std::vector<std::string> options_;
  pid_t pid_ = 0;  // 0: none
};

}  // namespace pinka::test
