#include "client/cli/core/watch.h"

#include <chrono>
#include <thread>

#include "client/cli/core/json.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

constexpr Duration kPatience = Duration::Seconds(300);
constexpr int64_t kHoldMs = 20'000;
constexpr int64_t kTaskHoldMs = 1'000;  // a call returns for the whole job only

std::string WaitingLine(const v1::Job& job) {
  std::string line = "job " + std::to_string(job.id()) + " is " + StateName(job.state());
  const std::string& why = job.reason_text().empty() ? job.reason() : job.reason_text();
  if (!why.empty()) line += ": " + why;
  if (job.position() > 0) line += " (number " + std::to_string(job.position()) + " in its tier)";
  return line;
}

StatusOr<v1::Job> GetJob(Api& api, int64_t job_id) {
  v1::GetJobRequest request;
  request.set_job_id(job_id);
  PINKA_TRY_ASSIGN(v1::GetJobResponse response, api.GetJob(request));
  return std::move(*response.mutable_job());
}

StatusOr<Watched> WaitForOne(Session& session, Api& api, const JobSlice& slice) {
  v1::WaitJobRequest request;
  request.set_job_id(slice.job);
  request.set_hold_ms(slice.indices.empty() ? kHoldMs : kTaskHoldMs);
  Watched watched{slice, {}};
  for (;;) {
    PINKA_TRY_ASSIGN(watched.job, GetJob(api, slice.job));
    if (IsOver(watched)) return watched;
    api.set_patience(kPatience);  // from here on the server is known to be there
    do {
      PINKA_TRY_ASSIGN(const v1::WaitJobResponse answer, api.WaitJob(request));
      watched.job = answer.job();
      session.Progress(WaitingLine(watched.job));
    } while (slice.indices.empty() && !IsTerminal(watched.job.state()));
  }
}

}  // namespace

StatusOr<std::vector<JobSlice>> ParseSlices(const std::vector<std::string>& texts) {
  std::vector<JobSlice> slices;
  for (const std::string& text : texts) {
    PINKA_TRY_ASSIGN(JobSlice slice, ParseJobSlice(text));
    slices.push_back(std::move(slice));
  }
  return slices;
}

StatusOr<int64_t> ParseJobId(const std::string& text) {
  PINKA_TRY_ASSIGN(const JobSlice slice, ParseJobSlice(text));
  return slice.job;
}

StatusOr<std::vector<Watched>> WaitForEnd(Session& session, const std::vector<JobSlice>& slices) {
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  std::vector<Watched> done;
  for (const JobSlice& slice : slices) {
    PINKA_TRY_ASSIGN(Watched one, WaitForOne(session, *api, slice));
    done.push_back(std::move(one));
  }
  session.Progress("");
  return done;
}

StatusOr<v1::Job> WaitForStart(Session& session, int64_t job_id) {
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  api->set_patience(kPatience);
  v1::WaitJobRequest request;
  request.set_job_id(job_id);
  request.set_hold_ms(kHoldMs);
  request.set_until_started(true);
  for (;;) {
    PINKA_TRY_ASSIGN(const v1::WaitJobResponse answer, api->WaitJob(request));
    const v1::TaskState::Value state = answer.job().state();
    if (state != v1::TaskState::PENDING && state != v1::TaskState::HELD) {
      session.Progress("");
      return answer.job();
    }
    session.Progress(WaitingLine(answer.job()));
  }
}

void PrintOutcomes(Session& session, const std::vector<Watched>& watched) {
  if (!session.json()) {
    for (const Watched& one : watched) session.out().Line(Describe(one));
    return;
  }
  if (watched.size() == 1) {
    v1::WaitJobResponse response;
    *response.mutable_as_of() = ToProto(session.Now());
    *response.mutable_job() = watched[0].job;
    return session.PrintJson(response);
  }
  v1::ListJobsResponse response;
  *response.mutable_as_of() = ToProto(session.Now());
  for (const Watched& one : watched) *response.add_jobs() = one.job;
  session.PrintJson(response);
}

}  // namespace pinka::cli
