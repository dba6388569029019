// LedgerService's calls about limits: a member sees those that bind them, an admin those of
// everybody and may raise one for a while.
#pragma once

#include "pinka/v1/ledger.pb.h"
#include "scheduler/api/call.h"

namespace pinka::api {

class LimitCalls {
 public:
  explicit LimitCalls(Desk& desk) : desk_(desk) {}
  void List(CallPtr call, const v1::ListLimitsRequest* request, v1::ListLimitsResponse* response);
  void Raise(CallPtr call, const v1::RaiseLimitRequest* request, v1::RaiseLimitResponse* response);

 private:
  Desk& desk_;
};

// One limit with its use as the message that shows it.
void FillLimit(const LimitUse& use, v1::Limit* out);
// Forms and names of a raise; core judges it.
StatusOr<RaiseLimit> ConvertRaise(const v1::RaiseLimitRequest& request, const Board& board);

}  // namespace pinka::api
