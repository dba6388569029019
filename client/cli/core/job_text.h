// Parts of a job as lists and pages show them.
#pragma once

#include <string>

#include "pinka/v1/job.pb.h"

namespace pinka::cli {

// "17"; of an array "36_[0-9%2]".
std::string JobIdText(const v1::Job& job);
// "a100"; "a100 (simulated)" where no real card was used.
std::string TierText(const v1::Job& job);
// Why it waits; of an array how many tasks are where: "Priority; 3 RUNNING, 7 PENDING".
std::string WaitText(const v1::Job& job);
// "3 RUNNING, 7 PENDING", in the order of a task's life.
std::string TaskCountsText(const v1::Job& job);

// "lr=0.1 opt=adam": a task's point of the job's sweep; "" without one. `task` is a task's id.
std::string SweepPointText(const v1::Job& job, const std::string& task);

}  // namespace pinka::cli
