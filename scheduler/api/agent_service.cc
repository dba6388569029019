#include "scheduler/api/agent_service.h"

#include "db/reads_jobs.h"
#include "pinka/v1/agent.grpc.pb.h"
#include "scheduler/api/agent_join.h"
#include "scheduler/api/agent_sync.h"
#include "scheduler/api/log_upload.h"

namespace pinka::api {
namespace {

using Context = grpc::CallbackServerContext;
using Stream = grpc::ServerBidiReactor<v1::LogUpload, v1::LogAck>;

// What gRPC knows of an UploadLogs call. It goes when gRPC is done with it.
class UploadReactor final : public Stream, public LogUpload::Wire {
 public:
  UploadReactor(Desk& desk, LogStore& logs, Context* context)
      : context_(context), upload_(std::make_shared<LogUpload>(desk, logs, *this)) {
    desk.Admit(context, "pinka.v1.AgentService.UploadLogs",
               [upload = upload_](StatusOr<Principal> who) {
                 who.ok() ? upload->Start(*who) : upload->Refuse(who.status());
               });
  }

  void ReadNext() override { StartRead(&chunk_); }
  void Write(const v1::LogAck& ack) override { StartWrite(&ack); }
  void Finish(const Status& status) override { Stream::Finish(Attach(context_, status)); }

  void OnReadDone(bool ok) override { ok ? upload_->Received(chunk_) : upload_->Ended(); }
  void OnWriteDone(bool ok) override { upload_->Written(ok); }
  void OnCancel() override { upload_->Cancelled(); }
  void OnDone() override { delete this; }

 private:
  Context* context_;
  v1::LogUpload chunk_;
  std::shared_ptr<LogUpload> upload_;
};

class AgentService final : public v1::AgentService::CallbackService {
 public:
  AgentService(Desk& desk, LogStore& logs) : desk_(desk), logs_(logs), sync_(desk) {}

  grpc::ServerUnaryReactor* Synchronize(Context* context, const v1::SynchronizeRequest* request,
                                        v1::SynchronizeResponse* response) override {
    return desk_.Open(context, "pinka.v1.AgentService.Synchronize",
                      [=, this](CallPtr call) { sync_.Synchronize(call, request, response); });
  }

  grpc::ServerUnaryReactor* Join(Context* context, const v1::JoinRequest* request,
                                 v1::JoinResponse* response) override {
    return desk_.Open(context, "pinka.v1.AgentService.Join",
                      [=, this](CallPtr call) { JoinNode(desk_, call, *request, response); });
  }

  grpc::ServerUnaryReactor* RotateKey(Context* context, const v1::RotateKeyRequest* request,
                                      v1::RotateKeyResponse*) override {
    return desk_.Open(context, "pinka.v1.AgentService.RotateKey",
                      [=, this](CallPtr call) { RotateNodeKey(desk_, call, *request); });
  }

  Stream* UploadLogs(Context* context) override { return new UploadReactor(desk_, logs_, context); }

  // Hashes are not guessed: who knows one has been given the order.
  grpc::ServerUnaryReactor* FetchPayload(Context* context, const v1::FetchPayloadRequest* request,
                                         v1::FetchPayloadResponse* response) override {
    return desk_.Open(context, "pinka.v1.AgentService.FetchPayload", [=, this](CallPtr call) {
      desk_.Read(call, [=, this] {
        auto payload = db::PayloadByHash(desk_.database(), request->hash());
        if (!payload.ok()) return call->Fail(payload.status());
        if (!payload->has_value())
          return call->Refuse(Reason::kNoSuchJob, "no payload has this hash");
        response->set_payload(**payload);
        call->Done();
      });
    });
  }

 private:
  Desk& desk_;
  LogStore& logs_;
  AgentSync sync_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeAgentService(Desk& desk, LogStore& logs) {
  return std::make_unique<AgentService>(desk, logs);
}

}  // namespace pinka::api
