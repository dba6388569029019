// The identities that all programs share. Value 0 is "none" everywhere.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/strong.h"

namespace pinka {

using JobId = Strong<struct JobTag>;
using MemberId = Strong<struct MemberTag>;
using ProjectId = Strong<struct ProjectTag>;
using TierId = Strong<struct TierTag>;
using NodeId = Strong<struct NodeTag>;
using AssetId = Strong<struct AssetTag>;
using AccountId = Strong<struct AccountTag>;
using LotId = Strong<struct LotTag>;
using TransferId = Strong<struct TransferTag>;
using PackageId = Strong<struct PackageTag>;
using PaymentId = Strong<struct PaymentTag>;
using LimitId = Strong<struct LimitTag>;
using RentalId = Strong<struct RentalTag>;
using InvoiceId = Strong<struct InvoiceTag>;

// One attempt of one task within a lab run; printed `JOB_INDEX.NUMBER` ("17_0.1"). `index` is the
// array index a person wrote, not the ordinal; number counts from 1.
struct AttemptId {
  JobId job;
  int32_t index = 0;
  int32_t number = 0;
  friend auto operator<=>(const AttemptId&, const AttemptId&) = default;
};

// A task as people name it: JOB_INDEX.
struct TaskId {
  JobId job;
  int32_t index = 0;
  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

std::string ToString(const AttemptId& id);
std::string ToString(const TaskId& id);
// False, and *out untouched, unless `text` is exactly the printed form.
bool ParseAttemptId(const std::string& text, AttemptId* out);

}  // namespace pinka
