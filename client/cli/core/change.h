// cancel, hold, release, requeue: one call for all slices, a line a slice.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/session.h"
#include "pinka/v1/job.pb.h"

namespace pinka::cli {

// `done` is the word in "17 cancelled". Refusals of single slices are printed and decide the exit
// code; "already finished" is none.
StatusOr<int> ChangeSlices(Session& session, v1::ChangeJobsRequest::Verb verb,
                           const std::vector<std::string>& slices, const std::string& reason,
                           const std::string& done);

}  // namespace pinka::cli
