// What a command takes from its line. A command declares options with the place each value goes
// to; parser.h fills them; help.h and the completions print them. Values reach `take` as the bytes
// that were typed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace pinka::cli {

struct Option {
  enum class Kind { kFlag, kValue, kPositional, kRest };
  Kind kind = Kind::kFlag;
  std::string names;       // "-f,--follow"; for positionals the name in help: "ID"
  std::string value_name;  // "TIER"; empty for flags
  std::string help;
  bool required = false;
  bool many = false;    // a positional that takes all that follow
  bool global = false;  // of every command; listed apart
  std::string if_bare;  // of an option that may stand without its value: what it means then
  // Called once per value, in the order typed; with "" for a flag.
  std::function<Status(const std::string&)> take;
};

class Options {
 public:
  void Flag(const std::string& names, const std::string& help, bool* to);
  void CustomFlag(const std::string& names, const std::string& help, std::function<void()> take);
  // The last one wins.
  void Value(const std::string& names, const std::string& value_name, const std::string& help,
             std::string* to);
  void Value(const std::string& names, const std::string& value_name, const std::string& help,
             std::optional<std::string>* to);
  // Each one is added.
  void List(const std::string& names, const std::string& value_name, const std::string& help,
            std::vector<std::string>* to);
  // Where the next word is an option, or there is none, the value is `if_bare`.
  void ValueOr(const std::string& names, const std::string& value_name, const std::string& help,
               const std::string& if_bare, std::string* to);
  // `take` judges the value; its refusal is shown behind the option's name.
  void Custom(const std::string& names, const std::string& value_name, const std::string& help,
              std::function<Status(const std::string&)> take);

  void Positional(const std::string& name, const std::string& help, std::string* to);
  void OptionalPositional(const std::string& name, const std::string& help, std::string* to);
  void OptionalPositionals(const std::string& name, const std::string& help,
                           std::vector<std::string>* to);
  void Positionals(const std::string& name, const std::string& help, std::vector<std::string>* to);
  // Everything from `--` or from the first word that is no option, untouched. A leading "--" stays
  // in front, so that `-- CMD` and `SCRIPT` can be told apart.
  void Rest(const std::string& name, const std::string& help, std::vector<std::string>* to);

  // Marks what was declared so far as belonging to every command.
  void MarkGlobal();
  const std::vector<Option>& all() const { return all_; }

 private:
  std::vector<Option> all_;
};

// "a,b" in its parts, empty ones included.
std::vector<std::string> SplitCommas(const std::string& text);
// "-f,--follow" -> {"-f", "--follow"}.
std::vector<std::string> OptionNames(const Option& option);

}  // namespace pinka::cli
