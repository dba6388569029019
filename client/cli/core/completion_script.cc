#include "client/cli/core/completion_script.h"

#include <map>
#include <set>
#include <vector>

#include "client/cli/core/registry.h"

namespace pinka::cli {
namespace {

// What may follow a path: "" -> commands, "admin" -> verbs, "admin deposit" -> options.
using Words = std::map<std::string, std::set<std::string>>;

void AddPath(const std::string& path, Words* words) {
  std::string before;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(' ', begin), path.size());
    (*words)[before].insert(path.substr(begin, end - begin));
    before = path.substr(0, end);
    begin = end + 1;
  }
}

Words CollectWords(const Commands& commands) {
  Words words;
  for (const auto& command : commands) {
    const std::string path = command->Describe().path;
    AddPath(path, &words);
    Globals globals;
    Options options;
    command->Declare(options);
    DeclareGlobals(options, &globals);
    for (const Option& option : options.all()) {
      if (option.kind != Option::Kind::kFlag && option.kind != Option::Kind::kValue) continue;
      for (const std::string& name : OptionNames(option)) {
        if (name.starts_with("--")) words[path].insert(name);
      }
    }
  }
  return words;
}

std::string Join(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The longest known path that the line begins with decides; zsh runs it by bashcompinit.
std::string BashScript(const Words& words) {
  std::string cases;
  for (const auto& [path, next] : words) {
    cases += "    '" + path + "') words='" + Join(next) + "' ;;\n";
  }
  return "_pinka() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} path= word i words=\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    case \" $(_pinka_words \"$path\") \" in\n"
         "      *\" $word \"*) [[ $word == -* ]] || path=${path:+$path }$word ;;\n"
         "    esac\n"
         "  done\n"
         "  COMPREPLY=($(compgen -W \"$(_pinka_words \"$path\")\" -- \"$cur\"))\n"
         "}\n"
         "_pinka_words() {\n"
         "  local words=\n"
         "  case $1 in\n" +
         cases +
         "  esac\n"
         "  echo \"$words\"\n"
         "}\n"
         "complete -o default -F _pinka pinka\n";
}

std::string FishScript(const Words& words) {
  std::string text =
      "function __pinka_at\n"
      "  set -l line (commandline -opc)[2..]\n"
      "  set -l plain (string match -v -- '-*' $line)\n"
      "  string match -q -- \"$argv[1]*\" (string join ' ' $plain)\n"
      "end\n";
  for (const auto& [path, next] : words) {
    const std::string condition =
        path.empty() ? "__fish_use_subcommand" : "__pinka_at \"" + path + "\"";
    text += "complete -c pinka -n '" + condition + "' -a '" + Join(next) + "'\n";
  }
  return text;
}

}  // namespace

StatusOr<std::string> CompletionScript(const Commands& commands, const std::string& shell) {
  const Words words = CollectWords(commands);
  if (shell == "bash") return BashScript(words);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + BashScript(words);
  if (shell == "fish") return FishScript(words);
  return Invalid("no completion for '" + shell + "'; there are bash, zsh and fish");
}

}  // namespace pinka::cli
