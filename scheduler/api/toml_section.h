// One table of a TOML file, read key by key: every error names file and line and says what would be
// right; a key that nobody asked for is an error with the nearest one that is known.
//
//   TomlErrors errors("lab.toml");
//   TomlSection lab(table, "[lab]", errors);
//   lab.Text("name", &row.name);
//   lab.Finish();
//   if (!errors.ok()) return errors.status();
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/money.h"
#include "base/status.h"
#include "base/time.h"

namespace pinka::api {

// The first error wins; later ones are consequences more often than not.
class TomlErrors {
 public:
  explicit TomlErrors(std::string file) : file_(std::move(file)) {}
  void At(const toml::node& node, const std::string& sentence);
  void AtLine(size_t line, const std::string& sentence);
  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }

 private:
  const std::string file_;
  Status status_;
};

// Parses a whole file; the error names its line.
StatusOr<toml::table> ParseToml(std::string_view text, const std::string& file);

class TomlSection {
 public:
  TomlSection(const toml::table& table, std::string title, TomlErrors& errors)
      : table_(table), title_(std::move(title)), errors_(errors) {}

  // Each leaves *out alone where the key is not there, and says whether it was there.
  bool Text(const char* key, std::string* out);
  bool Int(const char* key, int64_t least, int64_t most, int64_t* out);
  bool Int32(const char* key, int32_t least, int32_t most, int32_t* out);
  bool Bool(const char* key, bool* out);
  bool Span(const char* key, Duration* out);   // "1h30m"
  bool Memory(const char* key, int64_t* out);  // "16G"
  bool Amount(const char* key, Money* out);    // "12.50", never negative
  bool Texts(const char* key, std::vector<std::string>* out);
  const toml::table* Table(const char* key);  // an inner table
  // A text judged by `judge`, which returns what would be right, or "".
  bool Judged(const char* key, const std::function<std::string(const std::string&)>& judge);

  void Known(const char* key) { known_.emplace_back(key); }  // read elsewhere
  bool Has(const char* key) const { return table_.contains(key); }
  void Fail(const char* key, const std::string& sentence);  // at the key, or at the table
  void Require(const char* key, const std::string& example);
  // Reports keys that nobody asked for.
  void Finish();
  const toml::table& table() const { return table_; }

 private:
  const toml::node* Find(const char* key);
  bool TextOf(const char* key, const char* example, std::string* out);
  const toml::table& table_;
  const std::string title_;
  TomlErrors& errors_;
  std::vector<std::string> known_;
};

}  // namespace pinka::api
