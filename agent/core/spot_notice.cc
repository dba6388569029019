#include "agent/core/spot_notice.h"

#include <absl/strings/match.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/parse.h"
#include "base/text.h"

namespace pinka {
namespace {

using nlohmann::json;
using Kind = SpotAnswer::Kind;

// What is left where nobody names a time: the least that any of the providers gives.
constexpr Duration kLeast = Duration::Seconds(30);
// A time further away is not that of a notice, whatever says it.
constexpr Duration kLate = Duration::Hours(1);
constexpr Duration kEarly = Duration::Days(1);
// Deadlines that are counted anew at each answer differ by this much without being others.
constexpr Duration kJitter = Duration::Seconds(2);
constexpr Duration kStands = Duration::Minutes(5);
constexpr int kBeijing = 8 * 3'600;  // seconds east of UTC

SpotAnswer Trouble(std::string what) {
  SpotAnswer answer;
  answer.kind = Kind::kTrouble;
  answer.trouble = std::move(what);
  return answer;
}

SpotAnswer BadStatus(int status) {
  return Trouble(fmt::format("it answers with status {}", status));
}

SpotAnswer Nonsense(const std::string& body) {
  std::string shown = SanitizeForTerminal(body.substr(0, 256));
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return Trouble("it answers what makes no sense: " + FitColumns(shown, 60));
}

SpotAnswer CountedFrom(Timestamp now, Duration left) {
  return {.kind = Kind::kNotice, .deadline = now + left, .named = false, .trouble = {}};
}

// A late notice is one all the same: the machine goes at any moment.
SpotAnswer NoticeFor(Timestamp deadline, Timestamp now) {
  if (deadline < now - kLate || deadline > now + kEarly) {
    return Trouble(fmt::format("it names {}, which is too far from this machine's clock",
                               FormatUtc(deadline)));
  }
  return {.kind = Kind::kNotice, .deadline = deadline, .named = true, .trouble = {}};
}

std::string Trimmed(const std::string& text) {
  constexpr char kBlanks[] = " \t\r\n";
  const size_t from = text.find_first_not_of(kBlanks);
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(kBlanks) + 1 - from);
}

std::optional<Timestamp> ReadTime(const char* format, const std::string& text, int zone = 0) {
  absl::Time time;
  std::string error;
  if (text.empty() || text.size() > 64) return std::nullopt;
  if (!absl::ParseTime(format, text, absl::FixedTimeZone(zone), &time, &error)) return std::nullopt;
  // It reads "infinite-future" as well.
  if (time == absl::InfiniteFuture() || time == absl::InfinitePast()) return std::nullopt;
  return Timestamp::Micros(absl::ToUnixMicros(time));
}

std::optional<Timestamp> ReadRfc3339(const std::string& text) {
  return ReadTime("%Y-%m-%dT%H:%M:%E*S%Ez", text);
}

std::optional<Timestamp> ReadRfc1123(const std::string& text) {
  return ReadTime("%a, %d %b %Y %H:%M:%S GMT", text);
}

// The member's text; "" where it is not there, or no text.
std::string TextOf(const json& object, const char* name) {
  if (!object.is_object()) return "";
  const auto found = object.find(name);
  return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

json ParseJson(const std::string& body) {
  return json::parse(body, nullptr, /*allow_exceptions=*/false);
}

SpotAnswer ReadAws(int status, const std::string& body, const std::string&, Timestamp now) {
  if (status == 404) return {};
  if (status != 200) return BadStatus(status);
  const json said = ParseJson(body);
  const std::string action = TextOf(said, "action");
  const std::optional<Timestamp> at = ReadRfc3339(TextOf(said, "time"));
  const bool known = action == "terminate" || action == "stop" || action == "hibernate";
  return known && at ? NoticeFor(*at, now) : Nonsense(body);
}

SpotAnswer ReadGcp(int status, const std::string& body, const std::string&, Timestamp now) {
  if (status != 200) return BadStatus(status);
  const std::string said = Trimmed(body);
  if (said == "TRUE") return CountedFrom(now, kLeast);
  return said == "FALSE" ? SpotAnswer() : Nonsense(body);
}

// Everybody in a scale set or an availability set gets the events of all.
bool Concerns(const json& event, const std::string& machine) {
  const auto named = event.find("Resources");
  if (machine.empty() || named == event.end() || !named->is_array()) return true;
  return std::any_of(named->begin(), named->end(), [&](const json& resource) {
    return resource.is_string() && absl::EqualsIgnoreCase(resource.get<std::string>(), machine);
  });
}

SpotAnswer ReadPreempt(const json& event, const std::string& body, Timestamp now) {
  const std::string not_before = TextOf(event, "NotBefore");
  if (not_before.empty()) return CountedFrom(now, kLeast);
  std::optional<Timestamp> at = ReadRfc1123(not_before);
  if (!at) at = ReadRfc3339(not_before);
  return at ? NoticeFor(*at, now) : Nonsense(body);
}

SpotAnswer ReadAzure(int status, const std::string& body, const std::string& machine,
                     Timestamp now) {
  if (status != 200) return BadStatus(status);
  const json said = ParseJson(body);
  if (!said.is_object() || !said.contains("Events") || !said["Events"].is_array())
    return Nonsense(body);
  SpotAnswer first;
  for (const json& event : said["Events"]) {
    if (TextOf(event, "EventType") != "Preempt" || !Concerns(event, machine)) continue;
    const SpotAnswer one = ReadPreempt(event, body, now);
    if (one.kind == Kind::kNotice && first.kind == Kind::kNotice) {
      if (one.deadline < first.deadline) first = one;
    } else if (first.kind != Kind::kNotice) {
      first = one;
    }
  }
  return first;
}

SpotAnswer ReadAliyun(int status, const std::string& body, const std::string&, Timestamp now) {
  if (status == 404) return {};
  if (status != 200) return BadStatus(status);
  const std::optional<Timestamp> at = ReadRfc3339(Trimmed(body));
  return at ? NoticeFor(*at, now) : Nonsense(body);
}

// Tencent's time is that of Beijing and does not say so.
SpotAnswer ReadTencent(int status, const std::string& body, const std::string&, Timestamp now) {
  if (status == 404) return {};
  if (status != 200) return BadStatus(status);
  const std::optional<Timestamp> at = ReadTime("%Y-%m-%d %H:%M:%S", Trimmed(body), kBeijing);
  return at ? NoticeFor(*at, now) : Nonsense(body);
}

constexpr SpotService kServices[] = {
    {.name = "aws",
     .address = "http://169.254.169.254",
     .first = {.method = "PUT",
               .path = "/latest/api/token",
               .header = {"X-aws-ec2-metadata-token-ttl-seconds", "60"},
               .token_header = "X-aws-ec2-metadata-token",
               .must = true},
     .path = "/latest/meta-data/spot/instance-action",
     .header = {},
     .read = ReadAws},
    {.name = "gcp",
     .address = "http://metadata.google.internal",
     .first = {},
     .path = "/computeMetadata/v1/instance/preempted",
     .header = {"Metadata-Flavor", "Google"},
     .read = ReadGcp},
    {.name = "azure",
     .address = "http://169.254.169.254",
     .first = {.method = "GET",
               .path = "/metadata/instance/compute/name?api-version=2021-02-01&format=text",
               .header = {"Metadata", "true"},
               .token_header = "",
               .must = false},
     .path = "/metadata/scheduledevents?api-version=2020-07-01",
     .header = {"Metadata", "true"},
     .read = ReadAzure},
    {.name = "aliyun",
     .address = "http://100.100.100.200",
     .first = {.method = "PUT",  // machines in hardened mode answer nothing without
               .path = "/latest/api/token",
               .header = {"X-aliyun-ecs-metadata-token-ttl-seconds", "60"},
               .token_header = "X-aliyun-ecs-metadata-token",
               .must = false},
     .path = "/latest/meta-data/instance/spot/termination-time",
     .header = {},
     .read = ReadAliyun},
    {.name = "tencent",
     .address = "http://metadata.tencentyun.com",
     .first = {},
     .path = "/latest/meta-data/spot/termination-time",
     .header = {},
     .read = ReadTencent},
};

// HOST, HOST:PORT or [ADDRESS]:PORT.
bool ReadAuthority(const std::string& text, SpotSource* source) {
  const bool bracket = text.starts_with('[');
  const size_t close = bracket ? text.find(']') : 0;
  if (close == std::string::npos) return false;
  const size_t colon = text.find(':', close);
  source->host = bracket ? text.substr(1, close - 1) : text.substr(0, colon);
  if (bracket && colon != close + 1 && close + 1 != text.size()) return false;
  if (colon != std::string::npos) {
    const StatusOr<int64_t> port = ParseInt(text.substr(colon + 1), 1, 65'535, "the port");
    if (!port.ok()) return false;
    source->port = static_cast<int>(*port);
  }
  return !source->host.empty();
}

bool ReadAddress(const std::string& url, SpotSource* source) {
  constexpr std::string_view kScheme = "http://";
  const bool plain = url.starts_with(kScheme) && std::all_of(url.begin(), url.end(), [](char c) {
                       return c > ' ' && c < 0x7f && c != '@' && c != '?' && c != '#';
                     });
  if (!plain) return false;
  const std::string rest = url.substr(kScheme.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  source->prefix = rest.substr(slash);
  while (source->prefix.ends_with('/')) source->prefix.pop_back();
  return ReadAuthority(rest.substr(0, slash), source);
}

}  // namespace

std::span<const SpotService> SpotServices() { return kServices; }

StatusOr<SpotSource> ParseSpotSource(const std::string& notice, const std::string& url) {
  constexpr std::string_view kCommand = "command:";
  SpotSource source;
  if (notice.starts_with(kCommand)) source.program = notice.substr(kCommand.size());
  for (const SpotService& service : kServices) {
    if (notice == service.name) source.service = &service;
  }
  if (!notice.empty() && !source.Asks())
    return Invalid(
        fmt::format("--spot-notice {} is none of aws, gcp, azure, aliyun, tencent, "
                    "command:PROGRAM",
                    notice));
  if (source.program.find('/') != std::string::npos && !source.program.starts_with('/'))
    return Invalid(fmt::format("--spot-notice {}: name the program by its whole path", notice));
  if (!url.empty() && source.service == nullptr)
    return Invalid("--metadata-url says where a metadata service is: name it with --spot-notice");
  if (source.service == nullptr) return source;
  if (!ReadAddress(url.empty() ? source.service->address : url, &source))
    return Invalid(
        fmt::format("--metadata-url {} is no address of the form http://HOST:PORT", url));
  return source;
}

SpotAnswer ReadSpotProgram(int exit_code, const std::string& output, Timestamp now) {
  if (exit_code == 1) return {};
  if (exit_code != 0) return Trouble(fmt::format("it ends with {}", exit_code));
  const std::string line = Trimmed(output.substr(0, output.find('\n')));
  const StatusOr<int64_t> left = ParseInt(line, 0, kEarly.seconds(), "the time left");
  if (left.ok()) return CountedFrom(now, Duration::Seconds(*left));
  const std::optional<Timestamp> at = ReadRfc3339(line);
  const SpotAnswer named = at ? NoticeFor(*at, now) : SpotAnswer();
  return named.kind == Kind::kNotice ? named : CountedFrom(now, kLeast);
}

bool SpotStanding::Take(const SpotAnswer& answer, Timestamp now, Duration boottime) {
  if (answer.kind != Kind::kNotice) {
    const bool over = answer.kind == Kind::kNone || (reclaim_ && boottime > reclaim_->at + kStands);
    if (!reclaim_ || !over) return false;
    reclaim_.reset();
    return true;
  }
  if (reclaim_) {
    const bool same = answer.named ? answer.deadline == reclaim_->deadline
                                   : answer.deadline + kJitter >= reclaim_->deadline;
    if (same) return false;
  }
  reclaim_ = {.deadline = answer.deadline, .at = boottime + (answer.deadline - now)};
  return true;
}

}  // namespace pinka
