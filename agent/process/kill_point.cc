#include "agent/process/kill_point.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace pinka {
namespace {

struct Setting {
  std::string text;  // as given
  std::string step;  // armed; "" where this process is not meant
};

// Written once by ArmKillPoints before threads, read only after that.
Setting& TheSetting() {
  static Setting setting;
  return setting;
}

}  // namespace

void ArmKillPoints(const std::string& attempt) {
  const char* given = std::getenv("PINKA_TEST_CRASH_AT");
  Setting& setting = TheSetting();
  setting = {.text = given ? given : "", .step = ""};
  size_t at = setting.text.find('@');
  bool meant = at == std::string::npos || setting.text.substr(at + 1) == attempt;
  if (meant) setting.step = setting.text.substr(0, at);
}

const std::string& KillPointSetting() { return TheSetting().text; }

void KillPoint(std::string_view step) {
  if (step == TheSetting().step) kill(getpid(), SIGKILL);
}

}  // namespace pinka
