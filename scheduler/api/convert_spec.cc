#include "scheduler/api/convert_spec.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/warning_signal.h"
#include "catalogue/version.h"
#include "files/tree.h"
#include "fmt/format.h"
#include "pinka/v1/agent.pb.h"
#include "scheduler/api/convert_sweep.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/gate_proof.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/names.h"
#include "scheduler/api/status_table.h"
#include "scheduler/core/dependency.h"
#include "scheduler/core/plan.h"

namespace pinka::api {
namespace {

constexpr int64_t kTenYearsMs = int64_t{3'650} * 86'400'000;
constexpr int64_t kDayMs = 86'400'000;
constexpr int32_t kMostCount = 1'000'000;

// What execve counts for one string: itself, its NUL, its pointer.
size_t ExecBytes(size_t length) { return length + 1 + sizeof(char*); }

Status TooLarge(std::string sentence) { return Refusal(Trouble::kTooLarge, sentence); }

Status CheckString(const std::string& bytes, std::string_view what) {
  if (bytes.find('\0') != std::string::npos) {
    return Invalid(fmt::format("{} holds a zero byte, which no program can be given", what));
  }
  if (bytes.size() > kMostString) {
    return TooLarge(fmt::format(
        "{} has {} bytes; a machine can start a program with at most {} in one string, so put it "
        "into a file that the job reads",
        what, bytes.size(), kMostString));
  }
  return OkStatus();
}

Status CheckSizes(const v1::JobSpec& spec) {
  if (spec.argv().empty()) return Invalid("no command; write it after `--`, or name a script");
  if (spec.script().size() > kMostScript) {
    return TooLarge(fmt::format(
        "the script has {} bytes; at most {} are kept, so put its data into a file of its own",
        spec.script().size(), kMostScript));
  }
  size_t total = 0;
  for (int i = 0; i < spec.argv_size(); ++i) {
    const Status s = CheckString(spec.argv(i), fmt::format("argument {} of the command", i));
    if (!s.ok()) return s;
    total += ExecBytes(spec.argv(i).size());
  }
  for (const v1::EnvVar& var : spec.env()) {
    total += ExecBytes(var.name().size() + 1 + var.value().size());
  }
  if (total <= kMostArguments) return OkStatus();
  return TooLarge(fmt::format(
      "the command and its environment have {} bytes; a machine can start a program with at most "
      "{}, so put them into a file that the job reads",
      total, kMostArguments));
}

// Never repeats a value: it may be a secret.
StatusOr<std::vector<std::string>> ConvertEnv(const v1::JobSpec& spec) {
  std::vector<std::string> env;
  std::vector<std::string> names;
  for (const v1::EnvVar& var : spec.env()) {
    const std::string& name = var.name();
    if (name.empty() || name.find('=') != std::string::npos ||
        !IsPrintableName(name, kMostTextChars)) {
      return Invalid("the name of a variable is printable, not empty, and holds no '='");
    }
    if (name.starts_with("PINKA_")) {
      return Invalid(fmt::format("{} is set by pinka itself; choose another name", name));
    }
    std::string line = name + "=" + var.value();
    if (Status s = CheckString(line, fmt::format("the variable {}", name)); !s.ok()) return s;
    const auto known = std::ranges::find(names, name);
    if (known != names.end()) {  // the last one wins, as in a shell
      env[static_cast<size_t>(known - names.begin())] = std::move(line);
      continue;
    }
    names.push_back(name);
    env.push_back(std::move(line));
  }
  return env;
}

Status CheckTexts(const v1::JobSpec& spec) {
  if (Status s = CheckText(spec.name(), kMostNameChars, "job's name"); !s.ok()) return s;
  if (Status s = CheckText(spec.comment(), kMostTextChars, "comment"); !s.ok()) return s;
  if (Status s = CheckText(spec.chdir(), kMostPathChars, "directory"); !s.ok()) return s;
  if (Status s = CheckText(spec.output(), kMostPathChars, "output pattern"); !s.ok()) return s;
  if (Status s = CheckText(spec.skip_gate(), kMostTextChars, "reason to skip the gate"); !s.ok())
    return s;
  if (!spec.signal().empty()) {
    if (Status s = ParseWarningSignal(spec.signal()).status(); !s.ok()) return s;
  }
  if (!spec.chdir().empty() && spec.chdir().front() != '/') {
    return Invalid("--chdir names a path on the box and begins with '/'");
  }
  return OkStatus();
}

Status InRange(int64_t value, int64_t least, int64_t most, std::string_view what) {
  if (value >= least && value <= most) return OkStatus();
  return Invalid(fmt::format("{} is {}; it is between {} and {}", what, value, least, most));
}

Status CheckNumbers(const v1::JobSpec& spec) {
  const Status checks[] = {
      InRange(spec.gpus(), 0, kMostCount, "the number of GPUs"),
      InRange(spec.cpus(), 0, kMostCount, "the number of cpus"),
      InRange(spec.memory_bytes(), 0, int64_t{1} << 50, "the memory in bytes"),
      InRange(spec.time_limit_ms(), 0, kTenYearsMs, "the time limit in ms"),
      InRange(spec.grace_ms(), 0, kDayMs, "the grace in ms"),
      InRange(spec.checkpoint_every_ms(), 0, kTenYearsMs, "the time between checkpoints in ms"),
      InRange(spec.retries(), 0, 1'000, "the number of retries"),
      InRange(spec.nice(), -1'000'000, 1'000'000, "nice"),
      InRange(spec.requeue_exit_size(), 0, 256, "the number of exit codes to requeue"),
  };
  for (const Status& s : checks) {
    if (!s.ok()) return s;
  }
  for (int32_t code : spec.requeue_exit()) {
    if (Status s = InRange(code, 1, 255, "an exit code to requeue"); !s.ok()) return s;
  }
  return OkStatus();
}

StatusOr<Wish> ConvertSource(const v1::JobSpec& spec) {
  Wish wish = Wish::kAny;
  if (spec.source().empty() || FromName(spec.source(), &wish)) return wish;
  return Invalid("a source is one of owned, package, spot, on_demand, trial or any");
}

// Amounts above 0; "" is no ceiling.
Status ReadCeilings(const v1::JobSpec& spec, JobRequest* request) {
  if (!spec.max_cost().empty()) {
    StatusOr<Money> cost = PositiveMoney(spec.max_cost(), "--max-cost");
    if (!cost.ok()) return cost.status();
    request->max_cost = *cost;
  }
  if (!spec.max_rate().empty()) {
    StatusOr<Money> rate = PositiveMoney(spec.max_rate(), "--max-rate");
    if (!rate.ok()) return rate.status();
    request->max_rate = Rate::MicrosPerUnitHour(rate->micros());
  }
  return OkStatus();
}

Status ReadCuda(const v1::JobSpec& spec, JobRequest* request) {
  if (spec.need_cuda().empty()) return OkStatus();
  const StatusOr<Version> version = ParseVersion(spec.need_cuda());
  if (!version.ok() || version->major < 1 || version->major > 99 || version->minor < 0 ||
      version->minor > 99 || version->patch != 0)
    return Invalid("--need-cuda is a version of CUDA, like 12.4");
  request->need_cuda = CudaNumber(*version);
  return OkStatus();
}

JobClass ConvertClass(v1::JobSpec::Class klass) {
  if (klass == v1::JobSpec::debug) return JobClass::kDebug;
  if (klass == v1::JobSpec::scavenger) return JobClass::kScavenger;
  return JobClass::kNormal;
}

std::vector<std::string> TierNames(const Board& board) {
  std::vector<std::string> names;
  for (const Board::Tier& tier : board.tiers) names.push_back(tier.row.name);
  return names;
}

}  // namespace

Status NoSuchTier(const std::string& name, const Board& board) {
  const std::string near = Nearest(name, TierNames(board));
  return Refusal(Reason::kNoSuchTier, fmt::format("no such tier {}{}; `pinka status` lists them",
                                                  SanitizeForTerminal(FitColumns(name, 40)),
                                                  near.empty() ? "" : ", did you mean " + near));
}

namespace {

// Without a name: the first of the lab's file that can give what is asked for.
StatusOr<TierId> ConvertTier(const v1::JobSpec& spec, const Board& board) {
  if (spec.tiers_size() > 1) {
    return Invalid("one tier a job for now; submit once for each tier, or choose one");
  }
  if (spec.tiers_size() == 1) {
    if (const Board::Tier* tier = FindTier(board, spec.tiers(0))) return tier->row.id;
    return NoSuchTier(spec.tiers(0), board);
  }
  for (const Board::Tier& tier : board.tiers) {
    if (spec.gpus() == 0 || tier.row.unit_gpus > 0) return tier.row.id;
  }
  return Refusal(Reason::kNoSuchTier,
                 "the lab has no tier that fits; an admin adds one with "
                 "`pinka admin apply`");
}

std::string DefaultName(const v1::JobSpec& spec) {
  const std::string& program = spec.argv(0);
  const std::string base = program.substr(program.rfind('/') + 1);
  const bool fits = !base.empty() && IsPrintableName(base, kMostNameChars);
  return fits ? base : "job";
}

PayloadRow PackPayload(const v1::JobSpec& spec, const std::vector<std::string>& env,
                       const std::vector<SweepKey>& sweep) {
  v1::Payload payload;
  *payload.mutable_argv() = spec.argv();
  payload.set_script(spec.script());
  for (const std::string& line : env) payload.add_env(line);
  payload.set_chdir(spec.chdir());
  payload.set_signal(spec.signal());
  payload.set_code(spec.code());
  payload.set_code_dir(spec.code_dir());
  payload.set_checkpoint_every_ms(spec.checkpoint_every_ms());
  PackSweep(sweep, &payload);
  PayloadRow row;
  row.bytes = DeterministicBytes(payload);
  row.hash = Sha256Hex(row.bytes);
  return row;
}

Status CheckArray(const v1::JobSpec& spec, const Board& board) {
  if (spec.array().empty()) return OkStatus();
  if (spec.array().size() > kMostArraySpec) {
    return TooLarge(fmt::format("the array's spec has {} bytes; at most {} are read",
                                spec.array().size(), kMostArraySpec));
  }
  return ParseArraySpec(spec.array(), board.lab.max_array).status();
}

// The tree itself is looked at before submit: here only what is said of it.
Status CheckCode(const v1::JobSpec& spec) {
  if (!spec.code().empty() && !IsBlobHash(spec.code()))
    return Invalid("the code is named by 64 hexadecimal digits");
  if (spec.code().empty() && !spec.code_dir().empty())
    return Invalid("a directory in the code needs the code");
  if (!spec.code().empty() && !spec.chdir().empty())
    return Invalid("the job starts in its code or in --chdir, not in both");
  if (!spec.code_dir().empty() && !IsPathInside(spec.code_dir()))
    return Invalid("the directory in the code leads out of it");
  constexpr int64_t kShortest = 1'000;
  if (spec.checkpoint_every_ms() != 0 && spec.checkpoint_every_ms() < kShortest)
    return Invalid("checkpoints are a second apart at least");
  return OkStatus();
}

// When it may start. The language is core's; here its form and its size.
Status ConvertTimes(const v1::JobSpec& spec, JobRequest* request) {
  if (spec.dependency().size() > kMostDependency) {
    return TooLarge(fmt::format("the dependency has {} bytes; at most {} are read",
                                spec.dependency().size(), kMostDependency));
  }
  StatusOr<Dependency> dependency = ParseDependency(spec.dependency());
  if (!dependency.ok()) return dependency.status();
  request->dependency = spec.dependency();
  request->keep_invalid = spec.keep_on_invalid_dep();
  constexpr int64_t kLastSecond = 253'402'300'799;  // of the year 9999
  if (spec.has_begin_at()) {
    const Status s = InRange(spec.begin_at().seconds(), 1, kLastSecond, "the begin time in s");
    if (!s.ok()) return s;
    request->begin_at = FromProto(spec.begin_at());
  }
  if (spec.has_deadline_at()) {
    const Status s = InRange(spec.deadline_at().seconds(), 1, kLastSecond, "the deadline in s");
    if (!s.ok()) return s;
    request->deadline = FromProto(spec.deadline_at());
  }
  request->night = spec.night();
  if (!spec.ref().empty()) {
    StatusOr<Dependency> ref = ParseDependency("@" + spec.ref());
    if (!ref.ok() || ref->terms.size() != 1 || ref->terms[0].ref != spec.ref()) {
      return Invalid("a ref has 1 to 64 letters, digits, -, _ and .");
    }
  }
  request->ref = spec.ref();
  return OkStatus();
}

}  // namespace

StatusOr<JobRequest> ConvertSpec(const v1::JobSpec& spec, const Board& board) {
  if (Status s = CheckSizes(spec); !s.ok()) return s;
  if (Status s = CheckCode(spec); !s.ok()) return s;
  StatusOr<std::vector<std::string>> env = ConvertEnv(spec);
  if (!env.ok()) return env.status();
  if (Status s = CheckTexts(spec); !s.ok()) return s;
  if (Status s = CheckNumbers(spec); !s.ok()) return s;
  if (Status s = CheckArray(spec, board); !s.ok()) return s;
  StatusOr<std::vector<SweepKey>> sweep = ConvertSweep(spec, board.lab.max_array);
  if (!sweep.ok()) return sweep.status();
  if (!sweep->empty()) {
    if (Status s = CheckSizes(LongestOf(spec, *sweep)); !s.ok()) return s;
  }
  JobRequest request;
  if (Status s = ConvertTimes(spec, &request); !s.ok()) return s;
  if (!spec.project().empty()) {
    const auto project = FindProject(board, spec.project());
    if (!project) {
      return Refusal(Reason::kNoSuchProject, "no such project, or you are not in it");
    }
    request.project = *project;
  }
  StatusOr<TierId> tier = ConvertTier(spec, board);
  if (!tier.ok()) return tier.status();
  request.tier = *tier;
  request.gpus = spec.gpus();
  request.cpus = spec.cpus();
  request.memory = spec.memory_bytes();
  request.time_limit = Duration::Millis(spec.time_limit_ms());
  if (spec.grace_ms() > 0) request.grace = Duration::Millis(spec.grace_ms());
  StatusOr<Wish> source = ConvertSource(spec);
  if (!source.ok()) return source.status();
  request.source = *source;
  request.klass = ConvertClass(spec.class_());
  request.nice = spec.nice();
  request.retries = spec.retries();
  request.no_requeue = spec.no_requeue();
  if (Status s = ReadCeilings(spec, &request); !s.ok()) return s;
  if (Status s = ReadCuda(spec, &request); !s.ok()) return s;
  request.requeue_exit.assign(spec.requeue_exit().begin(), spec.requeue_exit().end());
  request.array = spec.array();
  if (!sweep->empty())
    request.array = fmt::format("0-{}", *CountSweep(*sweep, board.lab.max_array) - 1);
  request.payload = PackPayload(spec, *env, *sweep);
  request.skip_gate = spec.skip_gate();
  request.command = CodeOnCommandLine(spec);
  request.name = spec.name().empty() ? DefaultName(spec) : spec.name();
  request.comment = spec.comment();
  request.chdir = spec.chdir();
  request.code = spec.code();
  request.output = spec.output();
  return request;
}

int32_t CountTasks(const JobRequest& request, const Board& board) {
  if (request.array.empty()) return 1;
  const auto spec = ParseArraySpec(request.array, board.lab.max_array);
  return spec.ok() ? static_cast<int32_t>(spec->indices.size()) : 0;
}

StatusOr<Slice> ConvertSlice(const std::string& text) {
  StatusOr<JobSlice> parsed = ParseJobSlice(text);
  if (!parsed.ok()) return parsed.status();
  return Slice{JobId(parsed->job), std::move(parsed->indices)};
}

namespace {

// So many units for so long, times the tasks of the request, at most its ceiling; nothing beyond
// all money.
std::string CostOf(const JobRequest& request, const Board& board, int32_t units, Duration time,
                   Rate rate) {
  const UnitTime units_time = UnitTime::Of(units, time);
  if (CostOverflows(units_time, rate)) return "";
  Int128 all = Int128{Cost(units_time, rate).micros()} * CountTasks(request, board);
  if (request.max_cost > Money()) all = std::min<Int128>(all, request.max_cost.micros());
  return all > INT64_MAX ? "" : FormatWireMoney(Money::Micros(static_cast<int64_t>(all)));
}

// "the median of 12 runs of yours named train"
std::string UsualText(const JobRequest& request, const Board::Tier& tier,
                      const db::UsualRun& usual) {
  std::string runs = usual.runs == 1 ? "one run of yours"
                                     : fmt::format("the median of {} runs of yours", usual.runs);
  if (usual.by == "name") return runs + " named " + request.name;
  if (usual.by == "payload") return runs + " of the same command";
  return runs + " on tier " + tier.row.name;
}

// The price list's answer, where nobody has said what would pay.
std::optional<Priced> ListPrice(const JobRequest& request, const Board::Tier& tier) {
  Priced price;
  if (request.source != Wish::kAny) FromName(Name(request.source), &price.source);
  for (const auto& [source, rate] : tier.rates) {
    if (source != price.source) continue;
    price.rate = rate;
    return price;
  }
  return std::nullopt;
}

}  // namespace

void FillQuote(const JobRequest& request, const Board& board, v1::Quote* out,
               std::optional<Priced> price, const std::optional<db::UsualRun>& usual) {
  const auto tier = std::ranges::find_if(
      board.tiers, [&](const Board::Tier& t) { return t.row.id == request.tier; });
  if (tier == board.tiers.end()) return;
  out->set_tier(tier->row.name);
  out->set_currency(board.lab.currency);
  out->set_units(UnitsOf(tier->row, request.gpus, request.cpus, request.memory));
  Source asked = Source::kOnDemand;
  if (request.source != Wish::kAny) FromName(Name(request.source), &asked);
  out->set_source(std::string(Name(price ? price->source : asked)));
  if (!price) price = ListPrice(request, *tier);
  if (!price) return;
  out->set_rate(WireRate(price->rate));
  if (price->hours > Money()) out->set_hours(WireHours(price->hours.micros()));
  const Duration limit =
      request.time_limit > Duration() ? request.time_limit : tier->row.default_time;
  const std::string most = CostOf(request, board, out->units(), limit, price->rate);
  if (most.empty()) return;
  out->set_at_most(most);
  out->set_likely(most);
  out->set_min_block(FormatWireMoney(price->min_block));
  if (!usual) return;
  const Duration time = std::min(limit, Duration::Millis(usual->ms));
  out->set_likely(CostOf(request, board, out->units(), time, price->rate));
  out->set_likely_from(UsualText(request, *tier, *usual));
}

}  // namespace pinka::api
