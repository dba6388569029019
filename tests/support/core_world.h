// A lab in memory for tests of core: core, the fake store behind it, a clock that stands still, and
// agents that do what they are told. Every command is applied, planned, committed and audited, so
// that each test of one thing tests recovery and the books as well.
//
//   CoreWorld w;                                     // cpu, t4, a100; alice bob carol 王芳; admin
//   w.Deposit("lab", 100);
//   w.AddNode("box", "a100", 2);
//   JobId job = w.Submit("alice", w.Job("a100", Duration::Hours(1)));
//   w.Run(job);  w.Advance(Duration::Minutes(30));  w.Exit(job, 0);
//   EXPECT_EQ(w.StateOf(job), TaskState::kCompleted);
//
// Rates per unit-hour: cpu 0.20, t4 2.00, a100 12.00.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/core.h"
#include "scheduler/core/state.h"
#include "scheduler/sim/fake_store.h"

namespace pinka::test {

// An instant in the lab's zone, UTC+8.
Timestamp At(int year, int month, int day, int hour = 0, int minute = 0, int second = 0);

// "lab", a member, or "project:NAME".
Owner OwnerNamed(const State& state, const std::string& name);

// What an agent knows and says: records by attempt. It turns orders into records and back.
struct FakeAgent {
  AgentReport report;  // its facts and what it observes
  NodeOrders orders;   // the newest
  ObservedAttempt* Find(const AttemptId& id);
};

class CoreWorld {
 public:
  explicit CoreWorld(Timestamp start = At(2026, 9, 30, 12));

  // One command as a batch of its own; positions are attached to the settling of a month. The
  // audit's findings fail the running test.
  Reply Do(const Command& command);
  void Advance(Duration span);  // and a tick
  void AdvanceTo(Timestamp at);
  void Reload();  // a restart

  // The lab.
  MemberId Member(const std::string& name) const;
  TierId Tier(const std::string& name) const;
  NodeId Node(const std::string& name) const;
  Actor By(const std::string& member) const;  // admin's rights for "admin" only
  Actor Admin() const { return By("admin"); }
  Reply Apply(LabChange change);
  void SetRate(const std::string& tier, Rate rate);
  void AddProject(const std::string& name, std::vector<std::string> members);
  // scope as in a lab file.
  LimitId Limit(LimitResource resource, int64_t amount, const std::string& scope = "lab",
                LimitOf of = LimitOf::kEach, Period period = Period::kNone,
                const std::string& tier = "");
  // To "lab", a member, or "project:NAME".
  LotId Deposit(const std::string& to, Money amount, Timestamp until = Timestamp::Never());
  LotId Deposit(const std::string& to, int64_t yuan) { return Deposit(to, Money::Whole(yuan)); }
  // As `from` pays it in.
  LotId PayIn(const std::string& from, const std::string& to, Money amount);
  Reply Withdraw(const std::string& from, Money amount, const std::string& key);
  // Verbs of the admin; what they name is attached as the store has it. A task: number 0.
  Reply Transfer(const std::string& from, const std::string& to, Money amount,
                 const std::string& key);
  Reply Refund(TransferId entry, Money amount, const std::string& key);
  Reply Refund(const AttemptId& attempt, Money amount, const std::string& key);
  // Hours of a package; 0: all that is left, of money too.
  Reply RefundHours(TransferId entry, int64_t unit_ms, const std::string& key);
  Reply RefundHours(const AttemptId& attempt, int64_t unit_ms, const std::string& key);
  Reply Correct(TransferId entry, Money amount, const std::string& key);
  // A purchase by the admin for a month, by shares ("lab": not allocated), to be changed and
  // bought.
  BuyPackage Package(const std::string& tier, int64_t hours, Money price,
                     std::vector<std::pair<std::string, int64_t>> shares) const;
  PackageId Buy(const BuyPackage& command);
  // The month that contains `at`, of the calendar.
  const PeriodRow& Month(Timestamp at) const { return *PeriodAt(state(), Period::kMonth, at); }
  Reply Close(Timestamp in, bool force = false);
  Reply Settle(Timestamp in, Spread spread = Spread::kUsage);
  Reply MarkPaid(PaymentId payment, const std::string& ref = "bank");
  // Positions of the month that contains `in`, as the books stand.
  std::vector<PositionRow> Positions(Timestamp in, Spread spread = Spread::kUsage) const;
  void AddNode(const std::string& name, const std::string& tier, int32_t units,
               Source source = Source::kOnDemand);

  // Jobs.
  JobRequest Job(const std::string& tier, Duration time = Duration::Hours(1), int gpus = 1) const;
  JobId Submit(const std::string& member, JobRequest request, RequestKey key = {});
  Reply TrySubmit(const std::string& member, JobRequest request, RequestKey key = {});
  Reply Change(const std::string& member, JobVerb verb, JobId job, const std::string& indices = "");

  // Agents. `index` is the array index; the newest attempt of the task.
  AttemptId Attempt(JobId job, int32_t index = 0) const;
  void Begin(JobId job, int32_t index = 0);  // the agent is starting it
  void Run(JobId job, int32_t index = 0);    // its processes run
  // The end, metered from Run to now unless said. `metered` is in milliseconds.
  void End(JobId job, EndReason reason, int32_t index = 0, std::optional<int64_t> metered = {});
  void Exit(JobId job, int32_t code, int32_t index = 0);
  Reply Report(const std::string& node);  // the agent's whole view, as it stands
  FakeAgent& Agent(const std::string& node) { return agents_.at(node); }
  FakeAgent& AgentOf(const AttemptId& id);

  // Views.
  const Core& core() const { return *core_; }
  const State& state() const { return core_->state(); }
  const sim::FakeStore& store() const { return store_; }
  const JobRow& JobOf(JobId job) const { return store_.tables().jobs.at(job); }
  TaskState StateOf(JobId job) const { return JobOf(job).state; }
  TaskState StateOf(JobId job, int32_t index) const;
  const AttemptRow& AttemptOf(JobId job, int32_t index = 0) const;
  const HoldRow& HoldOf(JobId job, int32_t index = 0) const;
  const LotRow& Lot(LotId lot) const { return store_.tables().lots.at(lot); }
  Money Available(const std::string& owner) const;  // over the owner's lots
  const PackageRow& PackageOf(PackageId id) const { return store_.tables().packages.at(id); }
  const PortionRow& Portion(PackageId package, const std::string& owner) const;
  const LotRow& PortionLot(PackageId package, const std::string& owner) const;
  // Received less given, over all accounts of the kind and owner.
  Money Balance(AccountKind kind, const std::string& owner, AssetId asset = kCurrency) const;
  int32_t Running() const;  // open attempts
  std::vector<TransferRow> Transfers(TransferKind kind) const;
  Reason WhyWaits(JobId job) const;

  Timestamp now;
  bool audit = true;  // after every command

 private:
  void AuditPlan(Timestamp before);
  void Commit();
  void Deliver();
  Command Prefetch(const Command& command) const;
  bool AttachParents(const std::vector<JobId>& need, Command* command) const;

  sim::FakeStore store_;
  std::optional<Core> core_;
  std::map<std::string, FakeAgent> agents_;
  std::map<AttemptId, Timestamp> ran_at_;
  Timestamp planned_at_;  // the last full pass
};

}  // namespace pinka::test
