// The agent's end of AgentService: one channel, one token, three calls.
// Thread-safe.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "pinka/v1/agent.grpc.pb.h"

namespace pinka {

// Where the scheduler is, and whom this box believes about it.
struct SchedulerAddress {
  std::string server;       // HOST:PORT or unix:PATH
  std::string authorities;  // PEM; "": no TLS
};
// TLS everywhere but on this machine, and there where `ca` (a PEM file) is named. Refused where
// nobody is there to be believed.
StatusOr<SchedulerAddress> FindScheduler(const std::string& server, const std::string& ca);

class SchedulerClient {
 public:
  SchedulerClient(const SchedulerAddress& address, std::string token);

  // A Synchronize on its way. Cancel is a request: `done` is called all the same, once.
  class Call {
   public:
    void Cancel() { context_.TryCancel(); }

   private:
    friend class SchedulerClient;
    grpc::ClientContext context_;
    v1::SynchronizeRequest request_;
    v1::SynchronizeResponse response_;
  };
  // `done` runs on a thread of gRPC. Fails after the request's hold and a margin.
  using Done = std::function<void(const Status& status, const v1::SynchronizeResponse& response)>;
  std::shared_ptr<Call> Synchronize(v1::SynchronizeRequest request, Done done);

  // Block.
  StatusOr<v1::JoinResponse> Join(const v1::JoinRequest& request);
  Status RotateKey(const std::string& hash);
  // Blocks; the bytes are not checked yet.
  StatusOr<std::string> FetchPayload(const std::string& hash);

  using LogStream = grpc::ClientReaderWriter<v1::LogUpload, v1::LogAck>;
  std::unique_ptr<LogStream> UploadLogs(grpc::ClientContext* context);

 private:
  void Authorize(grpc::ClientContext* context) const;
  Status FromGrpc(const grpc::Status& status) const;

  SchedulerAddress address_;
  std::string authorization_;
  std::unique_ptr<v1::AgentService::Stub> stub_;
};

}  // namespace pinka
