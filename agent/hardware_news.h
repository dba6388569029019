// What the agent's loop has to do with the hardware's checks: tells the newest, takes demands.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/box.h"
#include "agent/inspect/checker.h"
#include "pinka/v1/agent.pb.h"

namespace pinka {

class HardwareNews {
 public:
  // `checker` may be null: simulated cards, or a box that claims none. Both outlive this.
  HardwareNews(const Box& box, inspect::Checker* checker, int64_t incarnation);

  // What the scheduler must hear of at once.
  std::string Shape() const;
  void Fill(v1::SynchronizeRequest* request) const;
  // `was_silent`: it is the first answer after calls that failed.
  void TakeAnswer(const v1::SynchronizeRequest& request, const v1::SynchronizeResponse& response,
                  bool was_silent);

  std::set<std::string> Uuids() const;      // all that are registered
  std::set<std::string> LostUuids() const;  // of those: out of use
  bool Wrong() const;                       // nothing new may start here

 private:
  const Box& box_;
  inspect::Checker* checker_;
  int64_t incarnation_;
  int64_t demanded_ = 0;
  std::string told_;  // id of the check whose evidence the scheduler has
};

}  // namespace pinka
