#include "db/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace pinka::db {
namespace {

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out.push_back(c);
    }
  }
  return out + '"';
}

int64_t ToInt(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string ArrayLiteral(const std::vector<int32_t>& values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

std::string ArrayLiteral(const std::vector<int64_t>& values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

std::string MultirangeLiteral(const RangeSet& set) {
  std::string out = "{";
  for (const RangeSet::Range& range : set.ranges()) {
    fmt::format_to(std::back_inserter(out), "{}[{},{})", out.size() > 1 ? "," : "", range.begin,
                   range.end);
  }
  return out + "}";
}

StatusOr<RangeSet> ParseMultirange(std::string_view text) {
  RangeSet set;
  const char* at = text.data() + 1;  // "{"
  const char* end = text.data() + text.size();
  while (at < end && *at == '[') {
    int32_t low = 0;
    int32_t high = 0;
    auto first = std::from_chars(at + 1, end, low);
    if (first.ec != std::errc() || *first.ptr != ',') return Internal("not a range set");
    auto second = std::from_chars(first.ptr + 1, end, high);
    if (second.ec != std::errc() || *second.ptr != ')') return Internal("not a range set");
    set.InsertRange(low, high);
    at = second.ptr + 1;
    if (at < end && *at == ',') ++at;
  }
  return set;
}

std::string GpusJson(const std::vector<Gpu>& gpus) {
  std::string out = "[";
  for (const Gpu& gpu : gpus) {
    out += fmt::format("{}{{\"index\":{},\"uuid\":{},\"name\":{},\"memory_mib\":{},\"fault\":{}}}",
                       out.size() > 1 ? "," : "", gpu.index, JsonString(gpu.uuid),
                       JsonString(gpu.name), gpu.memory_mib, JsonString(gpu.fault));
  }
  return out + "]";
}

std::vector<Gpu> GpusFromTexts(const std::vector<std::string>& fields) {
  std::vector<Gpu> gpus;
  for (size_t i = 0; i + 4 < fields.size(); i += 5) {
    gpus.push_back({.index = static_cast<int32_t>(ToInt(fields[i])),
                    .uuid = fields[i + 1],
                    .name = fields[i + 2],
                    .memory_mib = ToInt(fields[i + 3]),
                    .fault = fields[i + 4]});
  }
  return gpus;
}

std::string ToDecimal(Int128 value) {
  if (value < 0) return "-" + ToDecimal(-value);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

Int128 FromDecimal(std::string_view text) {
  bool negative = text.starts_with('-');
  Int128 value = 0;
  for (char c : text.substr(negative ? 1 : 0)) value = value * 10 + (c - '0');
  return negative ? -value : value;
}

void ColumnWriter::Maybe(const AttemptId& id) {
  if (id.job) return (*this)(id);
  Column(kInt8Oid).Null();
  Column(kInt4Oid).Null();
  Column(kInt4Oid).Null();
}

void RowBinder::operator()(std::vector<int32_t>& values) {
  values.clear();
  for (int64_t value : row_.Ints()) values.push_back(static_cast<int32_t>(value));
}

void RowBinder::operator()(RangeSet& set) {
  StatusOr<RangeSet> parsed = ParseMultirange(row_.Text());
  if (parsed.ok()) {
    set = *std::move(parsed);
  } else {
    error_ = "the database holds a range set that is none";
  }
}

}  // namespace pinka::db
