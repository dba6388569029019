#include "scheduler/api/job_service.h"

#include "pinka/v1/job.grpc.pb.h"
#include "scheduler/api/job_reads.h"
#include "scheduler/api/job_writes.h"
#include "scheduler/api/log_stream.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;

// What gRPC knows of a StreamLog call. It goes when gRPC is done with it; the stream may live a
// moment longer and then writes to nobody.
class LogReactor final : public grpc::ServerWriteReactor<v1::LogChunk>, public LogStream::Wire {
 public:
  LogReactor(Desk& desk, LogStore& logs, Context* context, const v1::StreamLogRequest& request)
      : context_(context), stream_(std::make_shared<LogStream>(desk, logs, request, *this)) {
    desk.Admit(context, "pinka.v1.JobService.StreamLog",
               [stream = stream_](StatusOr<Principal> who) {
                 who.ok() ? stream->Start(*who) : stream->Refuse(who.status());
               });
  }

  void Write(const v1::LogChunk& chunk) override { StartWrite(&chunk); }
  void Finish(const Status& status) override {
    grpc::ServerWriteReactor<v1::LogChunk>::Finish(Attach(context_, status));
  }

  void OnWriteDone(bool ok) override { stream_->Written(ok); }
  void OnCancel() override { stream_->Cancelled(); }
  void OnDone() override { delete this; }

 private:
  Context* context_;
  std::shared_ptr<LogStream> stream_;
};

class JobService final : public v1::JobService::CallbackService {
 public:
  JobService(Desk& desk, LogStore& logs) : desk_(desk), logs_(logs), reads_(desk), writes_(desk) {}

  Reactor* SubmitJobs(Context* context, const v1::SubmitJobsRequest* request,
                      v1::SubmitJobsResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.SubmitJobs",
                      [=, this](CallPtr call) { writes_.Submit(call, request, response); });
  }
  Reactor* Quote(Context* context, const v1::QuoteRequest* request,
                 v1::QuoteResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.Quote",
                      [=, this](CallPtr call) { reads_.Quote(call, request, response); });
  }
  Reactor* GetJob(Context* context, const v1::GetJobRequest* request,
                  v1::GetJobResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.GetJob",
                      [=, this](CallPtr call) { reads_.Get(call, request, response); });
  }
  Reactor* ListJobs(Context* context, const v1::ListJobsRequest* request,
                    v1::ListJobsResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.ListJobs",
                      [=, this](CallPtr call) { reads_.List(call, request, response); });
  }
  Reactor* ExplainJob(Context* context, const v1::ExplainJobRequest* request,
                      v1::ExplainJobResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.ExplainJob",
                      [=, this](CallPtr call) { reads_.Explain(call, request, response); });
  }
  Reactor* WaitJob(Context* context, const v1::WaitJobRequest* request,
                   v1::WaitJobResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.WaitJob",
                      [=, this](CallPtr call) { reads_.Wait(call, request, response); });
  }
  Reactor* ChangeJobs(Context* context, const v1::ChangeJobsRequest* request,
                      v1::ChangeJobsResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.ChangeJobs",
                      [=, this](CallPtr call) { writes_.Change(call, request, response); });
  }
  Reactor* EditJob(Context* context, const v1::EditJobRequest* request,
                   v1::EditJobResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.EditJob",
                      [=, this](CallPtr call) { writes_.Edit(call, request, response); });
  }
  Reactor* ResubmitJob(Context* context, const v1::ResubmitJobRequest* request,
                       v1::SubmitJobsResponse* response) override {
    return desk_.Open(context, "pinka.v1.JobService.ResubmitJob",
                      [=, this](CallPtr call) { writes_.Resubmit(call, request, response); });
  }
  grpc::ServerWriteReactor<v1::LogChunk>* StreamLog(Context* context,
                                                    const v1::StreamLogRequest* request) override {
    return new LogReactor(desk_, logs_, context, *request);
  }

 private:
  Desk& desk_;
  LogStore& logs_;
  JobReads reads_;
  JobWrites writes_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeJobService(Desk& desk, LogStore& logs) {
  return std::make_unique<JobService>(desk, logs);
}

}  // namespace pinka::api
