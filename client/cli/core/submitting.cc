#include "client/cli/core/submitting.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/json.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

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

Status AskWhereDear(Session& session, Api& api, const Prepared& prepared) {
  if (prepared.fields.yes || !session.terminal().CanAsk()) return OkStatus();
  PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
  const auto threshold = ParseWireMoney(lab->confirm_above);
  if (!threshold.ok()) return OkStatus();
  PINKA_TRY_ASSIGN(const Money most, DearestQuote(api, prepared.spec));
  if (most <= *threshold) return OkStatus();
  return session.Confirm("This may cost up to " + FormatAmount(most, lab->currency) + ". Submit?",
                         false, false);
}

void PrintLines(Session& session, const v1::SubmittedJob& job) {
  std::string head = "Submitted job " + std::to_string(job.job_id());
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
  for (const std::string& warning : work.warnings) session.Note("pinka: warning: " + warning);
  Prepared prepared;
  prepared.fields = std::move(work.fields);
  line.ApplyOver(&prepared.fields);
  PINKA_TRY_ASSIGN(prepared.spec, BuildJobSpec(prepared.fields, work));
  return prepared;
}

StatusOr<v1::SubmitJobsResponse> Send(Session& session, const Prepared& prepared) {
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  PINKA_TRY(AskWhereDear(session, *api, prepared));
  v1::SubmitJobsRequest request;
  request.set_request_id(prepared.fields.request_id.empty() ? session.NewRequestId()
                                                            : prepared.fields.request_id);
  *request.add_specs() = prepared.spec;
  PINKA_TRY_ASSIGN(v1::SubmitJobsResponse response, api->SubmitJobs(request));
  if (response.jobs_size() != 1) {
    return Internal("the server answered with " + std::to_string(response.jobs_size()) + " jobs");
  }
  if (!response.note().empty()) session.Note("pinka: " + response.note());
  for (const std::string& warning : response.jobs(0).warnings()) {
    if (prepared.fields.quiet) break;
    session.Note("pinka: warning: " + warning);
  }
  return response;
}

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
    PrintLines(session, job);
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
  if (!quote.min_block().empty()) {
    line += ", the lab pays at least " + Amount(quote.min_block(), quote.currency());
  }
  return line;
}

}  // namespace pinka::cli
