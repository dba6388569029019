#include "agent/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "agent/config_file.h"
#include "agent/process/proc.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/text.h"

namespace pinka {
namespace {

// Options as written; what they mean is settled afterwards.
struct Raw {
  std::string token;
  std::string token_file;
  std::string gpus;
  std::string memory;
  std::string disk_floor = "256M";
  std::vector<std::string> only;
  std::string claim;
  std::string every = "1h";
  std::string spot_notice;
  std::string metadata_url;
};

std::string DefaultStateDir(const std::string& name) {
  if (geteuid() == 0) return "/var/lib/pinka-agent/" + name;
  const char* data = std::getenv("XDG_DATA_HOME");
  const char* home = std::getenv("HOME");
  std::string base = data != nullptr ? data : std::string(home ? home : "/tmp") + "/.local/share";
  return base + "/pinka/agent-" + name;
}

std::string BesideOurselves(const std::string& program) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / program).string();
}

void DeclareServer(CLI::App* app, AgentOptions* options, Raw* raw) {
  app->add_option("--server", options->server, "The scheduler, HOST:PORT");
  app->add_option("--ca", options->ca, "PEM file of the authority that vouches for the scheduler");
  app->add_option("--token-file", raw->token_file,
                  "File with this node's key or its join token (default: the key of the state "
                  "directory)");
  app->add_option("--state-dir", options->state_dir, "Where it keeps what it must not forget");
}

// What the box offers, and how.
void DeclareBox(CLI::App* app, AgentOptions* options, Raw* raw) {
  Box& box = options->box;
  app->add_option("--name", box.name, "The node's name (default: the host's)");
  app->add_option("--tier", box.tier, "The tier it offers itself for");
  app->add_option("--scratch-dir", options->scratch_dir, "Where jobs get their directories");
  app->add_option("--shared-dir", box.shared_dir, "Seen by jobs as PINKA_SHARED_DIR");
  app->add_option("--data-dir", box.data_dir, "Seen by jobs as PINKA_DATA_DIR");
  app->add_flag("--own-accounts", box.own_accounts,
                "Run a member's jobs as the Unix account of that name, where this box has one");
  app->add_option("--simulate-gpus", raw->gpus, "Simulated cards, as rtx3090:4");
  app->add_option("--gpus", raw->only, "Offer these cards only, by UUID")->delimiter(',');
  app->add_option("--claim", raw->claim,
                  "The card it is judged against (default: the tier's name)");
  app->add_option("--nvidia-smi", options->checker.questions.nvidia_smi, "The program to ask");
  app->add_option("--check-every", raw->every, "How often cards are checked, on average");
  app->add_option("--cpus", box.cpus, "Cores to offer (default: all)")->check(CLI::Range(1, 4096));
  app->add_option("--memory", raw->memory, "Memory to offer, as 16G (default: all)");
  app->add_option("--units", box.units, "Units to offer (cpu tiers)")->check(CLI::Range(1, 4096));
  app->add_option("--disk-floor", raw->disk_floor,
                  "Room on the disk below which it takes no new work (default: 256M)");
  app->add_option("--spot-notice", raw->spot_notice,
                  "Who says that a spot machine is taken away: aws, gcp, azure, aliyun, tencent or "
                  "command:PROGRAM (default: nobody)");
  app->add_option(
      "--metadata-url", raw->metadata_url,
      "Where the provider's metadata service is, as http://HOST:PORT (default: its own)");
  app->add_option("--supervisor", options->supervisor, "The supervisor program");
  app->add_option("--log-level", options->log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
}

void DeclareVerbs(CLI::App* app, AgentOptions* options, Raw* raw) {
  app->require_subcommand(0, 1);
  app->fallthrough();
  CLI::App* join =
      app->add_subcommand("join", "Make this box a node of the lab, with a token that works once");
  join->fallthrough();
  join->add_option("--token", raw->token, "The join token; `-` reads it from standard input");
  join->callback([options] { options->verb = AgentVerb::kJoin; });
  CLI::App* rotate =
      app->add_subcommand("rotate", "Take another key; stop the agent first, jobs go on");
  rotate->fallthrough();
  rotate->callback([options] { options->verb = AgentVerb::kRotate; });
}

// The default file counts only where nobody says on the command line what it would say.
std::string ConfigToRead(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--server")) return "";
  }
  return PathExists(DefaultConfigPath()) ? DefaultConfigPath() : "";
}

// `join` writes it, everything else reads it.
CLI::Option* DeclareConfig(CLI::App* app, AgentOptions* options, int argc, char** argv) {
  const bool joins = std::any_of(argv + 1, argv + argc,
                                 [](const char* word) { return std::string_view(word) == "join"; });
  if (joins) return app->add_option("--config", options->config, "The file to write");
  return app->set_config("--config", ConfigToRead(argc, argv),
                         "What `pinka-agent join` has written");
}

Status ReadToken(const Raw& raw, AgentOptions* options) {
  std::string text = raw.token;
  if (text == "-") std::getline(std::cin, text);
  const std::string path = raw.token_file.empty() ? options->state_dir + "/key" : raw.token_file;
  if (text.empty()) {
    if (options->verb == AgentVerb::kJoin && raw.token_file.empty())
      return Invalid("name the join token: --token TOKEN, or --token - and its line");
    StatusOr<std::string> read = ReadFile(path);
    if (!read.ok() && raw.token_file.empty())
      return Invalid(
          "this box has not joined a lab yet; an admin makes a token with `pinka admin node "
          "join-token`, and `pinka-agent join --server HOST:PORT --token TOKEN` uses it");
    if (!read.ok()) return read.status();
    text = *std::move(read);
  }
  options->token = text.substr(0, text.find_first_of("\r\n"));
  if (options->token.empty()) return Invalid("the token file " + path + " is empty");
  return OkStatus();
}

// Tokens in an argument list are seen by everybody on the box: they are blotted out at once.
void HideToken(int argc, char** argv) {
  constexpr std::string_view kOption = "--token";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    char* from = nullptr;
    if (word == kOption && i + 1 < argc) from = argv[i + 1];
    if (word.starts_with("--token=")) from = argv[i] + kOption.size() + 1;
    if (from != nullptr && std::string_view(from) != "-") std::fill_n(from, strlen(from), 'x');
  }
}

// A tier that is called as a card claims that card; a tier of another name claims none.
Status SettleCards(const Raw& raw, AgentOptions* options) {
  Box& box = options->box;
  StatusOr<std::vector<Gpu>> gpus = SimulatedGpus(raw.gpus, box.name);
  if (!gpus.ok()) return gpus.status();
  box.gpus = *gpus;
  box.simulated = !box.gpus.empty();
  StatusOr<hardware::Claim> claim = hardware::ParseClaim(raw.claim);
  if (!claim.ok()) return claim.status();
  if (raw.claim.empty()) {
    if (StatusOr<hardware::Claim> tier = hardware::ParseClaim(box.tier); tier.ok()) claim = *tier;
  }
  StatusOr<Duration> every = ParseDuration(raw.every);
  if (!every.ok()) return every.status();
  inspect::Checker::Options& checker = options->checker;
  checker.claim = *claim;
  checker.every = *every;
  checker.only = {raw.only.begin(), raw.only.end()};
  // A tier that counts cores or units of its own has no use for the box's cards.
  const bool asked = !claim->cards.empty() || !raw.only.empty() ||
                     inspect::ProgramExists(checker.questions.nvidia_smi);
  options->has_cards = asked && !box.simulated && box.units == 0;
  return OkStatus();
}

Status SettleSpot(const Raw& raw, AgentOptions* options) {
  StatusOr<SpotSource> spot = ParseSpotSource(raw.spot_notice, raw.metadata_url);
  if (!spot.ok()) return spot.status();
  options->spot = *std::move(spot);
  const std::string& program = options->spot.program;
  if (program.empty() || inspect::ProgramExists(program)) return OkStatus();
  return NotFound("there is no program " + program + ", which --spot-notice names");
}

Status Settle(const Raw& raw, AgentOptions* options) {
  Box& box = options->box;
  if (options->server.empty())
    return Invalid("name the scheduler: --server HOST:PORT (pinka-agent join keeps it in a file)");
  box.hostname = Hostname();
  box.boot_id = BootId();
  if (box.name.empty()) box.name = box.hostname;
  bool good_name = IsPrintableName(box.name, 64) && box.name.find('/') == std::string::npos;
  if (!good_name) return Invalid("a node's name is up to 64 visible characters without '/'");
  if (box.cpus == 0) box.cpus = UsableCpus();
  box.memory_bytes = MemoryBytes();
  if (!raw.memory.empty()) {
    StatusOr<int64_t> memory = ParseMemory(raw.memory);
    if (!memory.ok()) return memory.status();
    box.memory_bytes = *memory;
  }
  StatusOr<int64_t> floor = ParseMemory(raw.disk_floor);
  if (!floor.ok()) return floor.status();
  options->disk_floor_bytes = *floor;
  if (Status cards = SettleCards(raw, options); !cards.ok()) return cards;
  if (Status spot = SettleSpot(raw, options); !spot.ok()) return spot;
  FindJobAccount(&box);
  if (box.own_accounts && box.account.empty()) {
    return Invalid(
        "--own-accounts needs an agent that runs as root, and the account pinka-job for members "
        "without one of their own: deploy/setup makes it");
  }
  if (options->state_dir.empty()) options->state_dir = DefaultStateDir(box.name);
  options->state_dir = std::filesystem::absolute(options->state_dir).lexically_normal();
  if (Status read = ReadToken(raw, options); !read.ok()) return read;
  if (options->config.empty()) options->config = DefaultConfigPath();
  options->config = std::filesystem::absolute(options->config).lexically_normal();
  if (options->supervisor.empty()) options->supervisor = BesideOurselves("pinka-supervisor");
  if (access(options->supervisor.c_str(), X_OK) == 0) return OkStatus();
  return NotFound("there is no program " + options->supervisor + ": name it with --supervisor");
}

}  // namespace

ParsedOptions ParseOptions(int argc, char** argv) {
  ParsedOptions parsed;
  Raw raw;
  CLI::App app("Runs a lab's jobs on this box", "pinka-agent");
  app.set_version_flag("--version", "pinka-agent 0.1.0");
  AgentOptions& options = parsed.options;
  DeclareServer(&app, &options, &raw);
  const std::vector<CLI::Option*> before = app.get_options();
  DeclareBox(&app, &options, &raw);
  DeclareVerbs(&app, &options, &raw);
  CLI::Option* config = DeclareConfig(&app, &options, argc, argv);
  try {
    app.parse(argc, argv);
    HideToken(argc, argv);
    if (config->count() > 0) options.config = config->as<std::string>();
    for (CLI::Option* option : app.get_options()) {
      const bool ours = std::ranges::find(before, option) == before.end();
      const bool derived = option == config || option->get_name() == "--name" ||
                           option->get_name() == "--tier" || option->get_name() == "--version";
      if (ours && !derived && option->count() > 0)
        options.asked.emplace_back(option->get_lnames().front(), option->results().back());
    }
  } catch (const CLI::ParseError& error) {
    parsed.exit_code = app.exit(error) == 0 ? 0 : 2;
    return parsed;
  }
  Status settled = Settle(raw, &parsed.options);
  parsed.go_on = settled.ok();
  if (!settled.ok()) {
    std::cerr << "pinka-agent: " << Message(settled) << "\n";
    parsed.exit_code = 2;
  }
  return parsed;
}

}  // namespace pinka
