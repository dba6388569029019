#include "scheduler/daemon/local_tiers.h"

#include <unistd.h>

#include <algorithm>
#include <future>

#include "base/file.h"
#include "base/hash.h"
#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

// Whether this box should serve the tier: it has cards to simulate, or it is plain cpu work.
bool ForThisBox(const TierRow& tier) { return tier.simulated_units > 0 || tier.unit_gpus == 0; }

// How this box is paid for: the one source that the tier has a price for, else on demand.
Source SourceOf(const Board::Tier& tier) {
  return tier.rates.size() == 1 ? tier.rates.front().first : Source::kOnDemand;
}

int64_t Cores() { return std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1); }

std::vector<std::string> AgentArgv(const ServeOptions& options, const std::string& address,
                                   const TierRow& tier, const std::string& node,
                                   const std::string& token_file) {
  std::vector<std::string> argv = {options.agent_program,
                                   "--server",
                                   address,
                                   "--token-file",
                                   token_file,
                                   "--name",
                                   node,
                                   "--tier",
                                   tier.name,
                                   "--state-dir",
                                   options.agent_state + "/" + tier.name,
                                   "--shared-dir",
                                   options.agent_shared};
  if (tier.unit_gpus > 0) {
    argv.push_back("--simulate-gpus");
    argv.push_back(fmt::format("{}:{}", tier.name, tier.simulated_units * tier.unit_gpus));
  } else {
    const int64_t units = tier.simulated_units > 0
                              ? tier.simulated_units
                              : std::max<int64_t>(Cores() / std::max(tier.unit_cpus, 1), 1);
    argv.push_back("--units");
    argv.push_back(std::to_string(units));
  }
  return argv;
}

}  // namespace

LocalTiers::LocalTiers(const ServeOptions& options, std::string address, Runtime& runtime,
                       Random& random)
    : options_(options), address_(std::move(address)), runtime_(runtime), random_(random) {}

void LocalTiers::Tend() {
  std::promise<std::shared_ptr<const Board>> promise;
  runtime_.GetBoard(
      [&promise](std::shared_ptr<const Board> board) { promise.set_value(std::move(board)); });
  const std::shared_ptr<const Board> board = promise.get_future().get();
  if (!board) return;
  for (const Board::Tier& tier : board->tiers) {
    const bool room = static_cast<int>(wanted_.size()) < options_.max_agents;
    if (!wanted_.contains(tier.row.name) && room && ForThisBox(tier.row)) Want(*board, tier);
  }
}

void LocalTiers::Want(const Board& board, const Board::Tier& tier) {
  const std::string node = "local-" + tier.row.name;
  const std::string path = options_.tokens + "/agent-" + tier.row.name;
  const bool known = std::ranges::any_of(
      board.nodes, [&node](const Board::Node& n) { return n.row.name == node; });
  if (!known || !PathExists(path)) {
    const std::string token = random_.Hex(32);
    if (Status s = WriteFileDurably(path, token); !s.ok()) {
      spdlog::error("no token for the local agent of {}: {}", tier.row.name, Message(s));
      return;
    }
    AddNode command;
    command.actor.admin = true;
    command.node = node;
    command.tier = tier.row.id;
    command.key_hash = Sha256Hex(token);
    const auto there = std::ranges::find_if(
        board.nodes, [&node](const Board::Node& n) { return n.row.name == node; });
    command.source = there == board.nodes.end() ? SourceOf(tier) : there->row.source;
    std::promise<Outcome> promise;
    runtime_.Do(command, Lane::kClient,
                [&promise](const Outcome& outcome) { promise.set_value(outcome); });
    const Outcome outcome = promise.get_future().get();
    if (outcome.kind != Outcome::Kind::kDone) return;  // again next time
    if (outcome.reply.reason != Reason::kOk) {
      spdlog::error("no local agent for tier {}: {}", tier.row.name, outcome.reply.detail);
      wanted_[tier.row.name] = true;
      return;
    }
  }
  wanted_[tier.row.name] = true;
  options_.want_agent({tier.row.name, node, AgentArgv(options_, address_, tier.row, node, path)});
}

}  // namespace pinka
