#include "agent/hardware/lines.h"

#include <algorithm>

namespace pinka::hardware {
namespace {

constexpr std::string_view kBlank = " \t\r\v\f";
constexpr int64_t kGreatest = 1'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool SameIgnoringCase(char a, char b) { return Lower(a) == Lower(b); }

bool AllHex(std::string_view text, size_t least, size_t most) {
  return text.size() >= least && text.size() <= most && std::ranges::all_of(text, IsHex);
}

}  // namespace

std::string_view Trim(std::string_view text) {
  const size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool ContainsIgnoringCase(std::string_view text, std::string_view part) {
  return !std::ranges::search(text, part, SameIgnoringCase).empty();
}

int64_t LeadingNumber(std::string_view text) {
  int64_t number = 0;
  for (const char c : text) {
    if (!IsDigit(c)) break;
    number = number * 10 + (c - '0');
    if (number > kGreatest) return 0;
  }
  return number;
}

int64_t LeadingMilli(std::string_view text) {
  int64_t milli = LeadingNumber(text) * 1'000;
  const size_t dot = text.find_first_not_of("0123456789");
  if (dot == std::string_view::npos || text[dot] != '.') return milli;
  int64_t place = 100;
  for (size_t i = dot + 1; i < text.size() && IsDigit(text[i]) && place > 0; ++i, place /= 10) {
    milli += (text[i] - '0') * place;
  }
  return milli;
}

bool IsBusId(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() != 3) return false;
  const size_t dot = parts[2].find('.');
  if (dot == std::string_view::npos) return false;
  return AllHex(parts[0], 4, 8) && AllHex(parts[1], 2, 2) &&
         AllHex(parts[2].substr(0, dot), 2, 2) && AllHex(parts[2].substr(dot + 1), 1, 1);
}

std::string_view FindBusId(std::string_view text) {
  while (!text.empty()) {
    const size_t from = text.find_first_not_of(" \t,;()");
    if (from == std::string_view::npos) return {};
    text.remove_prefix(from);
    std::string_view word = text.substr(0, text.find_first_of(" \t,;()"));
    text.remove_prefix(word.size());
    while (word.ends_with(':') || (word.ends_with('.') && !IsBusId(word))) word.remove_suffix(1);
    if (IsBusId(word)) return word;
  }
  return {};
}

bool SameBus(std::string_view a, std::string_view b) {
  const auto bare = [](std::string_view id) {
    return id.substr(std::min(id.find_first_not_of('0'), id.size()));
  };
  return IsBusId(a) && IsBusId(b) && std::ranges::equal(bare(a), bare(b), SameIgnoringCase);
}

bool IsGpuUuid(std::string_view text) {
  if (!text.starts_with("GPU-") || text.size() != 40) return false;
  return std::ranges::all_of(text.substr(4), [](char c) { return c == '-' || IsHex(c); });
}

bool IsVersion(std::string_view text) {
  if (text.empty() || !IsDigit(text[0]) || text.size() > 20) return false;
  return std::ranges::all_of(text, [](char c) { return c == '.' || IsDigit(c); });
}

}  // namespace pinka::hardware
