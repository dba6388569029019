// The second wall: what the schema refuses though core should never send it. Each row of the tables
// below changes one thing in a sample world that is right otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "db/store.h"
#include "tests/db/sample.h"
#include "tests/support/postgres.h"

namespace pinka::db {
namespace {

using pinka::testing::At;
using pinka::testing::SampleChanges;
using Kind = CommitResult::Kind;
using ::testing::HasSubstr;

struct Violation {
  const char* what;
  std::function<void(Changes&)> change;
  const char* says;  // part of the database's answer
};

// The next entry: gives `micros` back of what `linked` moved.
TransferRow Refunding(const Changes& c, int64_t micros, TransferId linked) {
  TransferRow row = pinka::testing::SampleTransfer(c.transfers.back().id.value() + 1);
  row.kind = TransferKind::kRefund;
  std::swap(row.debit, row.credit);
  row.amount = Money::Micros(micros);
  row.unit_ms = 0;
  row.linked = linked;
  return row;
}

std::vector<Violation> OfTheBooks() {
  return {
      {"a transfer of nothing", [](Changes& c) { c.transfers[0].amount = Money{}; }, "amount"},
      {"a transfer of less than nothing",
       [](Changes& c) { c.transfers[0].amount = Money::Micros(-1); }, "amount"},
      {"a transfer to itself", [](Changes& c) { c.transfers[0].credit = c.transfers[0].debit; },
       "transfers_check"},
      {"a transfer from nowhere", [](Changes& c) { c.transfers[0].debit = AccountId(404); },
       "not there"},
      {"a transfer in another asset than its accounts",
       [](Changes& c) { c.transfers[0].asset = AssetId(2); }, "not there"},
      {"a charge without an attempt", [](Changes& c) { c.transfers[0].attempt = {}; }, "check"},
      {"a charge of an attempt that never was",
       [](Changes& c) { c.transfers[0].attempt.number = 9; }, "not there"},
      {"a transfer id given twice", [](Changes& c) { c.transfers.push_back(c.transfers[0]); },
       "transfers_pkey"},
      {"a charge above its hold", [](Changes& c) { c.holds[0].posted = Money::Micros(1'001); },
       "holds_charge_within_hold"},
      {"a charge above its line", [](Changes& c) { c.hold_lines[0].posted = Money::Micros(601); },
       "hold_lines_charge_within_line"},
      {"lines that are not the hold",
       [](Changes& c) { c.hold_lines[1].amount = Money::Micros(401); }, "do not add up"},
      {"postings of lines that are not the hold's",
       [](Changes& c) { c.hold_lines[1].posted = Money::Micros(1); }, "do not add up"},
      {"an open hold that was closed", [](Changes& c) { c.holds[0].closed_at = At(1); },
       "holds_closed"},
      {"a closed hold without a date", [](Changes& c) { c.holds[0].state = HoldState::kVoided; },
       "holds_closed"},
      {"a hold of nobody", [](Changes& c) { c.holds[0].attempt.number = 9; }, "not there"},
      {"a line of a lot that is not there", [](Changes& c) { c.hold_lines[0].lot = LotId(404); },
       "not there"},
      {"two settles of one attempt", [](Changes& c) { c.settlements.push_back(c.settlements[0]); },
       "settlements_pkey"},
      {"a settle above the hold", [](Changes& c) { c.settlements[0].charged = Money::Micros(1); },
       "against its hold"},
      {"a settle with its hold still open",
       [](Changes& c) { c.settlements[0].attempt = c.holds[0].attempt; }, "against its hold"},
  };
}

std::vector<Violation> OfLinks() {
  return {
      {"a refund of nothing", [](Changes& c) { c.transfers.push_back(Refunding(c, 1, {})); },
       "transfers_linked"},
      {"a refund of a later entry",
       [](Changes& c) { c.transfers.push_back(Refunding(c, 1, TransferId(9))); },
       "transfers_linked"},
      {"a charge that is linked", [](Changes& c) { c.transfers[0].linked = TransferId(1); },
       "transfers_linked"},
      {"a refund of more than the charge",
       [](Changes& c) { c.transfers.push_back(Refunding(c, 71, TransferId(1))); },
       "more is given back"},
      {"refunds that together are more than the charge",
       [](Changes& c) {
         c.transfers.push_back(Refunding(c, 40, TransferId(1)));
         c.transfers.push_back(Refunding(c, 31, TransferId(1)));
       },
       "more is given back"},
      {"a refund that is corrected beyond its charge",
       [](Changes& c) {
         c.transfers.push_back(Refunding(c, 40, TransferId(1)));
         c.transfers.push_back(Refunding(c, 31, TransferId(2)));
         c.transfers.back().kind = TransferKind::kCorrect;
       },
       "more is given back"},
      {"a refund without a reason",
       [](Changes& c) {
         c.transfers.push_back(Refunding(c, 1, TransferId(1)));
         c.transfers.back().reason.clear();
       },
       "transfers_founded"},
      {"a refund by nobody",
       [](Changes& c) {
         c.transfers.push_back(Refunding(c, 1, TransferId(1)));
         c.transfers.back().person = {};
       },
       "transfers_founded"},
  };
}

std::vector<Violation> OfAttempts() {
  return {
      {"a second live attempt of a task",
       [](Changes& c) {
         c.attempts.push_back(c.attempts[1]);
         c.attempts[2].id.number = 2;
       },
       "attempts_one_live_per_task"},
      {"an ended attempt without a date", [](Changes& c) { c.attempts[0].ended_at = {}; },
       "attempts_"},
      {"an ended attempt without a reason",
       [](Changes& c) { c.attempts[0].end_reason = EndReason::kNone; },
       "attempts_end_has_a_reason"},
      {"a live attempt with an end", [](Changes& c) { c.attempts[1].ended_at = At(1); },
       "attempts_ended"},
      {"a running attempt that never started", [](Changes& c) { c.attempts[1].started_at = {}; },
       "attempts_running_has_started"},
      {"an exit code that nobody knows", [](Changes& c) { c.attempts[0].exited = false; },
       "attempts_exit_known"},
      {"a forgotten attempt that runs", [](Changes& c) { c.attempts[1].forgotten = true; },
       "attempts_forgotten"},
      {"more overrun than was metered", [](Changes& c) { c.attempts[0].overrun_ms = 50'000; },
       "attempts_overrun"},
      {"a log that was whole before its attempt ended",
       [](Changes& c) { c.attempts[0].uploaded_at = At(59); }, "attempts_uploaded"},
      {"less memory than none", [](Changes& c) { c.attempts[0].peak_memory = -1; },
       "attempts_peak_memory"},
      {"less of a card than none", [](Changes& c) { c.attempts[0].peak_gpu_memory = -1; },
       "attempts_peak_gpu_memory"},
      {"an attempt on no node", [](Changes& c) { c.attempts[0].node = NodeId(404); }, "not there"},
      {"an attempt of a task without a row", [](Changes& c) { c.attempts[0].id.index = 9; },
       "not there"},
  };
}

std::vector<Violation> OfJobs() {
  return {
      {"a task that ended without a date", [](Changes& c) { c.tasks[0].ended_at = {}; },
       "tasks_ended"},
      {"a task of no job", [](Changes& c) { c.tasks[0].id.job = JobId(404); }, "not there"},
      {"a live job with an end", [](Changes& c) { c.jobs[0].ended_at = At(1); }, "jobs_ended"},
      {"an ended job with tasks that wait",
       [](Changes& c) {
         c.jobs[0].state = TaskState::kFailed;
         c.jobs[0].ended_at = At(1);
       },
       "jobs_nothing_waits_at_the_end"},
      {"an ordinal both waiting and held", [](Changes& c) { c.jobs[0].held.Insert(1); },
       "jobs_ranges_disjoint"},
      {"an ordinal both waiting and expired", [](Changes& c) { c.jobs[0].expired.Insert(1); },
       "jobs_expired_disjoint"},
      {"a job of nobody", [](Changes& c) { c.jobs[0].member = MemberId(404); }, "not there"},
      {"a job in a project that is not there",
       [](Changes& c) { c.jobs[0].project = ProjectId(404); }, "not there"},
      {"a job without its payload", [](Changes& c) { c.payloads.clear(); }, "not there"},
      {"code that is no hash", [](Changes& c) { c.jobs[0].code = "main.py"; }, "jobs_code_check"},
      {"files of an attempt that is not there",
       [](Changes& c) { c.file_sets[0].attempt.number = 404; }, "foreign key"},
      {"files without a tree", [](Changes& c) { c.file_sets[0].root = ""; }, "file_sets_root"},
      {"counts of other than 15 states", [](Changes& c) { c.jobs[0].counts.pop_back(); }, "counts"},
      {"text of a job that is not there", [](Changes& c) { c.job_texts[0].job = JobId(404); },
       "not there"},
  };
}

std::vector<Violation> OfPackages() {
  return {
      {"a package for nothing", [](Changes& c) { c.packages[0].price = Money(); }, "price"},
      {"a price of parts of a cent", [](Changes& c) { c.packages[0].price += Money::Micros(1); },
       "price"},
      {"a package without hours", [](Changes& c) { c.packages[0].total_ms = 0; }, "total_ms"},
      {"a package with the currency's number", [](Changes& c) { c.packages[0].id = PackageId(1); },
       "foreign key"},
      {"a package that ends before it starts",
       [](Changes& c) { c.packages[0].ends_at = c.packages[0].starts_at; }, "packages_check"},
      {"a machine for a period without units", [](Changes& c) { c.packages[0].units = 0; },
       "packages_check"},
      {"a limit of borrowing without hours", [](Changes& c) { c.packages[0].borrow_ms = 0; },
       "packages_check"},
      {"more used than was bought",
       [](Changes& c) { c.packages[0].used_ms = c.packages[0].total_ms + 1; },
       "packages_used_within_total"},
      {"more cost than the price", [](Changes& c) { c.packages[0].moved = Money::Whole(801); },
       "packages_cost_within_price"},
      {"a closed package with something in its inventory",
       [](Changes& c) { c.packages[0].closed_at = At(5); }, "packages_closed_is_empty"},
      {"a package on no tier", [](Changes& c) { c.packages[0].tier = TierId(404); }, "foreign key"},
      {"a portion of no package", [](Changes& c) { c.portions[0].package = PackageId(404); },
       "foreign key"},
      {"a portion without a lot", [](Changes& c) { c.portions[0].lot = LotId(404); },
       "foreign key"},
      {"a share below zero", [](Changes& c) { c.portions[0].share = -1; }, "share"},
      {"borrowed below zero", [](Changes& c) { c.portions[0].borrowed_ms = -1; }, "borrowed_ms"},
      {"more lapsed than was there",
       [](Changes& c) { c.portions[0].lapsed_ms = c.portions[0].total_ms + 1; }, "portions_check"},
  };
}

std::vector<Violation> OfMonths() {
  return {
      {"a month that ends before it starts",
       [](Changes& c) { c.months[0].end_at = c.months[0].start_at; }, "months_check"},
      {"a month closed before its end",
       [](Changes& c) { c.months[0].closed_at = c.months[0].end_at - Duration::Micros(1); },
       "months_closed_after_the_end"},
      {"a month settled before it was closed",
       [](Changes& c) { c.months[0].settled_at = c.months[0].closed_at - Duration::Micros(1); },
       "months_settled_after_the_close"},
      {"a month closed by nobody known", [](Changes& c) { c.months[0].by = MemberId(404); },
       "foreign key"},
      {"a position that does not add up",
       [](Changes& c) { c.positions[0].spent += Money::Micros(1); }, "positions_add_up"},
      {"positions that do not come to nothing",
       [](Changes& c) {
         c.positions[0].paid += Money::Micros(1);
         c.positions[0].position += Money::Micros(1);
       },
       "do not come to nothing"},
      {"a position in an open month", [](Changes& c) { c.positions[0].month = At(0); },
       "foreign key"},
      {"a position of nobody known", [](Changes& c) { c.positions[0].member = MemberId(404); },
       "foreign key"},
      {"a payment of parts of a cent",
       [](Changes& c) { c.payments[0].amount = Money::Micros(70'001); }, "amount"},
      {"a payment to oneself", [](Changes& c) { c.payments[0].to = c.payments[0].from; },
       "payments_check"},
      {"a payment of no month", [](Changes& c) { c.payments[0].month = At(0); }, "foreign key"},
      {"a payment that was made at no time", [](Changes& c) { c.payments[0].paid_at = {}; },
       "payments_paid"},
      {"a proposed payment with an entry",
       [](Changes& c) { c.payments[0].state = PaymentState::kProposed; }, "payments_paid"},
      {"one bill twice",
       [](Changes& c) {
         c.invoices.push_back(c.invoices[0]);
         c.invoices[1].id = InvoiceId(61);
       },
       "invoices_once"},
      {"a line of no bill", [](Changes& c) { c.invoice_lines[0].invoice = InvoiceId(61); },
       "foreign key"},
      {"more unknown than billed",
       [](Changes& c) { c.invoice_lines[0].unknown = Money::Micros(-41); },
       "invoice_lines_unknown_within_amount"},
      {"what is covered and unknown",
       [](Changes& c) { c.invoice_lines[1].unknown = Money::Micros(1); },
       "invoice_lines_unknown_covers_nothing"},
      {"one entry for two payments",
       [](Changes& c) {
         c.payments.push_back(c.payments[0]);
         c.payments[1].id = PaymentId(51);
         std::swap(c.payments[1].from, c.payments[1].to);
       },
       "payments_transfer_key"},
  };
}

std::vector<Violation> OfTheLab() {
  return {
      {"a member without a name", [](Changes& c) { c.members[0].name = ""; }, "name"},
      {"a token that is not a hash", [](Changes& c) { c.tokens[0].hash = "secret"; }, "hash"},
      {"a token of nobody", [](Changes& c) { c.tokens[0].member = {}; }, "member"},
      {"a node's key that is not a hash", [](Changes& c) { c.nodes[0].key_hash = "secret"; },
       "nodes_key_hash_check"},
      {"a join token for ever", [](Changes& c) { c.nodes[0].join_until = {}; }, "nodes_join_token"},
      {"a join token used by nobody", [](Changes& c) { c.nodes[0].key_hash = ""; },
       "nodes_join_token"},
      {"a rate below zero", [](Changes& c) { c.rates[0].rate = Rate::MicrosPerUnitHour(-1); },
       "rate"},
      {"a rate given twice", [](Changes& c) { c.rates.push_back(c.rates[0]); }, "rates_pkey"},
      {"a billing rule given twice", [](Changes& c) { c.billing.push_back(c.billing[0]); },
       "billing_pkey"},
      {"a rental whose parts are not its bill",
       [](Changes& c) { c.rentals[0].idle += Money::Micros(1); }, "rentals_adds_up"},
      {"a rental closed before it opened",
       [](Changes& c) { c.rentals[0].closed_at = c.rentals[0].posted_at = At(-9'001); },
       "rentals_ends_after_its_start"},
      {"a rental closed and not posted", [](Changes& c) { c.rentals[0].posted_at = {}; },
       "rentals_closed_is_posted"},
      {"two open rentals of a node",
       [](Changes& c) {
         c.rentals[0].closed_at = {};
         c.rentals.push_back(c.rentals[0]);
         c.rentals[1].id = RentalId(71);
       },
       "rentals_one_open_a_node"},
      {"a period that ends before it starts",
       [](Changes& c) { c.periods[0].end_at = c.periods[0].start_at; }, "periods_check"},
      {"a node on no tier", [](Changes& c) { c.nodes[0].tier = TierId(404); }, "foreign key"},
      {"an account twice",
       [](Changes& c) {
         c.accounts.push_back(c.accounts[1]);
         c.accounts.back().id = AccountId(99);
       },
       "accounts_one_of_a_kind"},
      {"two lots on one account",
       [](Changes& c) {
         c.new_lots.push_back(c.new_lots[0]);
         c.new_lots.back().id = LotId(21);
       },
       "lots_account_key"},
      {"held below zero", [](Changes& c) { c.lot_moves[1].held = Money::Micros(-1); },
       "lots_held_not_negative"},
      {"posted below zero", [](Changes& c) { c.lot_moves[1].posted = Money::Micros(-1); },
       "lots_posted_not_negative"},
      {"a hold below the floor", [](Changes& c) { c.lot_moves[1].held = Money::Whole(106); },
       "floor: lot 20"},
      {"a limit below zero", [](Changes& c) { c.limits[0].amount = -1; }, "amount"},
      {"use of nobody", [](Changes& c) { c.usage[0].member = MemberId(404); }, "foreign key"},
      {"one row twice in a batch", [](Changes& c) { c.jobs.push_back(c.jobs[0]); }, "second time"},
  };
}

TEST(Constraints, RefuseEachViolationAndLeaveNothing) {
  Store store(pinka::testing::FreshDatabase());
  int64_t term = store.AcquireLeadership("a", "b").value();
  std::vector<Violation> all;
  for (const auto& part :
       {OfTheBooks(), OfLinks(), OfPackages(), OfMonths(), OfAttempts(), OfJobs(), OfTheLab()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  for (const Violation& violation : all) {
    Changes changes = SampleChanges();
    violation.change(changes);
    CommitResult result = store.Commit({term, 1, At(1)}, changes);
    EXPECT_EQ(result.kind, Kind::kRefused) << violation.what << ": " << result.message;
    EXPECT_THAT(result.message, HasSubstr(violation.says)) << violation.what;
  }
  EXPECT_EQ(store.ReadLeader()->batch, 0);
  CommitResult right = store.Commit({term, 1, At(1)}, SampleChanges());
  EXPECT_TRUE(right.done()) << right.message;
}

TEST(Constraints, RefuseAnEntryInAClosedMonth) {
  Store store(pinka::testing::FreshDatabase());
  const int64_t term = store.AcquireLeadership("a", "b").value();
  const Changes sample = SampleChanges();
  ASSERT_TRUE(store.Commit({term, 1, At(1)}, sample).done());
  Changes late;
  late.transfers = {pinka::testing::SampleTransfer(2)};
  late.transfers[0].at = sample.months[0].end_at - Duration::Micros(1);
  const CommitResult refused = store.Commit({term, 2, At(2)}, late);
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_THAT(refused.message, HasSubstr("transfer in a closed month: 2 at"));
  late.transfers[0].at = sample.months[0].end_at;
  const CommitResult open = store.Commit({term, 2, At(2)}, late);
  EXPECT_TRUE(open.done()) << open.message;
}

class AppendOnly : public ::testing::TestWithParam<const char*> {
 protected:
  static Connection& Db() {
    static Connection* db = [] {
      std::string url = pinka::testing::FreshDatabase();
      Store store(url);
      int64_t term = store.AcquireLeadership("a", "b").value();
      EXPECT_TRUE(store.Commit({term, 1, At(1)}, SampleChanges()).done());
      return new Connection(url, "");
    }();
    return *db;
  }
};

TEST_P(AppendOnly, IsRefused) {
  Status status = Db().Script(GetParam());
  EXPECT_THAT(Message(status), HasSubstr("append only"));
  EXPECT_EQ(SqlState(status), "P0001");
}

INSTANTIATE_TEST_SUITE_P(
    Ledger, AppendOnly,
    ::testing::Values("UPDATE transfers SET amount = 1", "DELETE FROM transfers",
                      "TRUNCATE transfers", "UPDATE settlements SET charged = 0",
                      "DELETE FROM settlements", "TRUNCATE settlements",
                      "UPDATE rates SET rate = 1", "DELETE FROM rates", "TRUNCATE rates",
                      "UPDATE billing SET rate = 1", "DELETE FROM billing", "DELETE FROM rentals",
                      "UPDATE terms SET batch_before = 0", "DELETE FROM terms",
                      "UPDATE events SET what = ''", "UPDATE payloads SET bytes = ''",
                      "DELETE FROM payloads", "DELETE FROM hold_lines", "DELETE FROM holds",
                      "DELETE FROM accounts", "DELETE FROM lots", "DELETE FROM members",
                      "DELETE FROM jobs", "TRUNCATE attempts CASCADE",
                      "UPDATE positions SET paid = 0", "DELETE FROM positions",
                      "DELETE FROM months", "DELETE FROM payments", "UPDATE invoices SET total = 1",
                      "DELETE FROM invoices", "TRUNCATE invoice_lines", "DELETE FROM invoice_lines",
                      "UPDATE invoice_lines SET amount = 1", "UPDATE invoice_lines SET idle = 1"));

}  // namespace
}  // namespace pinka::db
