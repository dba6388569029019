// Who this agent is to the scheduler (semantics.md 5): beside the instance of state_dir.h a key,
// which nobody else knows, in two files of the state directory, 0600:
//
//   key        the key that the scheduler knows
//   key.next   one that it may know: being told, or told without having heard the answer
//
// A crash at any point leaves one of them good, and the next try settles which.
#pragma once

#include <functional>
#include <string>

#include "agent/state_dir.h"
#include "base/random.h"
#include "base/status.h"

namespace pinka {

class Identity {
 public:
  explicit Identity(const StateDir& state) : path_(state.path() + "/key") {}

  bool HasKey() const;
  // A rotation was begun and its answer is not known.
  bool IsBetween() const;
  StatusOr<std::string> Key() const;
  // The key that is to be next, made and made durable at the first call.
  StatusOr<std::string> NextKey(Random* random) const;
  // The scheduler knows the next one: from now on it is the key.
  Status TakeNext() const;

  // Tells the scheduler of the next key and takes it. `tell(with, hash)` calls it with the key
  // `with`; Unauthenticated where it does not know that.
  using Tell = std::function<Status(const std::string& with, const std::string& hash)>;
  Status Rotate(Random* random, const Tell& tell) const;

 private:
  std::string path_;
};

}  // namespace pinka
