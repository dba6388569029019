#include "tests/db/check_history.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/hash.h"
#include "db/store.h"
#include "tests/support/bills.h"
#include "tests/support/postgres.h"

namespace pinka::testing {
namespace {

using test::At;
using test::CoreWorld;

template <class Map>
auto RowsOf(const Map& map) {
  std::vector<typename Map::mapped_type> rows;
  for (const auto& [key, row] : map) rows.push_back(row);
  return rows;
}

// Lots come in without money and move, as from a running core.
void CopyLots(const sim::FakeStore::Tables& t, Changes* changes) {
  for (const auto& [id, lot] : t.lots) {
    changes->lot_moves.push_back({id, lot.credited, lot.posted, lot.held, false});
    changes->lot_flags.push_back(lot);
    LotRow fresh = lot;
    fresh.credited = fresh.posted = fresh.held = Money();
    changes->new_lots.push_back(fresh);
  }
}

RequestKey Key(const std::string& key) { return {key, Sha256Hex(key)}; }

LotId Deposit(CoreWorld& w, const std::string& key, Owner to, Money amount,
              Timestamp until = Timestamp::Never(), TierId tier = {}, MemberId from = {}) {
  pinka::Deposit command;
  command.actor = w.Admin();
  command.request = Key(key);
  command.to = to;
  command.from = from;
  command.amount = amount;
  command.until = until;
  command.tier = tier;
  command.reason = "autumn";
  const Reply reply = w.Do(command);
  EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  return LotId(reply.first);
}

// Hours of a machine that are dearer than its tier, with a disk; seconds with cuts and rounding up;
// a minute's minimum.
void RentMachines(CoreWorld& w) {
  const auto rule = [](int64_t cents) {
    BillingRow row;
    row.provider = "算力云";
    row.rule.rate = Rate::MicrosPerUnitHour(cents * 10'000);
    row.rule.stopped_rate = Rate::MicrosPerUnitHour(100'000);
    row.rule.disk = Rate::MicrosPerUnitHour(1'234);
    row.rule.egress = Money::Micros(90'000);
    row.rule.notice = Duration::Minutes(2);
    return row;
  };
  LabChange change;
  for (const char* name : {"cpu", "t4", "a100"}) {
    LabChange::Tier tier;
    tier.row = w.state().tiers.Get(w.Tier(name));
    tier.billing = {rule(1'317)};
    BillingRule& r = tier.billing.front().rule;
    if (name == std::string("a100")) {
      r.minimum = Duration::Hours(1);
      r.block = Duration::Hours(1);
    } else {
      r.rate = Rate::MicrosPerUnitHour(name == std::string("t4") ? 1'870'001 : 200'000);
      r.minimum = Duration::Seconds(60);
      r.rounding = Rounding::kUp;
      r.round_at = RoundAt::kSegment;
      r.round_to = Money::Micros(10'000);
      r.cut = Duration::Hours(1);
      r.cut_offset = Duration::Hours(8);
    }
    change.tiers.push_back(tier);
  }
  w.Apply(change);
}

// What no event tells: a machine that was on without its agent, with a disk.
void RentByHand(CoreWorld& w) {
  const RentalId open = w.state().open_rentals.at(w.Node("plain"));
  EXPECT_EQ(w.Do(CloseRental{w.Admin(), {}, open, {}, "switched off"}).reason, Reason::kOk);
  w.Advance(Duration::Minutes(61));
  const Reply again =
      w.Do(OpenRental{w.Admin(), {}, "plain", "i-07", 200, w.now - Duration::Minutes(30)});
  EXPECT_EQ(again.reason, Reason::kOk) << again.detail;
  w.Advance(Duration::Minutes(7));
  EXPECT_EQ(w.Do(CloseRental{w.Admin(), {}, RentalId(again.first), {}, "gone"}).reason,
            Reason::kOk);
}

void MakeLab(CoreWorld& w) {
  w.AddProject("vision", {"alice", "bob"});
  const Owner vision = OwnedBy(w.state().project_by_name.at("vision"));
  Deposit(w, "d-1", OwnedBy(w.Member("alice")), Money::Whole(5), At(2026, 10, 2));
  Deposit(w, "d-2", OwnedBy(w.Member("alice")), Money::Whole(80), Timestamp::Never(), {},
          w.Member("alice"));
  Deposit(w, "d-3", OwnedBy(w.Member("bob")), Money::Whole(40), Timestamp::Never(), w.Tier("a100"));
  Deposit(w, "d-6", OwnedBy(w.Member("carol")), Money::Whole(7), At(2026, 10, 2));
  Deposit(w, "d-4", vision, Money::Whole(60), Timestamp::Never(), {}, w.Member("carol"));
  Deposit(w, "d-5", OwnedByLab(), Money::Whole(900));
  RentMachines(w);
  w.AddNode("big", "a100", 4);
  w.AddNode("small", "t4", 4);
  w.AddNode("plain", "cpu", 8);
  w.Limit(LimitResource::kRunningUnits, 6, "lab", LimitOf::kEach);
  w.Limit(LimitResource::kRunningUnits, 2, "bob", LimitOf::kEach);
  w.Limit(LimitResource::kMoney, 1'000'000'000, "lab", LimitOf::kAll, Period::kMonth);
  w.Limit(LimitResource::kUnitHours, int64_t{400} * 3'600'000, "lab", LimitOf::kEach, Period::kDay);
  LabChange term;
  LabChange::Limit dated;
  dated.row.of = LimitOf::kAll;
  dated.row.period = Period::kDated;
  dated.row.amount = 5'000'000'000;
  dated.row.starts_at = At(2026, 10, 1);
  dated.row.until = At(2026, 10, 20);
  dated.row.notify_at = {1, 90};
  term.limits.push_back(dated);
  term.payers.push_back({EndReason::kNodeRebooted, Payer::kMember});
  w.Apply(term);
}

void EndOver(CoreWorld& w, JobId job, Duration overrun) {
  const AttemptId id = w.Attempt(job);
  w.AgentOf(id).Find(id)->overrun_ms = overrun.millis();
  w.End(job, EndReason::kTimeLimit);
}

// One job after the other, each with its own end.
void RunSeptember(CoreWorld& w) {
  const JobId good = w.Submit("alice", w.Job("a100", Duration::Hours(1)));
  w.Run(good);
  w.Advance(Duration::Minutes(40));
  w.Exit(good, 0);
  JobRequest retried = w.Job("t4", Duration::Minutes(30));
  retried.retries = 1;
  retried.project = w.state().project_by_name.at("vision");
  const JobId again = w.Submit("bob", retried);
  w.Run(again);
  w.Advance(Duration::Seconds(617));
  w.Exit(again, 3);
  w.Run(again);
  w.Advance(Duration::Seconds(1'013));
  w.Exit(again, 0);
  const JobId late = w.Submit("bob", w.Job("a100", Duration::Minutes(10)));
  w.Run(late);
  w.Advance(Duration::Seconds(627));
  EndOver(w, late, Duration::Seconds(27));
  const JobId broken = w.Submit("carol", w.Job("t4"));
  w.Run(broken);
  w.Advance(Duration::Seconds(3));
  w.End(broken, EndReason::kLaunchFailed);
  const JobId stopped = w.Submit("alice", w.Job("cpu", Duration::Hours(2), 3));
  w.Run(stopped);
  w.Advance(Duration::Seconds(1'234));
  w.Change("alice", JobVerb::kCancel, stopped);
  w.End(stopped, EndReason::kCancelledByUser);
}

void RunArray(CoreWorld& w) {
  JobRequest request = w.Job("cpu", Duration::Minutes(20));
  request.array = "2-12:2%2";
  const JobId sweep = w.Submit("carol", request);
  w.Run(sweep, 2);
  w.Run(sweep, 4);
  w.Advance(Duration::Seconds(95));
  w.Change("carol", JobVerb::kCancel, sweep, "10");
  w.Change("carol", JobVerb::kHold, sweep, "12");
  w.Exit(sweep, 0, 2);
  w.Exit(sweep, 1, 4);
  w.Run(sweep, 6);
}

// What people change of September's work, while its lots live.
void AmendSeptember(CoreWorld& w) {
  const auto of = [&](TransferKind kind, size_t n) { return w.Transfers(kind).at(n).id; };
  EXPECT_EQ(w.Refund({JobId(1), 0, 1}, Money::Micros(4'000'000), "r-1").reason, Reason::kOk);
  w.Advance(Duration::Minutes(1));
  const TransferId refund = of(TransferKind::kRefund, 0);
  EXPECT_EQ(w.Correct(refund, -Money::Whole(1), "c-1").reason, Reason::kOk);
  EXPECT_EQ(w.Correct(refund, Money::Micros(250'000), "c-2").reason, Reason::kOk);
  const TransferId charge = of(TransferKind::kCharge, 2);
  EXPECT_EQ(w.Correct(charge, Money::Micros(70'000), "c-3").reason, Reason::kOk);
  EXPECT_EQ(w.Correct(charge, -Money::Micros(20'000), "c-4").reason, Reason::kOk);
  EXPECT_EQ(w.Correct(of(TransferKind::kOverhead, 0), -Money::Micros(10), "c-5").reason,
            Reason::kOk);
  const TransferId deposit = of(TransferKind::kDeposit, 5);  // the lab's
  EXPECT_EQ(w.Correct(deposit, Money::Whole(12), "c-6").reason, Reason::kOk);
  EXPECT_EQ(w.Correct(deposit, -Money::Whole(2), "c-7").reason, Reason::kOk);
  EXPECT_EQ(w.Transfer("bob", "alice", Money::Whole(1), "t-1").reason, Reason::kOk);
  EXPECT_EQ(w.Transfer("project:vision", "carol", Money::Whole(3), "t-2").reason, Reason::kOk);
}

// Nodes that fail: lost work is the lab's, an order that nobody carried is nobody's.
void LoseNodes(CoreWorld& w) {
  const JobId lost = w.Submit("王芳", w.Job("t4", Duration::Hours(3)));
  w.Run(lost);
  w.Advance(Duration::Minutes(50));
  const AttemptId id = w.Attempt(lost);
  w.Do(StoreMeters{{{id, 2'900'000, 10}}});
  w.Do(NodeSilent{w.Node("small"), {}});
  w.Advance(Duration::Hours(1));
  w.Do(AttemptsProvenOver{{id}, EndReason::kNodeLost});
  std::erase_if(w.Agent("small").report.attempts, [](const auto&) { return true; });
  w.Report("small");
  w.Do(NodeSilent{w.Node("small"), {w.Attempt(lost)}});
  w.Report("small");
  w.Run(lost);
  w.Advance(Duration::Seconds(77));
  w.Exit(lost, 0);
}

// By force: one task has not been metered past the end.
void CloseSeptember(CoreWorld& w) {
  EXPECT_EQ(w.Close(At(2026, 9, 30), true).lines.size(), 1u);
  for (const auto& [id, attempt] : w.state().attempts.rows()) {
    if (attempt.state != AttemptState::kEnded && attempt.metered_at < At(2026, 10, 1))
      return (void)w.Do(StoreMeters{{{id, 1'100'000, 0}}});
  }
}

void CrossTheMonth(CoreWorld& w) {
  w.AdvanceTo(At(2026, 9, 30, 22));
  const JobId night = w.Submit("alice", w.Job("a100", Duration::Hours(9), 2));
  w.Run(night);
  w.AdvanceTo(At(2026, 10, 1, 0, 0, 30));
  w.Do(StoreMeters{{{w.Attempt(night), 7'230'000, 99}}});
  CloseSeptember(w);
  w.AdvanceTo(At(2026, 10, 1, 4));
  w.Exit(night, 0);
  w.AdvanceTo(At(2026, 10, 2, 1));  // the five yuan of alice have ended
}

void RunOctober(CoreWorld& w) {
  w.SetRate("a100", Rate::MicrosPerUnitHour(15'000'000));
  const JobId dearer = w.Submit("alice", w.Job("a100", Duration::Hours(1)));
  w.Run(dearer);
  EditJob edit;
  edit.actor = w.Admin();
  edit.job = dearer;
  edit.set_time = true;
  edit.time_limit = Duration::Hours(2);
  EXPECT_EQ(w.Do(edit).reason, Reason::kOk);
  w.Advance(Duration::Minutes(90));
  w.Change("admin", JobVerb::kCancel, dearer);
  w.End(dearer, EndReason::kCancelledByAdmin);
  Withdraw out;
  out.actor = w.Admin();
  out.request = Key("w-1");
  out.from = OwnedByLab();
  out.amount = Money::Whole(50);
  out.reason = "to the bank";
  EXPECT_EQ(w.Do(out).reason, Reason::kOk);
  // Open at the end: one that runs and has posted nothing, one that waits, one that is held.
  w.Run(w.Submit("bob", w.Job("a100", Duration::Hours(4), 2)));
  w.Submit("bob", w.Job("a100", Duration::Hours(4), 2));
  w.Change("carol", JobVerb::kHold, w.Submit("carol", w.Job("a100", Duration::Hours(1), 4)));
  w.Advance(Duration::Minutes(15));
}

// Alice's lot of five yuan has ended: what comes back of it makes a new one.
void AmendOctober(CoreWorld& w) {
  EXPECT_EQ(w.Refund({JobId(1), 0, 0}, Money::Micros(4'500'000), "r-2").reason, Reason::kOk);
  const TransferId fresh = w.Transfers(TransferKind::kRefund).back().id;
  EXPECT_EQ(w.Correct(fresh, -Money::Micros(500'000), "c-8").reason, Reason::kOk);
  w.Advance(Duration::Minutes(1));
}

// A hundred yuan among three, of which one half is used, lent and borrowed; one that has lapsed,
// one that was closed; one that is open at the end.
PackageId BuyHours(CoreWorld& w, const std::string& key, int64_t hours, Money price,
                   std::vector<std::pair<std::string, int64_t>> shares,
                   const std::function<void(BuyPackage&)>& change = {}) {
  BuyPackage buy = w.Package("a100", hours, price, std::move(shares));
  buy.request = Key(key);
  if (change) change(buy);
  return w.Buy(buy);
}

void RunHours(CoreWorld& w, const std::string& member, Duration limit, Duration time) {
  JobRequest request = w.Job("a100", limit);
  request.source = Wish::kPackage;
  const JobId job = w.Submit(member, request);
  w.Run(job);
  w.Advance(time);
  w.Exit(job, 0);
}

void ShareHours(CoreWorld& w) {
  BuyHours(w, "p-1", 12, Money::Whole(100), {{"alice", 1}, {"bob", 1}, {"carol", 1}},
           [&](BuyPackage& buy) {
             buy.payer = w.Member("bob");
             buy.borrow = BorrowRule::kLimit;
             buy.borrow_ms = 3 * 3'600'000;
             buy.ends_at = w.now + Duration::Hours(6);
           });
  RunHours(w, "alice", Duration::Minutes(290), Duration::Minutes(67));
  RunHours(w, "alice", Duration::Minutes(280), Duration::Minutes(211));
  const PackageId shut = BuyHours(w, "p-2", 10, Money::Whole(7), {{"王芳", 3}, {"lab", 1}},
                                  [](BuyPackage& buy) { buy.lapse_to = LapseTo::kOverhead; });
  RunHours(w, "王芳", Duration::Minutes(30), Duration::Seconds(777));
  EXPECT_EQ(w.Do(ClosePackage{w.Admin(), Key("p-3"), shut, "shut"}).reason, Reason::kOk);
  w.Advance(Duration::Hours(2));  // the first has ended
}

// A machine for a month that work runs on when the books are read.
void KeepHours(CoreWorld& w) {
  BuyHours(w, "p-4", 0, Money::Whole(720), {{"carol", 1}, {"bob", 2}, {"lab", 1}},
           [&](BuyPackage& buy) {
             buy.kind = PackageKind::kCapacity;
             buy.units = 2;
             buy.borrow = BorrowRule::kFree;
             buy.starts_at = w.now - Duration::Hours(1);
             buy.ends_at = w.now + Duration::Hours(9);
           });
  JobRequest request = w.Job("a100", Duration::Hours(6));
  request.source = Wish::kPackage;
  const JobId lost = w.Submit("carol", w.Job("a100", Duration::Hours(1)));
  w.Run(lost);
  w.Advance(Duration::Minutes(7));
  w.End(lost, EndReason::kStagingFailed);
  w.Change("carol", JobVerb::kCancel, lost);
  w.End(lost, EndReason::kWithdrawn);
  w.Run(w.Submit("carol", request));
}

// Two tasks that wait for what runs, until it is too late for them.
void MissADeadline(CoreWorld& w) {
  JobRequest request = w.Job("cpu", Duration::Hours(1));
  request.array = "0-1";
  request.dependency = "afterok:" + std::to_string(w.state().lab.next_job - 1);
  request.deadline = w.now + Duration::Hours(1);
  const JobId job = w.Submit("alice", request);
  w.Advance(Duration::Micros(1));
  EXPECT_EQ(w.StateOf(job), TaskState::kDeadline);
}

// Hours of which half are nobody's: what they cost is shared out.
void BuySpareHours(CoreWorld& w) {
  BuyHours(w, "p-0", 3, Money::Whole(10), {{"王芳", 1}, {"lab", 1}}, [&](BuyPackage& buy) {
    buy.tier = w.Tier("t4");
    buy.payer = w.Member("alice");
    buy.ends_at = At(2026, 10, 2, 2);
  });
}

// A bill that carol paid, of which an hour is bob's, explained before the month closes.
void BillSeptember(CoreWorld& w) {
  const Timestamp from = At(2026, 9, 30, 12, 1);
  ImportInvoice bill = test::Invoice(w, "2026-09", "carol");
  bill.rentals = {test::Rental(w, "big", from, w.now, Money::Whole(9), Money::Whole(9))};
  test::AddLine(bill, InvoiceLineKind::kCompute, "i-big", from, w.now, Money::Micros(9'300'000));
  test::AddLine(bill, InvoiceLineKind::kCompute, "i-orphan", from, w.now, Money::Whole(20));
  test::AddLine(bill, InvoiceLineKind::kEgress, "", from, from, Money::Micros(410'007));
  test::AddLine(bill, InvoiceLineKind::kDisk, "i-big", from, w.now, Money::Micros(250'000));
  test::AddLine(bill, InvoiceLineKind::kVoucher, "i-big", from, w.now, Money::Whole(-3));
  test::AddLine(bill, InvoiceLineKind::kOther, "", from, w.now, -Money::Micros(70'000));
  const Reply imported = w.Do(bill);
  EXPECT_EQ(imported.count, 6) << imported.detail;
  ExplainLine bobs =
      test::Explain(w, imported, 2, AccountKind::kSpent, Money::Micros(12'500'000), "e-1");
  bobs.member = w.Member("bob");
  EXPECT_EQ(w.Do(bobs).reason, Reason::kOk);
  for (const auto& [n, as] :
       {std::pair(2, AccountKind::kIdle), std::pair(6, AccountKind::kOverheadOther)}) {
    const std::string key = "e-" + std::to_string(n);
    EXPECT_EQ(w.Do(test::Explain(w, imported, n, as, Money(), key)).reason, Reason::kOk);
  }
}

// Of one from outside something is unknown at the end.
void BillOctober(CoreWorld& w) {
  const Timestamp from = At(2026, 10, 1, 12);
  ImportInvoice bill = test::Invoice(w, "2026-10");
  test::AddLine(bill, InvoiceLineKind::kDisk, "i-lost", from, w.now, Money::Whole(4));
  const Reply imported = w.Do(bill);
  const auto part = test::Explain(w, imported, 1, AccountKind::kDisk, Money::Whole(1), "e-9");
  EXPECT_EQ(w.Do(part).reason, Reason::kOk);
}

// Work that saved before it was taken away; work that a ceiling ends; a loss that is the member's
// by the lab's own rule.
void SaveWork(CoreWorld& w) {
  JobRequest spot = w.Job("t4", Duration::Hours(3));
  spot.no_requeue = true;
  const JobId saved = w.Submit("alice", spot);
  w.Run(saved);
  w.Advance(Duration::Minutes(60));
  w.AgentOf(w.Attempt(saved)).Find(w.Attempt(saved))->checkpoint_ms = 40 * 60'000;
  w.End(saved, EndReason::kSpotReclaim);
  const JobId rebooted = w.Submit("alice", spot);
  w.Run(rebooted);
  w.Advance(Duration::Minutes(7));
  w.End(rebooted, EndReason::kNodeRebooted);
  spot.max_cost = Money::Micros(500'000);
  const JobId ceiling = w.Submit("alice", spot);
  w.Run(ceiling);
  w.Advance(Duration::Minutes(15));
  w.End(ceiling, EndReason::kTimeLimit);
  EXPECT_EQ(w.StateOf(ceiling), TaskState::kBudget);
}

void SettleSeptember(CoreWorld& w) {
  const Reply settled = w.Settle(At(2026, 9, 30));
  EXPECT_GE(settled.count, 2) << settled.detail;
  const MarkPaid paid{w.Admin(), Key("y-1"), PaymentId(settled.first), "bank 4711"};
  EXPECT_EQ(w.Do(paid).reason, Reason::kOk);
}

}  // namespace

void MakeHistory(CoreWorld& w) {
  MakeLab(w);
  RunSeptember(w);
  AmendSeptember(w);
  RunArray(w);
  LoseNodes(w);
  BuySpareHours(w);
  BillSeptember(w);
  CrossTheMonth(w);
  RentByHand(w);
  RunOctober(w);
  BillOctober(w);
  AmendOctober(w);
  ShareHours(w);
  KeepHours(w);
  MissADeadline(w);
  SaveWork(w);
  SettleSeptember(w);
}

std::string StoreBooks(const CoreWorld& w) {
  const sim::FakeStore::Tables& t = w.store().tables();
  Changes changes;
  changes.lab = {t.lab};
  changes.members = RowsOf(t.members);
  changes.projects = RowsOf(t.projects);
  changes.tiers = RowsOf(t.tiers);
  changes.nodes = RowsOf(t.nodes);
  changes.jobs = RowsOf(t.jobs);
  changes.job_texts = RowsOf(t.job_texts);
  changes.tasks = RowsOf(t.tasks);
  changes.attempts = RowsOf(t.attempts);
  changes.file_sets = RowsOf(t.file_sets);
  changes.holds = RowsOf(t.holds);
  changes.hold_lines = RowsOf(t.hold_lines);
  changes.hold_cuts = RowsOf(t.hold_cuts);
  changes.packages = RowsOf(t.packages);
  changes.portions = RowsOf(t.portions);
  changes.months = RowsOf(t.months);
  changes.positions = RowsOf(t.positions);
  changes.payments = RowsOf(t.payments);
  changes.invoices = RowsOf(t.invoices);
  changes.invoice_lines = RowsOf(t.invoice_lines);
  changes.limits = RowsOf(t.limits);
  changes.thresholds = RowsOf(t.thresholds);
  changes.payers = RowsOf(t.payers);
  changes.spend = RowsOf(t.spend);
  changes.usage = RowsOf(t.usage);
  changes.accounts = RowsOf(t.accounts);
  changes.rates = RowsOf(t.rates);
  changes.billing = RowsOf(t.billing);
  changes.rentals = RowsOf(t.rentals);
  changes.periods = RowsOf(t.periods);
  changes.payloads = RowsOf(t.payloads);
  changes.tokens = RowsOf(t.tokens);
  changes.settlements = RowsOf(t.settlements);
  changes.transfers = RowsOf(t.transfers);
  changes.requests = RowsOf(t.requests);
  changes.events = t.events;
  CopyLots(t, &changes);
  const std::string url = FreshDatabase();
  db::Store store(url);
  const StatusOr<int64_t> term = store.AcquireLeadership("test", "");
  EXPECT_TRUE(term.ok()) << term.status();
  const db::CommitResult result =
      store.Commit({term.value_or(0), 1, w.store().core_now()}, changes);
  EXPECT_TRUE(result.done()) << result.sqlstate << " " << result.message;
  return url;
}

}  // namespace pinka::testing
