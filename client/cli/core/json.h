// The protobuf message in JSON as cli.md has it: lowerCamelCase, bare enum names, RFC 3339 times,
// 64-bit integers as strings, zero values printed. The same fields and values as protobuf's own
// printer (a test compares them), several times as fast: lists of 50,000 jobs are printed here.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "base/time.h"

namespace pinka::cli {

// `text` in quotes; invalid UTF-8 becomes U+FFFD.
std::string JsonString(std::string_view text);

// The bare object, appended.
void AppendJson(const google::protobuf::Message& message, std::string* out);

// {"schema":"pinka.v1.X","asOf":"…", …}: asOf is the message's own, or `now` where it has none.
// A newline ends it.
std::string WrappedJson(const google::protobuf::Message& message, Timestamp now);

// `{"schema":"pinka.v1.X","asOf":"…"` without the closing brace, for objects that are streamed.
std::string JsonHead(const std::string& schema, Timestamp as_of);

}  // namespace pinka::cli
