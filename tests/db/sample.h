// A small world in which every column of every table holds something other than its default.
#pragma once

#include "scheduler/core/changes.h"

namespace pinka::testing {

// 2026-11-30T06:00:00Z
inline Timestamp At(int64_t seconds) { return Timestamp::Seconds(1'796'018'400 + seconds); }

// As a first batch writes it. Its core time is At(100).
Changes SampleChanges();
// What a load after that batch must find.
Snapshot SampleSnapshot();

// Parts of it, for tests that change one thing.
MemberRow SampleMember();
ProjectRow SampleProject();
TierRow SampleTier();
NodeRow SampleNode();
JobRow SampleJob(int64_t id);
PayloadRow SamplePayload();
TaskRow SampleTask(int64_t job);
AttemptRow SampleAttempt(int64_t job, int32_t number);
std::vector<AccountRow> SampleAccounts();
LotRow SampleLot();
TransferRow SampleTransfer(int64_t id);

}  // namespace pinka::testing
