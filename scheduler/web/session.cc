#include "scheduler/web/session.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

namespace pinka::web {
namespace {

constexpr std::string_view kCookie = "pinka_session=";
constexpr int kDays = 30;

std::string_view CookieToken(std::string_view cookies) {
  while (!cookies.empty()) {
    const size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view one = cookies.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(kCookie)) return one.substr(kCookie.size());
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
  return {};
}

bool IsJson(std::string_view type) {
  const std::string_view media = type.substr(0, std::min(type.find(';'), type.size()));
  return media == "application/json" || media == "application/json ";
}

bool IsHere(std::string_view origin, std::string_view host) {
  const size_t scheme = origin.find("://");
  return scheme != std::string_view::npos && origin.substr(scheme + 3) == host;
}

}  // namespace

std::string AuthorizationOf(const Headers& headers) {
  if (!headers.authorization.empty()) return std::string(headers.authorization);
  const std::string_view token = CookieToken(headers.cookie);
  return IsTokenText(token) ? fmt::format("Bearer {}", token) : "";
}

std::string SessionCookie(std::string_view token, bool secure) {
  return fmt::format("{}{}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kCookie, token,
                     token.empty() ? 0 : kDays * 86'400, secure ? "; Secure" : "");
}

std::string TokenOfJson(std::string_view json) {
  google::protobuf::Struct body;
  const google::protobuf::StringPiece text(json.data(), json.size());
  if (!google::protobuf::util::JsonStringToMessage(text, &body).ok()) return "";
  const auto found = body.fields().find("token");
  return found == body.fields().end() ? "" : found->second.string_value();
}

bool IsTokenText(std::string_view token) {
  return !token.empty() && token.size() <= 200 && std::ranges::all_of(token, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  });
}

Status CheckPost(const Headers& headers) {
  if (!IsJson(headers.content_type))
    return Invalid("send the body as application/json, with that content type");
  if (!headers.authorization.empty()) return OkStatus();
  const std::string_view site = headers.fetch_site;
  const bool foreign = (!site.empty() && site != "same-origin" && site != "none") ||
                       (!headers.origin.empty() && !IsHere(headers.origin, headers.host));
  if (foreign) return Invalid("this request came from another site; open the lab's own page");
  return OkStatus();
}

}  // namespace pinka::web
