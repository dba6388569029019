// Outside failures and bad input: absl::Status under one roof, printable by fmt and spdlog
// (Debian's absl::string_view is not std::string_view).
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pinka {

using Status = absl::Status;
template <class T>
using StatusOr = absl::StatusOr<T>;

inline Status OkStatus() { return absl::OkStatus(); }
Status Invalid(const std::string& sentence);  // bad input: one sentence, what, why, what to do
Status NotFound(const std::string& sentence);
Status Unavailable(const std::string& sentence);  // an outside failure; trying again may help
Status Internal(const std::string& sentence);

// The sentence alone, without absl's code prefix.
std::string Message(const Status& status);

}  // namespace pinka
