#include "client/cli/core/change.h"

#include "client/cli/core/errors.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

int ExitCodeOfReason(const std::string& reason) {
  if (reason.starts_with("NoSuch")) return kExitNotFound;
  if (reason == "NotPermitted" || reason == "TierForbidden") return kExitNotPermitted;
  if (reason == "AlreadyFinished" || reason == "NotWaiting") return kExitConflict;
  return kExitFailure;
}

// What has ended cannot be cancelled, and need not be.
bool IsRefused(v1::ChangeJobsRequest::Verb verb, const v1::ChangeJobsResponse::Result& result) {
  const bool is_over = result.error_reason() == "AlreadyFinished";
  return !result.error_reason().empty() && !(is_over && verb == v1::ChangeJobsRequest::CANCEL);
}

std::string ResultLine(const v1::ChangeJobsResponse::Result& result, const std::string& done) {
  if (!result.note().empty()) return result.slice() + " " + result.note();
  if (!result.error_reason().empty()) return result.slice() + " already finished";
  std::string line = result.slice() + " " + done;
  if (result.tasks() > 1) line += " (" + std::to_string(result.tasks()) + " tasks)";
  return line;
}

std::string RefusalLine(const v1::ChangeJobsResponse::Result& result) {
  if (result.error_reason() == "NoSuchJob") return "no such job " + result.slice();
  return result.slice() + ": " + (result.note().empty() ? result.error_reason() : result.note());
}

}  // namespace

StatusOr<int> ChangeSlices(Session& session, v1::ChangeJobsRequest::Verb verb,
                           const std::vector<std::string>& slices, const std::string& reason,
                           const std::string& done) {
  PINKA_TRY(ParseSlices(slices).status());
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  v1::ChangeJobsRequest request;
  request.set_request_id(session.NewRequestId());
  request.set_verb(verb);
  request.set_reason(reason);
  for (const std::string& slice : slices) request.add_slices(slice);
  PINKA_TRY_ASSIGN(const v1::ChangeJobsResponse answer, api->ChangeJobs(request));
  if (session.json()) session.PrintJson(answer);
  int code = 0;
  for (const v1::ChangeJobsResponse::Result& result : answer.results()) {
    const bool refused = IsRefused(verb, result);
    if (refused && code == 0) code = ExitCodeOfReason(result.error_reason());
    if (session.json()) continue;
    if (refused) {
      session.Note("pinka: " + RefusalLine(result));
    } else {
      session.out().Line(ResultLine(result, done));
    }
  }
  return code;
}

}  // namespace pinka::cli
