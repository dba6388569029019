#include "agent/supervisor/notice.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/parse.h"

namespace pinka {
namespace {

// Reasons are plain words; anything else that a newer scheduler may send stays valid JSON.
std::string Quoted(const std::string& text) {
  std::string json = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') json += '\\';
    if (byte < 0x20) {
      json += fmt::format("\\u{:04x}", byte);
    } else {
      json += c;
    }
  }
  return json + '"';
}

}  // namespace

Status WriteNotice(const Order& order, const std::string& reason, Timestamp deadline) {
  std::string json =
      fmt::format("{{\"reason\":{},\"deadline\":{},\"attempt\":{}}}\n", Quoted(reason),
                  Quoted(FormatUtc(deadline)), Quoted(ToString(order.attempt)));
  return WriteFileDurably(order.Notice(), json, 0644);
}

}  // namespace pinka
