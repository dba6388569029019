// Forms of what people send: names, texts, amounts, request ids. Each check refuses with one
// sentence that names the field, and never repeats what may be a secret.
#pragma once

#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>

#include <string>
#include <string_view>

#include "base/money.h"
#include "base/status.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// A name of a member, project, tier or node: printable, at most 100 characters, no ':' or '/', not
// `lab` or `any`, no blanks at its ends. `what` names it in the sentence.
Status CheckName(std::string_view name, std::string_view what);
// Free text: printable and at most `max_chars`; may be empty.
Status CheckText(std::string_view text, int max_chars, std::string_view what);
StatusOr<Money> PositiveMoney(const std::string& text, std::string_view what);

// Milliseconds as people and agents send them, within [0, most]: never an overflow.
Duration BoundedMillis(int64_t ms, Duration most);

// The key of a mutation: its `request_id`, and the SHA-256 of its type and of everything else.
StatusOr<RequestKey> KeyOf(const google::protobuf::Message& request);
// The same message always gives the same bytes.
std::string DeterministicBytes(const google::protobuf::Message& message);

Timestamp FromProto(const google::protobuf::Timestamp& at);
google::protobuf::Timestamp ToProto(Timestamp at);
// Sets a field only where there is an instant: SetTime(at, [&] { return out->mutable_at(); }).
template <class Field>
void SetTime(Timestamp at, Field field) {
  if (at && at != Timestamp::Never()) *field() = ToProto(at);
}

std::string WireRate(Rate rate);
std::string WireHours(int64_t unit_ms);  // six decimals
// A decimal number of unit-hours as unit-milliseconds.
StatusOr<int64_t> ParseHours(const std::string& text, std::string_view what);

}  // namespace pinka::api
