// pinka login: keep a server and a token as a named context.
#include <termios.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "client/cli/commands.h"
#include "client/cli/core/context_file.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

// Typed characters are not shown while it lives.
class HiddenTyping {
 public:
  HiddenTyping() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios hidden = before_;
    hidden.c_lflag &= static_cast<tcflag_t>(~static_cast<unsigned>(ECHO));
    changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
  }
  ~HiddenTyping() {
    if (changed_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  HiddenTyping(const HiddenTyping&) = delete;
  HiddenTyping& operator=(const HiddenTyping&) = delete;

 private:
  termios before_{};
  bool changed_ = false;
};

std::string ReadToken(Session& session) {
  std::string token;
  if (session.terminal().CanAsk()) {
    session.err().Write("Token: ");
    session.err().Flush();
    const HiddenTyping hidden;
    std::getline(std::cin, token);
    session.err().Line("");
    session.err().Flush();
  } else {
    std::getline(std::cin, token);
  }
  token.erase(0, token.find_first_not_of(" \t"));
  token.erase(token.find_last_not_of(" \t\r") + 1);
  return token;
}

class Login final : public Command {
 public:
  Description Describe() const override {
    return {
        "login",
        "--server HOST:PORT [--ca FILE] [--context NAME]",
        Group::kSetup,
        "keep server and token",
        "Asks for your token (or reads it from standard input), tries it, and keeps it with "
        "the server under a name in ~/.config/pinka/config.toml, which only you can read. "
        "Another machine's server is spoken to with TLS: --ca names the file an admin gave you, "
        "unless its certificate is one that the world knows.",
        "pinka login --server lab.example:7070 < token.txt"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(ConfigFile file, session.Config());
    const std::string name = ContextName(session.globals(), file);
    ContextEntry entry = file.contexts[name];
    if (!session.globals().server.empty()) entry.server = session.globals().server;
    if (entry.server.empty()) return Invalid("name the server: pinka login --server HOST:PORT");
    if (!session.globals().ca.empty()) entry.ca = AbsolutePath(session.globals().ca);
    const std::string& flag = session.globals().token;
    entry.token = flag.empty() || flag == "-" ? ReadToken(session) : flag;
    if (entry.token.empty()) return Invalid("the token is empty; an admin makes one for you");
    PINKA_TRY_ASSIGN(Endpoint endpoint, EndpointOf(entry.server, entry.ca, entry.token));
    Api api(std::move(endpoint), [&](const std::string& line) { session.Progress(line); });
    PINKA_TRY_ASSIGN(const v1::WhoAmIResponse me, api.WhoAmI({}));
    file.contexts[name] = entry;
    file.current = name;
    PINKA_TRY(WriteConfig(file));
    if (session.json()) {
      session.PrintJson(me);
    } else {
      session.out().Line("You are " + me.name() + " in " + me.lab() + " (context " + name + ").");
    }
    return 0;
  }

 private:
  // The file is found again from everywhere.
  static std::string AbsolutePath(const std::string& path) {
    std::error_code error;
    const auto whole = std::filesystem::absolute(path, error);
    return error ? path : whole.lexically_normal().string();
  }

  static std::string ContextName(const Globals& globals, const ConfigFile& file) {
    if (!globals.context.empty()) return globals.context;
    return file.current.empty() ? "default" : file.current;
  }
};

}  // namespace

std::unique_ptr<Command> MakeLogin() { return std::make_unique<Login>(); }

}  // namespace pinka::cli
