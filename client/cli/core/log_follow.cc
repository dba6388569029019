#include "client/cli/core/log_follow.h"

#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/log_cursor.h"
#include "client/cli/core/outcome.h"
#include "client/cli/core/retry.h"
#include "client/cli/core/terminal_filter.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

constexpr Duration kPatienceBefore = Duration::Seconds(10);
constexpr Duration kPatienceAfter = Duration::Seconds(300);

class Follower {
 public:
  Follower(Session& session, Api& api, v1::StreamLogRequest request)
      : session_(session), api_(api), request_(std::move(request)) {}

  Status Run() {
    for (;;) {
      cursor_.Resume(&request_);
      const Status status = api_.StreamLog(request_, [this](const v1::LogChunk& c) { Take(c); });
      if (status.ok()) {
        if (last_ || !request_.follow()) return Finish();
        PINKA_TRY_ASSIGN(const bool over, IsJobOver());
        if (over) return Finish();
      }
      PINKA_TRY(Pause(status));
    }
  }

 private:
  void Take(const v1::LogChunk& chunk) {
    if (tries_ > 0) session_.Progress("");
    tries_ = 0;
    answered_ = true;
    last_ = last_ || chunk.last();
    const std::string_view data = cursor_.Accept(chunk);
    if (session_.json()) {
      session_.PrintJson(chunk);
    } else if (session_.terminal().out) {
      session_.out().Write(filter_.Feed(data));
    } else {
      session_.out().Write(data);
    }
    session_.out().Flush();
    if (!chunk.mark().empty() && !session_.json()) Mark(chunk.mark());
  }

  void Mark(const std::string& mark) {
    if (session_.terminal().out) session_.out().Write(filter_.Finish());
    session_.Note("pinka: " + mark);
  }

  Status Finish() {
    if (session_.terminal().out) session_.out().Write(filter_.Finish());
    session_.out().Flush();
    return OkStatus();
  }

  // A stream may end in good order before the log does, where the server goes away in peace.
  StatusOr<bool> IsJobOver() {
    v1::GetJobRequest get;
    const std::string& task = request_.task();
    get.set_job_id(std::strtoll(task.c_str(), nullptr, 10));
    PINKA_TRY_ASSIGN(const v1::GetJobResponse answer, api_.GetJob(get));
    return IsTerminal(answer.job().state());
  }

  Status Pause(const Status& status) {
    const Duration now = clock_.Monotonic();
    if (tries_++ == 0) first_failure_ = now;
    v1::Error error;
    error.set_retry_after_ms(200);
    if (!status.ok()) error = ErrorOf(status);
    const RetryPolicy policy{answered_ ? kPatienceAfter : kPatienceBefore};
    const auto wait = policy.Next(error, tries_, now - first_failure_);
    if (!wait) return status.ok() ? Unavailable("the log stopped before the job did") : status;
    if (!status.ok()) session_.Progress("the log is interrupted; trying to go on");
    std::this_thread::sleep_for(std::chrono::microseconds(wait->micros()));
    return OkStatus();
  }

  Session& session_;
  Api& api_;
  v1::StreamLogRequest request_;
  LogCursor cursor_;
  TerminalFilter filter_;
  SystemClock clock_;
  int tries_ = 0;
  Duration first_failure_;
  bool answered_ = false;
  bool last_ = false;
};

}  // namespace

Status PrintLog(Session& session, v1::StreamLogRequest request) {
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  return Follower(session, *api, std::move(request)).Run();
}

}  // namespace pinka::cli
