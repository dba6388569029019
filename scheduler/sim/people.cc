#include "scheduler/sim/people.h"

#include <iterator>

#include "base/hash.h"
#include "fmt/format.h"

namespace pinka::sim {

MemberId People::AnyAdmin() const {
  for (const auto& [id, row] : store_.tables().members) {
    if (row.admin) return id;
  }
  return {};
}

MemberId People::AnyMember() {
  const auto& members = store_.tables().members;
  return std::next(members.begin(), chance_.Between(0, static_cast<int64_t>(members.size()) - 1))
      ->first;
}

void People::Ask(Command command, std::function<void(const Reply&)> then) {
  promises_.push_back({NewKey(), {}, false, {}});
  ++open_;
  std::visit(
      [&](auto& c) {
        if constexpr (requires { c.request.key; }) {
          c.request = {promises_.back().key, Sha256Hex(promises_.back().key)};
          promises_.back().member = c.actor.member;
        }
      },
      command);
  Try(promises_.size() - 1, command, std::move(then));
}

void People::Try(size_t promise, const Command& command, std::function<void(const Reply&)> then) {
  if (promises_[promise].answered) return;
  network_.Send([this, promise, command, then] {
    scheduler_.Ask(command, [this, promise, then](const Outcome& outcome) {
      network_.Send([this, promise, outcome, then] { Hear(promise, outcome, then); });
    });
  });
  heap_.After(Duration::Seconds(5) + chance_.Upto(Duration::Seconds(30)),
              [this, promise, command, then] { Try(promise, command, then); });
}

void People::Hear(size_t index, const Outcome& outcome,
                  const std::function<void(const Reply&)>& then) {
  if (outcome.kind == Outcome::Kind::kPoisoned) broken_.push_back("poisoned: " + outcome.message);
  if (outcome.kind != Outcome::Kind::kDone) return;  // asks again by itself
  Promise& promise = promises_[index];
  if (promise.answered) {
    // Another answer to the same request, late: it must say the same.
    const bool same = outcome.reply.first == promise.reply.first ||
                      promise.reply.reason != Reason::kOk || outcome.reply.reason != Reason::kOk;
    if (!same) broken_.push_back(promise.key + " was answered in two ways");
    return;
  }
  promise.answered = true;
  promise.reply = outcome.reply;
  --open_;
  if (then) then(outcome.reply);
}

void People::WantSomething() {
  const int64_t n = chance_.Between(0, 99);
  if (n < 62) return Submit();
  if (n < 76) return ChangeSome(JobVerb::kCancel);
  if (n < 80) return ChangeSome(JobVerb::kRequeue);
  if (n < 84) return ChangeSome(JobVerb::kHold);
  if (n < 88) return ChangeSome(JobVerb::kRelease);
  if (n < 94) return PayIn(chance_.Between(1, 40));
  ChangeNode command;
  command.actor = Admin();
  const auto& nodes = store_.tables().nodes;
  if (nodes.empty()) return;
  command.node =
      std::next(nodes.begin(), chance_.Between(0, static_cast<int64_t>(nodes.size()) - 1))
          ->second.name;
  command.verb = chance_.Percent(40) ? NodeVerb::kDrain : NodeVerb::kResume;
  Ask(command);
}

void People::Submit() {
  SubmitJobs command;
  command.actor = {AnyMember(), false};
  JobRequest job;
  const auto& tiers = store_.tables().tiers;
  job.tier =
      std::next(tiers.begin(), chance_.Between(0, static_cast<int64_t>(tiers.size()) - 1))->first;
  job.gpus = static_cast<int32_t>(chance_.Between(1, 2));
  job.time_limit = Duration::Minutes(chance_.Between(5, 120));
  job.retries = static_cast<int32_t>(chance_.Between(0, 1));
  if (chance_.Percent(25)) job.array = chance_.Percent(50) ? "0-3" : "1-9:2%2";
  if (!jobs_.empty() && chance_.Percent(25)) {
    const char* types[] = {"after", "afterany", "afterok", "aftercorr"};
    const auto parent =
        std::next(jobs_.begin(), chance_.Between(0, static_cast<int64_t>(jobs_.size()) - 1));
    job.dependency = fmt::format("{}:{}", types[chance_.Between(0, 3)], parent->first.value());
  }
  if (chance_.Percent(10)) job.begin_at = heap_.now() + Duration::Minutes(chance_.Between(1, 120));
  job.payload = {Sha256Hex("work"), "work"};
  command.jobs.push_back(job);
  Ask(command, [this, member = command.actor.member](const Reply& reply) {
    if (reply.reason == Reason::kOk) jobs_[JobId(reply.first)] = member;
  });
}

void People::ChangeSome(JobVerb verb) {
  if (jobs_.empty()) return;
  const auto it =
      std::next(jobs_.begin(), chance_.Between(0, static_cast<int64_t>(jobs_.size()) - 1));
  ChangeJobs command;
  command.actor = {it->second, false};
  command.verb = verb;
  command.slices.push_back({it->first, {}});
  Ask(command);
}

void People::PayIn(int64_t yuan) {
  Deposit command;
  command.actor = Admin();
  command.amount = Money::Whole(yuan);
  if (chance_.Percent(30))
    command.until = heap_.now() + Duration::Minutes(chance_.Between(30, 600));
  const std::string key = NewKey();
  Ask(command, [this, key, amount = command.amount](const Reply& reply) {
    if (reply.reason == Reason::kOk) deposits_[key] = amount;
  });
}

void People::Unblock() {
  PayIn(100'000);
  for (const auto& [id, node] : store_.tables().nodes) {
    if (node.removed) continue;
    ChangeNode command;
    command.actor = Admin();
    command.node = node.name;
    command.verb = NodeVerb::kResume;
    Ask(command);
  }
  for (const auto& [id, member] : jobs_) {
    ChangeJobs command;
    command.actor = {member, false};
    command.verb = JobVerb::kRelease;
    command.slices.push_back({id, {}});
    Ask(command);
  }
}

std::vector<std::string> People::BrokenPromises() const {
  std::vector<std::string> broken = broken_;
  for (const auto& [id, member] : jobs_) {
    const auto row = store_.tables().jobs.find(id);
    if (row == store_.tables().jobs.end() || row->second.member != member)
      broken.push_back(fmt::format("job {} was acknowledged and is lost", id.value()));
  }
  std::map<std::string, std::pair<Money, int>> paid;
  for (const auto& [id, row] : store_.tables().transfers) {
    if (row.kind != TransferKind::kDeposit) continue;
    paid[row.request_id].first += row.amount;
    ++paid[row.request_id].second;
  }
  for (const auto& [key, amount] : deposits_) {
    if (paid[key] != std::pair(amount, 1))
      broken.push_back(key + " was paid in, and is not in the books once");
  }
  return broken;
}

}  // namespace pinka::sim
