#include "scheduler/sim/chaos.h"

#include <memory>

#include "base/hash.h"
#include "fmt/format.h"
#include "scheduler/core/digest.h"
#include "scheduler/sim/audit.h"
#include "scheduler/sim/box.h"
#include "scheduler/sim/people.h"
#include "scheduler/sim/scheduler_host.h"

namespace pinka::sim {
namespace {

const Timestamp kStart = Timestamp::Seconds(1'790'700'000);
constexpr Duration kTrouble = Duration::Hours(4);  // over a month's end, too
constexpr Duration kPatience = Duration::Hours(60);
constexpr int64_t kAuditEvery = 40;    // batches
constexpr int64_t kReloadEvery = 100;  // batches
constexpr size_t kEnough = 10;         // violations

class World {
 public:
  explicit World(uint64_t seed)
      : heap_(kStart),
        chance_(seed),
        network_(heap_, chance_),
        scheduler_(heap_, chance_, store_),
        people_(heap_, chance_, network_, scheduler_, store_) {}

  History Run() {
    Found();
    scheduler_.on_commit = [this](const Core& core) { AfterCommit(core); };
    scheduler_.Start();
    for (auto& box : boxes_) box->Start();
    Live();
    while (heap_.now() < kStart + kTrouble && Step()) {
    }
    chance_.faults = {0, 0, 0, 0, 0, 0, false};
    trouble_ = false;
    Unblock();
    while (heap_.now() < kStart + kTrouble + kPatience && !AtRest() && Step()) {
    }
    JudgeRest();
    history_.faults = chance_.count;
    history_.batches = store_.batch();
    history_.attempts = static_cast<int64_t>(store_.tables().attempts.size());
    history_.jobs = static_cast<int64_t>(store_.tables().jobs.size());
    history_.trace = DigestOf(store_.Load());
    return history_;
  }

 private:
  bool Step() {
    heap_.RunNext();
    ++history_.events;
    for (std::string& text : std::exchange(truth_.violations, {})) Blame(std::move(text));
    for (std::string& text : std::exchange(scheduler_.alarms, {})) Blame(std::move(text));
    return history_.violations.size() < kEnough;
  }

  void Blame(std::string text) {
    const int64_t s = (heap_.now() - kStart).seconds();
    history_.violations.push_back(fmt::format("+{}s {}", s, text));
  }

  void AfterCommit(const Core& core) {
    const bool all = store_.batch() % kReloadEvery == 0;
    const bool some = store_.batch() % kAuditEvery == 0;
    if (some || all) {
      for (auto audit : {AuditBooks(store_), AuditMachines(store_), AuditJobs(store_)}) {
        for (std::string& text : audit) Blame(std::move(text));
      }
    }
    if (!all) return;
    for (std::string& text : AuditReload(core, store_)) Blame(std::move(text));
  }

  void Found();
  void AddBox(const std::string& name, TierId tier, int32_t units, Core& core);
  void Live();
  // Again and again: an old wish (a hold, a drain) may still come in after the first time.
  void Unblock() {
    people_.Unblock();
    heap_.After(Duration::Hours(4), [this] { Unblock(); });
  }
  void Crash();
  bool AtRest() const;
  void JudgeRest();

  EventHeap heap_;
  Chance chance_;
  FakeStore store_;
  Network network_;
  SchedulerHost scheduler_;
  People people_;
  Truth truth_;
  std::vector<std::unique_ptr<Box>> boxes_;
  bool trouble_ = true;
  History history_;
};

LabChange::Tier TierOf(const std::string& name, int64_t yuan) {
  LabChange::Tier tier;
  tier.row.name = name;
  tier.row.unit_gpus = 1;
  tier.row.unit_cpus = 4;
  tier.row.staging_limit = Duration::Minutes(5);
  RateRow rate;
  rate.rate = Rate::MicrosPerUnitHour(yuan * 1'000'000 + 1);
  tier.rates.push_back(rate);
  return tier;
}

// The lab before anything goes wrong.
void World::Found() {
  Core core(store_.Load());
  const auto commit = [&] {
    core.Schedule(INT32_MAX);
    store_.Commit(store_.batch() + 1, core.now(), core.TakeChanges());
  };
  core.Apply(FoundLab{"5eed", "admin", Sha256Hex("admin")}, kStart);
  const Actor admin{core.state().member_by_name.at("admin"), true};
  AddPeriods calendar;
  const Timestamp month = kStart + Duration::Hours(2);  // a boundary in the middle of the trouble
  for (int n = -2; n < 5; ++n) {
    calendar.periods.push_back(
        {Period::kMonth, month + Duration::Days(30) * n, month + Duration::Days(30) * (n + 1)});
  }
  core.Apply(calendar, kStart);
  LabChange change;
  change.tiers = {TierOf("t4", 2), TierOf("a100", 12)};
  change.tiers[0].row.fence = Duration::Minutes(10);
  for (const char* name : {"alice", "bob", "carol"}) change.members.push_back({name, 1, false});
  LabChange::Limit limit;
  limit.row.resource = LimitResource::kRunningUnits;
  limit.row.amount = 3;
  change.limits.push_back(limit);
  core.Apply(ApplyLab{admin, {}, change, false}, kStart);
  Deposit deposit;
  deposit.actor = admin;
  deposit.amount = Money::Whole(300);
  core.Apply(deposit, kStart);
  for (const char* name : {"t4", "a100"})
    AddBox(std::string("box-") + name, core.state().tier_by_name.at(name), 3, core);
  commit();
}

void World::AddBox(const std::string& name, TierId tier, int32_t units, Core& core) {
  AddNode add;
  add.actor = {core.state().member_by_name.at("admin"), true};
  add.node = name;
  add.tier = tier;
  add.key_hash = Sha256Hex(name);
  core.Apply(add, kStart);
  NodeFacts facts;
  facts.tier = tier;
  facts.cpus = units * 4;
  for (int32_t i = 0; i < units; ++i)
    facts.gpus.push_back({i, fmt::format("{}-gpu{}", name, i), "card", 24'000});
  boxes_.push_back(
      std::make_unique<Box>(heap_, chance_, network_, scheduler_, truth_, name, facts));
}

// Somebody wants something, something breaks; again and again while there is trouble.
void World::Live() {
  if (!trouble_) return;
  if (chance_.Percent(75)) people_.WantSomething();
  if (chance_.Percent(20)) Crash();
  heap_.After(chance_.Upto(Duration::Minutes(6)), [this] { Live(); });
}

void World::Crash() {
  if (!chance_.faults.crashes) return;
  ++chance_.count;
  Box& box = *boxes_[static_cast<size_t>(chance_.Between(0, 1))];
  switch (chance_.Between(0, 4)) {
    case 0:
      if (!scheduler_.up()) return;
      scheduler_.Crash();
      heap_.After(chance_.Upto(Duration::Minutes(chance_.Percent(20) ? 90 : 3)),
                  [this] { scheduler_.Start(); });
      return;
    case 1:
      return box.CrashAgent();
    case 2:
      return box.CrashSupervisor();
    case 3:
      return box.CrashMachine();
    case 4:
      return box.FillDisk();
  }
}

bool World::AtRest() const {
  if (!people_.satisfied() || !scheduler_.up()) return false;
  if (heap_.now() < kStart + kTrouble + Duration::Minutes(10)) return false;
  for (const auto& [id, job] : store_.tables().jobs) {
    if (!IsTerminal(job.state)) return false;
  }
  for (const auto& [id, attempt] : store_.tables().attempts) {
    if (!attempt.forgotten) return false;
  }
  for (const auto& box : boxes_) {
    if (box->records() > 0) return false;
  }
  return true;
}

void World::JudgeRest() {
  if (!AtRest()) {
    Blame("the world does not come to rest");
    for (const auto& [id, job] : store_.tables().jobs) {
      if (!IsTerminal(job.state))
        Blame(fmt::format("job {} is still {}", id.value(), Name(job.state)));
    }
    for (const auto& [id, attempt] : store_.tables().attempts) {
      if (!attempt.forgotten)
        Blame(fmt::format("{} is {} and not forgotten", ToString(id), Name(attempt.state)));
    }
  }
  for (const auto& [task, id] : truth_.running())
    Blame(fmt::format("{} still runs and nobody wants it", ToString(id)));
  for (std::string& text : people_.BrokenPromises()) Blame(std::move(text));
  for (auto audit : {AuditBooks(store_), AuditMachines(store_), AuditJobs(store_)}) {
    for (std::string& text : audit) Blame(std::move(text));
  }
  for (const auto& [id, hold] : store_.tables().holds) {
    if (!hold.closed_at) Blame(fmt::format("the hold of {} is open at rest", ToString(id)));
  }
  for (const auto& [id, attempt] : store_.tables().attempts) {
    const bool own_end =
        attempt.end_reason == EndReason::kExited || attempt.end_reason == EndReason::kTimeLimit;
    if (own_end && attempt.metered_ms != truth_.Ran(id).millis()) {
      Blame(fmt::format("{} ran {} ms and was settled with {}", ToString(id),
                        truth_.Ran(id).millis(), attempt.metered_ms));
    }
    if (attempt.metered_ms > truth_.Ran(id).millis())
      Blame(fmt::format("{} was metered longer than it ran", ToString(id)));
    if (attempt.end_reason == EndReason::kWithdrawn && truth_.Executed(id))
      Blame(fmt::format("{} was withdrawn and ran", ToString(id)));
  }
}

}  // namespace

History RunHistory(uint64_t seed) { return World(seed).Run(); }

}  // namespace pinka::sim
