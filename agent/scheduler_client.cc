#include "agent/scheduler_client.h"

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "tls/authorities.h"
#include "tls/certificate.h"
#include "tls/judge.h"
#include "tls/peer.h"

namespace pinka {
namespace {

constexpr int kMaxMessageBytes = 64 << 20;  // a payload with a large script
constexpr std::chrono::seconds kMargin{15};
constexpr std::chrono::seconds kFilesDeadline{120};  // a blob over a slow line

std::shared_ptr<grpc::ChannelCredentials> Credentials(const std::string& authorities) {
  if (authorities.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = authorities;
  return grpc::SslCredentials(options);
}

std::shared_ptr<grpc::Channel> Connect(const SchedulerAddress& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  // A box behind a NAT finds out that its connection is gone.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  return grpc::CreateCustomChannel(address.server, Credentials(address.authorities), arguments);
}

}  // namespace

StatusOr<SchedulerAddress> FindScheduler(const std::string& server, const std::string& ca) {
  SchedulerAddress at{server, ""};
  if (ca.empty() && IsOnThisMachine(server)) return at;
  if (Status s = ParseHostPort(server).status(); !s.ok()) return s;
  StatusOr<std::string> pem = ca.empty() ? SystemAuthorities() : ReadFile(ca);
  if (!pem.ok()) return pem.status();
  if (Status s = ReadCertificates(*pem, ca).status(); !s.ok()) return s;
  at.authorities = *std::move(pem);
  return at;
}

SchedulerClient::SchedulerClient(const SchedulerAddress& address, std::string token)
    : address_(address),
      authorization_("Bearer " + std::move(token)),
      channel_(Connect(address)),
      stub_(v1::AgentService::NewStub(channel_)),
      files_(v1::FilesService::NewStub(channel_)) {}

// A handshake that failed is looked at again, for a sentence that says why.
Status SchedulerClient::FromGrpc(const grpc::Status& status) const {
  if (status.ok()) return OkStatus();
  const std::string& message = status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::NOT_FOUND:
      return NotFound(message);
    case grpc::StatusCode::INVALID_ARGUMENT:
      return Invalid(message);
    case grpc::StatusCode::UNAUTHENTICATED:
      return Status(absl::StatusCode::kUnauthenticated, message);
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return absl::ResourceExhaustedError(message);
    case grpc::StatusCode::UNIMPLEMENTED:
      return absl::UnimplementedError(message);
    default:
      break;
  }
  if (!address_.authorities.empty() && IsAboutTrust(message)) {
    Status judged = JudgeServer(address_.server, address_.authorities, SystemClock().Now());
    if (!judged.ok()) return Unavailable(Message(judged));
  }
  return Unavailable(message);
}

void SchedulerClient::Authorize(grpc::ClientContext* context) const {
  context->AddMetadata("authorization", authorization_);
}

std::shared_ptr<SchedulerClient::Call> SchedulerClient::Synchronize(v1::SynchronizeRequest request,
                                                                    Done done) {
  auto call = std::make_shared<Call>();
  call->request_ = std::move(request);
  Authorize(&call->context_);
  std::chrono::milliseconds hold(call->request_.hold_ms());
  call->context_.set_deadline(std::chrono::system_clock::now() + hold + kMargin);
  stub_->async()->Synchronize(&call->context_, &call->request_, &call->response_,
                              [this, call, done = std::move(done)](const grpc::Status& s) {
                                done(FromGrpc(s), call->response_);
                              });
  return call;
}

StatusOr<v1::JoinResponse> SchedulerClient::Join(const v1::JoinRequest& request) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  v1::JoinResponse response;
  Status status = FromGrpc(stub_->Join(&context, request, &response));
  if (!status.ok()) return status;
  return response;
}

Status SchedulerClient::RotateKey(const std::string& hash, const std::string& instance) {
  grpc::ClientContext context;
  Authorize(&context);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  v1::RotateKeyRequest request;
  request.set_key_hash(hash);
  request.set_instance(instance);
  v1::RotateKeyResponse response;
  return FromGrpc(stub_->RotateKey(&context, request, &response));
}

StatusOr<std::string> SchedulerClient::FetchPayload(const std::string& hash) {
  grpc::ClientContext context;
  Authorize(&context);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  v1::FetchPayloadRequest request;
  request.set_hash(hash);
  v1::FetchPayloadResponse response;
  Status status = FromGrpc(stub_->FetchPayload(&context, request, &response));
  if (!status.ok()) return status;
  return std::move(*response.mutable_payload());
}

template <class Request, class Response, class Method>
Status SchedulerClient::Ask(Method method, const Request& request, Response* response) {
  grpc::ClientContext context;
  Authorize(&context);
  context.set_deadline(std::chrono::system_clock::now() + kFilesDeadline);
  return FromGrpc((files_.get()->*method)(&context, request, response));
}

StatusOr<std::vector<std::string>> SchedulerClient::FindMissing(
    const std::vector<std::string>& hashes) {
  v1::FindMissingRequest request;
  for (const std::string& hash : hashes) request.add_hashes(hash);
  v1::FindMissingResponse response;
  Status status = Ask(&v1::FilesService::Stub::FindMissing, request, &response);
  if (!status.ok()) return status;
  return std::vector<std::string>(response.hashes().begin(), response.hashes().end());
}

Status SchedulerClient::PutBlob(const std::string& hash, const std::string& bytes) {
  v1::PutBlobRequest request;
  request.set_hash(hash);
  request.set_data(bytes);
  v1::PutBlobResponse response;
  return Ask(&v1::FilesService::Stub::PutBlob, request, &response);
}

StatusOr<std::string> SchedulerClient::GetBlob(const std::string& hash) {
  v1::GetBlobRequest request;
  request.set_hash(hash);
  v1::GetBlobResponse response;
  Status status = Ask(&v1::FilesService::Stub::GetBlob, request, &response);
  if (!status.ok()) return status;
  if (Sha256Hex(response.data()) != hash) return Unavailable("a blob arrived damaged");
  return std::move(*response.mutable_data());
}

Status SchedulerClient::KeepFiles(const v1::KeepFilesRequest& request) {
  v1::KeepFilesResponse response;
  return Ask(&v1::FilesService::Stub::KeepFiles, request, &response);
}

StatusOr<v1::FindCheckpointResponse> SchedulerClient::FindCheckpoint(const TaskId& task) {
  v1::FindCheckpointRequest request;
  request.set_job_id(task.job.value());
  request.set_index(task.index);
  v1::FindCheckpointResponse response;
  Status status = Ask(&v1::FilesService::Stub::FindCheckpoint, request, &response);
  if (!status.ok()) return status;
  return response;
}

std::unique_ptr<SchedulerClient::LogStream> SchedulerClient::UploadLogs(
    grpc::ClientContext* context) {
  Authorize(context);
  return stub_->UploadLogs(context);
}

}  // namespace pinka
