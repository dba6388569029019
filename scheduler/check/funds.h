// Whose money lies in which owner's lots, and who used whose: the pools behind positions.sum.
// Member 0 is the outside, whose money is owed to nobody.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/check/exact.h"

namespace pinka::check {

using Shares = std::vector<std::pair<int64_t, Wide>>;  // member, amount

// `whole` in proportion, remainders to the largest, of equal ones to the first.
std::vector<Wide> InProportion(Wide whole, const std::vector<Wide>& shares);
// `whole` by weights above 0, the outside last.
Shares ByWeight(Wide whole, const std::map<int64_t, Wide>& weights);
// `whole` of what members have above 0, the outside last; what they have not is the outside's.
Shares FromFunds(Wide whole, const std::map<int64_t, Wide>& funds);

struct Side {
  std::string kind;   // of the account
  std::string owner;  // "member 5"
  int64_t id = 0;     // of a member
};

struct MoneyEntry {
  std::string kind;
  Wide amount = 0;
  Side from;
  Side to;
};

class Funds {
 public:
  void Take(const MoneyEntry& entry);
  // What was used since the last other step, all together: at a month's end, on a copy.
  void Flush();

  std::map<int64_t, Wide> paid;
  std::map<int64_t, Wide> spent;
  std::map<int64_t, Wide> lapsed;
  std::map<int64_t, Wide> Left() const;  // by funder, over all pools

 private:
  using Use = std::pair<std::string, int64_t>;  // pool, member
  Shares Draw(const std::string& pool, Wide amount);
  void Give(const MoneyEntry& entry);

  std::map<std::string, std::map<int64_t, Wide>> pools_;
  std::map<Use, std::map<int64_t, Wide>> used_;
  std::map<Use, Wide> pending_;
};

}  // namespace pinka::check
