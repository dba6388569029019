// The steps that submit, run and quote share.
#pragma once

#include <string>
#include <vector>

#include "client/cli/core/job_spec.h"
#include "client/cli/core/session.h"

namespace pinka::cli {

struct Prepared {
  SubmitFields fields;  // flags over directives
  v1::JobSpec spec;
};

// Reads the script where there is one, lays the flags over its directives, prints its warnings.
StatusOr<Prepared> Prepare(Session& session, const SubmitLine& line,
                           const std::vector<std::string>& rest, bool may_be_empty);

// Asks above the lab's `confirm_above` where a person is there, sends, prints the server's
// warnings unless -q. Exactly one job comes back.
StatusOr<v1::SubmitJobsResponse> Send(Session& session, const Prepared& prepared);

// What submit says of a new job: its id alone with -q, an object with --json, else a few lines.
void PrintSubmitted(Session& session, const v1::SubmitJobsResponse& response, bool quiet);

// "t4 on_demand: at most ¥12.00, likely ¥8.00 (¥2.00 an hour for each of 1 units); …".
std::string QuoteLine(const v1::Quote& quote);

}  // namespace pinka::cli
