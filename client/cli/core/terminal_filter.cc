#include "client/cli/core/terminal_filter.h"

#include <algorithm>
#include <climits>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pinka::cli {
namespace {

constexpr char kEscape = '\033';
constexpr size_t kLongestSequence = 256;  // what goes on for longer is no sequence
constexpr std::string_view kColorsOff = "\033[0m";

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

// Text without sequences; returns and steps back stay.
std::string MakeSafe(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\b", begin), text.size());
    out += SanitizeForTerminal(text.substr(begin, end - begin));
    if (end < text.size()) out += text[end];
    begin = end + 1;
  }
  return out;
}

// The length of the sequence that `bytes` begin with; 0: none; nothing: it may still go on.
std::optional<size_t> SequenceLength(std::string_view bytes) {
  const std::string_view seen = bytes.substr(0, kLongestSequence);
  const std::optional<size_t> open =
      bytes.size() < kLongestSequence ? std::nullopt : std::optional<size_t>(0);
  if (seen.size() < 2) return open;
  if (seen[1] == ']') {  // ends with BEL, or ESC and a backslash
    const size_t end = seen.find_first_of("\a\033", 2);
    if (end == std::string_view::npos || (seen[end] == kEscape && end + 1 == seen.size()))
      return open;
    return end + (seen[end] == kEscape ? 2 : 1);
  }
  if (seen[1] != '[') return seen[1] >= ' ' && seen[1] <= '~' ? 2 : 0;
  const auto is_middle = [](char c) { return c >= ' ' && c <= '?'; };
  const auto* end = std::find_if_not(seen.begin() + 2, seen.end(), is_middle);
  if (end == seen.end()) return open;
  return *end >= '@' && *end <= '~' ? static_cast<size_t>(end - seen.begin()) + 1 : 0;
}

// Columns that a state of a line covers, from the first on.
int CoveredBy(std::string_view state) {
  if (state.starts_with("\033[K") || state.starts_with("\033[2K")) return INT_MAX;
  if (state.find('\b') != std::string_view::npos) return INT_MAX;  // too clever for us: it stays
  std::string plain;
  while (!state.empty()) {
    const size_t text = std::min(state.find(kEscape), state.size());
    plain += state.substr(0, text);
    state.remove_prefix(text);
    state.remove_prefix(SequenceLength(state).value_or(0));
  }
  return DisplayWidth(plain);
}

// The states that a line went through, of which those are left that something is still seen of:
// from the last one back, each that is wider than all that came over it.
std::string LastSights(std::string_view line) {
  std::vector<std::string_view> states;
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find('\r', at), line.size());
    states.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  std::vector<std::string_view> shown = {states.back()};
  int covered = CoveredBy(states.back());
  for (size_t n = states.size() - 1; n-- > 0;) {
    const int width = CoveredBy(states[n]);
    if (width <= covered) continue;
    shown.push_back(states[n]);
    covered = width;
  }
  // What comes first goes on where the terminal stands, everything else at the start of the line.
  std::string out = shown.back().data() == line.data() ? "" : "\r";
  for (auto state = shown.rbegin(); state != shown.rend(); ++state) {
    if (state != shown.rbegin()) out += '\r';
    out += *state;
  }
  return out;
}

}  // namespace

// A sequence that may pass, or nothing.
std::string TerminalFilter::Keep(std::string_view sequence) {
  if (sequence.size() < 3 || sequence[1] != '[') return "";
  const std::string_view middle = sequence.substr(2, sequence.size() - 3);
  if (middle.find_first_not_of("0123456789;:") != std::string_view::npos) return "";
  if (sequence.back() == 'K') return std::string(sequence);
  if (sequence.back() != 'm' || !color_) return "";
  painted_ = !middle.empty() && middle != "0";
  return std::string(sequence);
}

std::string TerminalFilter::Take(std::string_view bytes, bool more_may_come) {
  std::string out;
  while (!bytes.empty()) {
    const size_t text = std::min(bytes.find(kEscape), bytes.size());
    const bool last = text == bytes.size();
    const size_t open = last && more_may_come ? OpenTail(bytes) : 0;
    out += MakeSafe(bytes.substr(0, text - open));
    bytes.remove_prefix(text - open);
    if (last) break;
    const std::optional<size_t> length = SequenceLength(bytes);
    if (!length && more_may_come) break;
    if (length.value_or(0) == 0) {
      out += MakeSafe(bytes.substr(0, 1));
      bytes.remove_prefix(1);
    } else {
      out += Keep(bytes.substr(0, *length));
      bytes.remove_prefix(*length);
    }
  }
  held_ = bytes;
  return out;
}

std::string TerminalFilter::Feed(std::string_view bytes) {
  std::string all = std::exchange(held_, "");
  all.append(bytes);
  return Take(all, true);
}

std::string TerminalFilter::Finish() {
  std::string out = Take(std::exchange(held_, ""), false);
  if (std::exchange(painted_, false)) out += kColorsOff;
  return out;
}

std::string DropOverwritten(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t newline = std::min(text.find('\n'), text.size());
    out += LastSights(text.substr(0, newline));
    if (newline < text.size()) out += '\n';
    text.remove_prefix(std::min(newline + 1, text.size()));
  }
  return out;
}

}  // namespace pinka::cli
