#include "agent/record/fields.h"

#include <fmt/format.h>

#include <charconv>

namespace pinka {
namespace {

// A field of 1 GiB is a damaged length, not data.
constexpr int64_t kMaxLength = int64_t{1} << 30;

bool ParseNumber(std::string_view text, int64_t* out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// Takes a line without its newline; false at the end of what is there.
bool TakeLine(std::string_view* rest, std::string_view* line) {
  size_t newline = rest->find('\n');
  if (newline == std::string_view::npos) return false;
  *line = rest->substr(0, newline);
  rest->remove_prefix(newline + 1);
  return true;
}

// Takes "key LENGTH\nBYTES\n".
bool TakeField(std::string_view* rest, std::string* key, std::string* value) {
  std::string_view line;
  if (!TakeLine(rest, &line)) return false;
  size_t blank = line.find(' ');
  int64_t length = 0;
  if (blank == std::string_view::npos || !ParseNumber(line.substr(blank + 1), &length))
    return false;
  if (length < 0 || length > kMaxLength) return false;
  auto size = static_cast<size_t>(length);
  if (rest->size() < size + 1 || (*rest)[size] != '\n') return false;
  key->assign(line.substr(0, blank));
  value->assign(rest->substr(0, size));
  rest->remove_prefix(size + 1);
  return true;
}

}  // namespace

void Fields::Add(std::string_view key, std::string_view value) { fields_.emplace_back(key, value); }

void Fields::AddInt(std::string_view key, int64_t value) { Add(key, fmt::format("{}", value)); }

const std::string* Fields::Find(std::string_view key) const {
  for (const auto& [name, value] : fields_) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string Fields::Get(std::string_view key) const {
  const std::string* value = Find(key);
  return value ? *value : std::string();
}

std::vector<std::string> Fields::All(std::string_view key) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : fields_) {
    if (name == key) values.push_back(value);
  }
  return values;
}

int64_t Fields::GetInt(std::string_view key, int64_t otherwise) const {
  int64_t number = 0;
  const std::string* value = Find(key);
  return value && ParseNumber(*value, &number) ? number : otherwise;
}

std::string Fields::Encode(std::string_view kind) const {
  std::string bytes = fmt::format("pinka-{} {}\n", kind, kVersion);
  for (const auto& [key, value] : fields_) {
    bytes += fmt::format("{} {}\n", key, value.size());
    bytes += value;
    bytes += '\n';
  }
  return bytes += "end 0\n\n";
}

StatusOr<Fields> Fields::Decode(std::string_view kind, std::string_view bytes) {
  std::string_view header;
  std::string_view rest = bytes;
  if (!TakeLine(&rest, &header) || header != fmt::format("pinka-{} {}", kind, kVersion)) {
    return Invalid(fmt::format("this is no {} record of version {}", kind, kVersion));
  }
  Fields fields;
  std::string key;
  std::string value;
  while (TakeField(&rest, &key, &value)) {
    if (key == "end") return fields;
    fields.Add(key, value);
  }
  return Invalid(fmt::format("the {} record is damaged or cut short", kind));
}

}  // namespace pinka
