#include "agent/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "agent/process/proc.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/text.h"

namespace pinka {
namespace {

// Options as written; what they mean is settled afterwards.
struct Raw {
  std::string token_file;
  std::string gpus;
  std::string memory;
  std::vector<std::string> only;
  std::string claim;
  std::string every = "1h";
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

void Declare(CLI::App* app, AgentOptions* options, Raw* raw) {
  Box& box = options->box;
  app->add_option("--server", options->server, "The scheduler, HOST:PORT")->required();
  app->add_option("--token-file", raw->token_file, "File with this node's token")->required();
  app->add_option("--name", box.name, "The node's name (default: the host's)");
  app->add_option("--tier", box.tier, "The tier it offers itself for");
  app->add_option("--state-dir", options->state_dir, "Where it keeps what it must not forget");
  app->add_option("--scratch-dir", options->scratch_dir, "Where jobs get their directories");
  app->add_option("--shared-dir", box.shared_dir, "Seen by jobs as PINKA_SHARED_DIR");
  app->add_option("--data-dir", box.data_dir, "Seen by jobs as PINKA_DATA_DIR");
  app->add_option("--simulate-gpus", raw->gpus, "Simulated cards, as rtx3090:4");
  app->add_option("--gpus", raw->only, "Offer these cards only, by UUID")->delimiter(',');
  app->add_option("--claim", raw->claim,
                  "The card it is judged against (default: the tier's name)");
  app->add_option("--nvidia-smi", options->checker.questions.nvidia_smi, "The program to ask");
  app->add_option("--check-every", raw->every, "How often cards are checked, on average");
  app->add_option("--cpus", box.cpus, "Cores to offer (default: all)")->check(CLI::Range(1, 4096));
  app->add_option("--memory", raw->memory, "Memory to offer, as 16G (default: all)");
  app->add_option("--units", box.units, "Units to offer (cpu tiers)")->check(CLI::Range(1, 4096));
  app->add_option("--supervisor", options->supervisor, "The supervisor program");
  app->add_option("--log-level", options->log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
}

Status ReadToken(const std::string& path, std::string* token) {
  StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  *token = text->substr(0, text->find_first_of("\r\n"));
  if (token->empty()) return Invalid("the token file " + path + " is empty");
  return OkStatus();
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

Status Settle(const Raw& raw, AgentOptions* options) {
  Box& box = options->box;
  if (Status read = ReadToken(raw.token_file, &options->token); !read.ok()) return read;
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
  if (Status cards = SettleCards(raw, options); !cards.ok()) return cards;
  FindJobAccount(&box);
  if (options->state_dir.empty()) options->state_dir = DefaultStateDir(box.name);
  options->state_dir = std::filesystem::absolute(options->state_dir).lexically_normal();
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
  Declare(&app, &parsed.options, &raw);
  try {
    app.parse(argc, argv);
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
