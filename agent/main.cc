// pinka-agent: one per GPU box. Dials out to the scheduler, runs what it is told, reports.
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "agent/agent.h"
#include "agent/identity.h"
#include "agent/inspect/check_command.h"
#include "agent/join.h"
#include "agent/options.h"
#include "agent/process/cgroup.h"
#include "agent/process/kill_point.h"

namespace pinka {
namespace {

// Blocked before there are threads, so that no thread of gRPC's takes them.
Fd BlockSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Jobs of another account must reach their directories: below the state directory if it can be
// walked through, else in /var/tmp under a name of this agent's own.
StatusOr<std::string> ScratchFor(const AgentOptions& options, const StateDir& state) {
  std::string path = options.scratch_dir.empty() ? state.ScratchPath() : options.scratch_dir;
  bool passable = options.box.account.empty() || IsPassable(path);
  if (!passable && options.scratch_dir.empty()) {
    path = "/var/tmp/pinka-" + state.instance().substr(0, 16);
  }
  Status made = MakeDirectories(path, options.box.account.empty() ? 0700 : 0711);
  if (!made.ok()) return made;
  if (options.box.account.empty() || IsPassable(path)) return path;
  return Invalid("jobs run as " + options.box.account + ", who cannot reach " + path +
                 ": name another place with --scratch-dir");
}

int Fail(const Status& status) {
  std::fprintf(stderr, "pinka-agent: %s\n", Message(status).c_str());
  return 1;
}

// A join token is used where there is no key yet: what it brought lies in the state directory from
// then on. A rotation whose answer was lost is finished first.
Status SettleKey(const StateDir& state, Random* random, AgentOptions* options) {
  const Identity identity(state);
  const bool token = IsJoinToken(options->token);
  if (token && !identity.HasKey()) return Join(state, random, options);
  if (token && PathExists(state.path() + "/ca.pem") && options->ca.empty())
    options->ca = state.path() + "/ca.pem";
  if (identity.IsBetween()) {
    StatusOr<SchedulerAddress> at = FindScheduler(options->server, options->ca);
    if (!at.ok()) return at.status();
    Status rotated = identity.Rotate(random, [&](const std::string& with, const std::string& hash) {
      return SchedulerClient(*at, with).RotateKey(hash, state.instance());
    });
    if (!rotated.ok()) return rotated;
  } else if (!token) {
    return OkStatus();
  }
  StatusOr<std::string> key = identity.Key();
  if (!key.ok()) return key.status();
  options->token = *key;
  return OkStatus();
}

// The check at joining: before the scheduler hears of this box for the first time.
std::unique_ptr<inspect::Checker> JoinHardware(const AgentOptions& options, const StateDir& state,
                                               const std::string& scratch) {
  if (!options.has_cards) return nullptr;
  inspect::Checker::Options settings = options.checker;
  settings.id_prefix = std::to_string(state.incarnation()) + ".";
  settings.questions.disk = scratch;
  auto checker = std::make_unique<inspect::Checker>(std::move(settings));
  checker->Join();
  const auto found = checker->newest();
  spdlog::info("hardware: {}, {}", hardware::Name(found->verdict), found->why);
  return checker;
}

int Serve(AgentOptions options, int signals_fd) {
  SystemRandom random;
  Cgroup::MakeRoom();
  bool passable = !options.box.account.empty();
  StatusOr<StateDir> state = StateDir::Open(options.state_dir, passable, &random);
  if (!state.ok()) return Fail(state.status());
  StatusOr<std::string> scratch = ScratchFor(options, *state);
  if (!scratch.ok()) return Fail(scratch.status());
  if (Status s = SettleKey(*state, &random, &options); !s.ok()) return Fail(s);
  StatusOr<SchedulerAddress> at = FindScheduler(options.server, options.ca);
  if (!at.ok()) return Fail(at.status());
  SchedulerClient client(*at, options.token);
  std::unique_ptr<inspect::Checker> checker = JoinHardware(options, *state, *scratch);
  std::unique_ptr<SpotWatch> spot;
  if (options.spot.Asks()) spot = std::make_unique<SpotWatch>(options.spot);
  Agent agent(&*state, options.box, &client,
              {.supervisor = options.supervisor,
               .scratch = *scratch,
               .disk_floor_bytes = options.disk_floor_bytes},
              checker.get(), spot.get());
  std::printf("pinka-agent %s ready, scheduler %s\n", options.box.name.c_str(),
              options.server.c_str());
  std::fflush(stdout);
  agent.Run(signals_fd);
  // All that matters is on disk, as it would be after a kill: nobody waits for a worker that waits
  // for the network.
  spdlog::shutdown();
  std::_Exit(0);
}

}  // namespace
}  // namespace pinka

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "check")
    return pinka::inspect::CheckCommand(argc - 1, argv + 1);
  umask(022);
  setenv("GRPC_VERBOSITY", "NONE", 0);  // its errors come back as ours
  spdlog::set_default_logger(spdlog::stderr_logger_mt("agent"));
  pinka::ParsedOptions parsed = pinka::ParseOptions(argc, argv);
  if (!parsed.go_on) return parsed.exit_code;
  spdlog::set_level(spdlog::level::from_str(parsed.options.log_level));
  if (parsed.options.verb == pinka::AgentVerb::kJoin) return pinka::JoinCommand(parsed.options);
  if (parsed.options.verb == pinka::AgentVerb::kRotate) return pinka::RotateCommand(parsed.options);
  pinka::ArmKillPoints("");
  pinka::Fd signals = pinka::BlockSignals();
  return pinka::Serve(parsed.options, signals.get());
}
