// A scheduler for agents to talk to: AgentService in this process, with the rules of agent.proto
// and nothing else. An attempt that is ordered is wanted until its end has been reported; then it
// is forgotten, and vanishes once the agent does not name it any more.
// Thread-safe.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "pinka/v1/agent.grpc.pb.h"

namespace pinka::test {

class FakeScheduler final : public v1::AgentService::Service {
 public:
  FakeScheduler();
  ~FakeScheduler() override;
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Wants the attempt run. `desired` holds what differs from the defaults.
  void Run(const AttemptId& id, const v1::Payload& payload, v1::DesiredAttempt desired = {});
  void Stop(const AttemptId& id, const std::string& reason, int64_t grace_ms);
  void Disown(const AttemptId& id);  // it names the attempt no more, without having seen its end
  void ChangeLabRun(const std::string& lab_run);  // drops all it knew
  // Of its own for each object: tests run beside each other, and processes are found by it.
  std::string lab_run();
  // As long as this is set every call fails, as it would with the network down.
  void Cut(bool cut);
  void BreakPayloads();          // from now on every payload is unknown
  void HoldPayloads(bool hold);  // as long as this is set none can be had

  // The newest report of the attempt once `holds` is true of it; nothing after `seconds`.
  using Report = v1::ObservedAttempt;
  std::optional<Report> WaitReport(const AttemptId& id, std::function<bool(const Report&)> holds,
                                   int seconds = 60);
  std::optional<Report> WaitEnd(const AttemptId& id);  // ENDED or ABSENT
  bool WaitUnfit(bool unfit);          // the newest request says why it takes nothing, or nothing
  bool WaitGone(const AttemptId& id);  // forgotten here and there
  bool WaitLog(const AttemptId& id, size_t bytes);
  std::string Log(const AttemptId& id);
  bool LogIsWhole(const AttemptId& id);
  int64_t calls();
  v1::SynchronizeRequest last_request();

  grpc::Status Synchronize(grpc::ServerContext* context, const v1::SynchronizeRequest* request,
                           v1::SynchronizeResponse* response) override;
  grpc::Status UploadLogs(grpc::ServerContext* context,
                          grpc::ServerReaderWriter<v1::LogAck, v1::LogUpload>* stream) override;
  grpc::Status FetchPayload(grpc::ServerContext* context, const v1::FetchPayloadRequest* request,
                            v1::FetchPayloadResponse* response) override;

 private:
  struct Log_ {
    std::string bytes;
    bool whole = false;
  };
  void Take(const v1::SynchronizeRequest& request);
  void Answer(v1::SynchronizeResponse* response);
  bool WaitFor(std::unique_lock<std::mutex>* lock, const std::function<bool()>& holds,
               int seconds = 60);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string lab_run_;
  int64_t version_ = 1;
  int64_t sequence_ = 0;
  int64_t calls_ = 0;
  bool cut_ = false;
  bool payloads_broken_ = false;
  bool payloads_held_ = false;
  bool closing_ = false;
  v1::SynchronizeRequest last_request_;
  std::map<AttemptId, v1::DesiredAttempt> desired_;
  std::map<AttemptId, Report> reports_;
  std::map<AttemptId, Log_> logs_;
  std::map<std::string, std::string> payloads_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace pinka::test
