// The tables of a fake store in a database of their own.
#include <gtest/gtest.h>

#include "db/store.h"
#include "tests/db/check_history.h"
#include "tests/support/postgres.h"

namespace pinka::testing {
namespace {

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

}  // namespace

std::string StoreBooks(const CoreWorld& w) {
  const sim::FakeStore::Tables& t = w.store().tables();
  Changes changes;
  changes.lab = {t.lab};
  changes.members = RowsOf(t.members);
  changes.projects = RowsOf(t.projects);
  changes.tiers = RowsOf(t.tiers);
  changes.nodes = RowsOf(t.nodes);
  changes.hardware = RowsOf(t.hardware);
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
  changes.cards = RowsOf(t.cards);
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
