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

// What a command sends in one request: all of it is taken, or nothing.
using PreparedJobs = std::vector<Prepared>;

// Reads the script where there is one, lays the flags over its directives, prints its warnings.
StatusOr<Prepared> Prepare(Session& session, const SubmitLine& line,
                           const std::vector<std::string>& rest, bool may_be_empty);

// The same of each job of a file (jobs_file.h): the line's options over the file's.
StatusOr<PreparedJobs> PrepareFile(Session& session, const SubmitLine& line,
                                   const std::string& path);

// Asks above the lab's `confirm_above` where a person is there, sends, prints the server's
// warnings and hints unless -q. As many jobs come back, in their order.
StatusOr<v1::SubmitJobsResponse> Send(Session& session, const PreparedJobs& prepared);

// Whether hints are shown: PINKA_ADVICE=off silences them.
bool WantsAdvice();

// What submit says of a new job: its id alone with -q, an object with --json, else a few lines.
void PrintSubmitted(Session& session, const v1::SubmitJobsResponse& response, bool quiet);
// The same of a file's jobs: ids in its order, or one object {"jobs":[{…,"ref":"prep"}]}.
void PrintSubmitted(Session& session, const PreparedJobs& prepared,
                    const v1::SubmitJobsResponse& response, bool quiet);

// "t4 on_demand: at most ¥12.00, likely ¥8.00 (¥2.00 an hour for each of 1 units); …".
std::string QuoteLine(const v1::Quote& quote);

}  // namespace pinka::cli
