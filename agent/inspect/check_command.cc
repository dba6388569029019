#include "agent/inspect/check_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "agent/inspect/collect.h"
#include "agent/inspect/report.h"
#include "base/clock.h"
#include "base/parse.h"

namespace pinka::inspect {
namespace {

struct Raw {
  std::string claim;
  std::string timeout = "20s";
  bool json = false;
  bool no_disk = false;
};

void Declare(CLI::App* app, Questions* questions, Raw* raw) {
  app->add_option("--claim", raw->claim, "What the provider or the tier says it is: a100-80, t4");
  app->add_option("--nvidia-smi", questions->nvidia_smi, "The program to ask (default: of PATH)");
  app->add_option("--timeout", raw->timeout, "How long each answer may take (default: 20s)");
  app->add_option("--disk", questions->disk, "Where to measure the disk (default: here)");
  app->add_flag("--no-disk", raw->no_disk, "Do not measure the disk");
  app->add_flag("--json", raw->json, "For programs");
  app->footer("Example: pinka-agent check --claim a100-80");
}

int Fail(const Status& status, bool json) {
  if (json) {
    std::fprintf(stderr, "%s\n", ErrorJson(status).c_str());
  } else {
    std::fprintf(stderr, "pinka-agent: %s\n", Message(status).c_str());
  }
  return 2;
}

bool WantsColour() {
  const char* no = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no == nullptr || *no == '\0');
}

int Check(Questions questions, const Raw& raw) {
  StatusOr<hardware::Claim> claim = hardware::ParseClaim(raw.claim);
  if (!claim.ok()) return Fail(claim.status(), raw.json);
  StatusOr<Duration> timeout = ParseDuration(raw.timeout);
  if (!timeout.ok()) return Fail(timeout.status(), raw.json);
  questions.deadline = *timeout;
  if (questions.disk.empty()) questions.disk = ".";
  if (raw.no_disk) questions.disk.clear();
  const hardware::Judgement judgement = hardware::Judge(Collect(questions), *claim);
  const std::string text =
      raw.json ? ToJson(judgement, SystemClock().Now()) : ToText(judgement, WantsColour());
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return judgement.verdict == hardware::Verdict::kOk ? 0 : 1;
}

}  // namespace

int CheckCommand(int argc, char** argv) {
  Questions questions;
  Raw raw;
  CLI::App app("Says what a box is, what is wrong with it, and what it would be good for",
               "pinka-agent check");
  Declare(&app, &questions, &raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Check(std::move(questions), raw);
}

}  // namespace pinka::inspect
