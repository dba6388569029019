// JobService's questions: facts from the database, decorated from the board; `why` and `quote` on
// core's thread. A foreign job and a missing one get the same answer, word for word.
#pragma once

#include <vector>

#include "pinka/v1/job.pb.h"
#include "scheduler/api/call.h"
#include "scheduler/api/convert_job.h"

namespace pinka::api {

Status NoSuchJob(JobId id);
// An admin looks at somebody else's job: that is written down.
void LogForeignRead(const Principal& who, const char* what, JobId id, const std::string& owner);

class JobReads {
 public:
  explicit JobReads(Desk& desk) : desk_(desk) {}
  void Get(CallPtr call, const v1::GetJobRequest* request, v1::GetJobResponse* response);
  void List(CallPtr call, const v1::ListJobsRequest* request, v1::ListJobsResponse* response);
  void Explain(CallPtr call, const v1::ExplainJobRequest* request,
               v1::ExplainJobResponse* response);
  void Quote(CallPtr call, const v1::QuoteRequest* request, v1::QuoteResponse* response);
  void Wait(CallPtr call, const v1::WaitJobRequest* request, v1::WaitJobResponse* response);

 private:
  struct Waiting;
  void WaitMore(std::shared_ptr<Waiting> waiting);
  void ExplainNew(CallPtr call, JobId id, v1::Job* job);
  void SayWhatTheyWaitFor(CallPtr call, std::vector<v1::Job*> newer);
  Desk& desk_;
};

}  // namespace pinka::api
