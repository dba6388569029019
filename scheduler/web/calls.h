// gRPC calls on behalf of a browser, through a channel inside the process. Each blocks its thread.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pinka/v1/job.grpc.pb.h"
#include "scheduler/web/connect.h"

namespace pinka::web {

// The reply in JSON, or the refusal in Connect's form. `authorization` may be empty.
HttpAnswer CallUnary(const std::shared_ptr<grpc::Channel>& services, const Method& method,
                     const std::string& authorization, std::string_view json);

// What /session asks for: OK where the token is a member's, else the refusal.
HttpAnswer WhoAmI(const std::shared_ptr<grpc::Channel>& services, const std::string& authorization);

struct LogAsked {
  std::string task;  // "17", "17_3"
  int attempt = 0;   // 0: the newest
  int64_t offset = 0;
  int64_t tail_lines = 0;
};

// One attempt's log as far as it is there, piece by piece. One thread at a time.
class LogReader {
 public:
  LogReader(const std::shared_ptr<grpc::Channel>& services, const std::string& authorization,
            const LogAsked& asked);
  ~LogReader();  // ends the call

  // Reads the first piece: status 200, or the refusal.
  HttpAnswer Begin();
  int attempt() const { return chunk_.attempt(); }
  int64_t offset() const { return chunk_.offset(); }  // of the first byte that Next gives
  const std::string& task_state() const { return chunk_.task_state(); }

  // The bytes of the piece at hand, and moves on; nothing where there is no more.
  std::optional<std::string> Next();

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::JobService::Stub> stub_;
  std::unique_ptr<grpc::ClientReader<v1::LogChunk>> reader_;
  v1::LogChunk chunk_;
  bool there_ = false;
};

}  // namespace pinka::web
