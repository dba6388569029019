#include "scheduler/web/connect.h"

#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <memory>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "pinka/v1/error.pb.h"
#include "scheduler/api/methods.h"
#include "scheduler/api/status_table.h"

namespace pinka::web {
namespace {

namespace pb = google::protobuf;

struct CodeRow {
  grpc::StatusCode grpc;
  const char* name;
  int http;
};
// The protocol's own table, in the order of gRPC's codes.
constexpr CodeRow kCodes[] = {
    {grpc::StatusCode::CANCELLED, "canceled", 499},
    {grpc::StatusCode::UNKNOWN, "unknown", 500},
    {grpc::StatusCode::INVALID_ARGUMENT, "invalid_argument", 400},
    {grpc::StatusCode::DEADLINE_EXCEEDED, "deadline_exceeded", 504},
    {grpc::StatusCode::NOT_FOUND, "not_found", 404},
    {grpc::StatusCode::ALREADY_EXISTS, "already_exists", 409},
    {grpc::StatusCode::PERMISSION_DENIED, "permission_denied", 403},
    {grpc::StatusCode::RESOURCE_EXHAUSTED, "resource_exhausted", 429},
    {grpc::StatusCode::FAILED_PRECONDITION, "failed_precondition", 400},
    {grpc::StatusCode::ABORTED, "aborted", 409},
    {grpc::StatusCode::OUT_OF_RANGE, "out_of_range", 400},
    {grpc::StatusCode::UNIMPLEMENTED, "unimplemented", 501},
    {grpc::StatusCode::INTERNAL, "internal", 500},
    {grpc::StatusCode::UNAVAILABLE, "unavailable", 503},
    {grpc::StatusCode::DATA_LOSS, "data_loss", 500},
    {grpc::StatusCode::UNAUTHENTICATED, "unauthenticated", 401},
};

const CodeRow& RowOfCode(grpc::StatusCode code) {
  for (const CodeRow& row : kCodes)
    if (row.grpc == code) return row;
  return kCodes[1];
}

std::unique_ptr<pb::Message> NewMessage(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

Status BadJson(const Method& method, std::string_view why) {
  return Invalid(fmt::format("the body is no {} in JSON: {}", method.input_type()->name(), why));
}

}  // namespace

const Method* UnaryMethod(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (!path.starts_with('/') || slash == 0) return nullptr;
  const std::string name = fmt::format("{}.{}", path.substr(1, slash - 1), path.substr(slash + 1));
  const api::MethodRule* rule = api::RuleOf(name);
  if (!rule || rule->who == api::Who::kAgent) return nullptr;
  const Method* method = pb::DescriptorPool::generated_pool()->FindMethodByName(name);
  if (!method || method->client_streaming() || method->server_streaming()) return nullptr;
  return method;
}

StatusOr<std::string> RequestBytes(const Method& method, std::string_view json) {
  const auto message = NewMessage(method.input_type());
  pb::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto read = pb::util::JsonStringToMessage(pb::StringPiece(json.data(), json.size()),
                                                  message.get(), options);
  if (!read.ok()) return BadJson(method, read.message().as_string());
  return message->SerializeAsString();
}

StatusOr<std::string> ReplyJson(const Method& method, const std::string& bytes) {
  const auto message = NewMessage(method.output_type());
  std::string json;
  if (!message->ParseFromString(bytes) || !pb::util::MessageToJsonString(*message, &json).ok())
    return Internal(fmt::format("a reply of {} cannot be read", method.full_name()));
  return json;
}

HttpAnswer ErrorAnswer(const grpc::Status& status, const std::string& error_bin) {
  const CodeRow& code = RowOfCode(status.error_code());
  HttpAnswer answer{.status = code.http, .body = {}};
  pb::Struct body;
  (*body.mutable_fields())["code"].set_string_value(code.name);
  (*body.mutable_fields())["message"].set_string_value(status.error_message());
  v1::Error error;
  if (!error_bin.empty() && error.ParseFromString(error_bin)) {
    std::string value;
    absl::Base64Escape(error_bin, &value);
    while (value.ends_with('=')) value.pop_back();
    pb::Struct detail;
    (*detail.mutable_fields())["type"].set_string_value("pinka.v1.Error");
    (*detail.mutable_fields())["value"].set_string_value(value);
    *(*body.mutable_fields())["details"]
         .mutable_list_value()
         ->add_values()
         ->mutable_struct_value() = detail;
    if (const api::StatusRow* row = api::RowOfName(error.reason())) answer.status = row->http;
  }
  if (!pb::util::MessageToJsonString(body, &answer.body).ok())
    answer.body = fmt::format(R"({{"code":"{}"}})", code.name);
  return answer;
}

}  // namespace pinka::web
