#include "client/cli/core/when.h"

#include <utility>

#include "absl/time/time.h"
#include "base/parse.h"
#include "client/cli/core/try.h"

namespace pinka::cli {

struct Zone::Impl {
  absl::TimeZone zone = absl::UTCTimeZone();
};

namespace {

constexpr int64_t kMicros = 1'000'000;

absl::Time ToAbsl(Timestamp at) { return absl::FromUnixMicros(at.micros()); }

StatusOr<Timestamp> ParseRelative(const std::string& text, Timestamp now) {
  if (text == "now") return now;
  const std::string span_text = text.substr(4);
  PINKA_TRY_ASSIGN(const Duration span, ParseDuration(span_text));
  return text[3] == '+' ? now + span : now - span;
}

constexpr const char* kFormats[] = {
    "%Y-%m-%dT%H:%M:%E*S%Ez", "%Y-%m-%d %H:%M:%E*S%Ez", "%Y-%m-%dT%H:%M%Ez",
    "%Y-%m-%d %H:%M%Ez",      "%Y-%m-%dT%H:%M:%E*S",    "%Y-%m-%d %H:%M:%E*S",
    "%Y-%m-%dT%H:%M",         "%Y-%m-%d %H:%M",         "%Y-%m-%d",
};

}  // namespace

Timestamp FromProto(const google::protobuf::Timestamp& at) {
  return Timestamp::Micros(at.seconds() * kMicros + at.nanos() / 1'000);
}

google::protobuf::Timestamp ToProto(Timestamp at) {
  google::protobuf::Timestamp proto;
  int64_t seconds = at.micros() / kMicros;
  int64_t rest = at.micros() % kMicros;
  if (rest < 0) {
    rest += kMicros;
    --seconds;
  }
  proto.set_seconds(seconds);
  proto.set_nanos(static_cast<int32_t>(rest * 1'000));
  return proto;
}

std::string FormatRfc3339(const google::protobuf::Timestamp& at) {
  const Timestamp micros = FromProto(at);
  const char* format = "%Y-%m-%dT%H:%M:%SZ";
  if (at.nanos() % 1'000'000 != 0) {
    format = "%Y-%m-%dT%H:%M:%E6SZ";
  } else if (at.nanos() != 0) {
    format = "%Y-%m-%dT%H:%M:%E3SZ";
  }
  return absl::FormatTime(format, ToAbsl(micros), absl::UTCTimeZone());
}

Zone::Zone(const std::string& name) : impl_(std::make_unique<Impl>()) {
  absl::TimeZone zone;
  if (!name.empty() && absl::LoadTimeZone(name, &zone)) impl_->zone = zone;
}
Zone::~Zone() = default;
Zone::Zone(Zone&&) noexcept = default;
Zone& Zone::operator=(Zone&&) noexcept = default;

std::string Zone::Full(Timestamp at) const {
  return at ? absl::FormatTime("%Y-%m-%d %H:%M:%S%Ez", ToAbsl(at), impl_->zone) : "-";
}

std::string Zone::Short(Timestamp at) const {
  return at ? absl::FormatTime("%m-%d %H:%M%Ez", ToAbsl(at), impl_->zone) : "-";
}

std::string Zone::Day(Timestamp at) const {
  return at ? absl::FormatTime("%Y-%m-%d", ToAbsl(at), impl_->zone) : "-";
}

StatusOr<Timestamp> Zone::Parse(const std::string& text, Timestamp now) const {
  if (text == "now" || text.starts_with("now+") || text.starts_with("now-")) {
    return ParseRelative(text, now);
  }
  for (const char* format : kFormats) {
    absl::Time time;
    std::string error;
    if (absl::ParseTime(format, text, impl_->zone, &time, &error)) {
      return Timestamp::Micros(absl::ToUnixMicros(time));
    }
  }
  return Invalid("'" + text + "' is no time; write 2026-11-30, 2026-11-30T14:00 or now+2h");
}

std::string FormatSpan(Duration span) {
  const bool past = span < Duration();
  if (past) span = Duration() - span;
  int64_t seconds = span.seconds();
  if (seconds == 0 && span.millis() > 0) return std::to_string(span.millis()) + "ms";
  if (seconds >= 86'400) seconds -= seconds % 3'600;
  return (past ? "-" : "") + FormatDuration(Duration::Seconds(seconds));
}

}  // namespace pinka::cli
