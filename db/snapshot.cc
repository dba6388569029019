// Store::LoadSnapshot: which rows are live stands in queries/load_*.sql.
#include "db/columns_hardware.h"
#include "db/columns_invoices.h"
#include "db/columns_jobs.h"
#include "db/columns_lab.h"
#include "db/columns_ledger.h"
#include "db/columns_rentals.h"
#include "db/store.h"

namespace pinka::db {
namespace {

// Stops at the first failure; the status then says what.
class Loader {
 public:
  explicit Loader(Connection* connection) : connection_(*connection) {}
  template <class T>
  void Load(const char* query, std::vector<T>* out, const Params& params = {}) {
    if (!status_.ok()) return;
    StatusOr<Result> result = connection_.Exec(query, params);
    status_ = result.ok() ? RowBinder::Read(*result, out) : result.status();
  }
  const Status& status() const { return status_; }

 private:
  Connection& connection_;
  Status status_;
};

Params Since(Timestamp now) {
  Params params;
  params.At(now);
  return params;
}

void LoadLab(Loader* loader, Snapshot* s) {
  std::vector<LabRow> lab;
  loader->Load("load_lab", &lab);
  if (!lab.empty()) s->lab = lab.front();
  loader->Load("load_members", &s->members);
  loader->Load("load_projects", &s->projects);
  loader->Load("load_tiers", &s->tiers);
  loader->Load("load_rates", &s->rates);
  loader->Load("load_billing", &s->billing);
  loader->Load("load_periods", &s->periods, Since(s->now));
  loader->Load("load_nodes", &s->nodes);
  loader->Load("load_hardware", &s->hardware);
  loader->Load("load_rentals", &s->rentals, Since(s->now));
}

void LoadJobs(Loader* loader, Snapshot* s) {
  loader->Load("load_jobs", &s->jobs, Since(s->now));
  loader->Load("load_tasks", &s->tasks, Since(s->now));
  loader->Load("load_attempts", &s->attempts, Since(s->now));
  loader->Load("load_settlements", &s->settlements, Since(s->now));
  loader->Load("load_requests", &s->requests, Since(s->now));
}

void LoadLedger(Loader* loader, Snapshot* s) {
  loader->Load("load_holds", &s->holds);
  loader->Load("load_hold_lines", &s->hold_lines);
  loader->Load("load_accounts", &s->accounts);
  loader->Load("load_lots", &s->lots);
  loader->Load("load_packages", &s->packages);
  loader->Load("load_portions", &s->portions);
  loader->Load("load_months", &s->months);
  loader->Load("load_payments", &s->payments);
  loader->Load("load_invoices", &s->invoices);
  loader->Load("load_invoice_lines", &s->invoice_lines);
  loader->Load("load_covered", &s->covered);
  loader->Load("load_limits", &s->limits);
  loader->Load("load_thresholds", &s->thresholds, Since(s->now));
  loader->Load("load_payers", &s->payers);
  loader->Load("load_cards", &s->cards);
  loader->Load("load_spend", &s->spend, Since(s->now));
  loader->Load("load_usage", &s->usage);
  loader->Load("load_amended", &s->amended);
}

}  // namespace

StatusOr<std::pair<int64_t, Snapshot>> Store::LoadSnapshot(int64_t term) {
  if (auto begun = connection_.Exec("begin_snapshot"); !begun.ok()) return begun.status();
  StatusOr<LeaderInfo> leader = ReadLeader();
  Loader loader(&connection_);
  Snapshot snapshot;
  Status status = leader.status();
  if (leader.ok() && leader->term != term) {
    status = absl::FailedPreconditionError("another pinkad leads at " + leader->address);
  }
  if (status.ok()) {
    snapshot.now = leader->core_now;
    LoadLab(&loader, &snapshot);
    LoadJobs(&loader, &snapshot);
    LoadLedger(&loader, &snapshot);
    status = loader.status();
  }
  if (connection_.connected() && !connection_.Exec("rollback").ok()) connection_.Disconnect();
  if (!status.ok()) return status;
  known_.Loaded(snapshot.lab);
  return std::make_pair(leader->batch, std::move(snapshot));
}

}  // namespace pinka::db
