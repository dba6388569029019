#include "scheduler/api/forms.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <memory>

#include "base/hash.h"
#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"
#include "scheduler/api/limits.h"

namespace pinka::api {

Status CheckName(std::string_view name, std::string_view what) {
  if (name.empty()) return Invalid(fmt::format("the name of a {} is missing", what));
  if (!IsPrintableName(name, kMostNameChars)) {
    return Invalid(
        fmt::format("the name of a {} is at most {} printable characters of UTF-8, without "
                    "controls, escapes or invisible characters",
                    what, kMostNameChars));
  }
  if (name.find_first_of(":/") != std::string_view::npos) {
    return Invalid(fmt::format("the name of a {} holds no ':' or '/'", what));
  }
  if (name == "lab" || name == "any") {
    return Invalid(fmt::format("\"{}\" has a meaning of its own; choose another name", name));
  }
  if (name.front() == ' ' || name.back() == ' ' || name.front() == '-') {
    return Invalid(
        fmt::format("the name of a {} neither begins nor ends with a blank, and does "
                    "not begin with '-'",
                    what));
  }
  return OkStatus();
}

Status CheckText(std::string_view text, int max_chars, std::string_view what) {
  if (IsPrintableName(text, max_chars)) return OkStatus();
  if (IsValidUtf8(text) && CountChars(text) > max_chars) {
    return Invalid(fmt::format("the {} has {} characters; at most {} are kept", what,
                               CountChars(text), max_chars));
  }
  return Invalid(fmt::format(
      "the {} holds bytes that are no UTF-8, controls, escapes or invisible characters; use "
      "printable text",
      what));
}

StatusOr<Money> PositiveMoney(const std::string& text, std::string_view what) {
  StatusOr<Money> amount = ParseWireMoney(text);
  if (!amount.ok()) return Invalid(fmt::format("{}: {}", what, Message(amount.status())));
  if (*amount <= Money()) return Invalid(fmt::format("{}: more than 0 is needed", what));
  return amount;
}

Duration BoundedMillis(int64_t ms, Duration most) {
  return Duration::Millis(std::clamp<int64_t>(ms, 0, most.millis()));
}

std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

StatusOr<RequestKey> KeyOf(const google::protobuf::Message& request) {
  const auto* field = request.GetDescriptor()->FindFieldByName("request_id");
  if (field == nullptr) return Internal("a mutation without a request id");
  RequestKey key;
  key.key = request.GetReflection()->GetString(request, field);
  if (key.key.empty()) return key;
  if (key.key.size() > kMostRequestId || !IsPrintableName(key.key, kMostNameChars * 2)) {
    return Invalid(
        fmt::format("a request id is at most {} bytes of printable text", kMostRequestId));
  }
  std::unique_ptr<google::protobuf::Message> rest(request.New());
  rest->CopyFrom(request);
  rest->GetReflection()->ClearField(rest.get(), field);
  key.hash = Sha256Hex(request.GetTypeName() + '\n' + DeterministicBytes(*rest));
  return key;
}

Timestamp FromProto(const google::protobuf::Timestamp& at) {
  return Timestamp::Micros(at.seconds() * 1'000'000 + at.nanos() / 1'000);
}

google::protobuf::Timestamp ToProto(Timestamp at) {
  constexpr int64_t kMicros = 1'000'000;
  int64_t seconds = at.micros() / kMicros;
  int64_t micros = at.micros() % kMicros;
  if (micros < 0) {
    --seconds;
    micros += kMicros;
  }
  google::protobuf::Timestamp out;
  out.set_seconds(seconds);
  out.set_nanos(static_cast<int32_t>(micros * 1'000));
  return out;
}

std::string WireRate(Rate rate) {
  return FormatWireMoney(Money::Micros(rate.micros_per_unit_hour()));
}

std::string WireHours(int64_t unit_ms) {
  return FormatWireMoney(Money::Micros(MulDivRound(unit_ms, 1'000'000, 3'600'000)));
}

StatusOr<int64_t> ParseHours(const std::string& text, std::string_view what) {
  StatusOr<Money> hours = ParseWireMoney(text);
  if (!hours.ok() || *hours <= Money()) {
    return Invalid(
        fmt::format("{}: write a number of unit-hours above 0, as in 1000 or 2.5", what));
  }
  return MulDivRound(hours->micros(), 3'600'000, 1'000'000);
}

}  // namespace pinka::api
