#include "scheduler/runtime/pipeline/pipeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fmt/format.h"

namespace pinka {

void Pipeline::Load(const Snapshot& snapshot, int64_t term, int64_t batch) {
  PINKA_CHECK(!out_, "what became of the batch that is out is said before a load");
  core_.emplace(snapshot);
  term_ = term;
  batch_ = batch;
  more_to_plan_ = true;
}

bool Pipeline::Offer(uint64_t id, Command command, Lane lane) {
  std::deque<Item>& queue = lane == Lane::kAgent ? agents_ : clients_;
  if (queue.size() >= kMaxLane) return false;
  queue.push_back({id, std::move(command)});
  return true;
}

bool Pipeline::TakeNamesChanged() { return std::exchange(names_changed_, false); }

bool Pipeline::HasWork() const { return core_ && !out_ && (waiting() > 0 || more_to_plan_); }

std::vector<Pipeline::Item> Pipeline::Take() {
  std::vector<Item> items;
  const auto take = [&items](std::deque<Item>& from, size_t most) {
    while (!from.empty() && most-- > 0 && items.size() < kMaxCommands) {
      items.push_back(std::move(from.front()));
      from.pop_front();
    }
  };
  if (!replay_.empty()) {
    take(replay_, one_by_one_ ? 1 : kMaxCommands);
    return items;
  }
  one_by_one_ = false;
  take(agents_, kMaxCommands / 2);
  take(clients_, kMaxCommands);
  take(agents_, kMaxCommands);
  return items;
}

std::optional<Batch> Pipeline::Next(Timestamp now) {
  PINKA_CHECK(core_ && !out_, "one batch at a time, of a loaded core");
  std::vector<Item> items = Take();
  // A batch of the plan alone happens now as well, not at the time of the last command.
  if (items.empty()) core_->Apply(Tick{}, now);
  for (size_t i = 0; i < items.size(); ++i) {
    if (core_->TouchedRows() >= kMaxRows) {
      // The batch is full: the rest goes first next time.
      replay_.insert(replay_.begin(),
                     std::make_move_iterator(items.begin() + static_cast<ptrdiff_t>(i)),
                     std::make_move_iterator(items.end()));
      items.resize(i);
      break;
    }
    KeepReply(items[i], core_->Apply(items[i].command, now), core_->now());
  }
  if (one_by_one_) {
    more_to_plan_ = true;  // each command is judged alone: the plan waits for a batch of its own
  } else {
    more_to_plan_ = core_->now() >= plan_again_at_ && core_->Schedule(kMaxRows);
  }
  Batch batch{term_, batch_ + 1, core_->now(), core_->TakeChanges()};
  in_batch_ = std::move(items);
  for (const JobRow& job : batch.changes.jobs) batch_jobs_.push_back(job.id);
  const Changes& changes = batch.changes;
  names_changed_ = names_changed_ || !changes.members.empty() || !changes.projects.empty() ||
                   !changes.tiers.empty();
  out_ = true;
  if (!batch.changes.empty()) return batch;
  // Nothing to write: what was answered rests on batches that are committed.
  for (Answer& answer : pending_) answer.outcome.batch = batch_;
  --batch_;
  Committed();
  return std::nullopt;
}

void Pipeline::Committed() {
  PINKA_CHECK(out_, "no batch is out");
  ++batch_;
  out_ = false;
  in_batch_.clear();
  std::ranges::move(pending_, std::back_inserter(answers_));
  pending_.clear();
  std::ranges::move(batch_jobs_, std::back_inserter(changed_jobs_));
  batch_jobs_.clear();
  std::ranges::move(core_->TakeOrders(), std::back_inserter(orders_));
}

void Pipeline::Refused(const std::string& message) {
  PINKA_CHECK(out_, "no batch is out");
  if (in_batch_.empty()) {
    // The plan itself is refused: there is no command to drop. A human must look; meanwhile
    // commands go on, and the plan is tried again now and then.
    alarms_.push_back(fmt::format("the database refused what the plan wants: {}", message));
    plan_again_at_ = core_->now() + kPlanPause;
  } else if (one_by_one_) {
    alarms_.push_back(fmt::format("the database refused a command alone: {}", message));
    for (const Item& item : in_batch_) Fail(item, Outcome::Kind::kPoisoned, message);
    in_batch_.clear();
  }
  NotThere();
  one_by_one_ = true;
}

void Pipeline::NotThere() {
  pending_.clear();
  batch_jobs_.clear();
  replay_.insert(replay_.begin(), std::make_move_iterator(in_batch_.begin()),
                 std::make_move_iterator(in_batch_.end()));
  in_batch_.clear();
  core_.reset();
  out_ = false;
}

void Pipeline::Deposed(const std::string& leader) {
  NotThere();
  for (std::deque<Item>* queue : {&replay_, &agents_, &clients_}) {
    for (const Item& item : *queue) Fail(item, Outcome::Kind::kNotLeader, leader);
    queue->clear();
  }
}

std::vector<Pipeline::Answer> Pipeline::TakeAnswers() { return std::exchange(answers_, {}); }

std::vector<NodeOrders> Pipeline::TakeOrders() { return std::exchange(orders_, {}); }

std::vector<JobId> Pipeline::TakeChangedJobs() { return std::exchange(changed_jobs_, {}); }

std::vector<std::string> Pipeline::TakeAlarms() { return std::exchange(alarms_, {}); }

void Pipeline::KeepReply(const Item& item, Reply reply, Timestamp now) {
  Outcome outcome;
  outcome.reply = std::move(reply);
  outcome.batch = batch_ + 1;
  outcome.now = now;
  pending_.push_back({item.id, std::move(outcome)});
}

void Pipeline::Fail(const Item& item, Outcome::Kind kind, std::string message) {
  Outcome outcome;
  outcome.kind = kind;
  if (kind == Outcome::Kind::kNotLeader) outcome.leader = message;
  if (kind == Outcome::Kind::kPoisoned) {
    outcome.reply.reason = Reason::kPoison;
    outcome.reply.detail = message;
  }
  outcome.message = std::move(message);
  answers_.push_back({item.id, std::move(outcome)});
}

}  // namespace pinka
