#include "scheduler/api/toml_section.h"

#include <algorithm>

#include "base/parse.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka::api {

void TomlErrors::At(const toml::node& node, const std::string& sentence) {
  AtLine(node.source().begin.line, sentence);
}

void TomlErrors::AtLine(size_t line, const std::string& sentence) {
  if (status_.ok()) status_ = Invalid(fmt::format("{}:{}: {}", file_, line, sentence));
}

StatusOr<toml::table> ParseToml(std::string_view text, const std::string& file) {
  toml::parse_result result = toml::parse(text);
  if (result) return std::move(result).table();
  const toml::parse_error& error = result.error();
  return Invalid(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
}

const toml::node* TomlSection::Find(const char* key) {
  known_.emplace_back(key);
  return table_.get(key);
}

void TomlSection::Fail(const char* key, const std::string& sentence) {
  const toml::node* node = table_.get(key);
  errors_.At(node ? *node : static_cast<const toml::node&>(table_),
             fmt::format("{}: {}: {}", title_, key, sentence));
}

void TomlSection::Require(const char* key, const std::string& example) {
  if (!Has(key)) Fail(key, fmt::format("is missing; write {} = {}", key, example));
}

bool TomlSection::TextOf(const char* key, const char* example, std::string* out) {
  const toml::node* node = Find(key);
  if (!node) return false;
  const auto text = node->value_exact<std::string>();
  if (!text) {
    Fail(key, fmt::format("is a text in quotes, like {} = {}", key, example));
    return false;
  }
  *out = *text;
  return true;
}

bool TomlSection::Text(const char* key, std::string* out) { return TextOf(key, "\"…\"", out); }

bool TomlSection::Int(const char* key, int64_t least, int64_t most, int64_t* out) {
  const toml::node* node = Find(key);
  if (!node) return false;
  const auto value = node->value_exact<int64_t>();
  if (!value || *value < least || *value > most) {
    Fail(key, fmt::format("is a whole number from {} to {}", least, most));
    return false;
  }
  *out = *value;
  return true;
}

bool TomlSection::Int32(const char* key, int32_t least, int32_t most, int32_t* out) {
  int64_t value = 0;
  if (!Int(key, least, most, &value)) return false;
  *out = static_cast<int32_t>(value);
  return true;
}

bool TomlSection::Bool(const char* key, bool* out) {
  const toml::node* node = Find(key);
  if (!node) return false;
  const auto value = node->value_exact<bool>();
  if (!value) {
    Fail(key, "is true or false");
    return false;
  }
  *out = *value;
  return true;
}

bool TomlSection::Span(const char* key, Duration* out) {
  std::string text;
  if (!TextOf(key, "\"1h30m\"", &text)) return false;
  const auto span = ParseDuration(text);
  if (!span.ok()) {
    Fail(key, Message(span.status()));
    return false;
  }
  *out = *span;
  return true;
}

bool TomlSection::Memory(const char* key, int64_t* out) {
  std::string text;
  if (!TextOf(key, "\"16G\"", &text)) return false;
  const auto bytes = ParseMemory(text);
  if (!bytes.ok()) {
    Fail(key, Message(bytes.status()));
    return false;
  }
  *out = *bytes;
  return true;
}

bool TomlSection::Amount(const char* key, Money* out) {
  std::string text;
  if (!TextOf(key, "\"12.50\"", &text)) return false;
  const auto amount = ParseMoney(text);
  if (!amount.ok() || *amount < Money()) {
    Fail(key, amount.ok() ? "is 0 or more" : Message(amount.status()));
    return false;
  }
  *out = *amount;
  return true;
}

bool TomlSection::Texts(const char* key, std::vector<std::string>* out) {
  const toml::node* node = Find(key);
  if (!node) return false;
  const toml::array* array = node->as_array();
  std::vector<std::string> texts;
  if (array != nullptr) {
    for (const toml::node& item : *array) {
      const auto text = item.value_exact<std::string>();
      if (text) texts.push_back(*text);
    }
  }
  if (array == nullptr || texts.size() != array->size()) {
    Fail(key, fmt::format("is a list of texts, like {} = [\"a\", \"b\"]", key));
    return false;
  }
  *out = std::move(texts);
  return true;
}

const toml::table* TomlSection::Table(const char* key) {
  const toml::node* node = Find(key);
  if (!node) return nullptr;
  if (!node->is_table()) Fail(key, fmt::format("is a table, like {} = {{…}}", key));
  return node->as_table();
}

bool TomlSection::Judged(const char* key,
                         const std::function<std::string(const std::string&)>& judge) {
  std::string text;
  if (!Text(key, &text)) return false;
  const std::string wrong = judge(text);
  if (wrong.empty()) return true;
  Fail(key, wrong);
  return false;
}

void TomlSection::Finish() {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::ranges::find(known_, name) != known_.end()) continue;
    const std::string near = Nearest(name, known_);
    errors_.AtLine(
        key.source().begin.line,
        fmt::format("{}: unknown key \"{}\"{}", title_, name,
                    near.empty() ? "; known are " + fmt::format("{}", fmt::join(known_, ", "))
                                 : ", did you mean \"" + near + "\"?"));
  }
}

}  // namespace pinka::api
