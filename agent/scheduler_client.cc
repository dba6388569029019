#include "agent/scheduler_client.h"

#include <chrono>
#include <utility>

namespace pinka {
namespace {

constexpr int kMaxMessageBytes = 64 << 20;  // a payload with a large script
constexpr std::chrono::seconds kMargin{15};

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  // A box behind a NAT finds out that its connection is gone.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return OkStatus();
  const std::string& message = status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::NOT_FOUND:
      return NotFound(message);
    case grpc::StatusCode::INVALID_ARGUMENT:
      return Invalid(message);
    default:
      return Unavailable(message);
  }
}

}  // namespace

SchedulerClient::SchedulerClient(const std::string& address, std::string token)
    : authorization_("Bearer " + std::move(token)),
      stub_(v1::AgentService::NewStub(Connect(address))) {}

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
                              [call, done = std::move(done)](const grpc::Status& s) {
                                done(FromGrpc(s), call->response_);
                              });
  return call;
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

std::unique_ptr<SchedulerClient::LogStream> SchedulerClient::UploadLogs(
    grpc::ClientContext* context) {
  Authorize(context);
  return stub_->UploadLogs(context);
}

}  // namespace pinka
