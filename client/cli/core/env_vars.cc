#include "client/cli/core/env_vars.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

bool IsPlainName(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  });
}

bool IsFunctionName(std::string_view name) {
  constexpr std::string_view kHead = "BASH_FUNC_";
  constexpr std::string_view kTail = "%%";
  return name.size() > kHead.size() + kTail.size() && name.starts_with(kHead) &&
         name.ends_with(kTail) &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c != '\x7f'; });
}

// Walks over a file and knows the line it is in.
class Reader {
 public:
  Reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return text_[at_]; }
  char Take() {
    if (text_[at_] == '\n') ++line_;
    return text_[at_++];
  }
  std::string_view TakeLine() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  std::string_view PeekLine() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }
  void Skip(size_t bytes) { at_ += bytes; }
  int line() const { return line_; }
  Status Mistake(int line, const std::string& what) const {
    return Invalid(file_ + ":" + std::to_string(line) + ": " + what);
  }

 private:
  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  int line_ = 1;
};

char Unescape(char c) { return c == 'n' ? '\n' : c == 't' ? '\t' : c; }

StatusOr<std::string> ReadQuotedValue(Reader& reader) {
  const int first_line = reader.line();
  const char quote = reader.Take();
  std::string value;
  while (!reader.AtEnd()) {
    char c = reader.Take();
    if (c == quote) {
      const int line = reader.line();
      const std::string_view rest = reader.TakeLine();
      if (rest.find_first_not_of(" \t") == std::string_view::npos) return value;
      return reader.Mistake(line, "there is text behind the closing quote");
    }
    const bool escaped = quote == '"' && c == '\\' && !reader.AtEnd() &&
                         std::string_view("nt\"\\").find(reader.Peek()) != std::string_view::npos;
    if (escaped) c = Unescape(reader.Take());
    value += c;
  }
  return reader.Mistake(first_line, "the quote that begins here is not closed");
}

StatusOr<EnvVar> ReadVar(Reader& reader) {
  const int line = reader.line();
  if (reader.PeekLine().starts_with("export ")) reader.Skip(std::string_view("export ").size());
  const std::string_view whole = reader.PeekLine();
  const size_t equals = whole.find('=');
  const bool quoted = equals != std::string_view::npos && equals + 1 < whole.size() &&
                      (whole[equals + 1] == '"' || whole[equals + 1] == '\'');
  if (!quoted) {
    const auto var = ParseEnvVar(reader.TakeLine());
    return var.ok() ? var : reader.Mistake(line, Message(var.status()));
  }
  const std::string name(whole.substr(0, equals));
  reader.Skip(equals + 1);
  PINKA_TRY_ASSIGN(std::string value, ReadQuotedValue(reader));
  const auto var = ParseEnvVar(name + "=" + value);
  return var.ok() ? var : reader.Mistake(line, Message(var.status()));
}

}  // namespace

StatusOr<EnvVar> ParseEnvVar(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Invalid("write NAME=VALUE; there is no = in it, and nothing is copied from your shell");
  }
  EnvVar var{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
  if (!IsPlainName(var.name) && !IsFunctionName(var.name)) {
    return Invalid("'" + SanitizeForTerminal(var.name) +
                   "' is no name of a variable; letters, digits and _ make one, no digit first");
  }
  if (var.value.find('\0') != std::string::npos) {
    return Invalid("the value of " + var.name + " has a NUL byte, which no program can be given");
  }
  return var;
}

StatusOr<std::vector<EnvVar>> ParseEnvFile(std::string_view text, const std::string& file) {
  Reader reader(text, file);
  std::vector<EnvVar> vars;
  while (!reader.AtEnd()) {
    const std::string_view line = reader.PeekLine();
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') {
      reader.TakeLine();
      continue;
    }
    reader.Skip(first);
    PINKA_TRY_ASSIGN(EnvVar var, ReadVar(reader));
    SetEnvVar(std::move(var), &vars);
  }
  return vars;
}

StatusOr<std::vector<EnvVar>> ReadEnvFile(const std::string& path) {
  if (path == "-") {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    return ParseEnvFile(text, "standard input");
  }
  PINKA_TRY_ASSIGN(const std::string text, ReadFile(path));
  return ParseEnvFile(text, path);
}

StatusOr<std::vector<EnvVar>> TakeFromHere(const std::vector<std::string>& names) {
  std::vector<EnvVar> vars;
  if (names == std::vector<std::string>{"NONE"}) return vars;
  for (const std::string& name : names) {
    if (name == "ALL") {
      return Invalid(
          "a job's environment is clean, so that it runs the same on every box; name the variables "
          "that it needs, as in --export HF_HOME,WANDB_API_KEY");
    }
    if (!IsPlainName(name) && !IsFunctionName(name))
      return Invalid("'" + SanitizeForTerminal(name) + "' is no variable's name");
    const char* value = std::getenv(name.c_str());
    if (value == nullptr)
      return Invalid("the variable " + name + " is not set here; --env " + name + "=… sets it");
    SetEnvVar({name, value}, &vars);
  }
  return vars;
}

void SetEnvVar(EnvVar var, std::vector<EnvVar>* vars) {
  for (EnvVar& have : *vars) {
    if (have.name != var.name) continue;
    have.value = std::move(var.value);
    return;
  }
  vars->push_back(std::move(var));
}

}  // namespace pinka::cli
