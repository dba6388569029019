// JobService's mutations: forms checked, then one command; an answer only after its commit.
#pragma once

#include <atomic>

#include "pinka/v1/job.pb.h"
#include "scheduler/api/call.h"
#include "scheduler/api/convert_job.h"

namespace pinka::api {

class JobWrites {
 public:
  explicit JobWrites(Desk& desk) : desk_(desk) {}
  void Submit(CallPtr call, const v1::SubmitJobsRequest* request, v1::SubmitJobsResponse* response);
  void Resubmit(CallPtr call, const v1::ResubmitJobRequest* request,
                v1::SubmitJobsResponse* response);
  void Change(CallPtr call, const v1::ChangeJobsRequest* request, v1::ChangeJobsResponse* response);
  void Edit(CallPtr call, const v1::EditJobRequest* request, v1::EditJobResponse* response);

 private:
  void Send(CallPtr call, SubmitJobs command, BoardPtr board, v1::SubmitJobsResponse* response);
  void Prove(CallPtr call, SubmitJobs command, BoardPtr board, v1::SubmitJobsResponse* response);
  void Order(CallPtr call, SubmitJobs command, BoardPtr board, v1::SubmitJobsResponse* response);
  // Sends a command that may need facts of ended jobs: reads what core names and asks once more.
  template <class C>
  void DoWithEnded(CallPtr call, C command, std::function<void(const Outcome&)> then);
  Desk& desk_;
  std::atomic<int> looking_ = 0;
};

}  // namespace pinka::api
