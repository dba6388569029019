#include "scheduler/web/calls.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <future>
#include <utility>
#include <vector>

namespace pinka::web {
namespace {

// Longer than any call of the page; WaitJob and the like are held for less.
constexpr std::chrono::seconds kPatience(70);
constexpr std::string_view kErrorTrailer = "pinka-error-bin";

void Prepare(grpc::ClientContext* context, const std::string& authorization) {
  context->set_deadline(std::chrono::system_clock::now() + kPatience);
  if (!authorization.empty()) context->AddMetadata("authorization", authorization);
}

HttpAnswer Refused(const grpc::ClientContext& context, const grpc::Status& status) {
  const auto& trailers = context.GetServerTrailingMetadata();
  const auto found = trailers.find(grpc::string_ref(kErrorTrailer.data(), kErrorTrailer.size()));
  return ErrorAnswer(status, found == trailers.end()
                                 ? std::string()
                                 : std::string(found->second.data(), found->second.size()));
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices)
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

}  // namespace

HttpAnswer CallUnary(const std::shared_ptr<grpc::Channel>& services, const Method& method,
                     const std::string& authorization, std::string_view json) {
  const StatusOr<std::string> bytes = RequestBytes(method, json.empty() ? "{}" : json);
  if (!bytes.ok())
    return ErrorAnswer({grpc::StatusCode::INVALID_ARGUMENT, Message(bytes.status())}, "");
  grpc::ClientContext context;
  Prepare(&context, authorization);
  const grpc::Slice slice(*bytes);
  grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer reply;
  std::promise<grpc::Status> promise;
  grpc::GenericStub stub(services);
  stub.UnaryCall(&context, "/" + method.service()->full_name() + "/" + method.name(), {}, &request,
                 &reply, [&promise](grpc::Status status) { promise.set_value(std::move(status)); });
  const grpc::Status status = promise.get_future().get();
  if (!status.ok()) return Refused(context, status);
  StatusOr<std::string> body = ReplyJson(method, BytesOf(reply));
  if (!body.ok()) return ErrorAnswer({grpc::StatusCode::INTERNAL, Message(body.status())}, "");
  return {.status = 200, .body = *std::move(body)};
}

HttpAnswer WhoAmI(const std::shared_ptr<grpc::Channel>& services,
                  const std::string& authorization) {
  const Method* method = UnaryMethod("/pinka.v1.ReportService/WhoAmI");
  return CallUnary(services, *method, authorization, "{}");
}

LogReader::LogReader(const std::shared_ptr<grpc::Channel>& services,
                     const std::string& authorization, const LogAsked& asked)
    : stub_(v1::JobService::NewStub(services)) {
  Prepare(&context_, authorization);
  v1::StreamLogRequest request;
  request.set_task(asked.task);
  request.set_attempt(asked.attempt);
  request.set_offset(asked.offset);
  request.set_tail_lines(asked.tail_lines);
  reader_ = stub_->StreamLog(&context_, request);
  chunk_.set_attempt(asked.attempt);
  chunk_.set_offset(asked.offset);
}

LogReader::~LogReader() {
  context_.TryCancel();
  if (reader_) (void)reader_->Finish();
}

HttpAnswer LogReader::Begin() {
  there_ = reader_->Read(&chunk_);
  if (there_) return {};
  const auto reader = std::move(reader_);
  const grpc::Status status = reader->Finish();
  return status.ok() ? HttpAnswer{} : Refused(context_, status);
}

std::optional<std::string> LogReader::Next() {
  if (!there_) return std::nullopt;
  std::string bytes = std::move(*chunk_.mutable_data());
  there_ = reader_->Read(&chunk_);
  return bytes;
}

}  // namespace pinka::web
