#include "scheduler/runtime/agents.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace pinka {
namespace {

constexpr Duration kMargin = Duration::Seconds(60);

// Everything of a report but its meters: what core must see when it changes.
std::string Fingerprint(const AgentReport& report) {
  std::string print = fmt::format("{}/{}/{}/{}/{}/{}/{}/{}", report.instance, report.incarnation,
                                  report.boot_id, report.draining, report.unfit, report.facts.units,
                                  report.facts.cpus, report.facts.memory);
  for (const Gpu& gpu : report.facts.gpus) print += "|" + gpu.uuid + "=" + gpu.fault;
  print += fmt::format("/{}", report.facts.cuda);
  if (report.hardware) print += "#" + report.hardware->id;
  std::vector<std::string> attempts;
  for (const ObservedAttempt& a : report.attempts) {
    attempts.push_back(fmt::format(";{}={}", ToString(a.id), static_cast<int>(a.state)));
  }
  std::ranges::sort(attempts);
  for (const std::string& a : attempts) print += a;
  return print;
}

// (d) of semantics.md 5: start_within, the limit, grace, and a minute.
Duration LongestLife(const NodeOrders::Order& order) {
  const AttemptRow& attempt = order.attempt;
  return attempt.start_within + attempt.time_limit + attempt.grace + kMargin;
}

// (e): the fence, grace, and a minute.
Duration LongestSilence(const NodeOrders::Order& order) {
  return order.attempt.fence + order.attempt.grace + kMargin;
}

}  // namespace

AgentBoard::AgentBoard(const Clock& clock, int64_t term, std::string lab_run, Timestamp term_began)
    : clock_(clock),
      term_(term),
      lab_run_(std::move(lab_run)),
      term_began_(term_began),
      up_at_term_(clock.Boottime()) {}

void AgentBoard::Publish(std::vector<NodeOrders> orders) {
  std::vector<std::pair<std::function<void(const Answer&)>, Answer>> calls;
  {
    std::lock_guard lock(mutex_);
    for (NodeOrders& next : orders) {
      Node& node = nodes_[next.name];
      if (!node.published) node.heard = std::max(node.heard, up_at_term_);
      // After a change of leader an order may have been carried before: assume so. An order of
      // this term is carried when an answer takes it.
      if (!node.published) {
        for (const NodeOrders::Order& order : next.orders) {
          if (order.attempt.ordered_at <= term_began_) node.carried[order.attempt.id] = up_at_term_;
        }
      }
      std::map<AttemptId, Duration> still;
      for (const NodeOrders::Order& order : next.orders) {
        auto carried = node.carried.find(order.attempt.id);
        if (carried != node.carried.end()) still.insert(*carried);
        if (order.attempt.state == AttemptState::kEnded) meters_.erase(order.attempt.id);
      }
      node.carried = std::move(still);
      std::erase_if(node.sealed, [&next](const AttemptId& id) {
        return std::ranges::none_of(next.orders,
                                    [&id](const auto& o) { return o.attempt.id == id; });
      });
      node.orders = std::move(next);
      node.published = true;
      for (auto waiter = node.waiters.begin(); waiter != node.waiters.end();) {
        if (waiter->known == node.orders.version) {
          ++waiter;
          continue;
        }
        calls.emplace_back(std::move(waiter->then), MakeAnswer(node));
        waiter = node.waiters.erase(waiter);
      }
    }
  }
  for (auto& [then, answer] : calls) then(answer);
}

bool AgentBoard::Heard(const AgentReport& report) {
  std::lock_guard lock(mutex_);
  Node& node = nodes_[report.node];
  const bool was_silent = std::exchange(node.silent, false);
  node.heard = clock_.Boottime();
  node.heard_at = clock_.Now();
  for (const ObservedAttempt& attempt : report.attempts) {
    if (attempt.state == ObservedAttempt::State::kEnded) continue;
    Meter& meter = meters_[attempt.id];
    if (attempt.metered_ms <= meter.metered_ms && attempt.log_bytes <= meter.log_bytes) continue;
    meter.metered_ms = std::max(meter.metered_ms, attempt.metered_ms);
    meter.log_bytes = std::max(meter.log_bytes, attempt.log_bytes);
    meter.changed = true;
  }
  return was_silent || node.told != Fingerprint(report);
}

void AgentBoard::Told(const AgentReport& report) {
  std::lock_guard lock(mutex_);
  nodes_[report.node].told = Fingerprint(report);
}

AgentBoard::Answer AgentBoard::MakeAnswer(Node& node) {
  Answer answer;
  answer.term = term_;
  answer.sequence = ++sequence_;
  answer.lab_run = lab_run_;
  answer.known = node.published;
  answer.orders = node.orders;
  std::erase_if(answer.orders.orders, [&node](const NodeOrders::Order& order) {
    return std::ranges::find(node.sealed, order.attempt.id) != node.sealed.end();
  });
  const Duration now = clock_.Boottime();
  for (const NodeOrders::Order& order : answer.orders.orders) node.carried[order.attempt.id] = now;
  return answer;
}

void AgentBoard::WhenNews(const std::string& name, int64_t known, Duration hold,
                          std::function<void(const Answer&)> then) {
  Answer answer;
  {
    std::lock_guard lock(mutex_);
    Node& node = nodes_[name];
    const bool news = node.published && node.orders.version != known;
    if (!news && hold > Duration()) {
      node.waiters.push_back({known, clock_.Now() + hold, std::move(then)});
      return;
    }
    answer = MakeAnswer(node);
  }
  then(answer);
}

Timestamp AgentBoard::ExpireWaiters() {
  std::vector<std::pair<std::function<void(const Answer&)>, Answer>> calls;
  Timestamp next = Timestamp::Never();
  {
    std::lock_guard lock(mutex_);
    const Timestamp now = clock_.Now();
    for (auto& [name, node] : nodes_) {
      for (auto waiter = node.waiters.begin(); waiter != node.waiters.end();) {
        if (waiter->until > now) {
          next = std::min(next, waiter->until);
          ++waiter;
          continue;
        }
        // Its call is still held, so it may have been there until now: whatever counts from its
        // silence counts from here, never sooner.
        node.heard = clock_.Boottime();
        node.heard_at = now;
        calls.emplace_back(std::move(waiter->then), MakeAnswer(node));
        waiter = node.waiters.erase(waiter);
      }
    }
  }
  for (auto& [then, answer] : calls) then(answer);
  return next;
}

void AgentBoard::ReleaseAll() {
  std::vector<std::pair<std::function<void(const Answer&)>, Answer>> calls;
  {
    std::lock_guard lock(mutex_);
    for (auto& [name, node] : nodes_) {
      for (Waiter& waiter : node.waiters)
        calls.emplace_back(std::move(waiter.then), MakeAnswer(node));
      node.waiters.clear();
    }
  }
  for (auto& [then, answer] : calls) then(answer);
}

std::vector<StoreMeters::Meter> AgentBoard::TakeMeters() {
  std::lock_guard lock(mutex_);
  std::vector<StoreMeters::Meter> meters;
  for (auto& [id, meter] : meters_) {
    if (!std::exchange(meter.changed, false)) continue;
    meters.push_back({id, meter.metered_ms, meter.log_bytes});
  }
  return meters;
}

std::vector<AgentBoard::Silence> AgentBoard::TakeSilent(Duration after) {
  std::lock_guard lock(mutex_);
  std::vector<Silence> silent;
  const Duration now = clock_.Boottime();
  for (auto& [name, node] : nodes_) {
    if (!node.published || node.silent || now - node.heard < after) continue;
    node.silent = true;
    node.told.clear();
    Silence silence;
    silence.node = node.orders.node;
    silence.name = name;
    silence.heard_at = node.heard_at;
    for (const NodeOrders::Order& order : node.orders.orders) {
      if (order.attempt.state == AttemptState::kEnded) continue;
      if (node.carried.contains(order.attempt.id)) {
        silence.unknown.push_back(order.attempt.id);
        continue;
      }
      node.sealed.push_back(order.attempt.id);
      silence.never_carried.push_back(order.attempt.id);
    }
    silent.push_back(std::move(silence));
  }
  return silent;
}

std::vector<AttemptId> AgentBoard::ProvenOver() {
  std::lock_guard lock(mutex_);
  std::vector<AttemptId> over;
  const Duration now = clock_.Boottime();
  for (const auto& [name, node] : nodes_) {
    if (!node.published || !node.silent) continue;
    for (const NodeOrders::Order& order : node.orders.orders) {
      if (order.attempt.state == AttemptState::kEnded) continue;
      auto carried = node.carried.find(order.attempt.id);
      const Duration since = carried == node.carried.end() ? up_at_term_ : carried->second;
      const bool fenced = order.attempt.fence > Duration();
      const bool by_life = now - since > LongestLife(order);
      const bool by_fence = fenced && now - std::max(node.heard, since) > LongestSilence(order);
      if (by_life || by_fence) over.push_back(order.attempt.id);
    }
  }
  return over;
}

Timestamp AgentBoard::LastHeard(const std::string& name) const {
  std::lock_guard lock(mutex_);
  auto node = nodes_.find(name);
  return node == nodes_.end() ? Timestamp() : node->second.heard_at;
}

Duration AgentBoard::MeteredOf(const AttemptId& id) const {
  std::lock_guard lock(mutex_);
  auto meter = meters_.find(id);
  return meter == meters_.end() ? Duration() : Duration::Millis(meter->second.metered_ms);
}

}  // namespace pinka
