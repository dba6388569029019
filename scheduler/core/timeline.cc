#include "scheduler/core/timeline.h"

#include <algorithm>
#include <tuple>

#include "fmt/format.h"
#include "scheduler/core/hardware.h"
#include "scheduler/core/rentals.h"

namespace pinka {
namespace {

// What should have ended and has not may do so at any moment.
constexpr Duration kAnyMoment = Duration::Seconds(1);

Timestamp Halfway(Timestamp now, Timestamp end) {
  return now + Duration::Micros((end - now).micros() / 2);
}

}  // namespace

Wanted WantedBy(const JobRow& job, Source source) {
  return {job.units, job.gpus, job.time_limit + job.grace, source, job.need_cuda};
}

bool ServesCuda(const NodeRow& node, int32_t need) {
  return need == 0 || node.simulated || node.cuda >= need;
}

std::string PrintCuda(int32_t number) {
  return fmt::format("{}.{}", number / 1'000, number % 1'000 / 10);
}

std::string NoCuda(const State& state, TierId tier, int32_t need) {
  if (need == 0) return "";
  std::string offers;
  for (const auto& [id, node] : state.nodes.rows()) {
    if (node.tier != tier || node.removed || node.state != NodeState::kReady) continue;
    if (ServesCuda(node, need)) return "";
    offers += fmt::format("{}{} {}", offers.empty() ? "" : ", ", node.name,
                          node.cuda == 0 ? "does not say" : "offers " + PrintCuda(node.cuda));
  }
  return fmt::format("needs CUDA {}; {}", PrintCuda(need),
                     offers.empty() ? "no node is ready" : offers);
}

Timestamp EndIfStopped(const State& state, const AttemptRow& attempt) {
  const Timestamp from = attempt.started_at ? attempt.started_at : attempt.ordered_at;
  const Timestamp end = from + attempt.time_limit + attempt.grace;
  return std::max(std::min(end, state.now + attempt.grace), state.now + kAnyMoment);
}

Timestamp EndByLimit(const State& state, const AttemptRow& attempt) {
  if (attempt.want == Want::kStop) return EndIfStopped(state, attempt);
  const Timestamp from = attempt.started_at ? attempt.started_at : attempt.ordered_at;
  return std::max(from + attempt.time_limit + attempt.grace, state.now + kAnyMoment);
}

// ---- NodeTimeline ----

void NodeTimeline::Change(Timestamp at, int32_t units, int32_t gpus) {
  auto it = std::ranges::lower_bound(steps_, at, {}, &Step::at);
  if (it == steps_.end() || it->at != at) it = steps_.insert(it, Step{at, 0, 0});
  it->units += units;
  it->gpus += gpus;
}

void NodeTimeline::Take(Timestamp from, Timestamp until, int32_t units, int32_t gpus) {
  if (from <= now_) {
    units_ -= units;
    gpus_ -= gpus;
  } else {
    Change(from, -units, -gpus);
  }
  Change(until, units, gpus);
}

Timestamp NodeTimeline::EarliestFit(const Wanted& wanted, Timestamp from) const {
  int32_t units = units_, gpus = gpus_;
  const auto fits = [&] { return units >= wanted.units && gpus >= wanted.gpus; };
  Timestamp since = fits() ? std::max(now_, from) : Timestamp::Never();
  for (const Step& step : steps_) {
    if (since != Timestamp::Never() && step.at >= since + wanted.span) return since;
    units += step.units;
    gpus += step.gpus;
    if (!fits()) {
      since = Timestamp::Never();
    } else if (since == Timestamp::Never()) {
      since = std::max(step.at, from);
    }
  }
  return since;
}

Duration NodeTimeline::FreeNow(int32_t wanted_units, int32_t wanted_gpus) const {
  int32_t units = units_, gpus = gpus_;
  if (units < wanted_units || gpus < wanted_gpus) return {};
  for (const Step& step : steps_) {
    units += step.units;
    gpus += step.gpus;
    if (units < wanted_units || gpus < wanted_gpus) return step.at - now_;
  }
  return Timestamp::Never() - now_;
}

// ---- TierRoom ----

TierRoom::TierRoom(const State& state, TierId tier, Pace pace)
    : state_(&state), paid_by_(state, tier), pace_(pace) {
  for (const auto& [id, row] : state.nodes.rows()) {
    if (row.tier != tier || row.state != NodeState::kReady) continue;
    Room room;
    room.row = &row;
    room.units = row.units;
    room.gpus = WorkingGpus(row);
    if (auto use = state.node_use.find(id); use != state.node_use.end()) {
      room.units -= use->second.units;
      // Cards of attempts that this node no longer has are not free of it.
      for (const Gpu& gpu : row.gpus) {
        if (gpu.fault.empty() && use->second.gpus.contains(gpu.index)) --room.gpus;
      }
    }
    if (room.units > 0) free_.emplace(room.units, nodes_.size());
    rented_ = rented_ || state.open_rentals.contains(id);
    nodes_.push_back(std::move(room));
  }
}

TierRoom::Room& TierRoom::At(NodeId node) {
  auto it = std::ranges::lower_bound(nodes_, node, {}, [](const Room& r) { return r.row->id; });
  PINKA_CHECK(it != nodes_.end() && it->row->id == node, "the node is ready");
  return *it;
}

void TierRoom::Build() {
  if (std::exchange(built_, true)) return;
  for (Room& room : nodes_) {
    room.timeline = NodeTimeline(state_->now, room.units, room.gpus);
    auto use = state_->node_use.find(room.row->id);
    if (use == state_->node_use.end()) continue;
    for (const AttemptId& id : use->second.attempts) {
      const AttemptRow& attempt = state_->attempts.Get(id);
      if (attempt.state == AttemptState::kEnded) continue;
      const Timestamp end = EndByLimit(*state_, attempt);
      room.timeline.Change(pace_ == Pace::kWhole ? end : Halfway(state_->now, end), attempt.units,
                           static_cast<int32_t>(attempt.gpus.size()));
    }
  }
}

bool TierRoom::FitsEmpty(const Wanted& wanted) const {
  return std::ranges::any_of(nodes_, [&](const Room& room) {
    return room.row->units >= wanted.units && WorkingGpus(*room.row) >= wanted.gpus &&
           Suits(*room.row, wanted);
  });
}

std::optional<NodeId> TierRoom::FitNow(const Wanted& wanted) const {
  const Room* best = nullptr;
  int64_t best_paid = 0;
  for (auto it = free_.lower_bound({wanted.units, 0}); it != free_.end(); ++it) {
    const Room& room = nodes_[it->second];
    if (!Has(room, wanted)) continue;
    // Where nothing is promised, what is free stays free.
    if (room.promised && room.timeline.EarliestFit(wanted) != state_->now) continue;
    if (!rented_) return room.row->id;
    const int64_t paid = std::min(PaidLeft(*state_, room.row->id), wanted.span).seconds() / 60;
    if (best && paid <= best_paid) continue;
    best = &room;
    best_paid = paid;
  }
  return best ? std::optional(best->row->id) : std::nullopt;
}

std::optional<NodeId> TierRoom::FreeNow(const Wanted& wanted) const {
  for (auto it = free_.lower_bound({wanted.units, 0}); it != free_.end(); ++it) {
    if (Has(nodes_[it->second], wanted)) return nodes_[it->second].row->id;
  }
  return std::nullopt;
}

std::optional<Slot> TierRoom::Earliest(const Wanted& wanted, Timestamp from) {
  Build();
  const Room* best = nullptr;
  Timestamp best_at = Timestamp::Never();
  for (const Room& room : nodes_) {
    if (room.row->units < wanted.units || !Suits(*room.row, wanted)) continue;
    const Timestamp at = room.timeline.EarliestFit(wanted, from);
    if (at == Timestamp::Never()) continue;
    if (best && std::tuple(at, room.row->units) >= std::tuple(best_at, best->row->units)) continue;
    best = &room;
    best_at = at;
  }
  if (!best) return std::nullopt;
  return Slot{best->row->id, best_at};
}

Duration TierRoom::LongestNow(const Wanted& wanted) const {
  Duration longest;
  for (auto it = free_.lower_bound({wanted.units, 0}); it != free_.end(); ++it) {
    const Room& room = nodes_[it->second];
    if (!Has(room, wanted)) continue;
    if (!room.promised) return Timestamp::Never() - state_->now;
    longest = std::max(longest, room.timeline.FreeNow(wanted.units, wanted.gpus));
  }
  return longest;
}

void TierRoom::Start(NodeId node, const Wanted& wanted) {
  Room& room = At(node);
  const size_t index = static_cast<size_t>(&room - nodes_.data());
  free_.erase({room.units, index});
  room.units -= wanted.units;
  room.gpus -= wanted.gpus;
  if (room.units > 0) free_.emplace(room.units, index);
  if (built_) room.timeline.Take(state_->now, state_->now + wanted.span, wanted.units, wanted.gpus);
}

void TierRoom::Promise(const Slot& slot, const Wanted& wanted) {
  Build();
  Room& room = At(slot.node);
  room.promised = true;
  room.timeline.Take(slot.at, slot.at + wanted.span, wanted.units, wanted.gpus);
}

void TierRoom::Withdraw(const Slot& slot, const Wanted& wanted) {
  At(slot.node).timeline.Take(slot.at, slot.at + wanted.span, -wanted.units, -wanted.gpus);
}

const NodeTimeline* TierRoom::Find(NodeId node) {
  Build();
  auto it = std::ranges::lower_bound(nodes_, node, {}, [](const Room& r) { return r.row->id; });
  return it == nodes_.end() || it->row->id != node ? nullptr : &it->timeline;
}

}  // namespace pinka
