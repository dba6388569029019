#include "client/cli/core/submit_options.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "base/ranges.h"
#include "base/text.h"
#include "base/warning_signal.h"
#include "catalogue/version.h"
#include "client/cli/core/try.h"
#include "client/cli/core/workload.h"

namespace pinka::cli {
namespace {

constexpr int32_t kMaxTasks = 1'000'000;
constexpr int kMaxName = 100;
constexpr int kMaxComment = 1'000;

StatusOr<std::string> Printable(const std::string& text, int max_chars) {
  if (IsPrintableName(text, max_chars)) return text;
  if (IsValidUtf8(text) && CountChars(text) > max_chars) {
    return Invalid("it has " + std::to_string(CountChars(text)) + " characters and may have " +
                   std::to_string(max_chars));
  }
  return Invalid("it must be valid UTF-8 without control or invisible characters");
}

StatusOr<v1::JobSpec::Class> ParseClass(const std::string& text) {
  if (text == "debug") return v1::JobSpec::debug;
  if (text == "normal") return v1::JobSpec::normal;
  if (text == "scavenger") return v1::JobSpec::scavenger;
  return Invalid("'" + text + "' is none of debug, normal, scavenger");
}

StatusOr<std::string> ParseSource(const std::string& text) {
  for (const char* name : {"any", "owned", "package", "spot", "on_demand", "trial"}) {
    if (text == name) return text;
  }
  return Invalid("'" + text + "' is none of owned, package, spot, on_demand, trial, any");
}

StatusOr<std::vector<int32_t>> ParseExitCodes(const std::string& text) {
  std::vector<int32_t> codes;
  for (const std::string& part : SplitCommas(text)) {
    PINKA_TRY_ASSIGN(const int64_t code, ParseInt(part, 1, 255, "an exit code"));
    codes.push_back(static_cast<int32_t>(code));
  }
  return codes;
}

// A key that is there already takes the new values: what is typed wins over a script's lines.
void SetSweepKey(const SweepKey& key, std::vector<SweepKey>* keys) {
  const auto known = std::ranges::find(*keys, key.key, &SweepKey::key);
  if (known == keys->end()) {
    keys->push_back(key);
  } else {
    known->values = key.values;
  }
}

// As the wire has it: above 0.
StatusOr<std::string> ParseCeiling(const std::string& text) {
  PINKA_TRY_ASSIGN(const Money amount, ParseMoney(text));
  if (amount <= Money()) return Invalid("it is more than 0");
  return FormatWireMoney(amount);
}

}  // namespace

StatusOr<std::string> CheckName(const std::string& text) { return Printable(text, kMaxName); }

void SubmitLine::Value(Options& options, const std::string& names, const std::string& value_name,
                       const std::string& help, Reading read) {
  options.Custom(names, value_name, help, [this, read = std::move(read)](const std::string& text) {
    PINKA_TRY_ASSIGN(Change change, read(text));
    changes_.push_back(std::move(change));
    return OkStatus();
  });
}

void SubmitLine::Text(Options& options, const std::string& names, const std::string& value_name,
                      const std::string& help, std::string SubmitFields::*to) {
  Value(options, names, value_name, help, [to](const std::string& text) -> StatusOr<Change> {
    if (!IsValidUtf8(text)) return Invalid("it is not valid UTF-8");
    return Change([to, text](SubmitFields& f) { f.*to = text; });
  });
}

void SubmitLine::Int(Options& options, const std::string& names, const std::string& value_name,
                     const std::string& help, int64_t min, int64_t max, int32_t SubmitFields::*to) {
  Value(options, names, value_name, help, [=](const std::string& text) -> StatusOr<Change> {
    PINKA_TRY_ASSIGN(const int64_t n, ParseInt(text, min, max, "the number"));
    return Change([to, n](SubmitFields& f) { f.*to = static_cast<int32_t>(n); });
  });
}

void SubmitLine::Span(Options& options, const std::string& names, const std::string& help,
                      int64_t SubmitFields::*to) {
  Value(options, names, "D", help, [to](const std::string& text) -> StatusOr<Change> {
    PINKA_TRY_ASSIGN(const Duration span, ParseDuration(text));
    return Change([to, span](SubmitFields& f) { f.*to = span.millis(); });
  });
}

void SubmitLine::Ceiling(Options& options, const std::string& names, const std::string& help,
                         std::string SubmitFields::*to) {
  Value(options, names, "M", help, [to](const std::string& text) -> StatusOr<Change> {
    PINKA_TRY_ASSIGN(const std::string amount, ParseCeiling(text));
    return Change([to, amount](SubmitFields& f) { f.*to = amount; });
  });
}

void SubmitLine::Flag(Options& options, const std::string& names, const std::string& help,
                      bool SubmitFields::*to) {
  options.CustomFlag(names, help,
                     [this, to] { changes_.push_back([to](SubmitFields& f) { f.*to = true; }); });
}

void SubmitLine::Declare(Options& options) {
  DeclareShape(options);
  DeclareEnvironment(options);
  DeclareTimes(options);
  DeclareCourse(options);
}

void SubmitLine::DeclareShape(Options& options) {
  Value(options, "--tier", "T", "the class of hardware (default: the lab's first)",
        [](const std::string& text) -> StatusOr<Change> {
          if (!IsValidUtf8(text)) return Invalid("it is not valid UTF-8");
          return Change([tiers = SplitCommas(text)](SubmitFields& f) { f.tiers = tiers; });
        });
  Int(options, "--gpus", "N", "GPUs (default: one unit of the tier)", 0, 100'000,
      &SubmitFields::gpus);
  Int(options, "--cpus", "N", "CPU cores", 0, 1'000'000, &SubmitFields::cpus);
  Value(options, "--mem", "SIZE", "memory, as in 16G",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const int64_t bytes, ParseMemory(text));
          return Change([bytes](SubmitFields& f) { f.memory_bytes = bytes; });
        });
  Span(options, "--time", "time limit, as in 90m or 1h30m (default: the tier's)",
       &SubmitFields::time_ms);
  Span(options, "--grace", "from TERM to KILL (default: 30s)", &SubmitFields::grace_ms);
  Span(options, "--checkpoint-every",
       "ask it so often to save what it has, by $PINKA_NOTICE_FILE and the signal",
       &SubmitFields::checkpoint_every_ms);
  Value(options, "--signal", "[main:|all:]SIG@D",
        "the warning so long before the time limit, only to processes that catch it (default: "
        "USR2@2m)",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const WarningSignal signal, ParseWarningSignal(text));
          return Change([signal](SubmitFields& f) { f.signal = FormatWarningSignal(signal); });
        });
  Value(options, "--array", "SPEC", "many tasks: 0-9, 1,3,5-9:2, with %N at most N at once",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY(ParseArraySpec(text, kMaxTasks).status());
          return Change([text](SubmitFields& f) { f.array = text; });
        });
  Value(options, "--sweep", "K=V,…",
        "a task for each value, as in lr=0.1,0.01 or seed=1..5; once "
        "for each key: a task for each combination, as {lr} in the command and $PINKA_SWEEP_LR",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const SweepKey key, ParseSweep(text, kMaxTasks));
          return Change([key](SubmitFields& f) { SetSweepKey(key, &f.sweep); });
        });
}

void SubmitLine::DeclareEnvironment(Options& options) {
  Value(options, "--env-file", "FILE",
        "variables, K=V a line, '…' or \"…\" around values of several lines; - is standard input",
        [](const std::string& path) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const std::vector<EnvVar> vars, ReadEnvFile(path));
          return Change([vars](SubmitFields& f) {
            for (const EnvVar& var : vars) SetEnvVar(var, &f.env);
          });
        });
  Value(options, "--env", "K=V", "one variable, as it stands; wins over --env-file",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const EnvVar var, ParseEnvVar(text));
          return Change([var](SubmitFields& f) { SetEnvVar(var, &f.env); });
        });
  Value(options, "--export", "NAMES",
        "variables to take along as they stand here, as in HF_HOME,WANDB_API_KEY",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const std::vector<EnvVar> vars, TakeFromHere(SplitCommas(text)));
          return Change([vars](SubmitFields& f) {
            for (const EnvVar& var : vars) SetEnvVar(var, &f.env);
          });
        });
  Text(options, "--workdir", "DIR",
       "the files that go along, a snapshot to start in: of a git work tree all that git does not "
       "ignore, else the directory if it is small (default: this one, or $PINKA_WORKDIR); none",
       &SubmitFields::workdir);
  Text(options, "--chdir", "DIR", "start in a directory that is on the box; no files go along",
       &SubmitFields::chdir);
  Text(options, "--output", "PATTERN", "kept with the job; the log is in pinka logs in any case",
       &SubmitFields::output);
  Value(options, "--name", "NAME", "for lists", [](const std::string& text) -> StatusOr<Change> {
    PINKA_TRY_ASSIGN(const std::string name, CheckName(text));
    return Change([name](SubmitFields& f) { f.name = name; });
  });
  Value(options, "--estimate", "MODEL…",
        "say whether it fits the tier's card: a model and what `pinka advise vram` takes, as in "
        "\"bert-large batch=32 precision=amp\"",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(v1::Workload workload, ParseWorkload(text));
          return Change([workload](SubmitFields& f) { f.workload = workload; });
        });
  Value(options, "--comment", "TEXT", "for people",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const std::string comment, Printable(text, kMaxComment));
          return Change([comment](SubmitFields& f) { f.comment = comment; });
        });
}

void SubmitLine::DeclareTimes(Options& options) {
  Text(options, "--dependency", "SPEC",
       "start after others: afterok:17, after:17+30m, afterany:17:18, aftercorr:17, singleton; "
       "`,` all of them, `?` one of them",
       &SubmitFields::dependency);
  Flag(options, "--keep-on-invalid-dep", "wait on, where a dependency can no longer be met",
       &SubmitFields::keep_on_invalid_dep);
  Text(options, "--begin", "T", "not before: 2026-11-30T20:00, now+2h", &SubmitFields::begin);
  Flag(options, "--night", "start in the lab's nights only", &SubmitFields::night);
  Text(options, "--deadline", "T", "give it up when it could not end by then",
       &SubmitFields::deadline);
}

void SubmitLine::DeclareCourse(Options& options) {
  Int(options, "--retries", "N", "again after own failures, at most N times", 0, 1'000,
      &SubmitFields::retries);
  Flag(options, "--no-requeue", "never run it a second time", &SubmitFields::no_requeue);
  Value(options, "--requeue-exit", "LIST", "exit codes that mean: run me again",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const std::vector<int32_t> codes, ParseExitCodes(text));
          return Change([codes](SubmitFields& f) { f.requeue_exit = codes; });
        });
  Value(options, "--source", "S",
        "how it is paid: owned, package, spot, on_demand, trial; any (default): a package, then "
        "on_demand",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const std::string source, ParseSource(text));
          return Change([source](SubmitFields& f) { f.source = source; });
        });
  Ceiling(options, "--max-cost",
          "stop when all its tasks and attempts together have cost M (state BUDGET)",
          &SubmitFields::max_cost);
  Ceiling(options, "--max-rate", "wait while a unit-hour costs more than M",
          &SubmitFields::max_rate);
  Value(options, "--need-cuda", "V", "only where the driver serves CUDA V or newer, like 12.4",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY(ParseVersion(text).status());
          return Change([text](SubmitFields& f) { f.need_cuda = text; });
        });
  Value(options, "--class", "CLASS", "debug, normal or scavenger",
        [](const std::string& text) -> StatusOr<Change> {
          PINKA_TRY_ASSIGN(const v1::JobSpec::Class job_class, ParseClass(text));
          return Change([job_class](SubmitFields& f) { f.job_class = job_class; });
        });
  Int(options, "--nice", "N", "lower its priority by N; below 0 admins only", -1'000'000'000,
      1'000'000'000, &SubmitFields::nice);
  Text(options, "--project", "P", "whom it counts for", &SubmitFields::project);
  Value(options, "--skip-gate", "REASON", "pass the tier's gate without the success it asks for",
        [](const std::string& text) -> StatusOr<Change> {
          if (text.empty()) return Invalid("say why");
          PINKA_TRY_ASSIGN(const std::string reason, Printable(text, kMaxComment));
          return Change([reason](SubmitFields& f) { f.skip_gate = reason; });
        });
  Text(options, "--request-id", "K", "the same key gives the same job again (default: random)",
       &SubmitFields::request_id);
  Flag(options, "--wait", "wait for its end and end with its exit code", &SubmitFields::wait);
  Flag(options, "-q,--quiet", "print the id only", &SubmitFields::quiet);
  Flag(options, "-y,--yes", "do not ask", &SubmitFields::yes);
}

void SubmitLine::ApplyOver(SubmitFields* below) const {
  for (const Change& change : changes_) change(*below);
}

}  // namespace pinka::cli
