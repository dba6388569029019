#include "base/status.h"

namespace pinka {

Status Invalid(const std::string& sentence) { return absl::InvalidArgumentError(sentence); }
Status NotFound(const std::string& sentence) { return absl::NotFoundError(sentence); }
Status Unavailable(const std::string& sentence) { return absl::UnavailableError(sentence); }
Status Internal(const std::string& sentence) { return absl::InternalError(sentence); }

std::string Message(const Status& status) {
  return std::string(status.message().data(), status.message().size());
}

}  // namespace pinka
