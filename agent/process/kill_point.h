// Named steps at which a test may make the process kill itself, as `kill -9` would: nothing is
// flushed and no destructor runs. Always compiled in, decided once at start-up:
//
//   PINKA_TEST_CRASH_AT=supervisor.launched          every attempt's supervisor
//   PINKA_TEST_CRASH_AT=supervisor.launched@17_0.1   that attempt's only
//
// An agent hands the variable on to its supervisors; nobody else reads it, and jobs never see it.
#pragma once

#include <string>
#include <string_view>

namespace pinka {

// Reads the environment; `attempt` is what "@..." is compared with ("" in the agent: such points
// do not fire there). Call once, before threads.
void ArmKillPoints(const std::string& attempt);
// The variable as it was at start-up, "" where unset.
const std::string& KillPointSetting();
// SIGKILL here if `step` is the chosen one.
void KillPoint(std::string_view step);

}  // namespace pinka
