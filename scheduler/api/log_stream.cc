#include "scheduler/api/log_stream.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/api/convert_spec.h"
#include "scheduler/api/job_reads.h"
#include "scheduler/api/signal.h"

namespace pinka::api {
namespace {

constexpr size_t kPiece = size_t{64} << 10;
constexpr Duration kLookAgain = Duration::Seconds(5);
// How long an ended attempt's last bytes may be on their way before a follower is let go.
constexpr Duration kLatePatience = Duration::Minutes(2);
constexpr Duration kLastPiecePatience = Duration::Seconds(2);  // without --follow

// Ends after which nobody brings the rest.
bool NobodySendsMore(const AttemptRow& attempt) {
  return attempt.end_reason == EndReason::kNodeLost || attempt.end_reason == EndReason::kWithdrawn;
}

// A task without a row has had no attempt: it waits, or its job was cancelled before.
TaskState StateWithoutRow(TaskState job) { return IsTerminal(job) ? job : TaskState::kPending; }

}  // namespace

LogStream::LogStream(Desk& desk, LogStore& logs, v1::StreamLogRequest request, Wire& wire)
    : desk_(desk), logs_(logs), request_(std::move(request)), wire_(&wire) {}

void LogStream::Run(void (LogStream::*step)()) {
  auto self = shared_from_this();
  desk_.tools().readers.RunAlways([self, step] { ((*self).*step)(); });
}

// With the lock held, so that gRPC's side is not gone while it is spoken to.
void LogStream::Finish(const Status& status) {
  auto self = shared_from_this();
  std::lock_guard lock(mutex_);
  Wire* wire = std::exchange(wire_, nullptr);
  if (wire != nullptr) wire->Finish(status);
}

void LogStream::Cancelled() { Finish(Status(absl::StatusCode::kCancelled, "the caller left")); }

void LogStream::Send() {
  auto self = shared_from_this();
  std::lock_guard lock(mutex_);
  if (wire_ != nullptr) wire_->Write(chunk_);
}

bool LogStream::Gone() {
  std::lock_guard lock(mutex_);
  return wire_ == nullptr;
}

void LogStream::Written(bool ok) {
  if (!ok) return Cancelled();
  if (finishing_) return Finish(OkStatus());
  Run(&LogStream::Step);
}

void LogStream::Start(const Principal& who) {
  who_ = who;
  StatusOr<Slice> slice = ConvertSlice(request_.task());
  if (!slice.ok()) return Finish(slice.status());
  if (slice->indices.size() > 1)
    return Finish(Invalid("the log of one task at a time: JOB or JOB_INDEX"));
  task_.job = slice->job;
  task_.index = slice->indices.empty() ? 0 : slice->indices.First();
  number_ = std::max(request_.attempt(), 0);
  offset_ = std::max<int64_t>(request_.offset(), 0);
  auto self = shared_from_this();
  desk_.tools().names.Fresh([self](BoardPtr board) {
    if (!board) return self->Finish(Unavailable("the scheduler is starting"));
    self->board_ = std::move(board);
    self->WithFacts(&LogStream::Begin);
  });
}

void LogStream::WithFacts(void (LogStream::*then)(const Facts&)) {
  auto self = shared_from_this();
  auto facts = std::make_shared<Facts>();
  desk_.tools().runtime.Look([self, facts](const State& state) { *facts = self->FromState(state); },
                             [self, facts, then](const Outcome& outcome) {
                               if (Status s = StatusOf(outcome); !s.ok()) return self->Finish(s);
                               self->desk_.tools().readers.RunAlways([self, facts, then] {
                                 if (facts->found) return ((*self).*then)(*facts);
                                 StatusOr<Facts> stored = self->FromDatabase();
                                 if (!stored.ok()) return self->Finish(stored.status());
                                 ((*self).*then)(*stored);
                               });
                             });
}

LogStream::Facts LogStream::FromState(const State& state) const {
  Facts facts;
  const JobRow* job = state.jobs.Find(task_.job);
  if (job == nullptr) return facts;
  facts.found = true;
  facts.member = job->member;
  facts.array = job->array;
  const TaskRow* task = state.tasks.Find(task_);
  facts.task = task ? task->state : StateWithoutRow(job->state);
  facts.newest = task ? task->attempts : 0;
  const AttemptRow* attempt =
      state.attempts.Find({task_.job, task_.index, number_ > 0 ? number_ : facts.newest});
  if (attempt) facts.attempt = *attempt;
  return facts;
}

StatusOr<LogStream::Facts> LogStream::FromDatabase() const {
  Facts facts;
  // Rows come by index: so many hold this one.
  auto job = db::GetJob(desk_.database(), task_.job, task_.index + 1);
  if (!job.ok()) return job.status();
  if (!job->has_value()) return facts;
  const db::JobDetail& detail = **job;
  facts.found = true;
  facts.member = detail.line.member;
  facts.array = detail.line.array;
  facts.task = StateWithoutRow(detail.line.state);
  for (const TaskRow& row : detail.tasks) {
    if (row.id == task_) facts.task = row.state;
  }
  for (const db::AttemptDetail& attempt : detail.attempts) {
    const AttemptId& id = attempt.row.id;
    if (id.index != task_.index) continue;
    facts.newest = std::max(facts.newest, id.number);
    if (number_ == 0 || id.number == number_) facts.attempt = attempt.row;
  }
  return facts;
}

// May the caller see it, and is there such a task?
Status LogStream::Judge(const Facts& facts) const {
  if (!facts.found) return NoSuchJob(task_.job);
  const View view(who_, facts.member, board_->lab.openness);
  if (!view.Sees(JobPart::kById) || !view.Sees(JobPart::kLogs)) return NoSuchJob(task_.job);
  if (!view.own()) LogForeignRead(who_, "log", task_.job, MemberName(*board_, facts.member));
  if (facts.array.empty()) {
    if (task_.index == 0) return OkStatus();
    return Refusal(Reason::kNoSuchTask, fmt::format("job {} has no task {}; it is no array",
                                                    task_.job.value(), task_.index));
  }
  const auto spec = ParseArraySpec(facts.array, INT32_MAX);
  const bool named = request_.task().find('_') != std::string::npos;
  if (named && spec.ok() && std::ranges::binary_search(spec->indices, task_.index))
    return OkStatus();
  return Refusal(
      Reason::kNoSuchTask,
      fmt::format("job {} is the array {}; name one of its tasks, like {}_{}", task_.job.value(),
                  facts.array, task_.job.value(), spec.ok() ? spec->indices.front() : 0));
}

void LogStream::Begin(const Facts& facts) {
  if (Status s = Judge(facts); !s.ok()) return Finish(s);
  if (Status s = Position(facts); !s.ok()) return Finish(s);
  Step();
}

// Which attempt, and where in its log.
Status LogStream::Position(const Facts& facts) {
  quiet_since_ = desk_.tools().clock.Monotonic();
  if (number_ > 0 && !facts.attempt) {
    return Refusal(Reason::kNoSuchTask,
                   fmt::format("{} has had {} attempt(s); there is no number {}", request_.task(),
                               facts.newest, number_));
  }
  if (!facts.attempt) return OkStatus();  // it waits for its first
  number_ = facts.attempt->id.number;
  if (request_.tail_lines() <= 0) return OkStatus();
  StatusOr<int64_t> tail = logs_.TailOffset(id(), request_.tail_lines());
  if (!tail.ok()) return tail.status();
  offset_ = *tail;
  return OkStatus();
}

// Sends the next piece, or finds out what comes after the last.
void LogStream::Step() {
  if (Gone()) return;
  if (number_ == 0 || log_over_) return WithFacts(&LogStream::AtEnd);
  StatusOr<std::string> data = logs_.Read(id(), offset_, kPiece);
  if (!data.ok()) return Finish(data.status());
  if (data->empty()) return WithFacts(&LogStream::AtEnd);
  chunk_.Clear();
  chunk_.set_attempt(number_);
  chunk_.set_offset(offset_);
  offset_ += static_cast<int64_t>(data->size());
  *chunk_.mutable_data() = *std::move(data);
  quiet_since_ = desk_.tools().clock.Monotonic();
  Send();
}

// Its job ended so long ago that its log is kept no more.
bool LogStream::IsDropped(const Facts& facts, const LogSize& size) const {
  const bool ended = facts.attempt && facts.attempt->state == AttemptState::kEnded;
  return ended && size.bytes == 0 && facts.attempt->log_bytes > 0 && logs_.kept() > Duration() &&
         facts.attempt->ended_at + logs_.kept() < desk_.tools().clock.Now();
}

// Whether nothing will follow; `chunk` then says how it ended.
bool LogStream::LogEnds(const Facts& facts, v1::LogChunk* chunk) const {
  const LogSize size = logs_.SizeOf(id());
  if (size.bytes > offset_) return false;
  if (size.complete) {
    chunk->set_last(true);
    return true;
  }
  if (!facts.attempt || facts.attempt->state != AttemptState::kEnded) return false;
  if (IsDropped(facts, size)) {
    chunk->set_mark(fmt::format("this log is not kept any more: logs are kept for {}",
                                FormatDuration(logs_.kept())));
    chunk->set_last(true);
    return true;
  }
  if (NobodySendsMore(*facts.attempt)) {
    const bool lost = facts.attempt->end_reason == EndReason::kNodeLost;
    if (lost) chunk->set_mark(fmt::format("log ends at byte {}: node lost", size.bytes));
    chunk->set_last(true);
    return true;
  }
  const Duration quiet = desk_.tools().clock.Monotonic() - quiet_since_;
  const Duration patience = request_.follow() ? kLatePatience : kLastPiecePatience;
  if (quiet < patience && !desk_.stopping()) return false;
  chunk->set_mark(fmt::format("log still coming: {} bytes so far", size.bytes));
  return true;
}

// Whether this call has nothing more to tell.
bool LogStream::AllOver(const Facts& facts) const {
  if (desk_.stopping()) return true;
  // Who asks once for what has ended gets the last piece, too, which may be on its way.
  const bool ended = facts.attempt && facts.attempt->state == AttemptState::kEnded;
  if (!request_.follow()) return log_over_ || !ended;
  if (number_ == 0) return IsTerminal(facts.task) && facts.newest == 0;
  if (!log_over_) return false;
  return request_.attempt() > 0 || (IsTerminal(facts.task) && facts.newest == number_);
}

void LogStream::AtEnd(const Facts& facts) {
  chunk_.Clear();
  chunk_.set_attempt(number_);
  chunk_.set_offset(offset_);
  chunk_.set_task_state(std::string(Name(facts.task)));
  if (number_ > 0 && !log_over_) {
    log_over_ = LogEnds(facts, &chunk_);
    if (!log_over_ && logs_.SizeOf(id()).bytes > offset_) return Step();
  }
  if (AllOver(facts)) {
    finishing_ = true;
    return Send();
  }
  const bool next = facts.newest > number_ && request_.attempt() == 0;
  if (next && (number_ == 0 || log_over_)) return GoOn(facts);
  Wait();
}

// On with the next attempt, after a mark.
void LogStream::GoOn(const Facts& facts) {
  const bool first = number_ == 0;
  number_ = first ? facts.newest : number_ + 1;
  offset_ = 0;
  log_over_ = false;
  quiet_since_ = desk_.tools().clock.Monotonic();
  if (first) return Step();
  const std::string before = chunk_.mark();
  chunk_.Clear();
  chunk_.set_attempt(number_);
  chunk_.set_mark(before.empty() ? fmt::format("attempt {}", number_)
                                 : fmt::format("{}; attempt {}", before, number_));
  Send();
}

void LogStream::Wait() {
  auto moved = desk_.NewSignal();
  auto self = shared_from_this();
  desk_.tools().runtime.WhenJobChanges(task_.job, kLookAgain, [moved] { moved->Fire(); });
  if (number_ > 0 && !log_over_)
    logs_.WhenGrows(id(), offset_, kLookAgain, [moved] { moved->Fire(); });
  moved->Then([self] { self->Run(&LogStream::Step); });
}

}  // namespace pinka::api
