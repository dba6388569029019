// The numbers of semantics.md 7 from lots and open holds, in exact integers. For every lot and sum:
//
//   credited = settled + in flight + committed + available - credit limit
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/money.h"
#include "db/reads_ledger.h"

namespace pinka::api {

struct Numbers {
  Money credited;
  Money settled;
  Money in_flight;  // metered and not yet posted
  Money committed;  // open holds less what is in flight
  Money available;
  Money credit_limit;

  Numbers& operator+=(const Numbers& other);
};

struct LotNumbers {
  db::LotBalance lot;
  Numbers numbers;
};

// The newest meter of an attempt that anybody knows, stored or not.
using MeterOf = std::function<Duration(const AttemptId&)>;

// In the order of `balances.lots`. What is in flight falls on a hold's lines first line first, as
// it will be settled.
std::vector<LotNumbers> NumbersOfLots(const db::Balances& balances, const MeterOf& meter_of);

}  // namespace pinka::api
