#include "scheduler/sim/scheduler_host.h"

#include <algorithm>

namespace pinka::sim {
namespace {

constexpr Duration kSilentAfter = Duration::Seconds(60);
constexpr Duration kTimerEvery = Duration::Seconds(10);

// An attempt is over for certain this long after the last answer that carried its order
// (semantics.md 5, d).
Duration LongestLife(const NodeOrders::Order& order) {
  return order.attempt.start_within + order.attempt.time_limit + order.attempt.grace +
         Duration::Seconds(60);
}

// The same where it ends itself in silence (semantics.md 5, e).
bool OverByFence(const NodeOrders::Order& order, Duration silence) {
  const AttemptRow& attempt = order.attempt;
  return attempt.fence > Duration() &&
         silence > attempt.fence + attempt.grace + Duration::Seconds(60);
}

}  // namespace

void SchedulerHost::Start() {
  ++life_;
  ++term_;
  pipeline_.emplace();
  Load();
  heap_.After(kTimerEvery, [this, life = life_] { Timer(life); });
  Pump();
}

void SchedulerHost::Crash() {
  ++life_;
  pipeline_.reset();
  asks_.clear();
  nodes_.clear();
}

void SchedulerHost::Load() {
  pipeline_->Load(store_.Load(), term_, store_.batch());
  loaded_at_ = heap_.now();
  for (NodeOrders& orders : pipeline_->core().AllOrders()) {
    Node& node = nodes_[orders.name];
    // After a change of leader an order is assumed to have been carried.
    for (const NodeOrders::Order& order : orders.orders)
      node.carried.try_emplace(order.attempt.id, heap_.now());
    if (!node.heard) node.heard = heap_.now();
    node.orders = std::move(orders);
  }
}

void SchedulerHost::Ask(Command command, Done answer) {
  if (!up()) return;
  const Command copy = command;
  Offer(std::move(command), Lane::kClient, [this, copy, answer](const Outcome& outcome) {
    if (outcome.reply.need.empty()) return answer(outcome);
    AttachAndAsk(copy, outcome.reply.need, answer);
  });
}

// The handler's part: facts of ended jobs, read and attached.
void SchedulerHost::AttachAndAsk(Command command, const std::vector<JobId>& need, Done done) {
  std::visit(
      [&](auto& c) {
        if constexpr (requires { c.ended; }) {
          for (JobId id : need) c.ended.push_back(store_.EndedJobOf(id));
        }
      },
      command);
  Offer(std::move(command), Lane::kClient, std::move(done));
}

void SchedulerHost::Offer(Command command, Lane lane, Done done) {
  const uint64_t id = next_ask_++;
  if (!pipeline_->Offer(id, std::move(command), lane)) return;
  asks_[id] = std::move(done);
  Pump();
}

void SchedulerHost::Pump() {
  while (up() && pipeline_->HasWork()) {
    auto batch = pipeline_->Next(heap_.now());
    if (batch) return SendCommit(*std::move(batch));
    Deliver();
  }
}

void SchedulerHost::SendCommit(Batch batch) {
  const Duration took = Duration::Millis(1) + chance_.Upto(Duration::Millis(400));
  heap_.After(took, [this, life = life_, batch = std::move(batch)] { CommitArrives(life, batch); });
}

// The batch reaches the database; the process that sent it may be dead by now.
void SchedulerHost::CommitArrives(int64_t life, Batch batch) {
  const bool lost = chance_.Fault(chance_.faults.lost_before);
  bool landed = false;
  if (!lost && batch.term == term_) {  // a newer term's leader has fenced it off
    const auto refused = store_.Commit(batch.number, batch.core_now, batch.changes);
    landed = !refused;
    if (refused && life == life_) {
      alarms.push_back("the store refused: " + *refused);
      pipeline_->Refused(*refused);
      Load();
      return Pump();
    }
  }
  if (life != life_) return;
  const bool answered = !chance_.Fault(chance_.faults.lost_after);
  if (landed) {
    on_commit(pipeline_->core());
    pipeline_->Committed();
  } else {
    pipeline_->NotThere();
  }
  // In doubt: the row has told, and the leader loads anew.
  if (!landed || !answered) Load();
  Deliver();
  Pump();
}

void SchedulerHost::Deliver() {
  for (NodeOrders& orders : pipeline_->TakeOrders()) nodes_[orders.name].orders = std::move(orders);
  for (std::string& alarm : pipeline_->TakeAlarms()) alarms.push_back(std::move(alarm));
  const int64_t life = life_;
  for (const auto& answer : pipeline_->TakeAnswers()) {
    auto ask = asks_.extract(answer.id);
    if (ask && ask.mapped()) ask.mapped()(answer.outcome);
    if (life != life_) return;
  }
}

void SchedulerHost::Timer(int64_t life) {
  if (life != life_) return;
  heap_.After(kTimerEvery, [this, life] { Timer(life); });
  LookForSilence();
  if (pipeline_->loaded() && pipeline_->core().NextWakeup() <= heap_.now())
    Offer(Tick{}, Lane::kAgent, {});
}

void SchedulerHost::LookForSilence() {
  std::vector<Command> commands;
  AttemptsProvenOver over;
  for (auto& [name, node] : nodes_) {
    if (heap_.now() - node.heard < kSilentAfter) continue;
    NodeSilent silent;
    silent.node = node.orders.node;
    for (const NodeOrders::Order& order : node.orders.orders) {
      const AttemptId id = order.attempt.id;
      if (order.attempt.state == AttemptState::kEnded) continue;
      const auto carried = node.carried.find(id);
      if (carried == node.carried.end()) {
        node.sealed.insert(id);
        silent.never_carried.push_back(id);
      } else if (heap_.now() - carried->second > LongestLife(order) ||
                 OverByFence(order, heap_.now() - std::max(node.heard, carried->second))) {
        over.attempts.push_back(id);
      }
    }
    if (!node.silent || !silent.never_carried.empty()) commands.push_back(silent);
    node.silent = true;
  }
  if (!over.attempts.empty()) commands.push_back(over);
  for (Command& command : commands) Offer(std::move(command), Lane::kAgent, {});
}

void SchedulerHost::Synchronize(const SyncRequest& request,
                                std::function<void(const SyncAnswer&)> answer) {
  if (!up()) return;
  Node& node = nodes_[request.report.node];
  const std::pair number(request.report.incarnation, request.sequence);
  if (number <= node.last) return;  // late or repeated
  node.last = number;
  node.heard = heap_.now();
  node.silent = false;
  Offer(request.report, Lane::kAgent, [this, request, answer](const Outcome& outcome) {
    if (outcome.kind != Outcome::Kind::kDone || outcome.reply.reason != Reason::kOk) return;
    Node& known = nodes_[request.report.node];
    if (known.orders.node) answer(AnswerTo(request, known));  // else nothing is published yet
  });
}

SyncAnswer SchedulerHost::AnswerTo(const SyncRequest& request, Node& node) {
  SyncAnswer answer;
  answer.lab_run = store_.tables().lab.run;
  answer.term = term_;
  answer.sequence = ++sequence_;
  answer.request_sent_at = request.sent_at;
  answer.orders = node.orders;
  std::erase_if(answer.orders.orders, [&](const NodeOrders::Order& order) {
    return node.sealed.contains(order.attempt.id);
  });
  for (const NodeOrders::Order& order : answer.orders.orders)
    node.carried[order.attempt.id] = heap_.now();
  return answer;
}

}  // namespace pinka::sim
