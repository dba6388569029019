#include "client/cli/core/terminal_filter.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace pinka::cli {
namespace {

size_t LengthByLead(unsigned char lead) {
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  if (lead >= 0xE0) return 3;
  if (lead >= 0xC2) return 2;
  return 1;
}

// How many bytes at the end begin a character that may go on.
size_t OpenTail(std::string_view bytes) {
  for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    return byte >= 0xC2 && byte <= 0xF4 && LengthByLead(byte) > back ? back : 0;
  }
  return 0;
}

std::string MakeSafe(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\r', begin), text.size());
    out += SanitizeForTerminal(text.substr(begin, end - begin));
    if (end < text.size()) out += '\r';
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string TerminalFilter::Feed(std::string_view bytes) {
  std::string all = std::exchange(held_, "");
  all.append(bytes);
  const size_t open = OpenTail(all);
  held_ = all.substr(all.size() - open);
  all.resize(all.size() - open);
  return MakeSafe(all);
}

std::string TerminalFilter::Finish() { return MakeSafe(std::exchange(held_, "")); }

}  // namespace pinka::cli
