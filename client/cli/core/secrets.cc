#include "client/cli/core/secrets.h"

#include <cstring>
#include <string_view>

namespace pinka::cli {
namespace {

void Hide(char* text) { std::memset(text, 'x', std::strlen(text)); }

// Of NAME=VALUE only the value.
void HideValue(char* text) {
  char* equals = std::strchr(text, '=');
  if (equals != nullptr) Hide(equals + 1);
}

}  // namespace

void HideSecretArguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return;  // the job's own command is public to whoever sees processes there
    if (word.starts_with("--env=")) HideValue(argv[i] + std::strlen("--env="));
    if (word.starts_with("--token=")) Hide(argv[i] + std::strlen("--token="));
    if (i + 1 == argc) return;
    if (word == "--env") HideValue(argv[++i]);
    if (word == "--token") Hide(argv[++i]);
  }
}

}  // namespace pinka::cli
