#include "client/cli/core/json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "client/cli/core/when.h"

namespace pinka::cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void AppendEscaped(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
      case '\\':
        *out += '\\';
        *out += c;
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default:
        if (byte >= 0x20 && byte != 0x7f) {
          *out += c;
        } else {
          *out += "\\u00";
          *out += kHex[byte >> 4];
          *out += kHex[byte & 15];
        }
    }
  }
}

std::string ReplaceInvalid(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t length = 1;
    while (length < 5 && i + length <= text.size() && !IsValidUtf8(text.substr(i, length)))
      ++length;
    if (length < 5 && i + length <= text.size()) {
      out.append(text.substr(i, length));
      i += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
  return out;
}

void AppendText(std::string_view text, std::string* out) {
  *out += '"';
  AppendEscaped(text, out);
  *out += '"';
}

// Protobuf has checked strings already; bytes are base64.
void AppendStringValue(const FieldDescriptor& field, const std::string& value, std::string* out) {
  if (field.type() == FieldDescriptor::TYPE_BYTES) {
    AppendText(absl::Base64Escape(value), out);
  } else {
    AppendText(value, out);
  }
}

void AppendEnum(const google::protobuf::EnumDescriptor& type, int number, std::string* out) {
  const auto* value = type.FindValueByNumber(number);
  if (value == nullptr) {
    *out += std::to_string(number);
  } else {
    AppendText(value->name(), out);
  }
}

void AppendMessage(const Message& message, std::string* out) {
  if (message.GetDescriptor() == google::protobuf::Timestamp::descriptor()) {
    AppendText(FormatRfc3339(static_cast<const google::protobuf::Timestamp&>(message)), out);
  } else {
    AppendJson(message, out);
  }
}

template <class Number>
void AppendQuotedNumber(Number number, std::string* out) {
  *out += '"';
  *out += std::to_string(number);
  *out += '"';
}

// One value of `field`: the `index`-th where it is repeated (index >= 0).
void AppendValue(const Message& message, const FieldDescriptor& field, int index,
                 std::string* out) {
  const Reflection& r = *message.GetReflection();
  std::string scratch;
  const bool many = index >= 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      *out += std::to_string(many ? r.GetRepeatedInt32(message, &field, index)
                                  : r.GetInt32(message, &field));
      return;
    case FieldDescriptor::CPPTYPE_UINT32:
      *out += std::to_string(many ? r.GetRepeatedUInt32(message, &field, index)
                                  : r.GetUInt32(message, &field));
      return;
    case FieldDescriptor::CPPTYPE_INT64:
      return AppendQuotedNumber(
          many ? r.GetRepeatedInt64(message, &field, index) : r.GetInt64(message, &field), out);
    case FieldDescriptor::CPPTYPE_UINT64:
      return AppendQuotedNumber(
          many ? r.GetRepeatedUInt64(message, &field, index) : r.GetUInt64(message, &field), out);
    case FieldDescriptor::CPPTYPE_BOOL:
      *out += (many ? r.GetRepeatedBool(message, &field, index) : r.GetBool(message, &field))
                  ? "true"
                  : "false";
      return;
    case FieldDescriptor::CPPTYPE_ENUM:
      return AppendEnum(
          *field.enum_type(),
          many ? r.GetRepeatedEnumValue(message, &field, index) : r.GetEnumValue(message, &field),
          out);
    case FieldDescriptor::CPPTYPE_STRING:
      return AppendStringValue(field,
                               many ? r.GetRepeatedStringReference(message, &field, index, &scratch)
                                    : r.GetStringReference(message, &field, &scratch),
                               out);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return AppendMessage(
          many ? r.GetRepeatedMessage(message, &field, index) : r.GetMessage(message, &field), out);
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      *out += "null";  // the wire has none: money and hours are decimal strings
  }
}

// Maps of the wire have string keys; sorted, so that the same answer prints the same.
void AppendMap(const Message& message, const FieldDescriptor& field, std::string* out) {
  const Reflection& r = *message.GetReflection();
  const FieldDescriptor& key = *field.message_type()->map_key();
  const FieldDescriptor& value = *field.message_type()->map_value();
  std::map<std::string, std::string> entries;
  for (int i = 0; i < r.FieldSize(message, &field); ++i) {
    const Message& entry = r.GetRepeatedMessage(message, &field, i);
    AppendValue(entry, value, -1, &entries[entry.GetReflection()->GetString(entry, &key)]);
  }
  *out += '{';
  bool first = true;
  for (const auto& [name, text] : entries) {
    if (!first) *out += ',';
    first = false;
    AppendText(name, out);
    *out += ':' + text;
  }
  *out += '}';
}

void AppendRepeated(const Message& message, const FieldDescriptor& field, std::string* out) {
  *out += '[';
  const int count = message.GetReflection()->FieldSize(message, &field);
  for (int i = 0; i < count; ++i) {
    if (i > 0) *out += ',';
    AppendValue(message, field, i, out);
  }
  *out += ']';
}

bool IsAbsent(const Message& message, const FieldDescriptor& field) {
  return !field.is_repeated() && field.has_presence() &&
         !message.GetReflection()->HasField(message, &field);
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out;
  AppendText(IsValidUtf8(text) ? std::string(text) : ReplaceInvalid(text), &out);
  return out;
}

void AppendJson(const Message& message, std::string* out) {
  const auto& type = *message.GetDescriptor();
  *out += '{';
  bool first = true;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (IsAbsent(message, field)) continue;
    if (!first) *out += ',';
    first = false;
    *out += '"';
    *out += field.json_name();
    *out += "\":";
    if (field.is_map()) {
      AppendMap(message, field, out);
    } else if (field.is_repeated()) {
      AppendRepeated(message, field, out);
    } else {
      AppendValue(message, field, -1, out);
    }
  }
  *out += '}';
}

std::string JsonHead(const std::string& schema, Timestamp as_of) {
  return "{\"schema\":\"" + schema + "\",\"asOf\":\"" + FormatRfc3339(ToProto(as_of)) + "\"";
}

std::string WrappedJson(const Message& message, Timestamp now) {
  std::string body;
  AppendJson(message, &body);
  std::string head = "{\"schema\":\"" + std::string(message.GetDescriptor()->full_name()) + "\"";
  if (!body.starts_with("{\"asOf\":")) head = JsonHead(message.GetDescriptor()->full_name(), now);
  return head + (body.size() > 2 ? "," : "") + body.substr(1) + "\n";
}

}  // namespace pinka::cli
