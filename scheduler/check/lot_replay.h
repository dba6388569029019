// Lots over time (semantics.md 7): no hold took one below its floor, and none drew on a lot while
// one that burns earlier had something. Each lot is known between two bounds, `low` and `high`:
// they part where the order within an instant, or the time of a line, is not written down; a rule
// is broken only where it is so by either.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "scheduler/check/exact.h"
#include "scheduler/check/findings.h"
#include "scheduler/check/moments.h"

namespace pinka::check {

class LotReplay {
 public:
  explicit LotReplay(Findings& findings) : findings_(findings) {}
  Status Load(db::Connection& connection);
  void Instant(std::span<const Moment> moments);

 private:
  struct Lot {
    int64_t id = 0;
    int breadth = 0;  // member 0, project 1, lab 2
    int64_t owner = 0;
    int64_t tier = 0;   // 0: any
    int64_t asset = 1;  // 1: money, else a package
    Timestamp starts_at;
    Timestamp ends_at;
    Wide credit_limit = 0;
    Wide low = 0;
    Wide high = 0;
  };
  bool InReach(const Lot& lot, const Moment& line) const;
  static bool BurnsBefore(const Lot& a, const Lot& b, const Moment& line);
  void JudgeOrder(std::span<const Moment> moments);
  void JudgeFloor(std::span<const Moment> moments) const;
  void Apply(std::span<const Moment> moments, bool debits);

  Findings& findings_;
  std::map<int64_t, Lot> lots_;
};

}  // namespace pinka::check
