#include "client/cli/core/submitting.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/parse.h"
#include "base/text.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/context.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/jobs_file.h"
#include "client/cli/core/json.h"
#include "client/cli/core/try.h"
#include "client/cli/core/workdir.h"

namespace pinka::cli {
namespace {

constexpr int kSweepColumns = 200;  // of one key's values in a question

// The dearest of what may be taken: what a person is asked about.
StatusOr<Money> DearestQuote(Api& api, const v1::JobSpec& spec) {
  v1::QuoteRequest request;
  *request.mutable_spec() = spec;
  PINKA_TRY_ASSIGN(const v1::QuoteResponse answer, api.Quote(request));
  Money most;
  for (const v1::Quote& quote : answer.quotes()) {
    most = std::max(most, MoneyOf(quote.at_most()));  // none: what would refuse it says so
  }
  return most;
}

// "18 tasks: lr=0.1,0.01 opt=adam,sgd. ", what a sweep makes.
std::string SweepText(const std::vector<SweepKey>& sweep) {
  const auto count = CountSweep(sweep, INT64_MAX);
  if (sweep.empty() || !count.ok()) return "";
  std::string text = std::to_string(*count) + " tasks:";
  for (const SweepKey& key : sweep)
    text += " " + SanitizeForTerminal(FitColumns(FormatSweep(key), kSweepColumns));
  return text + ". ";
}

Status AskWhereDear(Session& session, Api& api, const PreparedJobs& prepared) {
  if (prepared.front().fields.yes || !session.terminal().CanAsk()) return OkStatus();
  PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
  const auto threshold = ParseWireMoney(lab->confirm_above);
  if (!threshold.ok()) return OkStatus();
  Money most;
  for (const Prepared& job : prepared) {
    PINKA_TRY_ASSIGN(const Money one, DearestQuote(api, job.spec));
    most += one;
  }
  if (most <= *threshold) return OkStatus();
  std::string sweeps;
  for (const Prepared& job : prepared) sweeps += SweepText(job.fields.sweep);
  return session.Confirm(
      sweeps + "This may cost up to " + FormatAmount(most, lab->currency) + ". Submit?", false,
      false);
}

// Times of day are the lab's: its zone is asked only where there is one.
Status FillTime(Session& session, const std::string& text, const char* option,
                const std::function<google::protobuf::Timestamp*()>& field) {
  if (text.empty()) return OkStatus();
  PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
  const auto at = lab->zone.Parse(text, session.Now());
  if (!at.ok()) return Invalid(std::string(option) + ": " + Message(at.status()));
  *field() = ToProto(*at);
  return OkStatus();
}

// The directory whose files go along: what was typed, else $PINKA_WORKDIR, else this one; none
// where the job starts in a directory of the box.
std::string WorkdirOf(const SubmitFields& fields) {
  const char* usual = std::getenv("PINKA_WORKDIR");
  std::string directory = fields.workdir;
  if (directory.empty() && !fields.chdir.empty()) return "none";
  if (directory.empty() && usual != nullptr) directory = usual;
  return directory.empty() ? "." : directory;
}

// Jobs of one directory share its files, looked at and sent once.
Status AddCode(Session& session, Api& api, const PreparedJobs& prepared,
               v1::SubmitJobsRequest* request) {
  std::map<std::string, std::pair<std::string, std::string>> sent;  // root, below
  for (size_t n = 0; n < prepared.size(); ++n) {
    const SubmitFields& fields = prepared[n].fields;
    const std::string directory = WorkdirOf(fields);
    if (directory == "none") continue;
    if (!fields.chdir.empty())
      return Invalid(
          "--chdir names a directory on the box, --workdir one that goes along; leave "
          "one of them out");
    auto known = sent.find(directory);
    if (known == sent.end()) {
      PINKA_TRY_ASSIGN(const Workdir workdir, LookAtWorkdir(directory));
      session.Progress("sending " + std::to_string(workdir.paths.size()) + " files that changed");
      StatusOr<std::string> root = SendWorkdir(api, workdir);
      session.Progress("");
      PINKA_TRY(root.status());
      known = sent.emplace(directory, std::pair(*root, workdir.below)).first;
    }
    v1::JobSpec* spec = request->mutable_specs(static_cast<int>(n));
    spec->set_code(known->second.first);
    spec->set_code_dir(known->second.second);
  }
  return OkStatus();
}

StatusOr<Prepared> Finish(Session& session, const SubmitLine& line, Work work) {
  for (const std::string& warning : work.warnings) session.Note("pinka: warning: " + warning);
  Prepared prepared;
  prepared.fields = std::move(work.fields);
  line.ApplyOver(&prepared.fields);
  PINKA_TRY_ASSIGN(prepared.spec, BuildJobSpec(prepared.fields, work));
  v1::JobSpec& spec = prepared.spec;
  PINKA_TRY(
      FillTime(session, prepared.fields.begin, "--begin", [&] { return spec.mutable_begin_at(); }));
  PINKA_TRY(FillTime(session, prepared.fields.deadline, "--deadline",
                     [&] { return spec.mutable_deadline_at(); }));
  return prepared;
}

void PrintLines(Session& session, const v1::SubmittedJob& job, const std::string& ref) {
  std::string head = (ref.empty() ? "" : SanitizeForTerminal(ref) + ": ") + "Submitted job " +
                     std::to_string(job.job_id());
  if (job.task_count() != 1) head += " with " + std::to_string(job.task_count()) + " tasks";
  session.out().Line(head);
  for (const v1::Quote& quote : job.quotes()) session.out().Line("  " + QuoteLine(quote));
  if (job.has_expected_start_at()) {
    const auto lab = session.AskLab();
    const Zone utc;
    session.out().Line("  expected start " +
                       (lab.ok() ? (*lab)->zone : utc).Full(FromProto(job.expected_start_at())));
  }
}

}  // namespace

StatusOr<Prepared> Prepare(Session& session, const SubmitLine& line,
                           const std::vector<std::string>& rest, bool may_be_empty) {
  PINKA_TRY_ASSIGN(Work work, ReadWork(rest, may_be_empty));
  return Finish(session, line, std::move(work));
}

StatusOr<PreparedJobs> PrepareFile(Session& session, const SubmitLine& line,
                                   const std::string& path) {
  PINKA_TRY_ASSIGN(std::vector<FileJob> jobs, ReadJobsFile(path));
  PreparedJobs prepared;
  for (FileJob& job : jobs) {
    PINKA_TRY_ASSIGN(Prepared one, Finish(session, line, std::move(job.work)));
    one.spec.set_ref(job.ref);
    prepared.push_back(std::move(one));
  }
  return prepared;
}

namespace {

void PrintHints(Session& session, const google::protobuf::RepeatedPtrField<v1::Hint>& hints,
                std::set<std::string>* said) {
  if (!WantsAdvice()) return;
  for (const v1::Hint& hint : hints) {
    if (said->insert(hint.text()).second)
      session.Note("pinka: advice: " + SanitizeForTerminal(hint.text()));
  }
}

}  // namespace

StatusOr<v1::SubmitJobsResponse> Send(Session& session, const PreparedJobs& prepared) {
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  PINKA_TRY(AskWhereDear(session, *api, prepared));
  const SubmitFields& fields = prepared.front().fields;
  v1::SubmitJobsRequest request;
  request.set_request_id(fields.request_id.empty() ? session.NewRequestId() : fields.request_id);
  for (const Prepared& job : prepared) *request.add_specs() = job.spec;
  PINKA_TRY(AddCode(session, *api, prepared, &request));
  PINKA_TRY_ASSIGN(v1::SubmitJobsResponse response, api->SubmitJobs(request));
  if (static_cast<size_t>(response.jobs_size()) != prepared.size()) {
    return Internal("the server answered with " + std::to_string(response.jobs_size()) + " jobs");
  }
  if (!response.note().empty()) session.Note("pinka: " + response.note());
  std::set<std::string> said;
  for (const v1::SubmittedJob& job : response.jobs()) {
    for (const std::string& warning : job.warnings()) {
      if (fields.quiet || !said.insert(warning).second) continue;
      session.Note("pinka: warning: " + warning);
    }
    if (!fields.quiet) PrintHints(session, job.hints(), &said);
  }
  return response;
}

bool WantsAdvice() { return GetEnvironment("PINKA_ADVICE") != "off"; }

void PrintSubmitted(Session& session, const v1::SubmitJobsResponse& response, bool quiet) {
  const v1::SubmittedJob& job = response.jobs(0);
  if (session.json()) {
    std::string body;
    AppendJson(job, &body);
    session.out().Line(JsonHead("pinka.v1.SubmittedJob", FromProto(response.as_of())) + "," +
                       body.substr(1));
  } else if (quiet) {
    session.out().Line(std::to_string(job.job_id()));
  } else {
    PrintLines(session, job, "");
  }
  session.out().Flush();
}

void PrintSubmitted(Session& session, const PreparedJobs& prepared,
                    const v1::SubmitJobsResponse& response, bool quiet) {
  std::string body;
  for (int n = 0; n < response.jobs_size(); ++n) {
    const v1::SubmittedJob& job = response.jobs(n);
    const std::string& ref = prepared[static_cast<size_t>(n)].spec.ref();
    if (session.json()) {
      std::string object;
      AppendJson(job, &object);
      object.back() = ',';  // the ref is the request's own: refs are letters, digits, -, _ and .
      body += (n == 0 ? "\n" : ",\n") + object + "\"ref\":\"" + ref + "\"}";
    } else if (quiet) {
      session.out().Line(std::to_string(job.job_id()));
    } else {
      PrintLines(session, job, ref);
    }
  }
  if (session.json()) {
    session.out().Line(JsonHead("pinka.v1.SubmitJobsResponse", FromProto(response.as_of())) +
                       ",\"jobs\":[" + body + "]}");
  }
  session.out().Flush();
}

std::string QuoteLine(const v1::Quote& quote) {
  std::string line = quote.tier() + " " + quote.source() + ": at most " +
                     Amount(quote.at_most(), quote.currency());
  if (!quote.likely().empty() && quote.likely() != quote.at_most()) {
    line += ", likely " + Amount(quote.likely(), quote.currency());
    if (!quote.likely_from().empty()) line += ", by " + quote.likely_from();
  }
  line += " (" + Amount(quote.rate(), quote.currency()) + " a unit-hour, " +
          std::to_string(quote.units()) + (quote.units() == 1 ? " unit)" : " units)");
  if (MoneyOf(quote.min_block()) > Money()) {
    line += ", the lab pays at least " + Amount(quote.min_block(), quote.currency());
  }
  return line;
}

}  // namespace pinka::cli
