// UploadLogs, one stream a node: chunks are written as they come, acknowledgements leave when the
// bytes are durable, the newest for each attempt. An attempt must be one of the agent's node.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "pinka/v1/agent.pb.h"
#include "scheduler/api/call.h"
#include "scheduler/runtime/logs.h"

namespace pinka::api {

class LogUpload : public std::enable_shared_from_this<LogUpload> {
 public:
  // What the reactor does for it.
  class Wire {
   public:
    virtual ~Wire() = default;
    virtual void ReadNext() = 0;
    virtual void Write(const v1::LogAck& ack) = 0;  // `ack` lives until Written
    virtual void Finish(const Status& status) = 0;
  };

  LogUpload(Desk& desk, LogStore& logs, Wire& wire) : desk_(desk), logs_(logs), wire_(&wire) {}

  void Start(const Principal& who);
  void Refuse(const Status& status) { Finish(status); }
  void Received(const v1::LogUpload& chunk);  // copied before it returns
  void Ended();                               // the agent sends no more
  void Written(bool ok);
  void Cancelled();

 private:
  void Check(const AttemptId& id, std::shared_ptr<v1::LogUpload> chunk);
  void Append(const AttemptId& id, const v1::LogUpload& chunk);
  void Durable(const AttemptId& id, size_t bytes, StatusOr<int64_t> have);
  // With the lock held: starts what may be started now.
  void Pump();
  void Finish(const Status& status);

  Desk& desk_;
  LogStore& logs_;
  Principal who_;
  std::mutex mutex_;
  Wire* wire_;                         // null once finished
  std::set<AttemptId> ours_;           // checked
  std::map<AttemptId, int64_t> acks_;  // to be sent
  v1::LogAck ack_;
  size_t in_flight_ = 0;  // bytes written and not yet durable
  int waiting_ = 0;       // chunks not yet durable
  bool writing_ = false;
  bool reading_ = false;
  bool ended_ = false;
};

}  // namespace pinka::api
