// StreamLog: one attempt's log from an offset or its last lines, in pieces; with `follow` on to its
// end and on with the next attempt, until the task is terminal (design.md 12, "Logs"). Each step is
// a short job of the readers; in between it waits for the log to grow or the job to change.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pinka/v1/job.pb.h"
#include "scheduler/api/call.h"
#include "scheduler/api/convert_job.h"
#include "scheduler/runtime/logs.h"

namespace pinka::api {

// Where one call stands. The reactor that gRPC knows owns it by shared_ptr and gives it a way to
// write; every method runs on one thread at a time.
class LogStream : public std::enable_shared_from_this<LogStream> {
 public:
  // What the reactor does for it.
  class Wire {
   public:
    virtual ~Wire() = default;
    virtual void Write(const v1::LogChunk& chunk) = 0;  // `chunk` lives until Written
    virtual void Finish(const Status& status) = 0;
  };

  LogStream(Desk& desk, LogStore& logs, v1::StreamLogRequest request, Wire& wire);

  void Start(const Principal& who);
  void Refuse(const Status& status) { Finish(status); }
  void Written(bool ok);  // the last chunk has left, or the caller is gone
  void Cancelled();

 private:
  // What is known of the task now: from core while it has the job, else from the database.
  struct Facts {
    bool found = false;
    MemberId member;
    std::string array;  // of the job
    TaskState task = TaskState::kPending;
    std::optional<AttemptRow> attempt;  // that of `number_`, or the newest
    int32_t newest = 0;                 // number of the newest attempt; 0: none
  };
  void WithFacts(void (LogStream::*then)(const Facts&));
  Facts FromState(const State& state) const;
  StatusOr<Facts> FromDatabase() const;
  void Begin(const Facts& facts);
  Status Judge(const Facts& facts) const;
  Status Position(const Facts& facts);
  void Step();
  void AtEnd(const Facts& facts);
  bool IsDropped(const Facts& facts, const LogSize& size) const;
  bool LogEnds(const Facts& facts, v1::LogChunk* chunk) const;
  bool AllOver(const Facts& facts) const;
  void GoOn(const Facts& facts);
  void Wait();
  void Send();
  bool Gone();
  void Finish(const Status& status);
  void Run(void (LogStream::*step)());
  AttemptId id() const { return {task_.job, task_.index, number_}; }

  Desk& desk_;
  LogStore& logs_;
  BoardPtr board_;  // of the beginning: who may see it
  const v1::StreamLogRequest request_;
  Principal who_;
  TaskId task_;
  int32_t number_ = 0;  // of the attempt; 0: none yet
  int64_t offset_ = 0;
  bool log_over_ = false;   // the attempt's log has ended
  bool finishing_ = false;  // the chunk on its way is the last
  Duration quiet_since_;
  v1::LogChunk chunk_;

  std::mutex mutex_;
  Wire* wire_;  // null once finished or cancelled
};

}  // namespace pinka::api
