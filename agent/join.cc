#include "agent/join.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "agent/config_file.h"
#include "agent/identity.h"
#include "agent/scheduler_client.h"
#include "base/file.h"
#include "base/hash.h"
#include "tls/judge.h"
#include "tls/peer.h"

namespace pinka {
namespace {

constexpr char kPrefix[] = "pinka_join_";

bool IsHex(const std::string& text) {
  auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return !text.empty() && std::all_of(text.begin(), text.end(), hex);
}

// Where the lab's authority comes from: a file that was named, or what the server shows, if it is
// what the token says. Kept beside the key, since each later start needs it. A scheduler on this
// machine may do without TLS.
Status SettleAuthority(const StateDir& state, const JoinToken& token, AgentOptions* options) {
  if (options->ca.empty() && token.pin.empty()) return OkStatus();
  StatusOr<std::string> pem =
      options->ca.empty() ? FetchAuthority(options->server, token.pin) : ReadFile(options->ca);
  if (absl::IsUnimplemented(pem.status()) && IsOnThisMachine(options->server)) return OkStatus();
  if (!pem.ok()) return pem.status();
  options->ca = state.path() + "/ca.pem";
  return WriteFileDurably(options->ca, *pem, 0600);
}

int Fail(const Status& status) {
  std::fprintf(stderr, "pinka-agent: %s\n", Message(status).c_str());
  return 1;
}

void SayNext(const AgentOptions& options, const std::string& lab, bool root) {
  std::printf("%s has joined lab %s as a node of tier %s.\n\n", options.box.name.c_str(),
              lab.c_str(), options.box.tier.c_str());
  std::printf("  configuration  %s\n  state and key  %s\n\n", options.config.c_str(),
              options.state_dir.c_str());
  const std::string run = options.config == DefaultConfigPath()
                              ? "pinka-agent"
                              : "pinka-agent --config " + options.config;
  std::printf("Run it:             %s\n", run.c_str());
  if (root) {
    std::printf(
        "As a service:       cp deploy/systemd/pinka-agent.service /etc/systemd/system/\n"
        "                    systemctl enable --now pinka-agent\n");
  }
  std::printf("Without systemd:    setsid nohup %s > %s/agent.log 2>&1 < /dev/null &\n",
              run.c_str(), options.state_dir.c_str());
}

}  // namespace

bool IsJoinToken(const std::string& text) { return text.starts_with(kPrefix); }

StatusOr<JoinToken> ParseJoinToken(const std::string& text) {
  const size_t dot = text.find('.');
  JoinToken token{text.substr(0, dot), dot == std::string::npos ? "" : text.substr(dot + 1)};
  const bool secret = IsJoinToken(text) && IsHex(token.secret.substr(sizeof kPrefix - 1));
  const bool pin = dot == std::string::npos || (token.pin.size() == 64 && IsHex(token.pin));
  if (secret && pin) return token;
  return Invalid(
      "this is no join token; an admin makes one with `pinka admin node join-token`, and "
      "all of its line belongs to it");
}

Status Join(const StateDir& state, Random* random, AgentOptions* options) {
  StatusOr<JoinToken> token = ParseJoinToken(options->token);
  if (!token.ok()) return token.status();
  if (Status s = SettleAuthority(state, *token, options); !s.ok()) return s;
  StatusOr<SchedulerAddress> at = FindScheduler(options->server, options->ca);
  if (!at.ok()) return at.status();
  const Identity identity(state);
  StatusOr<std::string> key = identity.NextKey(random);
  if (!key.ok()) return key.status();
  v1::JoinRequest request;
  request.set_token(token->secret);
  request.set_instance(state.instance());
  request.set_boot_id(options->box.boot_id);
  request.set_key_hash(Sha256Hex(*key));
  StatusOr<v1::JoinResponse> joined = SchedulerClient(*at, "").Join(request);
  if (!joined.ok()) return joined.status();
  options->box.name = joined->node();
  options->box.tier = joined->tier();
  options->lab = joined->lab();
  options->token = *key;
  return identity.TakeNext();
}

int JoinCommand(AgentOptions options) {
  SystemRandom random;
  const bool passable = !options.box.account.empty();
  StatusOr<StateDir> state = StateDir::Open(options.state_dir, passable, &random);
  if (!state.ok()) return Fail(state.status());
  if (Status s = Join(*state, &random, &options); !s.ok()) return Fail(s);
  if (Status s = WriteConfigFile(options); !s.ok()) return Fail(s);
  SayNext(options, options.lab, geteuid() == 0);
  return 0;
}

int RotateCommand(const AgentOptions& options) {
  SystemRandom random;
  StatusOr<StateDir> state = StateDir::Open(options.state_dir, true, &random);
  if (!state.ok()) return Fail(state.status());
  StatusOr<SchedulerAddress> at = FindScheduler(options.server, options.ca);
  if (!at.ok()) return Fail(at.status());
  const Status rotated =
      Identity(*state).Rotate(&random, [&](const std::string& with, const std::string& hash) {
        return SchedulerClient(*at, with).RotateKey(hash, state->instance());
      });
  if (!rotated.ok()) return Fail(rotated);
  std::printf("%s has another key; the old one is void.\n", options.box.name.c_str());
  return 0;
}

}  // namespace pinka
