#include "scheduler/sim/replay.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "base/check.h"
#include "base/hash.h"
#include "fmt/format.h"
#include "scheduler/sim/rentals.h"

namespace pinka::sim {
namespace {

constexpr int64_t kRows = 4'000;                    // of a batch
constexpr Duration kPatience = Duration::Days(40);  // while nothing happens but time
const std::string kAdmin = "(simulate)";

// The first whole multiple of `pass` that is not before `at`.
Timestamp PassAt(Timestamp at, Duration pass) {
  const int64_t span = pass.micros();
  return Timestamp::Micros((at.micros() + span - 1) / span * span);
}

struct EndAt {
  Timestamp at;
  size_t run = 0;
  EndReason reason = EndReason::kExited;  // kNone: a checkpoint
  friend bool operator>(const EndAt& a, const EndAt& b) {
    return std::tuple(a.at, a.run, a.reason) > std::tuple(b.at, b.run, b.reason);
  }
};

bool IsOverhead(AccountKind kind) {
  return kind == AccountKind::kOverheadStart || kind == AccountKind::kOverheadNode ||
         kind == AccountKind::kOverheadOverrun || kind == AccountKind::kOverheadOther ||
         kind == AccountKind::kOverheadLapsed;
}

bool IsIdle(AccountKind kind) {
  return kind == AccountKind::kIdle || kind == AccountKind::kRounding || kind == AccountKind::kDisk;
}

Snapshot Nothing(Timestamp start) {
  Snapshot snapshot;
  snapshot.now = start;
  return snapshot;
}

}  // namespace

class Replay::Impl {
 public:
  explicit Impl(const ReplayInput& input)
      : input_(input),
        core_(Nothing(input.start), input.policy),
        nodes_(input.checkpoint_every, input.restart),
        now_(input.start) {
    result_.start = input.start;
    result_.end = input.start;
    Found();
    AddNodes();
    AddSpotNodes();
    for (const PeriodRow& period : input.calendar) {
      if (period.kind == Period::kMonth && period.start_at > input.start)
        months_.push_back(period.start_at);
    }
    std::ranges::sort(months_);
    Settle();
    progress_at_ = now_;
  }

  bool Step() {
    const Timestamp next = Next();
    if (next == Timestamp::Never()) return false;
    now_ = next;
    bool happened = false;
    if (next_month_ < months_.size() && months_[next_month_] == now_) {
      ++next_month_;
      Apply(nodes_.Meters(now_));
    }
    happened |= EndRuns();
    happened |= ChangeSpot();
    happened |= Submit();
    ++result_.events;
    Apply(Tick{});
    Settle();
    if (!turned_.empty()) {
      for (const Command& turn : TurnsOfRentals(core_.state(), Admin(), turned_)) Apply(turn);
      turned_.clear();
      Settle();
    }
    if (happened || nodes_.running() > 0) progress_at_ = now_;
    return true;
  }

  int64_t over() const { return over_; }
  ReplayResult Finish();

 private:
  Reply Apply(const Command& command) { return core_.Apply(command, now_); }
  Reply MustApply(const Command& command) {
    Reply reply = Apply(command);
    PINKA_CHECK(reply.reason == Reason::kOk, reply.detail.c_str());
    return reply;
  }
  Actor Admin() const { return {admin_, true}; }

  void Found();
  void AddNodes();
  void AddSpotNodes();
  int32_t AddNode(const std::string& name, const std::string& tier, int32_t units, Source source);
  Timestamp Next() const;
  bool EndRuns();
  void TakeNode(int32_t node);
  void ReturnNode(int32_t node);
  bool ChangeSpot();
  bool Submit();
  void SubmitOne(size_t index);
  TierId Choose(const ReplayJob& job) const;
  void Begin(size_t run);
  void CloseEnded();
  void Settle();
  void Absorb(const Changes& changes);
  void AbsorbMoney(const Changes& changes);
  void Release(JobId job);

  const ReplayInput& input_;
  Core core_;
  LeanNodes nodes_;
  Timestamp now_;
  Timestamp progress_at_;
  MemberId admin_;
  ReplayResult result_;
  std::vector<Timestamp> months_;
  size_t next_month_ = 0;
  int32_t nodes_count_ = 0;
  size_t next_job_ = 0;
  size_t next_spot_ = 0;
  int64_t over_ = 0;
  std::vector<std::vector<int32_t>> zone_nodes_;
  std::priority_queue<EndAt, std::vector<EndAt>, std::greater<>> ends_;
  std::vector<int32_t> job_by_id_;   // JobId -> index
  std::vector<size_t> open_runs_;    // not seen to have ended
  std::map<TierId, int64_t> load_;   // units of jobs that have not ended
  std::map<TierId, int64_t> units_;  // of machines that are up
  std::vector<JobId> held_;
  std::map<std::string, bool> turned_;  // machines that went away, or came back
  std::map<AccountId, AccountKind> kinds_;
};

void Replay::Impl::Found() {
  FoundLab found;
  found.run = "simulation";
  found.admin = kAdmin;
  found.token_hash = Sha256Hex(kAdmin);
  admin_ = MemberId(MustApply(found).first);
  MustApply(AddPeriods{input_.calendar});
  ApplyLab apply;
  apply.actor = Admin();
  apply.change = input_.lab;
  apply.change.members.push_back({kAdmin, 0, true});  // has no part in what is shared
  MustApply(apply);
  if (input_.pot > Money()) {
    Deposit deposit;
    deposit.actor = Admin();
    deposit.amount = input_.pot;
    MustApply(deposit);
  }
  for (size_t i = 0; i < input_.packages.size(); ++i) {
    BuyPackage buy = input_.packages[i];
    buy.actor = Admin();
    buy.tier = core_.state().tier_by_name.at(input_.package_tiers[i]);
    for (const auto& [id, row] : core_.state().members.rows()) {
      if (id != admin_ && input_.packages[i].shares.empty()) buy.shares.push_back({id, 1});
    }
    MustApply(buy);
  }
  for (const auto& [id, row] : core_.state().members.rows()) {
    if (id != admin_) result_.members[id] = {row.name, row.share};
  }
  for (const auto& [id, row] : core_.state().tiers.rows()) result_.tiers[id] = row.name;
}

int32_t Replay::Impl::AddNode(const std::string& name, const std::string& tier, int32_t units,
                              Source source) {
  const TierRow& row = core_.state().tiers.Get(core_.state().tier_by_name.at(tier));
  pinka::AddNode add;
  add.actor = Admin();
  add.node = name;
  add.tier = row.id;
  add.source = source;
  add.key_hash = Sha256Hex(name);
  MustApply(add);
  NodeFacts facts;
  facts.tier = row.id;
  facts.units = units;
  facts.cpus = units * row.unit_cpus;
  facts.memory = units * row.unit_memory;
  facts.simulated = true;
  for (int32_t i = 0; i < units * row.unit_gpus; ++i)
    facts.gpus.push_back({i, fmt::format("{}.{}", name, i), tier, 0});
  const int32_t node = nodes_.Add(name, facts);
  result_.capacity.push_back({now_, row.id, units});
  units_[row.id] += units;
  return node;
}

void Replay::Impl::AddNodes() {
  for (const NodeGroup& group : input_.nodes) {
    for (int32_t i = 0; i < group.nodes; ++i) {
      const std::string name = fmt::format("{}-{}", group.tier, nodes_count_++);
      AddNode(name, group.tier, group.units, group.source);
    }
  }
}

// They exist from the start; those that the file does not have up then are away.
void Replay::Impl::AddSpotNodes() {
  for (size_t zone = 0; zone < input_.spot.zones.size(); ++zone) {
    std::vector<int32_t>& nodes = zone_nodes_.emplace_back();
    for (int32_t i = 0; i < input_.spot.most[zone]; ++i) {
      const std::string name = fmt::format("spot{}-{}", zone, i);
      nodes.push_back(AddNode(name, input_.spot_tier, input_.spot_units, Source::kSpot));
    }
  }
  if (!zone_nodes_.empty()) {
    Settle();
    for (const auto& nodes : zone_nodes_) {
      for (const int32_t node : nodes) TakeNode(node);
    }
    ChangeSpot();
  }
}

Timestamp Replay::Impl::Next() const {
  Timestamp next = Timestamp::Never();
  if (next_job_ < input_.jobs.size()) next = input_.start + input_.jobs[next_job_].submit;
  if (!ends_.empty()) next = std::min(next, ends_.top().at);
  const bool all_over = next == Timestamp::Never() && over_ == static_cast<int64_t>(next_job_);
  if (all_over) return next;
  if (next_spot_ < input_.spot.changes.size()) {
    next = std::min(next, input_.start + Duration::Millis(input_.spot.changes[next_spot_].at_ms));
  }
  if (next_month_ < months_.size()) next = std::min(next, months_[next_month_]);
  const Timestamp wake = core_.NextWakeup();
  if (wake != Timestamp::Never()) {
    const Timestamp due = std::max(wake, now_ + Duration::Micros(1));
    next = std::min(next, PassAt(due, input_.pass));
  }
  const bool only_time = next_job_ == input_.jobs.size() && nodes_.running() == 0;
  return only_time && next > progress_at_ + kPatience ? Timestamp::Never() : next;
}

bool Replay::Impl::EndRuns() {
  bool any = false;
  while (!ends_.empty() && ends_.top().at <= now_) {
    const EndAt end = ends_.top();
    ends_.pop();
    const Run& run = nodes_.runs()[end.run];
    if (run.to) continue;
    if (end.reason == EndReason::kNone) {
      nodes_.Checkpoint(end.run, now_);
      ends_.push({now_ + input_.checkpoint_every, end.run, end.reason});
      continue;
    }
    const bool failed =
        end.reason == EndReason::kExited && input_.jobs[static_cast<size_t>(run.job)].failed;
    nodes_.Finish(end.run, end.reason, failed, now_);
    any = true;
  }
  return any;
}

void Replay::Impl::TakeNode(int32_t node) {
  if (!nodes_.up(node)) return;
  nodes_.Take(node, now_);
  turned_[nodes_.name(node)] = false;
  result_.capacity.push_back({now_, nodes_.tier(node), -nodes_.units(node)});
  units_[nodes_.tier(node)] -= nodes_.units(node);
}

void Replay::Impl::ReturnNode(int32_t node) {
  if (nodes_.up(node)) return;
  nodes_.Return(node);
  turned_[nodes_.name(node)] = true;
  result_.capacity.push_back({now_, nodes_.tier(node), nodes_.units(node)});
  units_[nodes_.tier(node)] += nodes_.units(node);
}

bool Replay::Impl::ChangeSpot() {
  bool any = false;
  for (; next_spot_ < input_.spot.changes.size(); ++next_spot_) {
    const SpotChange& change = input_.spot.changes[next_spot_];
    if (input_.start + Duration::Millis(change.at_ms) > now_) break;
    const std::vector<int32_t>& nodes = zone_nodes_[static_cast<size_t>(change.zone)];
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (i < static_cast<size_t>(change.up)) {
        ReturnNode(nodes[i]);
      } else {
        TakeNode(nodes[i]);
      }
    }
    any = true;
    ++result_.events;
  }
  return any;
}

bool Replay::Impl::Submit() {
  bool any = false;
  while (next_job_ < input_.jobs.size() && input_.start + input_.jobs[next_job_].submit <= now_) {
    SubmitOne(next_job_++);
    any = true;
    ++result_.events;
  }
  return any;
}

// Of several tiers the one with room, as they are written; else the one with least work to its
// units.
TierId Replay::Impl::Choose(const ReplayJob& job) const {
  TierId best;
  int64_t best_load = 0;
  int64_t best_units = 1;
  for (const std::string& name : job.tiers) {
    const TierId tier = core_.state().tier_by_name.at(name);
    if (job.tiers.size() == 1) return tier;
    const auto load = load_.find(tier);
    const auto room = units_.find(tier);
    const int64_t units = std::max<int64_t>(room == units_.end() ? 0 : room->second, 1);
    const int64_t after = (load == load_.end() ? 0 : load->second) + job.units;
    if (after <= units) return tier;
    if (best && after * best_units >= best_load * units) continue;
    best = tier;
    best_load = after;
    best_units = units;
  }
  return best;
}

void Replay::Impl::SubmitOne(size_t index) {
  const ReplayJob& job = input_.jobs[index];
  JobResult& result = result_.jobs.emplace_back();
  result.submitted_at = now_;
  result.member = core_.state().member_by_name.at(job.user);
  result.tier = Choose(job);
  if (job.deadline > Duration()) result.deadline = input_.start + job.deadline;
  SubmitJobs submit;
  submit.actor = {result.member, false};
  JobRequest& request = submit.jobs.emplace_back();
  request.tier = result.tier;
  request.deadline = result.deadline;
  if (result.tier) {
    const TierRow& tier = core_.state().tiers.Get(result.tier);
    (tier.unit_gpus > 0 ? request.gpus : request.cpus) =
        tier.unit_gpus > 0 ? job.units : job.units * tier.unit_cpus;
  }
  request.time_limit = job.limit;
  request.payload = {"simulated", ""};
  const Reply reply = Apply(submit);
  result.refused = reply.reason;
  if (reply.reason != Reason::kOk) {
    ++result_.refused[std::string(Name(reply.reason))];
    ++over_;
    return;
  }
  result.id = JobId(reply.first);
  result.units = core_.state().jobs.Get(result.id).units;
  load_[result.tier] += result.units;
  job_by_id_.resize(static_cast<size_t>(reply.first) + 1, -1);
  job_by_id_[static_cast<size_t>(reply.first)] = static_cast<int32_t>(index);
}

void Replay::Impl::Begin(size_t index) {
  Run& run = nodes_.runs()[index];
  run.job = job_by_id_[static_cast<size_t>(run.attempt.job.value())];
  JobResult& result = result_.jobs[static_cast<size_t>(run.job)];
  const ReplayJob& job = input_.jobs[static_cast<size_t>(run.job)];
  if (!result.started_at) result.started_at = now_;
  const Duration left = job.work - result.done + run.warm;
  const bool cut = left > job.limit;
  ends_.push(
      {now_ + (cut ? job.limit : left), index, cut ? EndReason::kTimeLimit : EndReason::kExited});
  // Core is told of checkpoints where it decides by them.
  if (result.deadline && input_.checkpoint_every > Duration())
    ends_.push({now_ + run.warm + input_.checkpoint_every, index, EndReason::kNone});
  open_runs_.push_back(index);
  ++result_.events;
}

// Books what has ended since the last time.
void Replay::Impl::CloseEnded() {
  std::erase_if(open_runs_, [this](size_t index) {
    const Run& run = nodes_.runs()[index];
    if (!run.to) return false;
    JobResult& job = result_.jobs[static_cast<size_t>(run.job)];
    job.served = job.served + (run.to - run.from);
    job.done = job.done + (run.end == EndReason::kExited ? run.to - run.from - run.warm : run.kept);
    result_.end = std::max(result_.end, run.to);
    ++result_.events;
    return true;
  });
}

// Machines and core talk until neither has news.
void Replay::Impl::Settle() {
  for (;;) {
    for (const AgentReport& report : nodes_.TakeReports()) MustApply(report);
    CloseEnded();
    for (bool more = true; more;) {
      more = core_.Schedule(kRows);
      const Changes changes = core_.TakeChanges();
      Absorb(changes);
      input_.on_batch(core_, changes);
    }
    const std::vector<NodeOrders> orders = core_.TakeOrders();
    const std::vector<JobId> held = std::exchange(held_, {});
    for (JobId job : held) Release(job);
    if (orders.empty() && held.empty()) return;
    for (const NodeOrders& node : orders) {
      for (size_t run : nodes_.Hear(node, now_)) Begin(run);
    }
  }
}

void Replay::Impl::Absorb(const Changes& changes) {
  AbsorbMoney(changes);
  for (const JobRow& row : changes.jobs) {
    JobResult& job =
        result_.jobs[static_cast<size_t>(job_by_id_[static_cast<size_t>(row.id.value())])];
    if (row.state == TaskState::kHeld) held_.push_back(row.id);
    if (IsTerminal(row.state) && !IsTerminal(job.state)) {
      job.ended_at = row.ended_at;
      load_[row.tier] -= row.units;
      ++over_;
    }
    job.state = row.state;
  }
}

void Replay::Impl::AbsorbMoney(const Changes& changes) {
  for (const AccountRow& row : changes.accounts) kinds_[row.id] = row.kind;
  const auto add = [this](AccountId account, const TransferRow& row, Money amount) {
    const auto kind = kinds_.find(account);
    if (kind == kinds_.end()) return;
    if (kind->second == AccountKind::kSpent) result_.spent[row.source] += amount;
    if (IsOverhead(kind->second)) result_.overhead += amount;
    if (IsIdle(kind->second)) result_.idle += amount;
  };
  for (const TransferRow& row : changes.transfers) {
    if (row.asset != kCurrency) continue;
    add(row.credit, row, row.amount);
    add(row.debit, row, -row.amount);
  }
}

// Taken back too often by its providers; its member lets it go on.
void Replay::Impl::Release(JobId job) {
  ChangeJobs release;
  release.actor = Admin();
  release.verb = JobVerb::kRelease;
  release.slices.push_back({job, {}});
  Apply(release);
}

ReplayResult Replay::Impl::Finish() {
  for (const Command& end : EndsOfRentals(core_.state(), Admin())) MustApply(end);
  Settle();
  for (Run& run : nodes_.runs()) {
    if (!run.to) run.to = now_;
  }
  result_.runs = std::move(nodes_.runs());
  result_.digest = core_.Digest();
  return std::move(result_);
}

Replay::Replay(const ReplayInput& input) : impl_(std::make_unique<Impl>(input)) {}
Replay::~Replay() = default;
bool Replay::Step() { return impl_->Step(); }
int64_t Replay::over() const { return impl_->over(); }
ReplayResult Replay::Finish() { return impl_->Finish(); }

ReplayResult RunReplay(const ReplayInput& input) {
  Replay replay(input);
  while (replay.Step()) {
  }
  return replay.Finish();
}

}  // namespace pinka::sim
