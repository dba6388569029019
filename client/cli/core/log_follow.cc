#include "client/cli/core/log_follow.h"

#include <algorithm>
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
constexpr auto kLookAgain = std::chrono::milliseconds(500);

// The newest attempt of a task and whether there will be another.
struct TaskFacts {
  int32_t newest = 0;
  bool over = false;
};

TaskFacts FactsOf(const v1::Job& job, const std::string& task) {
  TaskFacts facts{0, IsTerminal(job.state())};
  const bool named = task.find('_') != std::string::npos;
  for (const v1::Task& row : job.tasks()) {
    if (named ? row.id() != task : job.task_count() > 1) continue;
    facts.over = IsTerminal(row.state());
    for (const v1::Attempt& a : row.attempts()) facts.newest = std::max(facts.newest, a.number());
  }
  return facts;
}

class Follower {
 public:
  Follower(Session& session, Api& api, LogWish wish)
      : session_(session),
        api_(api),
        only_attempt_(wish.attempt > 0),
        filter_(session.terminal().color) {
    request_.set_task(wish.task);
    request_.set_follow(wish.follow);
    request_.set_tail_lines(wish.tail_lines);
    request_.set_attempt(wish.from_first_attempt ? 1 : wish.attempt);
  }

  Status Run() {
    for (;;) {
      const Status status = api_.StreamLog(request_, [this](const v1::LogChunk& c) { Take(c); });
      cursor_.Resume(&request_);
      if (!status.ok()) {
        PINKA_TRY(Pause(status));
        continue;
      }
      if (!request_.follow() || (only_attempt_ && last_)) break;
      PINKA_TRY_ASSIGN(const bool more, GoOn());
      if (!more) break;
    }
    FlushFilter();
    session_.out().Flush();
    return OkStatus();
  }

 private:
  void Take(const v1::LogChunk& chunk) {
    if (tries_ > 0) session_.Progress("");
    tries_ = 0;
    if (!std::exchange(answered_, true)) api_.set_patience(kPatienceAfter);
    last_ = chunk.last();
    const std::string_view data = cursor_.Accept(chunk);
    if (session_.json()) {
      session_.PrintJson(chunk);
    } else if (session_.terminal().out) {
      session_.out().Write(DropOverwritten(filter_.Feed(data)));
    } else {
      session_.out().Write(data);
    }
    session_.out().Flush();
    if (!chunk.mark().empty()) Mark(chunk.mark());
  }

  void Mark(const std::string& mark) {
    FlushFilter();
    if (!session_.json()) session_.Note("pinka: " + mark);
  }

  void FlushFilter() {
    if (session_.terminal().out) session_.out().Write(filter_.Finish());
  }

  // A stream ended in good order: that of one attempt, or because the server goes away in peace.
  // False: nothing will follow.
  StatusOr<bool> GoOn() {
    v1::GetJobRequest get;
    get.set_job_id(std::strtoll(request_.task().c_str(), nullptr, 10));
    PINKA_TRY_ASSIGN(const v1::GetJobResponse answer, api_.GetJob(get));
    const TaskFacts facts = FactsOf(answer.job(), request_.task());
    if (last_ && !only_attempt_ && facts.newest > cursor_.attempt()) {
      request_.set_attempt(cursor_.attempt() + 1);
      request_.set_offset(0);
      last_ = false;
      Mark("attempt " + std::to_string(request_.attempt()));
      return true;
    }
    if (facts.over) return false;
    std::this_thread::sleep_for(kLookAgain);
    return true;
  }

  Status Pause(const Status& status) {
    const Duration now = clock_.Monotonic();
    if (tries_++ == 0) first_failure_ = now;
    const RetryPolicy policy{answered_ ? kPatienceAfter : kPatienceBefore};
    const auto wait = policy.Next(ErrorOf(status), tries_, now - first_failure_);
    if (!wait) return status;
    session_.Progress("the log is interrupted; trying to go on");
    std::this_thread::sleep_for(std::chrono::microseconds(wait->micros()));
    return OkStatus();
  }

  Session& session_;
  Api& api_;
  const bool only_attempt_;  // that one and no other
  v1::StreamLogRequest request_;
  LogCursor cursor_;
  TerminalFilter filter_;
  SystemClock clock_;
  int tries_ = 0;
  Duration first_failure_;
  bool answered_ = false;
  bool last_ = false;  // the attempt's log is complete
};

}  // namespace

Status PrintLog(Session& session, const LogWish& wish) {
  PINKA_TRY_ASSIGN(Api * api, session.Connect());
  return Follower(session, *api, wish).Run();
}

}  // namespace pinka::cli
