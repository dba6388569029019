#include "tests/support/core_world.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/hash.h"
#include "scheduler/core/board.h"
#include "scheduler/core/plan.h"
#include "scheduler/sim/audit.h"
#include "tests/support/position_facts.h"

namespace pinka::test {
namespace {

constexpr int64_t kMaxRows = 4000;

LabChange::Tier TierNamed(const std::string& name, int32_t gpus, int32_t cpus, int64_t cents) {
  LabChange::Tier tier;
  tier.row.name = name;
  tier.row.unit_gpus = gpus;
  tier.row.unit_cpus = cpus;
  tier.row.unit_memory = int64_t{8} << 30;
  RateRow rate;
  rate.rate = Rate::MicrosPerUnitHour(cents * 10'000);
  tier.rates.push_back(rate);
  return tier;
}

// Days, nights (23:00 to 08:00) and months around `start`, in UTC+8.
AddPeriods CalendarAround(Timestamp start) {
  AddPeriods command;
  const Duration zone = Duration::Hours(8);
  const int64_t day_us = Duration::Days(1).micros();
  const int64_t day = (start + zone).micros() / day_us;
  for (int64_t d = day - 40; d < day + 130; ++d) {
    command.periods.push_back({Period::kDay, Timestamp::Micros(d * day_us) - zone,
                               Timestamp::Micros((d + 1) * day_us) - zone});
    const Timestamp evening = Timestamp::Micros(d * day_us) - zone + Duration::Hours(23);
    command.periods.push_back({Period::kNight, evening, evening + Duration::Hours(9)});
  }
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  std::chrono::year_month month{date.year(), date.month()};
  for (int n = -2; n < 8; ++n) {
    const auto at = [&](int k) {
      const auto first = month + std::chrono::months{k};
      return At(int{first.year()}, static_cast<int>(unsigned{first.month()}), 1);
    };
    command.periods.push_back({Period::kMonth, at(n), at(n + 1)});
  }
  return command;
}

}  // namespace

Owner OwnerNamed(const State& state, const std::string& name) {
  if (name == "lab") return OwnedByLab();
  if (name.starts_with("project:")) return OwnedBy(state.project_by_name.at(name.substr(8)));
  return OwnedBy(state.member_by_name.at(name));
}

Timestamp At(int year, int month, int day, int hour, int minute, int second) {
  const std::chrono::sys_days date = std::chrono::year{year} /
                                     std::chrono::month{static_cast<unsigned>(month)} /
                                     std::chrono::day{static_cast<unsigned>(day)};
  const int64_t days = date.time_since_epoch().count();
  return Timestamp::Seconds(((days * 24 + hour - 8) * 60 + minute) * 60 + second);
}

ObservedAttempt* FakeAgent::Find(const AttemptId& id) {
  for (ObservedAttempt& seen : report.attempts) {
    if (seen.id == id) return &seen;
  }
  return nullptr;
}

CoreWorld::CoreWorld(Timestamp start) : now(start) {
  core_.emplace(store_.Load());
  Do(FoundLab{"5eed", "admin", Sha256Hex("admin")});
  Do(CalendarAround(start));
  LabChange change;
  change.lab = core_->state().lab;
  change.tiers = {TierNamed("cpu", 0, 1, 20), TierNamed("t4", 1, 4, 200),
                  TierNamed("a100", 1, 8, 1200)};
  for (const char* name : {"alice", "bob", "carol", "王芳"})
    change.members.push_back({name, 1, false});
  Apply(change);
}

Command CoreWorld::Prefetch(const Command& command) const {
  const auto* settle = std::get_if<SettleMonth>(&command);
  if (!settle || !settle->positions.empty()) return command;
  const PeriodRow* month = PeriodAt(state(), Period::kMonth, settle->month);
  if (!month) return command;
  SettleMonth whole = *settle;
  const PositionFacts facts = FactsOf(store_.tables(), month->start_at, month->end_at);
  whole.since = facts.since;
  whole.positions = PositionsOf(facts, settle->month, settle->spread);
  return whole;
}

// Of a submit or a new dependency: what its handler would attach.
bool CoreWorld::AttachParents(const std::vector<JobId>& need, Command* command) const {
  auto* submit = std::get_if<SubmitJobs>(command);
  auto* edit = std::get_if<EditJob>(command);
  if (!submit && !(edit && edit->set_dependency)) return false;
  for (JobId id : need) (submit ? submit->ended : edit->ended).push_back(store_.EndedJobOf(id));
  return true;
}

Reply CoreWorld::Do(const Command& command) {
  const Timestamp before = core_->now();
  Command whole = Prefetch(command);
  Reply reply = core_->Apply(whole, now);
  if (!reply.need.empty() && AttachParents(reply.need, &whole)) reply = core_->Apply(whole, now);
  for (bool more = true; more;) {
    more = core_->Schedule(kMaxRows);
    Commit();
  }
  if (audit) {
    AuditPlan(before);
    for (const std::string& violation : sim::Audit(*core_, store_)) ADD_FAILURE() << violation;
  }
  return reply;
}

// A full recomputation finds nobody whom the plan has forgotten. Between whole minutes the order
// may have moved with time alone; then nothing is said.
void CoreWorld::AuditPlan(Timestamp before) {
  const int64_t minute = Duration::Minutes(1).micros();
  if (before.micros() / minute != core_->now().micros() / minute) planned_at_ = core_->now();
  if (planned_at_ != core_->now()) return;
  for (const auto& [id, tier] : state().tiers.rows()) {
    if (const auto start = NextStart(state(), id))
      ADD_FAILURE() << "the plan has forgotten " << ToString(start->task);
  }
}

void CoreWorld::Commit() {
  const Changes changes = core_->TakeChanges();
  if (!changes.empty()) {
    const auto refused = store_.Commit(store_.batch() + 1, core_->now(), changes);
    if (refused) ADD_FAILURE() << "the store refused: " << *refused;
  }
  Deliver();
}

// Agents do as told: they take what is new, drop what they may forget.
void CoreWorld::Deliver() {
  for (const NodeOrders& orders : core_->TakeOrders()) {
    auto agent = agents_.find(orders.name);
    if (agent == agents_.end()) continue;
    agent->second.orders = orders;
    for (const NodeOrders::Order& order : orders.orders) {
      if (order.attempt.want != Want::kForget) continue;
      std::erase_if(agent->second.report.attempts,
                    [&](const ObservedAttempt& seen) { return seen.id == order.attempt.id; });
    }
  }
}

void CoreWorld::Advance(Duration span) {
  now = now + span;
  Do(Tick{});
}

void CoreWorld::AdvanceTo(Timestamp at) {
  now = at;
  Do(Tick{});
}

void CoreWorld::Reload() { core_.emplace(store_.Load()); }

MemberId CoreWorld::Member(const std::string& name) const {
  return state().member_by_name.at(name);
}
TierId CoreWorld::Tier(const std::string& name) const { return state().tier_by_name.at(name); }
NodeId CoreWorld::Node(const std::string& name) const { return state().node_by_name.at(name); }

Actor CoreWorld::By(const std::string& member) const { return {Member(member), member == "admin"}; }

Reply CoreWorld::Apply(LabChange change) {
  const Reply reply = Do(ApplyLab{Admin(), {}, std::move(change), false});
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  return reply;
}

void CoreWorld::SetRate(const std::string& tier, Rate rate) {
  LabChange change;
  LabChange::Tier wanted;
  wanted.row = state().tiers.Get(Tier(tier));
  RateRow row;
  row.rate = rate;
  wanted.rates.push_back(row);
  change.tiers.push_back(wanted);
  Apply(change);
}

void CoreWorld::AddProject(const std::string& name, std::vector<std::string> members) {
  LabChange change;
  change.projects.push_back({name, std::move(members)});
  Apply(change);
}

LimitId CoreWorld::Limit(LimitResource resource, int64_t amount, const std::string& scope,
                         LimitOf of, Period period, const std::string& tier) {
  LabChange change;
  LabChange::Limit limit;
  limit.row.resource = resource;
  limit.row.of = of;
  limit.row.period = period;
  limit.row.amount = amount;
  limit.scope = scope;
  limit.tier = tier;
  change.limits.push_back(limit);
  Apply(change);
  return state().limits.rows().rbegin()->first;
}

LotId CoreWorld::Deposit(const std::string& to, Money amount, Timestamp until) {
  pinka::Deposit command;
  command.actor = Admin();
  command.to = OwnerNamed(state(), to);
  command.amount = amount;
  command.until = until;
  const Reply reply = Do(command);
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  return LotId(reply.first);
}

BuyPackage CoreWorld::Package(const std::string& tier, int64_t hours, Money price,
                              std::vector<std::pair<std::string, int64_t>> shares) const {
  BuyPackage command;
  command.actor = Admin();
  command.tier = Tier(tier);
  command.total_ms = hours * 3'600'000;
  command.price = price;
  command.ends_at = now + Duration::Days(30);
  command.split = SplitRule::kShares;
  for (const auto& [name, share] : shares)
    command.shares.push_back({name == "lab" ? MemberId() : Member(name), share});
  command.reason = std::string("together");
  return command;
}

PackageId CoreWorld::Buy(const BuyPackage& command) {
  const Reply reply = Do(command);
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  return PackageId(reply.first);
}

const LotRow& CoreWorld::PortionLot(PackageId package, const std::string& owner) const {
  return Lot(Portion(package, owner).lot);
}

const PortionRow& CoreWorld::Portion(PackageId package, const std::string& owner) const {
  const MemberId member = owner == "lab" ? MemberId() : Member(owner);
  return store_.tables().portions.at({package, member});
}

Money CoreWorld::Balance(AccountKind kind, const std::string& owner, AssetId asset) const {
  Money sum;
  for (const auto& [id, row] : store_.tables().transfers) {
    for (const bool in : {true, false}) {
      const AccountRow& account = store_.tables().accounts.at(in ? row.credit : row.debit);
      if (account.kind != kind || account.asset != asset) continue;
      if (account.owner == OwnerNamed(state(), owner)) sum += in ? row.amount : -row.amount;
    }
  }
  return sum;
}

Reply CoreWorld::Close(Timestamp in, bool force) {
  const PeriodRow month = Month(in);
  return Do(CloseMonth{Admin(), {}, month.start_at, month.end_at, force});
}

Reply CoreWorld::Settle(Timestamp in, Spread spread) {
  SettleMonth command;
  command.actor = Admin();
  command.month = Month(in).start_at;
  command.spread = spread;
  return Do(command);
}

Reply CoreWorld::MarkPaid(PaymentId payment, const std::string& ref) {
  return Do(pinka::MarkPaid{Admin(), {}, payment, ref});
}

std::vector<PositionRow> CoreWorld::Positions(Timestamp in, Spread spread) const {
  const PeriodRow& month = Month(in);
  return PositionsOf(FactsOf(store_.tables(), month.start_at, month.end_at), month.start_at,
                     spread);
}

void CoreWorld::AddNode(const std::string& name, const std::string& tier, int32_t units,
                        Source source) {
  pinka::AddNode add;
  add.actor = Admin();
  add.node = name;
  add.tier = Tier(tier);
  add.source = source;
  add.key_hash = Sha256Hex(name + std::to_string(store_.batch()));
  Do(add);
  FakeAgent agent;
  agent.report.node = name;
  agent.report.instance = "instance of " + name;
  agent.report.incarnation = 1;
  agent.report.boot_id = "boot 1";
  NodeFacts& facts = agent.report.facts;
  const TierRow& row = state().tiers.Get(Tier(tier));
  facts.tier = row.id;
  facts.cpus = units * row.unit_cpus;
  facts.memory = units * row.unit_memory;
  for (int32_t i = 0; i < units * row.unit_gpus; ++i)
    facts.gpus.push_back({i, name + "-gpu" + std::to_string(i), tier, 24'000});
  agents_[name] = agent;
  Report(name);
}

JobRequest CoreWorld::Job(const std::string& tier, Duration time, int gpus) const {
  JobRequest request;
  request.tier = Tier(tier);
  request.time_limit = time;
  const bool cards = state().tiers.Get(request.tier).unit_gpus > 0;
  (cards ? request.gpus : request.cpus) = gpus;
  request.payload = {Sha256Hex("true"), "true"};
  request.name = "job";
  return request;
}

Reply CoreWorld::TrySubmit(const std::string& member, JobRequest request, RequestKey key) {
  SubmitJobs command;
  command.actor = By(member);
  command.request = std::move(key);
  command.jobs.push_back(std::move(request));
  return Do(std::move(command));
}

JobId CoreWorld::Submit(const std::string& member, JobRequest request, RequestKey key) {
  const Reply reply = TrySubmit(member, std::move(request), std::move(key));
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  return JobId(reply.first);
}

Reply CoreWorld::Change(const std::string& member, JobVerb verb, JobId job,
                        const std::string& indices) {
  ChangeJobs command;
  command.actor = By(member);
  command.verb = verb;
  command.slices.push_back({job, *RangeSet::Parse(indices)});
  return Do(command);
}

AttemptId CoreWorld::Attempt(JobId job, int32_t index) const {
  return {job, index, store_.tables().tasks.at({job, index}).attempts};
}

FakeAgent& CoreWorld::AgentOf(const AttemptId& id) {
  return agents_.at(store_.tables().nodes.at(store_.tables().attempts.at(id).node).name);
}

void CoreWorld::Begin(JobId job, int32_t index) {
  const AttemptId id = Attempt(job, index);
  FakeAgent& agent = AgentOf(id);
  ObservedAttempt seen;
  seen.id = id;
  agent.report.attempts.push_back(seen);
  Report(agent.report.node);
}

void CoreWorld::Run(JobId job, int32_t index) {
  const AttemptId id = Attempt(job, index);
  FakeAgent& agent = AgentOf(id);
  if (!agent.Find(id)) agent.report.attempts.emplace_back().id = id;
  agent.Find(id)->state = ObservedAttempt::State::kRunning;
  ran_at_[id] = now;
  Report(agent.report.node);
}

void CoreWorld::End(JobId job, EndReason reason, int32_t index, std::optional<int64_t> metered) {
  const AttemptId id = Attempt(job, index);
  FakeAgent& agent = AgentOf(id);
  if (!agent.Find(id)) agent.report.attempts.emplace_back().id = id;
  ObservedAttempt& seen = *agent.Find(id);
  seen.state = ObservedAttempt::State::kEnded;
  seen.end_reason = reason;
  const auto ran = ran_at_.find(id);
  seen.metered_ms = metered ? *metered : ran == ran_at_.end() ? 0 : (now - ran->second).millis();
  Report(agent.report.node);
}

void CoreWorld::Exit(JobId job, int32_t code, int32_t index) {
  const AttemptId id = Attempt(job, index);
  FakeAgent& agent = AgentOf(id);
  if (!agent.Find(id)) agent.report.attempts.emplace_back().id = id;
  agent.Find(id)->exited = true;
  agent.Find(id)->exit_code = code;
  End(job, EndReason::kExited, index);
}

Reply CoreWorld::Report(const std::string& node) {
  const AgentReport report = agents_.at(node).report;
  return Do(report);
}

TaskState CoreWorld::StateOf(JobId job, int32_t index) const {
  const auto& t = store_.tables();
  if (auto row = t.tasks.find({job, index}); row != t.tasks.end()) return row->second.state;
  const JobRow& r = t.jobs.at(job);
  const auto ordinals =
      r.array.empty() ? std::vector<int32_t>{0} : ParseArraySpec(r.array, 1'000'000)->indices;
  const auto at = std::find(ordinals.begin(), ordinals.end(), index);
  const int32_t ordinal = static_cast<int32_t>(at - ordinals.begin());
  if (r.pending.Contains(ordinal)) return TaskState::kPending;
  if (r.expired.Contains(ordinal)) return TaskState::kDeadline;
  return r.held.Contains(ordinal) ? TaskState::kHeld : TaskState::kCancelled;
}

const AttemptRow& CoreWorld::AttemptOf(JobId job, int32_t index) const {
  return store_.tables().attempts.at(Attempt(job, index));
}

const HoldRow& CoreWorld::HoldOf(JobId job, int32_t index) const {
  return store_.tables().holds.at(Attempt(job, index));
}

Money CoreWorld::Available(const std::string& owner) const {
  const Owner wanted = OwnerNamed(state(), owner);
  Money sum;
  for (const auto& [id, lot] : store_.tables().lots) {
    if (lot.owner == wanted && lot.asset == kCurrency)
      sum += lot.credited - lot.posted - lot.held + lot.credit_limit;
  }
  return sum;
}

int32_t CoreWorld::Running() const {
  int32_t n = 0;
  for (const auto& [id, row] : store_.tables().attempts) n += row.ended_at ? 0 : 1;
  return n;
}

std::vector<TransferRow> CoreWorld::Transfers(TransferKind kind) const {
  std::vector<TransferRow> rows;
  for (const auto& [id, row] : store_.tables().transfers) {
    if (row.kind == kind) rows.push_back(row);
  }
  return rows;
}

Reason CoreWorld::WhyWaits(JobId job) const { return Explain(state(), job).reason; }

}  // namespace pinka::test
