#include "client/cli/core/registry.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "client/cli/commands.h"

namespace pinka::cli {
namespace {

bool IsGlobalWithValue(const std::string& word) {
  return word == "--server" || word == "--token" || word == "--ca" || word == "--context";
}

// How many of `words`, from `at` on, spell the whole path; 0 if they do not.
size_t MatchPath(const std::string& path, const std::vector<std::string>& words, size_t at) {
  size_t count = 0;
  size_t begin = 0;
  while (begin < path.size()) {
    const size_t end = std::min(path.find(' ', begin), path.size());
    if (at + count >= words.size()) return 0;
    if (words[at + count] != path.substr(begin, end - begin)) return 0;
    ++count;
    begin = end + 1;
  }
  return count;
}

Status UnknownCommand(const Commands& commands, const std::vector<std::string>& words, size_t at) {
  std::string typed = words[at];
  const bool nested = typed == "admin" && at + 1 < words.size();
  if (nested) typed += " " + words[at + 1];
  std::set<std::string> paths;
  for (const auto& command : commands) {
    const std::string path = command->Describe().path;
    paths.insert(path);
    if (!nested) paths.insert(path.substr(0, path.find(' ')));
  }
  const std::string nearest = Nearest(typed, {paths.begin(), paths.end()});
  return Invalid(
      "unknown command '" + SanitizeForTerminal(typed) + "'" +
      (nearest.empty() ? "; pinka --help lists them" : "; did you mean pinka " + nearest + "?"));
}

bool IsPrefixOfAPath(const Commands& commands, const std::string& prefix) {
  return std::any_of(commands.begin(), commands.end(), [&](const auto& command) {
    return command->Describe().path.starts_with(prefix + " ");
  });
}

// `admin`, `admin member`: as many words as still begin some path.
std::string LongestPrefix(const Commands& commands, const std::vector<std::string>& words,
                          size_t at) {
  std::string prefix;
  for (; at < words.size(); ++at) {
    const std::string longer = prefix.empty() ? words[at] : prefix + " " + words[at];
    if (!IsPrefixOfAPath(commands, longer)) break;
    prefix = longer;
  }
  return prefix;
}

bool OnlyHelpFollows(const std::vector<std::string>& words, size_t at) {
  return std::all_of(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(),
                     [](const std::string& w) { return w == "-h" || w == "--help"; });
}

using Maker = std::unique_ptr<Command> (*)();
constexpr Maker kMakers[] = {
    MakeSubmit,
    MakeRun,
    MakeQuote,
    MakeResubmit,
    MakeLs,
    MakeShow,
    MakeWhy,
    MakeLogs,
    MakeFiles,
    MakeCp,
    MakeWait,
    MakeTop,
    MakeCancel,
    MakeHold,
    MakeRelease,
    MakeRequeue,
    MakeEdit,
    MakeBalance,
    MakeUsage,
    MakeStatement,
    MakeLedger,
    MakeLimits,
    MakePool,
    MakeLost,
    MakeShares,
    MakeAdviseVram,
    MakeAdviseGpu,
    MakeAdviseCost,
    MakeAdviseCompat,
    MakeAdvisePlan,
    MakeAdviseProviders,
    MakeGpus,
    MakeStatus,
    MakeNodes,
    MakePrio,
    MakeWhoami,
    MakeSimulate,
    MakeLogin,
    MakeConfig,
    MakeConfigUse,
    MakeCompletion,
    MakeVersion,
    MakeAdminApply,
    MakeAdminDeposit,
    MakeAdminWithdraw,
    MakeAdminTransfer,
    MakeAdminRefund,
    MakeAdminCorrect,
    MakeAdminLimitLs,
    MakeAdminLimitRaise,
    MakeAdminPackageBuy,
    MakeAdminPackageLs,
    MakeAdminPackageShow,
    MakeAdminPackageClose,
    MakeAdminRentalOpen,
    MakeAdminRentalClose,
    MakeAdminRentalLs,
    MakeAdminReconcile,
    MakeAdminInvoiceLs,
    MakeAdminInvoiceShow,
    MakeAdminInvoiceExplain,
    MakeAdminClose,
    MakeAdminSettle,
    MakeAdminPaymentLs,
    MakeAdminPaymentDone,
    MakeAdminMemberAdd,
    MakeAdminMemberRm,
    MakeAdminMemberToken,
    MakeAdminMemberLs,
    MakeAdminNodeJoinToken,
    MakeAdminNodeDrain,
    MakeAdminNodeResume,
    MakeAdminNodeRm,
    MakeAdminNodeReclaim,
    MakeAdminNodeVerify,
};

}  // namespace

Commands AllCommands() {
  Commands commands;
  for (const Maker make : kMakers) commands.push_back(make());
  return commands;
}

void DeclareGlobals(Options& options, Globals* globals) {
  options.Value("--server", "HOST:PORT", "the scheduler to talk to", &globals->server);
  options.Value("--token", "TOKEN", "who you are (better: pinka login)", &globals->token);
  options.Value("--ca", "FILE", "certificate authority of the server", &globals->ca);
  options.Value("--context", "NAME", "a context of the config file", &globals->context);
  options.Flag("--json", "one JSON object for programs", &globals->json);
  options.Flag("-h,--help", "this text", &globals->help);
  options.MarkGlobal();
}

StatusOr<Found> FindCommand(const Commands& commands, const std::vector<std::string>& words) {
  size_t at = 0;
  while (at < words.size() && words[at].starts_with("-"))
    at += IsGlobalWithValue(words[at]) ? 2 : 1;
  at = std::min(at, words.size());
  Found found;
  found.words.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  const bool asks_help = at < words.size() && words[at] == "help";
  if (asks_help) {
    ++at;
    found.words.push_back("--help");
  }
  if (at == words.size()) return found;
  size_t best = 0;
  for (const auto& command : commands) {
    const size_t count = MatchPath(command->Describe().path, words, at);
    if (count <= best) continue;
    best = count;
    found.command = command.get();
  }
  if (found.command != nullptr) {
    found.words.insert(found.words.end(), words.begin() + static_cast<std::ptrdiff_t>(at + best),
                       words.end());
    return found;
  }
  found.partial = LongestPrefix(commands, words, at);
  const auto depth =
      static_cast<size_t>(std::count(found.partial.begin(), found.partial.end(), ' '));
  if (found.partial.empty() || !OnlyHelpFollows(words, at + depth + 1)) {
    return UnknownCommand(commands, words, at);
  }
  found.words.push_back("--help");
  return found;
}

}  // namespace pinka::cli
