// LedgerService's questions. A member sees their own accounts, those of their projects and the
// lab's, which they may draw on; of entries only those about themself. Admins see all.
#pragma once

#include <string>

#include "pinka/v1/ledger.pb.h"
#include "scheduler/api/call.h"

namespace pinka::api {

// "alice" for money that lies there; "spent:alice", "external", "overhead_start" for the rest.
std::string AccountName(AccountKind kind, const std::string& owner);

class LedgerReads {
 public:
  explicit LedgerReads(Desk& desk) : desk_(desk) {}
  void Balance(CallPtr call, const v1::GetBalanceRequest* request,
               v1::GetBalanceResponse* response);
  void Entries(CallPtr call, const v1::ListEntriesRequest* request,
               v1::ListEntriesResponse* response);

 private:
  Status FillEntries(const Principal& who, const Board& board,
                     const v1::ListEntriesRequest& request, v1::ListEntriesResponse* response);
  Desk& desk_;
};

}  // namespace pinka::api
