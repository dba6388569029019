#include "client/cli/core/session.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "client/cli/core/context_file.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/json.h"
#include "client/cli/core/try.h"

namespace pinka::cli {

Session::Session(Globals globals, const Terminal& terminal)
    : globals_(std::move(globals)), terminal_(terminal), out_(STDOUT_FILENO), err_(STDERR_FILENO) {}

StatusOr<ConfigFile> Session::Config() const { return ReadConfig(ConfigPath(GetEnvironment)); }

StatusOr<Settings> Session::Resolve() const {
  PINKA_TRY_ASSIGN(const ConfigFile file, Config());
  return ResolveSettings(globals_, GetEnvironment, file);
}

StatusOr<Api*> Session::Connect() {
  if (api_ != nullptr) return api_.get();
  PINKA_TRY_ASSIGN(const Settings settings, Resolve());
  if (settings.server.value.empty()) {
    return Invalid("no server is set; pinka login --server HOST:PORT sets one, or PINKA_SERVER");
  }
  PINKA_TRY_ASSIGN(Endpoint endpoint,
                   EndpointOf(settings.server.value, settings.ca.value, settings.token.value));
  api_ = std::make_unique<Api>(std::move(endpoint),
                               [this](const std::string& line) { Progress(line); });
  return api_.get();
}

StatusOr<const Lab*> Session::AskLab() {
  if (lab_.has_value()) return &*lab_;
  PINKA_TRY_ASSIGN(Api * api, Connect());
  PINKA_TRY_ASSIGN(const v1::WhoAmIResponse me, api->WhoAmI({}));
  lab_.emplace(Lab{me.lab(), me.currency(), me.confirm_above(), Zone(me.timezone())});
  return &*lab_;
}

Timestamp Session::Now() const { return SystemClock().Now(); }

std::string Session::NewRequestId() const { return SystemRandom().Hex(16); }

void Session::PrintJson(const google::protobuf::Message& message) {
  out_.Write(WrappedJson(message, Now()));
}

void Session::Note(const std::string& line) {
  out_.Flush();
  err_.Line(line);
  err_.Flush();
}

void Session::Progress(const std::string& line) {
  if (!terminal_.err || (line.empty() && !progress_shown_)) return;
  progress_shown_ = !line.empty();
  err_.Write("\r\033[K" + line);
  err_.Flush();
}

Status Session::Confirm(const std::string& question, bool assume_yes, bool needs_yes) {
  if (assume_yes) return OkStatus();
  if (!terminal_.CanAsk()) {
    if (!needs_yes) return OkStatus();
    return Invalid("nobody is there to confirm: " + question + " Add -y to say yes");
  }
  out_.Flush();
  err_.Write(question + " [y/N] ");
  err_.Flush();
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes") return OkStatus();
  return Refusal("NotConfirmed", "not confirmed; nothing was changed", kExitFailure);
}

}  // namespace pinka::cli
