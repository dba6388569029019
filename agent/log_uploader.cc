#include "agent/log_uploader.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "agent/wire.h"

namespace pinka {

LogUploader::LogUploader(SchedulerClient* client, std::function<void()> finished)
    : client_(client),
      finished_(std::move(finished)),
      thread_([this](std::stop_token stop) { Loop(stop); }) {}

LogUploader::~LogUploader() { thread_.request_stop(); }

void LogUploader::Observe(const AttemptId& attempt, const std::string& path, int64_t size,
                          bool whole) {
  std::lock_guard lock(mutex_);
  paths_[attempt] = path;
  window_.Observe(attempt, size, whole);
  changed_.notify_all();
}

bool LogUploader::Done(const AttemptId& attempt) const {
  std::lock_guard lock(mutex_);
  return window_.Done(attempt);
}

void LogUploader::Drop(const AttemptId& attempt) {
  std::lock_guard lock(mutex_);
  window_.Drop(attempt);
  paths_.erase(attempt);
}

void LogUploader::DropAll() {
  std::lock_guard lock(mutex_);
  window_ = LogWindow();
  paths_.clear();
}

void LogUploader::Loop(std::stop_token stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return !paths_.empty(); });
    }
    if (stop.stop_requested()) return;
    if (Stream(stop)) backoff_.Succeeded();
    std::unique_lock lock(mutex_);
    window_.StreamLost();
    Duration pause = backoff_.Next(random_.Next());
    changed_.wait_for(lock, stop, std::chrono::microseconds(pause.micros()), [] { return false; });
  }
}

// Reads the chunk's bytes; false where the log has become unreadable.
bool LogUploader::Fill(const LogWindow::Chunk& chunk, v1::LogUpload* upload) {
  *upload->mutable_name() = ToWire(chunk.attempt);
  upload->set_offset(chunk.offset);
  upload->set_last(chunk.last);
  if (chunk.length == 0) return true;
  Fd fd(open(paths_[chunk.attempt].c_str(), O_RDONLY | O_CLOEXEC));
  std::string* data = upload->mutable_data();
  data->resize(static_cast<size_t>(chunk.length));
  ssize_t n = fd.valid() ? pread(fd.get(), data->data(), data->size(), chunk.offset) : -1;
  return n == static_cast<ssize_t>(data->size());
}

bool LogUploader::Stream(std::stop_token stop) {
  grpc::ClientContext context;
  std::unique_ptr<SchedulerClient::LogStream> stream = client_->UploadLogs(&context);
  std::stop_callback cancel(stop, [&] { context.TryCancel(); });
  broken_ = false;
  bool answered = false;
  std::jthread reader([&] {
    v1::LogAck ack;
    while (stream->Read(&ack)) {
      AttemptId attempt = FromWire(ack.name());
      std::unique_lock lock(mutex_);
      answered = true;
      bool before = window_.Done(attempt);
      window_.Acknowledged(attempt, ack.have());
      bool done = !before && window_.Done(attempt);
      changed_.notify_all();
      lock.unlock();
      if (done) finished_();
    }
    std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_all();
  });
  while (true) {
    std::unique_lock lock(mutex_);
    std::optional<LogWindow::Chunk> chunk;
    changed_.wait(lock, stop, [&] { return broken_ || (chunk = window_.Next()).has_value(); });
    if (broken_ || stop.stop_requested()) break;
    v1::LogUpload upload;
    if (!Fill(*chunk, &upload)) {
      spdlog::error("the log of {} cannot be read any more", ToString(chunk->attempt));
      window_.Drop(chunk->attempt);
      paths_.erase(chunk->attempt);
      continue;
    }
    lock.unlock();
    if (!stream->Write(upload)) break;
  }
  context.TryCancel();
  reader.join();
  grpc::Status status = stream->Finish();
  if (!stop.stop_requested()) spdlog::info("log stream ended: {}", status.error_message());
  return answered;
}

}  // namespace pinka
