// Sends the logs of all attempts to the scheduler on one stream, and again from what it has after a
// break, until every byte is durable there.
// Thread-safe. A thread of its own writes; another reads acknowledgements while a stream is open.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "agent/core/backoff.h"
#include "agent/core/log_window.h"
#include "agent/scheduler_client.h"
#include "base/file.h"
#include "base/random.h"

namespace pinka {

class LogUploader {
 public:
  // `finished` is called when a log is done, from a thread of this object.
  LogUploader(SchedulerClient* client, std::function<void()> finished);
  ~LogUploader();

  // There are `size` bytes in the file at `path` now; `whole`: it will not grow any more.
  void Observe(const AttemptId& attempt, const std::string& path, int64_t size, bool whole);
  bool Done(const AttemptId& attempt) const;
  void Drop(const AttemptId& attempt);
  void DropAll();

 private:
  void Loop(std::stop_token stop);
  bool Stream(std::stop_token stop);  // false: it could not even begin
  bool Fill(const LogWindow::Chunk& chunk, v1::LogUpload* upload);

  SchedulerClient* client_;
  std::function<void()> finished_;
  SystemRandom random_;
  Backoff backoff_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  LogWindow window_;
  std::map<AttemptId, std::string> paths_;
  bool broken_ = false;  // the open stream
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace pinka
