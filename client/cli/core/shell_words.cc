#include "client/cli/core/shell_words.h"

#include <optional>

namespace pinka::cli {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Reads the quoted part that begins at line[*at]; leaves *at behind its closing quote. False: there
// is none.
bool ReadQuoted(std::string_view line, size_t* at, std::string* word) {
  const char quote = line[(*at)++];
  while (*at < line.size()) {
    char c = line[(*at)++];
    if (c == quote) return true;
    const bool escaped =
        quote == '"' && c == '\\' && *at < line.size() && (line[*at] == '"' || line[*at] == '\\');
    if (escaped) c = line[(*at)++];
    *word += c;
  }
  return false;
}

}  // namespace

StatusOr<std::vector<std::string>> SplitShellWords(std::string_view line) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  size_t at = 0;
  while (at < line.size()) {
    const char c = line[at];
    if (IsBlank(c)) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      ++at;
    } else if (c == '#' && !word) {
      break;
    } else if (c == '\'' || c == '"') {
      if (!word) word.emplace();
      if (!ReadQuoted(line, &at, &*word)) return Invalid("a quote is not closed on this line");
    } else {
      if (!word) word.emplace();
      if (c == '\\' && at + 1 < line.size()) ++at;
      *word += line[at++];
    }
  }
  if (word) words.push_back(*word);
  return words;
}

}  // namespace pinka::cli
