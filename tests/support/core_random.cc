#include "tests/support/core_random.h"

#include <algorithm>
#include <iterator>

#include "base/hash.h"

namespace pinka::test {

Duration RandomCommands::NextPause() {
  if (Chance(40)) return {};
  if (Chance(60)) return Duration::Millis(Between(1, 60'000));
  if (Chance(70)) return Duration::Seconds(Between(60, 3'600));
  if (Chance(85)) return Duration::Minutes(Between(60, 1'440));
  return Duration::Hours(Between(24, 24 * 20));
}

Actor RandomCommands::AnyActor(const State& state) {
  const MemberRow* member = Any(state.members.rows());
  if (!member) return {};
  return {member->id, member->admin};
}

RequestKey RandomCommands::AnyKey() {
  if (Chance(70)) return {};
  return {"key-" + std::to_string(Between(0, 200)), "hash-" + std::to_string(Between(0, 2))};
}

Command RandomCommands::Next(const State& state, const sim::FakeStore& store) {
  const uint64_t n = random_.Below(100);
  if (n < 22) return Submit(state);
  if (n < 32) return Change(state);
  if (n < 35) return Edit(state);
  if (n < 41) return Chance(35) ? Package(state) : Money(state);
  if (n < 44) return Apply(state);
  if (n < 46) return People(state);
  if (n < 50) return Chance(15) ? Rental(state) : Node(state);
  if (n < 54) return Meters(state);
  if (n < 57) return Silence(state);
  if (n < 58) return Chance(30) ? Command(Tick{}) : Chance(20) ? Bill(state) : Month(state);
  if (n < 61) return Amend(state, store);
  return Report(state);
}

// Mostly of jobs that were there once; some in rings, some of nobody, some with refs.
std::string RandomCommands::AnyDependency(const State& state) {
  const char* types[] = {"after", "afterany", "afterok", "afternotok", "aftercorr"};
  const bool any = Chance(30);
  std::string text;
  for (int64_t n = Between(1, 3); n > 0; --n) {
    if (!text.empty()) text += any ? "?" : ",";
    if (Chance(15)) {
      text += "singleton";
      continue;
    }
    const JobRow* job = Any(state.jobs.rows());
    const int64_t id = job && Chance(70) ? job->id.value() : Between(1, state.lab.next_job);
    text += std::string(types[random_.Below(5)]) + ":";
    text += Chance(10) ? "@r" + std::to_string(Between(0, 2)) : std::to_string(id);
    if (text.ends_with("after:" + std::to_string(id)) && Chance(50)) text += "+45m";
  }
  return text;
}

void RandomCommands::AnyTimes(const State& state, JobRequest* job) {
  if (Chance(30)) job->dependency = AnyDependency(state);
  job->keep_invalid = Chance(25);
  if (Chance(10)) job->begin_at = state.now + Duration::Minutes(Between(-10, 900));
  job->night = Chance(7);
  if (Chance(12)) job->deadline = state.now + Duration::Minutes(Between(0, 2'000));
  job->name = "name" + std::to_string(Between(0, 3));
}

JobRequest RandomCommands::AnyJob(const State& state) {
  JobRequest job;
  const TierRow* tier = Any(state.tiers.rows());
  job.tier = tier ? tier->id : TierId(99);
  const ProjectRow* project = Any(state.projects.rows());
  if (project && Chance(30)) job.project = project->id;
  job.gpus = static_cast<int32_t>(Between(0, 2));
  job.cpus = static_cast<int32_t>(Chance(30) ? Between(1, 12) : 0);
  job.time_limit = Chance(20) ? Duration() : Duration::Minutes(Between(1, 600));
  if (Chance(30)) job.source = static_cast<Wish>(Between(0, 5));
  job.klass = static_cast<JobClass>(Between(0, 2));
  job.nice = static_cast<int32_t>(Between(-20, 100));
  job.retries = static_cast<int32_t>(Between(0, 2));
  job.no_requeue = Chance(10);
  if (Chance(20)) job.requeue_exit = {1, 7};
  if (Chance(35)) {
    const char* specs[] = {"0-9", "1,5,9", "0-20:4%2", "3", "7-8%1", "0-99%3"};
    job.array = specs[random_.Below(std::size(specs))];
  }
  const std::string bytes = "payload " + std::to_string(Between(0, 5));
  job.payload = {Sha256Hex(bytes), bytes};
  AnyTimes(state, &job);
  return job;
}

Command RandomCommands::Submit(const State& state) {
  SubmitJobs command;
  command.actor = AnyActor(state);
  command.request = AnyKey();
  for (int64_t n = Chance(80) ? 1 : Between(0, 3); n > 0; --n)
    command.jobs.push_back(AnyJob(state));
  for (size_t n = 0; n < command.jobs.size(); ++n) command.jobs[n].ref = "r" + std::to_string(n);
  return command;
}

Command RandomCommands::Change(const State& state) {
  ChangeJobs command;
  command.actor = AnyActor(state);
  command.request = AnyKey();
  command.verb = static_cast<JobVerb>(Between(0, 3));
  for (int64_t n = Between(1, 2); n > 0; --n) {
    const JobRow* job = Any(state.jobs.rows());
    Slice slice{job ? job->id : JobId(Between(1, 20)), {}};
    if (Chance(40)) slice.indices = RangeSet::Of(0, static_cast<int32_t>(Between(1, 10)));
    if (job && Chance(60)) command.actor = {job->member, false};
    if (!job && Chance(80)) {
      EndedJob& ended = command.ended.emplace_back();
      ended.id = slice.job;
      ended.member = command.actor.member;
    }
    command.slices.push_back(slice);
  }
  return command;
}

Command RandomCommands::Edit(const State& state) {
  EditJob command;
  const JobRow* job = Any(state.jobs.rows());
  command.actor = AnyActor(state);
  command.job = job ? job->id : JobId(1);
  if (job && Chance(50)) command.actor = {job->member, true};
  command.set_time = Chance(70);
  command.time_limit = Duration::Minutes(Between(0, 900));
  command.set_text = Chance(50);
  command.text.name = "name" + std::to_string(Between(0, 3));
  command.set_dependency = Chance(30);
  if (Chance(80)) command.dependency = AnyDependency(state);
  const TierRow* tier = Any(state.tiers.rows());
  if (tier && Chance(20)) command.tier = tier->id;
  return command;
}

Owner RandomCommands::AnyOwner(const State& state) {
  const MemberRow* member = Any(state.members.rows());
  const ProjectRow* project = Any(state.projects.rows());
  if (Chance(60) && member) return OwnedBy(member->id);
  if (Chance(30) && project) return OwnedBy(project->id);
  return OwnedByLab();
}

// Entries of every kind, in every state: what is not to be changed is refused.
Command RandomCommands::Amend(const State& state, const sim::FakeStore& store) {
  const TransferRow* entry = Any(store.tables().transfers);
  Actor actor = AnyActor(state);
  if (Chance(90)) actor.admin = true;
  RequestKey key = {"verb-" + std::to_string(Between(0, 400)), "hash"};
  const int64_t most = entry ? entry->amount.micros() : 1'000;
  const int64_t micros = Chance(30) ? most : Between(0, Chance(10) ? 2 * most : most);
  if (Chance(60)) {
    const bool whole = entry && Chance(40);
    Refund refund{
        actor,  key, entry ? entry->id : TransferId(7), "an entry", pinka::Money::Micros(micros),
        "slow", {}};
    if (whole) refund.entry = {};
    refund.all = Chance(8);
    if (!refund.all && entry && entry->asset != kCurrency) refund.unit_ms = micros;
    if (refund.all || refund.unit_ms != 0) refund.amount = {};
    AttemptId attempt = entry ? entry->attempt : AttemptId();
    if (Chance(50)) attempt.number = 0;
    refund.entries = whole ? store.ChargesOf(attempt) : store.EntryNamed(refund.entry);
    return refund;
  }
  Correct correct{actor,
                  key,
                  entry ? entry->id : TransferId(7),
                  pinka::Money::Micros(Chance(50) ? micros : -micros),
                  "wrong",
                  {}};
  correct.entries = store.EntryNamed(correct.entry);
  return correct;
}

Command RandomCommands::Money(const State& state) {
  const Owner owner = AnyOwner(state);
  Actor actor = AnyActor(state);
  if (Chance(80)) actor.admin = true;
  const pinka::Money amount = pinka::Money::Micros(Between(0, 120'000'000));
  if (Chance(25)) return Withdraw{actor, AnyKey(), owner, amount, "out"};
  if (Chance(20)) {
    const RequestKey key = {"verb-" + std::to_string(Between(0, 400)), "hash"};
    return Transfer{actor, key, owner, AnyOwner(state), amount, "over"};
  }
  Deposit deposit;
  deposit.actor = actor;
  deposit.request = AnyKey();
  deposit.to = owner;
  deposit.amount = amount;
  if (Chance(50)) deposit.until = state.now + Duration::Minutes(Between(0, 3 * 1'440));
  const TierRow* tier = Any(state.tiers.rows());
  if (tier && Chance(20)) deposit.tier = tier->id;
  if (Chance(40)) deposit.from = AnyActor(state).member;
  return deposit;
}

Command RandomCommands::Package(const State& state) {
  const Actor actor{AnyActor(state).member, Chance(90)};
  if (Chance(20)) {
    const PackageRow* open = Any(state.packages.rows());
    return ClosePackage{actor, AnyKey(), open ? open->id : PackageId(99), "no use for it"};
  }
  BuyPackage buy;
  buy.actor = actor;
  buy.request = AnyKey();
  const TierRow* tier = Any(state.tiers.rows());
  buy.tier = tier ? tier->id : TierId(99);
  buy.total_ms = Between(1, 40 * 3'600'000);
  buy.price = pinka::Money::Micros(Between(1, 50'000) * 10'000);
  if (const MemberRow* payer = Any(state.members.rows()); payer && Chance(50))
    buy.payer = payer->id;
  if (Chance(20)) buy.starts_at = state.now + Duration::Minutes(Between(-60, 300));
  buy.ends_at = state.now + Duration::Minutes(Between(0, 4 * 1'440));
  if (Chance(20)) {
    buy.kind = PackageKind::kCapacity;
    buy.units = static_cast<int32_t>(Between(0, 3));
    if (Chance(90)) buy.total_ms = 0;
  }
  buy.split = static_cast<SplitRule>(Between(0, 2));
  for (const auto& [id, member] : state.members.rows()) {
    if (Chance(60)) buy.shares.push_back({id, Between(0, 3)});
    if (buy.split == SplitRule::kEqual && Chance(90) && !buy.shares.empty())
      buy.shares.back().share = 1;
  }
  if (Chance(30)) buy.shares.push_back({MemberId(), Between(1, 2)});
  buy.borrow = static_cast<BorrowRule>(Between(0, 2));
  if (buy.borrow == BorrowRule::kLimit) buy.borrow_ms = Between(0, 8 * 3'600'000);
  buy.lapse_to = static_cast<LapseTo>(Between(0, 1));
  buy.reason = "together";
  return buy;
}

// The next month to close, mostly; positions come later.
Command RandomCommands::Month(const State& state) {
  const Actor actor{AnyActor(state).member, Chance(95)};
  if (Chance(40)) {
    const PaymentRow* payment = Any(state.payments.rows());
    return MarkPaid{actor, AnyKey(), payment ? payment->id : PaymentId(99),
                    Chance(95) ? "bank" : " "};
  }
  if (Chance(40)) {
    SettleMonth settle;
    settle.actor = actor;
    settle.request = AnyKey();
    settle.spread = static_cast<Spread>(Between(0, 2));
    const MonthRow* closed = Any(state.closed_months.rows());
    if (Chance(80) && closed)
      settle.month = closed->start_at;
    else if (!state.months.empty())
      settle.month = state.months[random_.Below(state.months.size())].start_at;
    return settle;
  }
  CloseMonth close{actor, AnyKey(), {}, {}, Chance(50)};
  const PeriodRow* now = PeriodAt(state, Period::kMonth, state.now);
  const Timestamp open = ClosedUntil(state);
  const Timestamp in = open && Chance(80) ? open : now ? now->start_at - Duration::Days(1) : open;
  if (const PeriodRow* month = PeriodAt(state, Period::kMonth, in)) {
    close.start_at = month->start_at;
    close.end_at = month->end_at;
  }
  return close;
}

BillingRow RandomCommands::Billing() {
  BillingRow row;
  row.source = Chance(70) ? Source::kOnDemand : Source::kSpot;
  row.provider = Chance(50) ? "aliyun" : "provider";
  row.rule.rate = Rate::MicrosPerUnitHour(Between(0, 30'000'000));
  row.rule.minimum = Duration::Seconds(Between(0, 7'200));
  row.rule.block = Duration::Seconds(Chance(50) ? 1 : Between(1, 7'200));
  row.rule.rounding = static_cast<Rounding>(Between(0, 1));
  row.rule.round_at = static_cast<RoundAt>(Between(0, 1));
  row.rule.round_to = pinka::Money::Micros(Chance(50) ? 1 : Between(1, 100'000));
  if (Chance(40)) row.rule.cut = Duration::Minutes(Between(1, 600));
  row.rule.cut_offset = Duration::Hours(Between(-8, 8));
  row.rule.disk = Rate::MicrosPerUnitHour(Between(0, 1'000));
  row.rule.egress = pinka::Money::Micros(Between(0, 2'000'000));
  row.rule.stopped_rate = Rate::MicrosPerUnitHour(Between(0, 2'000'000));
  return row;
}

Command RandomCommands::Rental(const State& state) {
  const Actor actor{AnyActor(state).member, Chance(95)};
  const Timestamp at = Chance(60) ? Timestamp() : state.now - Duration::Minutes(Between(-5, 3'000));
  if (Chance(50)) {
    const RentalRow* rental = Any(state.rentals.rows());
    return CloseRental{actor,     AnyKey(), rental ? rental->id : RentalId(99),
                       at,        "off",    Chance(30) ? Between(-1, 5'000'000'000) : 0,
                       Chance(30)};
  }
  return OpenRental{actor, AnyKey(),         "n" + std::to_string(Between(1, 4)),
                    "i-1", Between(-1, 300), at};
}

// A bill of machines that nobody knows, or what one of its lines was.
Command RandomCommands::Bill(const State& state) {
  const Actor actor{AnyActor(state).member, Chance(95)};
  const InvoiceLineRow* line = Any(state.invoice_lines.rows());
  if (line && Chance(60)) {
    ExplainLine explain{actor, AnyKey(), line->invoice, line->n, AccountKind::kIdle,
                        {},    {},       "seen"};
    if (Chance(30)) {
      explain.as = AccountKind::kSpent;
      explain.member = AnyActor(state).member;
    }
    if (Chance(50)) explain.amount = pinka::Money::Micros(line->unknown.micros() / 2);
    return explain;
  }
  ImportInvoice bill;
  bill.actor = actor;
  bill.request = AnyKey();
  bill.dry_run = Chance(10);
  bill.invoice.provider = "aliyun";
  bill.invoice.ref = std::to_string(Between(1, 40));
  if (Chance(70)) bill.invoice.payer = AnyActor(state).member;
  for (int64_t n = Between(1, 5); n > 0; --n) {
    InvoiceLineRow row;
    row.n = static_cast<int32_t>(bill.lines.size()) + 1;
    row.kind = static_cast<InvoiceLineKind>(Between(0, 4));
    row.instance = Chance(50) ? "i-1" : "";
    row.starts_at = state.now - Duration::Days(Between(0, 40));
    row.ends_at = row.starts_at + Duration::Hours(Between(0, 24));
    row.amount = pinka::Money::Micros(Between(-2'000'000, 20'000'000));
    if (row.kind == InvoiceLineKind::kVoucher) row.amount = -row.amount;
    bill.invoice.total += row.amount;
    bill.lines.push_back(row);
  }
  return bill;
}

Command RandomCommands::Apply(const State& state) {
  ApplyLab command;
  command.actor = {AnyActor(state).member, Chance(90)};
  command.dry_run = Chance(15);
  LabChange& change = command.change;
  if (Chance(30)) {
    change.set_lab = true;
    change.lab = state.lab;
    change.lab.half_life_h = static_cast<int32_t>(Between(0, 400));
  }
  if (const TierRow* tier = Any(state.tiers.rows()); tier && Chance(40)) {
    LabChange::Tier wanted;
    wanted.row = *tier;
    wanted.row.id = {};
    if (Chance(20)) wanted.row.unit_gpus *= static_cast<int32_t>(Between(1, 5));
    if (Chance(20)) wanted.row.unit_cpus = static_cast<int32_t>(Between(1, 9));
    RateRow rate;
    rate.rate = Rate::MicrosPerUnitHour(Chance(10) ? 0 : Between(1, 20'000'000));
    wanted.rates.push_back(rate);
    if (Chance(50)) wanted.billing.push_back(Billing());
    change.tiers.push_back(wanted);
  }
  if (Chance(40)) {
    const char* names[] = {"alice", "bob", "carol", "王芳", "dave"};
    change.members.push_back({names[random_.Below(5)], Between(0, 3), false});
  }
  if (Chance(30)) change.projects.push_back({"nlp", {"alice", "bob"}});
  if (Chance(50)) {
    LabChange::Limit limit;
    limit.row.resource = static_cast<LimitResource>(Between(0, 3));
    limit.row.of = static_cast<LimitOf>(Between(0, 1));
    limit.row.period = static_cast<Period>(Between(0, 2));
    limit.row.unlimited = Chance(20);
    const int64_t most[] = {200'000'000, 6, 60, 100 * 3'600'000};
    limit.row.amount = Between(0, most[static_cast<size_t>(limit.row.resource)]);
    if (Chance(20)) limit.row.until = state.now + Duration::Minutes(Between(1, 3'000));
    const char* scopes[] = {"lab", "alice", "bob", "project:nlp", "project:nlp/bob"};
    limit.scope = scopes[random_.Below(5)];
    if (Chance(30)) limit.row.block_at = static_cast<int32_t>(Between(1, 100));
    if (Chance(30)) limit.tier = "a100";
    change.limits.push_back(limit);
  }
  return command;
}

Command RandomCommands::People(const State& state) {
  const char* names[] = {"alice", "bob", "carol", "王芳", "dave"};
  const std::string name = names[random_.Below(5)];
  const Actor admin{AnyActor(state).member, true};
  if (Chance(40)) return RemoveMember{admin, AnyKey(), name};
  return AddMember{admin, AnyKey(), name, Between(0, 3), false, ""};
}

Command RandomCommands::Node(const State& state) {
  const Actor admin{AnyActor(state).member, true};
  const std::string name = "n" + std::to_string(Between(1, 4));
  if (Chance(3)) return Evacuate{};
  if (Chance(20)) {
    JoinNode command{.join_hash = "none",
                     .key_hash = Sha256Hex(random_.Hex(8)),
                     .instance = "instance of " + name,
                     .boot_id = "boot 1"};
    if (const NodeRow* node = Any(state.nodes.rows())) command.join_hash = node->join_hash;
    return command;
  }
  if (Chance(40)) {
    AddNode command;
    command.actor = admin;
    command.node = name;
    const TierRow* tier = Any(state.tiers.rows());
    command.tier = tier ? tier->id : TierId();
    if (Chance(20)) command.source = static_cast<Source>(Between(0, 4));
    (Chance(50) ? command.key_hash : command.join_hash) = Sha256Hex(random_.Hex(8));
    command.join_until = state.now + Duration::Hours(Between(0, 2));
    return command;
  }
  ChangeNode command{admin, AnyKey(), name, static_cast<NodeVerb>(Between(0, 2)), "why", false};
  if (Chance(50)) command.verb = NodeVerb::kResume;
  command.dead = Chance(50);
  return command;
}

bool RandomCommands::See(const AttemptRow& attempt, ObservedAttempt* seen) {
  using S = ObservedAttempt::State;
  seen->id = attempt.id;
  seen->metered_ms =
      Chance(3) ? Between(-5, 1'000'000'000'000) : attempt.metered_ms + Between(0, 3'600'000);
  seen->log_bytes = attempt.log_bytes + Between(0, 5);
  if (attempt.state == AttemptState::kOrdered && Chance(40)) return false;
  if (attempt.state == AttemptState::kEnded && Chance(60)) return false;
  if (Chance(3)) return false;
  const uint64_t n = random_.Below(100);
  if (n < 20)
    seen->state = S::kStarting;
  else if (n < 60)
    seen->state = S::kRunning;
  else if (n < 64)
    seen->state = S::kAbsent;
  else if (n < 70)
    seen->state = S::kStopping;
  else {
    seen->state = S::kEnded;
    seen->end_reason = Chance(50) ? EndReason::kExited : static_cast<EndReason>(Between(0, 20));
    seen->exited = seen->end_reason == EndReason::kExited || Chance(10);
    seen->exit_code = Chance(60) ? 0 : static_cast<int32_t>(Between(1, 9));
    seen->signal = Chance(10) ? 9 : 0;
    seen->overrun_ms = Chance(20) ? Between(-2, 100'000) : 0;
    seen->survivors = Chance(2);
  }
  return true;
}

Command RandomCommands::Report(const State& state) {
  AgentReport report;
  const NodeRow* node = Any(state.nodes.rows());
  report.node = node ? node->name : "n1";
  if (!node) return report;
  const TierRow& tier = state.tiers.Get(node->tier);
  report.instance = Chance(3) ? "other" : node->instance.empty() ? "one" : node->instance;
  const int64_t incarnation = node->incarnation + (Chance(5) ? Between(-1, 1) : 0);
  report.incarnation = std::max<int64_t>(incarnation, 0);
  report.boot_id = Chance(4) ? random_.Hex(2) : node->boot_id.empty() ? "boot" : node->boot_id;
  report.lab_run = Chance(1) ? "another" : Chance(50) ? state.lab.run : "";
  report.draining = Chance(3);
  report.facts.tier = tier.id;
  report.facts.cpus = 8;
  for (int32_t i = 0; i < 4 * tier.unit_gpus; ++i)
    report.facts.gpus.push_back({i, node->name + std::to_string(i), tier.name, 24'000});
  auto use = state.node_use.find(node->id);
  if (use == state.node_use.end()) return report;
  for (const AttemptId& id : use->second.attempts) {
    ObservedAttempt seen;
    if (See(state.attempts.Get(id), &seen)) report.attempts.push_back(seen);
  }
  if (Chance(3)) report.attempts.emplace_back().id = {JobId(Between(1, 40)), 0, 1};
  return report;
}

}  // namespace pinka::test
