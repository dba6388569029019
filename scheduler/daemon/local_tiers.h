// Which local agents a box should run: one for each tier of the lab that is meant for it. Asks the
// scheduler for their tokens as the tiers appear.
#pragma once

#include <map>
#include <string>

#include "base/random.h"
#include "scheduler/daemon/serve.h"
#include "scheduler/runtime/runtime.h"

namespace pinka {

class LocalTiers {
 public:
  LocalTiers(const ServeOptions& options, std::string address, Runtime& runtime, Random& random);

  // Looks at the board and wishes for what is missing. Called every second or so, one thread.
  void Tend();

 private:
  void Want(const Board& board, const Board::Tier& tier);

  const ServeOptions& options_;
  const std::string address_;
  Runtime& runtime_;
  Random& random_;
  std::map<std::string, bool> wanted_;  // by tier name
};

}  // namespace pinka
