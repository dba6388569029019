// JobService's mutations: forms checked, then one command; an answer only after its commit.
#pragma once

#include <map>

#include "pinka/v1/job.pb.h"
#include "scheduler/api/call.h"
#include "scheduler/api/convert_job.h"
#include "scheduler/api/histories.h"

namespace pinka::api {

// What specs of a request train, by their place in it.
using Workloads = std::map<size_t, v1::Workload>;

class JobWrites {
 public:
  explicit JobWrites(Desk& desk) : desk_(desk), histories_(desk) {}
  void Submit(CallPtr call, const v1::SubmitJobsRequest* request, v1::SubmitJobsResponse* response);
  void Resubmit(CallPtr call, const v1::ResubmitJobRequest* request,
                v1::SubmitJobsResponse* response);
  void Change(CallPtr call, const v1::ChangeJobsRequest* request, v1::ChangeJobsResponse* response);
  void Edit(CallPtr call, const v1::EditJobRequest* request, v1::EditJobResponse* response);

 private:
  // Tiers may refuse by what advice says: looked at before anything is queued.
  void Judge(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
             v1::SubmitJobsResponse* response);
  void Send(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
            v1::SubmitJobsResponse* response);
  void Prove(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
             v1::SubmitJobsResponse* response);
  void Order(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
             v1::SubmitJobsResponse* response);
  // Sends a command that may need facts of ended jobs: reads what core names and asks once more.
  template <class C>
  void DoWithEnded(CallPtr call, C command, std::function<void(const Outcome&)> then);
  Desk& desk_;
  Histories histories_;
};

}  // namespace pinka::api
