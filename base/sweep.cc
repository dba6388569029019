#include "base/sweep.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka {
namespace {

constexpr size_t kMostKey = 64;
constexpr std::string_view kHow = "write it as --sweep lr=0.1,0.01 or --sweep seed=1..5";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool IsKey(std::string_view text) {
  return !text.empty() && text.size() <= kMostKey && IsLetter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return IsLetter(c) || IsDigit(c); });
}

// A whole number as people write it: no sign but -, no zeros in front.
std::optional<int64_t> WholeNumber(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool plain = !digits.empty() && std::ranges::all_of(digits, IsDigit) &&
                     (digits == text ? true : digits != "0") &&
                     (digits.size() == 1 || digits.front() != '0');
  int64_t value = 0;
  if (!plain) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool LooksLikeNumber(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() &&
         (IsDigit(text.front()) || (text.size() > 1 && text.front() == '.' && IsDigit(text[1])));
}

struct Field {
  std::string text;
  bool quoted = false;
};

// Cuts at commas as CSV does: a quote counts at the beginning of a value only.
class Cutter {
 public:
  explicit Cutter(std::string_view text) : rest_(text) {}
  bool done() const { return done_; }
  StatusOr<Field> Next() {
    Field field;
    if (rest_.starts_with('"')) {
      field.quoted = true;
      rest_.remove_prefix(1);
      if (Status s = Quoted(&field.text); !s.ok()) return s;
    } else {
      const size_t end = std::min(rest_.find(','), rest_.size());
      field.text = std::string(rest_.substr(0, end));
      rest_.remove_prefix(end);
    }
    done_ = rest_.empty();
    if (!done_) rest_.remove_prefix(1);
    return field;
  }

 private:
  Status Quoted(std::string* out) {
    for (;;) {
      const size_t quote = rest_.find('"');
      if (quote == std::string_view::npos)
        return Invalid("a value of the sweep begins with a quote that is never closed");
      out->append(rest_.substr(0, quote));
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      out->push_back('"');
      rest_.remove_prefix(1);
    }
    if (rest_.empty() || rest_.front() == ',') return OkStatus();
    return Invalid(
        "text stands behind a closing quote in the sweep; a quote inside is written twice");
  }

  std::string_view rest_;
  bool done_ = false;
};

// The values of one field: itself, or a range of whole numbers.
class Values {
 public:
  Values(std::string_view key, int64_t most) : key_(key), most_(most) {}
  Status Add(const Field& field) {
    const size_t dots = field.quoted ? std::string::npos : field.text.find("..");
    if (dots == std::string::npos) return Add(field.text);
    const std::string_view from = std::string_view(field.text).substr(0, dots);
    const std::string_view to = std::string_view(field.text).substr(dots + 2);
    if (!LooksLikeNumber(from) || !LooksLikeNumber(to)) return Add(field.text);
    const auto first = WholeNumber(from);
    const auto last = WholeNumber(to);
    if (!first || !last) {
      return Invalid(fmt::format(
          "{} in the sweep of {} is no range of whole numbers; name its values one by one, or put "
          "the text in quotes",
          Shown(field.text), key_));
    }
    if (*first > *last) {
      return Invalid(fmt::format("the range {} in the sweep of {} runs backwards; write {}..{}",
                                 Shown(field.text), key_, *last, *first));
    }
    for (int64_t n = *first;; ++n) {
      if (Status s = Add(std::to_string(n)); !s.ok()) return s;
      if (n == *last) return OkStatus();
    }
  }
  std::vector<std::string> Take() { return std::move(values_); }

 private:
  static std::string Shown(const std::string& text) {
    return SanitizeForTerminal(FitColumns(text, 40));
  }
  Status Add(const std::string& value) {
    if (!seen_.insert(value).second) return OkStatus();
    if (static_cast<int64_t>(values_.size()) >= most_) {
      return Invalid(fmt::format(
          "the sweep of {} has more than the {} values that may be; split it", key_, most_));
    }
    values_.push_back(value);
    return OkStatus();
  }

  std::string_view key_;
  int64_t most_;
  std::set<std::string> seen_;
  std::vector<std::string> values_;
};

bool NeedsQuotes(const std::string& value, bool alone) {
  const bool range = value.find("..") != std::string::npos;
  return value.find(',') != std::string::npos || value.starts_with('"') || range ||
         (alone && value.empty());
}

std::string Quote(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

StatusOr<SweepKey> ParseSweep(std::string_view text, int64_t most) {
  if (!IsValidUtf8(text) || text.find('\0') != std::string_view::npos)
    return Invalid("a sweep is UTF-8 text without zero bytes");
  const size_t equals = text.find('=');
  SweepKey sweep;
  sweep.key = std::string(text.substr(0, equals));
  if (equals == std::string_view::npos)
    return Invalid(fmt::format("a sweep has a key and values; {}", kHow));
  if (!IsKey(sweep.key)) {
    return Invalid(fmt::format(
        "a key of a sweep is a letter or _, then letters, digits and _, at most {} in all; {}",
        kMostKey, kHow));
  }
  if (text.size() == equals + 1)
    return Invalid(fmt::format("the sweep of {} names no values; {}", sweep.key, kHow));
  Values values(sweep.key, most);
  Cutter cutter(text.substr(equals + 1));
  while (!cutter.done()) {
    StatusOr<Field> field = cutter.Next();
    if (!field.ok()) return field.status();
    if (Status s = values.Add(*field); !s.ok()) return s;
  }
  sweep.values = values.Take();
  return sweep;
}

std::string FormatSweep(const SweepKey& key) {
  std::string text;
  for (const std::string& value : key.values) {
    text += text.empty() ? key.key + "=" : ",";
    text += NeedsQuotes(value, key.values.size() == 1) ? Quote(value) : value;
  }
  return text;
}

StatusOr<int64_t> CountSweep(const std::vector<SweepKey>& keys, int64_t most) {
  std::set<std::string> variables;
  int64_t count = 1;
  for (const SweepKey& key : keys) {
    if (!variables.insert(SweepVariable(key.key)).second) {
      return Invalid(
          fmt::format("two keys of the sweep would be {}; rename one", SweepVariable(key.key)));
    }
    const auto values = static_cast<int64_t>(key.values.size());
    if (values > most / count) {
      return Invalid(fmt::format(
          "the sweep makes more than the {} tasks that one job may have; split it", most));
    }
    count *= values;
  }
  return count;
}

std::vector<std::string> SweepValues(const std::vector<SweepKey>& keys, int64_t index) {
  std::vector<std::string> values(keys.size());
  for (size_t n = keys.size(); n-- > 0;) {
    const auto size = static_cast<int64_t>(keys[n].values.size());
    PINKA_CHECK(size > 0 && index >= 0, "a point of the grid");
    values[n] = keys[n].values[static_cast<size_t>(index % size)];
    index /= size;
  }
  PINKA_CHECK(index == 0, "a point of the grid");
  return values;
}

std::string SweepVariable(const std::string& key) {
  std::string name = "PINKA_SWEEP_";
  for (const char c : key) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

std::string FillSweep(std::string_view argument, const std::vector<SweepKey>& keys,
                      const std::vector<std::string>& values) {
  std::string filled;
  while (!argument.empty()) {
    const size_t brace = std::min(argument.find('{'), argument.size());
    filled += argument.substr(0, brace);
    argument.remove_prefix(brace);
    if (argument.empty()) break;
    const std::string_view open = argument.starts_with("{{") ? "{{" : "{";
    const std::string_view close = open == "{{" ? "}}" : "}";
    const auto named = std::ranges::find_if(keys, [&](const SweepKey& key) {
      const std::string_view rest = argument.substr(open.size());
      return rest.starts_with(key.key) && rest.substr(key.key.size()).starts_with(close);
    });
    if (named == keys.end()) {
      filled += '{';
      argument.remove_prefix(1);
      continue;
    }
    filled +=
        open == "{{" ? "{" + named->key + "}" : values[static_cast<size_t>(named - keys.begin())];
    argument.remove_prefix(open.size() + named->key.size() + close.size());
  }
  return filled;
}

}  // namespace pinka
