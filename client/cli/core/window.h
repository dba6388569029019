// --from and --to of reports: instants of the lab's zone, asked for only where one is named.
#pragma once

#include <string>

#include "client/cli/core/session.h"
#include "client/cli/core/try.h"
#include "client/cli/core/when.h"

namespace pinka::cli {

template <class Request>
Status FillWindow(Session& session, const std::string& from, const std::string& to,
                  Request* request) {
  if (from.empty() && to.empty()) return OkStatus();
  PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
  if (!from.empty()) {
    PINKA_TRY_ASSIGN(const Timestamp at, lab->zone.Parse(from, session.Now()));
    *request->mutable_from() = ToProto(at);
  }
  if (!to.empty()) {
    PINKA_TRY_ASSIGN(const Timestamp at, lab->zone.Parse(to, session.Now()));
    *request->mutable_to() = ToProto(at);
  }
  return OkStatus();
}

// The same with --month, which stands alone.
template <class Request>
Status FillMonthOrWindow(Session& session, const std::string& month, const std::string& from,
                         const std::string& to, Request* request) {
  if (!month.empty() && !(from.empty() && to.empty()))
    return Invalid("--month and --from or --to exclude each other");
  request->set_month(month);
  return FillWindow(session, from, to, request);
}

}  // namespace pinka::cli
