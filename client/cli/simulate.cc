// pinka simulate: becomes pinka-simulate, the scheduler on a virtual clock, which lies beside this
// program. Nothing of the scheduler is in here.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/cli/commands.h"
#include "client/cli/core/beside.h"
#include "client/cli/core/session.h"

namespace pinka::cli {
namespace {

constexpr const char* kProgram = "pinka-simulate";

struct Passed {
  const char* name;
  const char* value;
  const char* help;
};

constexpr Passed kPassed[] = {
    {"--trace", "FILE", "jobs: submit_s,duration_s,gpus,user,gpu_type,status"},
    {"--lab", "FILE", "tiers, prices, members, limits (else a lab made for the trace)"},
    {"--policy", "P", "fifo, fifo-backfill, pinka (default), pinka-no-PART"},
    {"--seed", "N", "of what is drawn: time limits (default 1)"},
    {"--limits", "HOW", "exact: ask for the duration; factor (default): 1 to 3 times that"},
    {"--money", "on|off", "whether budgets count (default off)"},
    {"--deposit", "AMOUNT", "with --money on: the lab's money (else only limits count)"},
    {"--nodes", "TIER:N[xU]", "the tier's machines, of U units; may be repeated"},
    {"--add", "TIER:N[xU]", "machines beside those; may be repeated"},
    {"--buy", "WHAT", "TIER:HOURSh=PRICE, a package; TIER:UNITSu=PRICE, a machine by the week"},
    {"--tier", "T", "where jobs go that name none (default: the largest)"},
    {"--spot", "FILE", "availability of spot machines: t_s,zone,instances_up,end_s"},
    {"--spot-zone", "Z", "only this zone of it"},
    {"--spot-tier", "T", "the tier they belong to (default: that of --tier)"},
    {"--spot-units", "U", "of each (default: as the tier's machines)"},
    {"--spot-machines", "N", "without --spot: so many that come and go by the seed"},
    {"--checkpoint", "SPAN", "run time between checkpoints (default 30m; 0s: none)"},
    {"--restart", "SPAN", "run time before a task that was taken back goes on (default none)"},
    {"--pass", "SPAN", "between passes over who waits, if nothing happens (default 1m)"},
    {"--synthesize", "WHAT", "people=10,days=30,hours=1000: a month drawn from the trace"},
    {"--html", "FILE", "write a page with plots"},
};

class Simulate final : public Command {
 public:
  Description Describe() const override {
    return {
        "simulate",
        "--trace FILE [--lab FILE]",
        Group::kLab,
        "a trace, played",
        "Plays a trace of jobs through the scheduler on a virtual clock, and prints waits, use, "
        "cost and fairness. Nothing real is touched, and no server is asked.",
        "pinka simulate --trace jobs.csv --lab lab.toml --policy fifo-backfill"};
  }

  void Declare(Options& options) override {
    for (const Passed& option : kPassed) {
      options.Custom(option.name, option.value, option.help,
                     [this, name = option.name](const std::string& value) {
                       words_.emplace_back(name);
                       words_.push_back(value);
                       return OkStatus();
                     });
    }
  }

  StatusOr<int> Run(Session& session) override {
    if (session.json()) words_.emplace_back("--json");
    const std::string path = Beside(kProgram);
    std::string name = kProgram;
    std::vector<char*> argv = {name.data()};
    for (std::string& word : words_) argv.push_back(word.data());
    argv.push_back(nullptr);
    session.out().Flush();
    execv(path.c_str(), argv.data());
    if (errno == ENOENT) {
      return Internal(std::string(kProgram) + " is not installed beside this program (" + path +
                      "); install it there, or build the target " + kProgram);
    }
    return Internal(path + " cannot be started: " + std::strerror(errno));
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> MakeSimulate() { return std::make_unique<Simulate>(); }

}  // namespace pinka::cli
