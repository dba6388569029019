#include "scheduler/api/log_upload.h"

#include <utility>

#include "db/reads_jobs.h"
#include "fmt/format.h"
#include "scheduler/api/convert_agent.h"

namespace pinka::api {
namespace {

constexpr size_t kMostChunk = size_t{256} << 10;
constexpr size_t kWindow = size_t{4} << 20;

}  // namespace

// Every entry holds the object itself: a Finish lets go of the reactor that owns it.
void LogUpload::Start(const Principal& who) {
  auto self = shared_from_this();
  who_ = who;
  std::lock_guard lock(mutex_);
  Pump();
}

void LogUpload::Finish(const Status& status) {
  Wire* wire = nullptr;
  {
    std::lock_guard lock(mutex_);
    wire = std::exchange(wire_, nullptr);
  }
  if (wire != nullptr) wire->Finish(status);
}

void LogUpload::Cancelled() { Finish(Status(absl::StatusCode::kCancelled, "the agent left")); }

void LogUpload::Pump() {
  if (wire_ == nullptr) return;
  if (!writing_ && !acks_.empty()) {
    const auto next = acks_.begin();
    ack_.Clear();
    FillAttemptName(next->first, ack_.mutable_name());
    ack_.set_have(next->second);
    acks_.erase(next);
    writing_ = true;
    wire_->Write(ack_);
  }
  if (!reading_ && !ended_ && in_flight_ < kWindow) {
    reading_ = true;
    wire_->ReadNext();
  }
  if (ended_ && waiting_ == 0 && !writing_ && acks_.empty())
    std::exchange(wire_, nullptr)->Finish(OkStatus());
}

void LogUpload::Received(const v1::LogUpload& chunk) {
  StatusOr<AttemptId> id = ConvertAttempt(chunk.name());
  if (!id.ok()) return Finish(id.status());
  if (chunk.data().size() > kMostChunk)
    return Finish(Invalid(fmt::format("a piece of a log has at most {} bytes", kMostChunk)));
  bool known = false;
  {
    std::lock_guard lock(mutex_);
    in_flight_ += chunk.data().size();
    ++waiting_;
    known = ours_.contains(*id);
  }
  if (known) return Append(*id, chunk);
  Check(*id, std::make_shared<v1::LogUpload>(chunk));
}

// Once an attempt and stream: only its own node may write its log.
void LogUpload::Check(const AttemptId& id, std::shared_ptr<v1::LogUpload> chunk) {
  auto self = shared_from_this();
  auto node = std::make_shared<std::string>();
  const auto judge = [self, id, chunk, node] {
    if (*node != self->who_.node) {
      return self->Finish(Refusal(Reason::kNotPermitted,
                                  fmt::format("attempt {} is none of this node", ToString(id))));
    }
    {
      std::lock_guard lock(self->mutex_);
      self->ours_.insert(id);
    }
    self->Append(id, *chunk);
  };
  desk_.tools().runtime.Look(
      [id, node](const State& state) {
        const AttemptRow* attempt = state.attempts.Find(id);
        const NodeRow* row = attempt ? state.nodes.Find(attempt->node) : nullptr;
        if (row != nullptr) *node = row->name;
      },
      [self, id, node, judge](const Outcome& outcome) {
        if (Status s = StatusOf(outcome); !s.ok()) return self->Finish(s);
        self->desk_.tools().readers.RunAlways([self, id, node, judge] {
          if (!node->empty()) return judge();
          // It has left memory; the rest of its log may still come.
          auto job = db::GetJob(self->desk_.database(), id.job, id.index + 1);
          if (!job.ok()) return self->Finish(job.status());
          if (job->has_value()) {
            for (const db::AttemptDetail& attempt : (*job)->attempts) {
              if (attempt.row.id == id) *node = attempt.node;
            }
          }
          judge();
        });
      });
}

void LogUpload::Append(const AttemptId& id, const v1::LogUpload& chunk) {
  auto self = shared_from_this();
  const size_t bytes = chunk.data().size();
  logs_.Append(id, chunk.offset(), chunk.data(), chunk.last(),
               [self, id, bytes](StatusOr<int64_t> have) { self->Durable(id, bytes, have); });
  std::lock_guard lock(mutex_);
  reading_ = false;
  Pump();
}

void LogUpload::Durable(const AttemptId& id, size_t bytes, StatusOr<int64_t> have) {
  if (!have.ok()) return Finish(have.status());
  std::lock_guard lock(mutex_);
  in_flight_ -= bytes;
  --waiting_;
  acks_[id] = *have;
  Pump();
}

void LogUpload::Ended() {
  auto self = shared_from_this();
  std::lock_guard lock(mutex_);
  reading_ = false;
  ended_ = true;
  Pump();
}

void LogUpload::Written(bool ok) {
  if (!ok) return Cancelled();
  auto self = shared_from_this();
  std::lock_guard lock(mutex_);
  writing_ = false;
  Pump();
}

}  // namespace pinka::api
