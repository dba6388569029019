// PINKA_CHECK(condition, message) stays on in release builds: a programmer's error ends the process
// with the place and the message, never a wrong ledger.
#pragma once

#include <string>

namespace pinka {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& message);
}  // namespace pinka

#define PINKA_CHECK(condition, message)   \
  (static_cast<bool>(condition) ? void(0) \
                                : ::pinka::CheckFailed(__FILE__, __LINE__, #condition, (message)))
