#include "tests/support/agent/fake_scheduler.h"

#include <chrono>

#include "base/hash.h"
#include "base/random.h"

namespace pinka::test {
namespace {

using Desired = v1::DesiredAttempt;

AttemptId IdOf(const v1::AttemptName& name) {
  return {.job = JobId(name.job_id()), .index = name.index(), .number = name.number()};
}

bool IsOver(const v1::ObservedAttempt& report) {
  return report.state() == v1::ObservedAttempt::ENDED ||
         report.state() == v1::ObservedAttempt::ABSENT;
}

void SetName(const AttemptId& id, v1::AttemptName* name) {
  name->set_job_id(id.job.value());
  name->set_index(id.index);
  name->set_number(id.number);
}

}  // namespace

FakeScheduler::FakeScheduler() : lab_run_("fake-" + SystemRandom().Hex(8)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
}

FakeScheduler::~FakeScheduler() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
}

void FakeScheduler::Run(const AttemptId& id, const v1::Payload& payload, Desired desired) {
  std::string bytes = payload.SerializeAsString();
  std::string hash = Sha256Hex(bytes);
  SetName(id, desired.mutable_name());
  desired.set_want(Desired::RUN);
  desired.set_payload(hash);
  if (desired.grace_ms() == 0) desired.set_grace_ms(500);
  if (desired.start_within_ms() == 0) desired.set_start_within_ms(60'000);
  std::lock_guard lock(mutex_);
  payloads_[hash] = bytes;
  desired_[id] = desired;
  ++version_;
  changed_.notify_all();
}

void FakeScheduler::Stop(const AttemptId& id, const std::string& reason, int64_t grace_ms) {
  std::lock_guard lock(mutex_);
  Desired& desired = desired_[id];
  if (desired.want() == Desired::FORGET) return;
  SetName(id, desired.mutable_name());
  desired.set_want(Desired::STOP);
  desired.set_stop_reason(reason);
  desired.set_grace_ms(grace_ms);
  ++version_;
  changed_.notify_all();
}

void FakeScheduler::Disown(const AttemptId& id) {
  std::lock_guard lock(mutex_);
  desired_.erase(id);
  ++version_;
  changed_.notify_all();
}

void FakeScheduler::ChangeLabRun(const std::string& lab_run) {
  std::lock_guard lock(mutex_);
  lab_run_ = lab_run;
  desired_.clear();
  reports_.clear();
  ++version_;
  changed_.notify_all();
}

std::string FakeScheduler::lab_run() {
  std::lock_guard lock(mutex_);
  return lab_run_;
}

void FakeScheduler::Cut(bool cut) {
  std::lock_guard lock(mutex_);
  cut_ = cut;
  changed_.notify_all();
}

void FakeScheduler::BreakPayloads() {
  std::lock_guard lock(mutex_);
  payloads_broken_ = true;
}

void FakeScheduler::HoldPayloads(bool hold) {
  std::lock_guard lock(mutex_);
  payloads_held_ = hold;
}

void FakeScheduler::Take(const v1::SynchronizeRequest& request) {
  ++calls_;
  last_request_ = request;
  if (request.lab_run() != lab_run_) return;
  std::map<AttemptId, bool> named;
  for (const Report& report : request.attempts()) {
    AttemptId id = IdOf(report.name());
    named[id] = true;
    reports_[id] = report;
    auto wanted = desired_.find(id);
    if (wanted == desired_.end() || !IsOver(report)) continue;
    if (wanted->second.want() == Desired::FORGET) continue;
    wanted->second.set_want(Desired::FORGET);
    ++version_;
  }
  std::erase_if(desired_, [&](const auto& entry) {
    return entry.second.want() == Desired::FORGET && !named.contains(entry.first);
  });
  changed_.notify_all();
}

void FakeScheduler::Answer(v1::SynchronizeResponse* response) {
  response->set_term(1);
  response->set_sequence(++sequence_);
  response->set_lab_run(lab_run_);
  response->set_desired_version(version_);
  response->set_next_within_ms(30'000);
  for (const auto& [id, desired] : desired_) *response->add_attempts() = desired;
}

grpc::Status FakeScheduler::Synchronize(grpc::ServerContext* context,
                                        const v1::SynchronizeRequest* request,
                                        v1::SynchronizeResponse* response) {
  std::unique_lock lock(mutex_);
  auto authorization = context->client_metadata().find("authorization");
  bool known = authorization != context->client_metadata().end() &&
               authorization->second == "Bearer fake-token";
  if (!known) return {grpc::StatusCode::UNAUTHENTICATED, "no such token"};
  if (cut_) return {grpc::StatusCode::UNAVAILABLE, "cut"};
  Take(*request);
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(request->hold_ms());
  auto news = [&] {
    return closing_ || cut_ || context->IsCancelled() || version_ != request->desired_version() ||
           request->lab_run() != lab_run_;
  };
  // A cancelled call has nobody to wake us: it is looked for now and then.
  while (!news() && std::chrono::steady_clock::now() < end) {
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  }
  if (cut_ || closing_) return {grpc::StatusCode::UNAVAILABLE, "cut"};
  if (!context->IsCancelled()) Answer(response);
  return grpc::Status::OK;
}

grpc::Status FakeScheduler::UploadLogs(
    grpc::ServerContext*, grpc::ServerReaderWriter<v1::LogAck, v1::LogUpload>* stream) {
  v1::LogUpload upload;
  while (stream->Read(&upload)) {
    AttemptId id = IdOf(upload.name());
    v1::LogAck ack;
    {
      std::lock_guard lock(mutex_);
      if (cut_ || closing_) return {grpc::StatusCode::UNAVAILABLE, "cut"};
      if (!desired_.contains(id)) return {grpc::StatusCode::PERMISSION_DENIED, "none of yours"};
      Log_& log = logs_[id];
      auto have = static_cast<int64_t>(log.bytes.size());
      bool fits = upload.offset() <= have &&
                  upload.offset() + static_cast<int64_t>(upload.data().size()) >= have;
      if (fits) log.bytes += upload.data().substr(static_cast<size_t>(have - upload.offset()));
      log.whole = log.whole || (fits && upload.last());
      *ack.mutable_name() = upload.name();
      ack.set_have(static_cast<int64_t>(log.bytes.size()));
      changed_.notify_all();
    }
    if (!stream->Write(ack)) break;
  }
  return grpc::Status::OK;
}

grpc::Status FakeScheduler::FetchPayload(grpc::ServerContext*,
                                         const v1::FetchPayloadRequest* request,
                                         v1::FetchPayloadResponse* response) {
  std::lock_guard lock(mutex_);
  if (cut_ || payloads_held_) return {grpc::StatusCode::UNAVAILABLE, "cut"};
  auto found = payloads_.find(request->hash());
  if (found == payloads_.end() || payloads_broken_)
    return {grpc::StatusCode::NOT_FOUND, "no such payload"};
  response->set_payload(found->second);
  return grpc::Status::OK;
}

bool FakeScheduler::WaitFor(std::unique_lock<std::mutex>* lock, const std::function<bool()>& holds,
                            int seconds) {
  return changed_.wait_for(*lock, std::chrono::seconds(seconds), holds);
}

std::optional<FakeScheduler::Report> FakeScheduler::WaitReport(
    const AttemptId& id, std::function<bool(const Report&)> holds, int seconds) {
  std::unique_lock lock(mutex_);
  auto there = [&] { return reports_.contains(id) && holds(reports_[id]); };
  if (!WaitFor(&lock, there, seconds)) return std::nullopt;
  return reports_[id];
}

std::optional<FakeScheduler::Report> FakeScheduler::WaitEnd(const AttemptId& id) {
  return WaitReport(id, IsOver);
}

bool FakeScheduler::WaitUnfit(bool unfit) {
  std::unique_lock lock(mutex_);
  return WaitFor(&lock, [&] { return last_request_.unfit().empty() != unfit; });
}

bool FakeScheduler::WaitGone(const AttemptId& id) {
  std::unique_lock lock(mutex_);
  return WaitFor(&lock, [&] { return !desired_.contains(id); });
}

bool FakeScheduler::WaitLog(const AttemptId& id, size_t bytes) {
  std::unique_lock lock(mutex_);
  return WaitFor(&lock, [&] { return logs_[id].bytes.size() >= bytes; });
}

std::string FakeScheduler::Log(const AttemptId& id) {
  std::lock_guard lock(mutex_);
  return logs_[id].bytes;
}

bool FakeScheduler::LogIsWhole(const AttemptId& id) {
  std::lock_guard lock(mutex_);
  return logs_[id].whole;
}

int64_t FakeScheduler::calls() {
  std::lock_guard lock(mutex_);
  return calls_;
}

v1::SynchronizeRequest FakeScheduler::last_request() {
  std::lock_guard lock(mutex_);
  return last_request_;
}

}  // namespace pinka::test
