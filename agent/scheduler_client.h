// The agent's end of AgentService and of FilesService: one channel, one token.
// Thread-safe.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/status.h"
#include "base/time.h"
#include "pinka/v1/agent.grpc.pb.h"
#include "pinka/v1/files.grpc.pb.h"

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
  Status RotateKey(const std::string& hash, const std::string& instance);
  // Blocks; the bytes are not checked yet.
  StatusOr<std::string> FetchPayload(const std::string& hash);

  // Blobs of jobs' files, one at a time. All block. Unavailable: worth another try;
  // ResourceExhausted: no room in the store; Unimplemented: a scheduler that keeps no files.
  StatusOr<std::vector<std::string>> FindMissing(const std::vector<std::string>& hashes);
  Status PutBlob(const std::string& hash, const std::string& bytes);
  StatusOr<std::string> GetBlob(const std::string& hash);  // its bytes have the hash
  Status KeepFiles(const v1::KeepFilesRequest& request);
  StatusOr<v1::FindCheckpointResponse> FindCheckpoint(const TaskId& task);

  using LogStream = grpc::ClientReaderWriter<v1::LogUpload, v1::LogAck>;
  std::unique_ptr<LogStream> UploadLogs(grpc::ClientContext* context);

 private:
  void Authorize(grpc::ClientContext* context) const;
  Status FromGrpc(const grpc::Status& status) const;
  template <class Request, class Response, class Method>
  Status Ask(Method method, const Request& request, Response* response);

  SchedulerAddress address_;
  std::string authorization_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::AgentService::Stub> stub_;
  std::unique_ptr<v1::FilesService::Stub> files_;
};

}  // namespace pinka
