#include "client/cli/core/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

// What CLI11 read, kept until all words are read, so that a refusal never follows half an effect.
struct Taken {
  const Option* option = nullptr;
  std::vector<std::string> values;
};

std::vector<std::string> KnownNames(const Options& options) {
  std::vector<std::string> names;
  for (const Option& option : options.all()) {
    if (option.kind != Option::Kind::kFlag && option.kind != Option::Kind::kValue) continue;
    for (const std::string& name : OptionNames(option)) names.push_back(name);
  }
  return names;
}

// The option of that name that takes a value.
const Option* ValueOption(const Options& options, const std::string& name) {
  for (const Option& option : options.all()) {
    if (option.kind != Option::Kind::kValue) continue;
    const std::vector<std::string> names = OptionNames(option);
    if (std::find(names.begin(), names.end(), name) != names.end()) return &option;
  }
  return nullptr;
}

bool StandsBare(const Option& option, const std::vector<std::string>& words, size_t next) {
  if (option.if_bare.empty()) return false;
  return next >= words.size() || (words[next].size() > 1 && words[next][0] == '-');
}

bool HasRest(const Options& options) {
  return std::any_of(options.all().begin(), options.all().end(),
                     [](const Option& o) { return o.kind == Option::Kind::kRest; });
}

// "--name=" loses its empty value inside CLI11: the two halves are handed over as two words. Words
// behind `--`, or behind the first that is no option where the rest is taken as it stands, are not
// looked at.
std::vector<std::string> SplitEquals(const Options& options,
                                     const std::vector<std::string>& words) {
  std::vector<std::string> out;
  const bool has_rest = HasRest(options);
  size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || (has_rest && (word.empty() || word[0] != '-'))) break;
    const size_t equals = word.find('=');
    const std::string head = word.substr(0, equals);
    if (equals != std::string::npos && word.starts_with("--") && ValueOption(options, head)) {
      out.push_back(head);
      out.push_back(word.substr(equals + 1));
      continue;
    }
    out.push_back(word);
    const Option* option = ValueOption(options, word);
    if (option == nullptr) continue;
    if (StandsBare(*option, words, i + 1)) {
      out.push_back(option->if_bare);
    } else if (i + 1 < words.size()) {
      out.push_back(words[++i]);
    }
  }
  out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return out;
}

Status UnknownOption(const Options& options, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::string nearest = Nearest(name, KnownNames(options));
  return Invalid("unknown option " + name +
                 (nearest.empty() ? "; --help lists them" : "; did you mean " + nearest + "?"));
}

void Declare(const Option& option, CLI::App& app, Taken& taken) {
  taken.option = &option;
  const CLI::callback_t keep = [&taken](const CLI::results_t& results) {
    taken.values = results;
    return true;
  };
  switch (option.kind) {
    case Option::Kind::kFlag:
      app.add_flag_function(option.names, [&taken](int64_t) { taken.values = {""}; });
      break;
    case Option::Kind::kValue:
      app.add_option(option.names, keep)
          ->type_name(option.value_name)
          ->type_size(1)
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      break;
    case Option::Kind::kPositional:
      break;  // taken from what CLI11 leaves over: it would split a word such as [1,2]
    case Option::Kind::kRest:
      app.prefix_command();
      break;
  }
}

Status TakeRest(const Options& options, const Option& option, const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining();
  if (!rest.empty() && rest[0] != "--" && rest[0].starts_with("-")) {
    return UnknownOption(options, rest[0]);
  }
  for (const std::string& word : rest) PINKA_TRY(option.take(word));
  return OkStatus();
}

// "-1.50" is an amount and no option.
bool IsNegativeNumber(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         word.find_first_of("0123456789") != std::string::npos &&
         word.find_first_not_of("0123456789.", 1) == std::string::npos;
}

// The words that are no options; behind `--` every word is one.
StatusOr<std::vector<std::string>> PlainWords(const Options& options, const CLI::App& app) {
  std::vector<std::string> words;
  bool marked = false;
  for (const std::string& word : app.remaining()) {
    if (!marked && word == "--") {
      marked = true;
    } else if (!marked && word.size() > 1 && word[0] == '-' && !IsNegativeNumber(word)) {
      return UnknownOption(options, word);
    } else {
      words.push_back(word);
    }
  }
  return words;
}

Status TakePositionals(const Options& options, const CLI::App& app) {
  PINKA_TRY_ASSIGN(const std::vector<std::string> words, PlainWords(options, app));
  size_t next = 0;
  for (const Option& option : options.all()) {
    if (option.kind != Option::Kind::kPositional) continue;
    if (option.required && next == words.size()) return Invalid(option.names + " is missing");
    const size_t end = option.many ? words.size() : std::min(words.size(), next + 1);
    for (; next < end; ++next) PINKA_TRY(option.take(words[next]));
  }
  if (next == words.size()) return OkStatus();
  return Invalid("unexpected word '" + SanitizeForTerminal(words[next]) + "'");
}

Status Hand(const Option& option, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (Status status = option.take(value); !status.ok()) {
      return Invalid(OptionNames(option).back() + ": " + Message(status));
    }
  }
  return OkStatus();
}

}  // namespace

Status ParseWords(const Options& options, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  std::vector<Taken> taken(options.all().size());
  for (size_t i = 0; i < taken.size(); ++i) Declare(options.all()[i], app, taken[i]);
  std::vector<std::string> reversed = SplitEquals(options, words);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return Invalid(error.what());
  }
  for (const Taken& one : taken) PINKA_TRY(Hand(*one.option, one.values));
  const auto rest = std::find_if(options.all().begin(), options.all().end(),
                                 [](const Option& o) { return o.kind == Option::Kind::kRest; });
  if (rest != options.all().end()) return TakeRest(options, *rest, app);
  return TakePositionals(options, app);
}

}  // namespace pinka::cli
