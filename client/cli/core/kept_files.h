// Which of a task's files in the lab's store a command means.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/core/api.h"
#include "client/cli/core/options.h"

namespace pinka::cli {

// What `files` and `cp` have in common: the output of the newest attempt, unless it is said
// otherwise.
class KeptChoice {
 public:
  void Declare(Options& options);
  // All that is kept of the task.
  static StatusOr<v1::ListFileSetsResponse> List(Api& api, const std::string& id);
  // The one that is meant; NotFound says what there is instead.
  StatusOr<v1::FileSet> Choose(const std::string& id, const v1::ListFileSetsResponse& kept) const;

 private:
  int64_t attempt_ = 0;
  bool checkpoint_ = false;
  bool code_ = false;
};

// "output of 17_0, attempt 2: 3 files, 1.2 MiB".
std::string KeptText(const v1::FileSet& set);
std::string BytesText(int64_t bytes);  // "999 B", "1.2 MiB"

}  // namespace pinka::cli
