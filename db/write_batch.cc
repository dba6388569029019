#include "db/write_batch.h"

#include "db/columns_invoices.h"
#include "db/columns_jobs.h"
#include "db/columns_lab.h"
#include "db/columns_ledger.h"
#include "db/columns_rentals.h"

namespace pinka::db {
namespace {

// write_lot_flags has columns of its own.
struct LotFlags {
  LotId lot;
  Timestamp ends_at;
  bool lapsed = false;
};

template <class Binder, RowOf<LotFlags> R>
void Bind(Binder& b, R& row) {
  b(row.lot);
  b(row.ends_at);
  b(row.lapsed);
}

std::vector<LotFlags> FlagsOf(const std::vector<LotRow>& lots) {
  std::vector<LotFlags> flags;
  for (const LotRow& lot : lots) flags.push_back({lot.id, lot.ends_at, lot.lapsed});
  return flags;
}

// write_assets has one column.
struct AssetOfPackage {
  PackageId package;
};

template <class Binder, RowOf<AssetOfPackage> R>
void Bind(Binder& b, R& row) {
  b(row.package);
}

std::vector<AssetOfPackage> AssetsOf(const std::vector<PackageRow>& packages) {
  std::vector<AssetOfPackage> assets;
  for (const PackageRow& row : packages) assets.push_back({row.id});
  return assets;
}

// drop_old_generations has two columns.
struct TaskOfFiles {
  TaskId task;
};

template <class Binder, RowOf<TaskOfFiles> R>
void Bind(Binder& b, R& row) {
  b(row.task);
}

std::vector<TaskOfFiles> TasksOf(const std::vector<FileSetRow>& sets) {
  std::vector<TaskOfFiles> tasks;
  for (const FileSetRow& set : sets) tasks.push_back({{set.attempt.job, set.attempt.index}});
  return tasks;
}

class Writer {
 public:
  Writer(const Batch& batch, std::vector<Connection::Command>* out) : out_(*out) {
    out_.push_back({"begin_batch", {}});
    Params move;
    move.Int(batch.term).Int(batch.number).At(batch.core_now);
    out_.push_back({"move_batch", std::move(move)});
  }
  template <class Rows>
  void Write(const char* query, const Rows& rows, Params params = {}) {
    if (rows.empty()) return;
    for (const ArrayColumn& column : ColumnWriter::Of(rows)) params.Array(column);
    out_.push_back({query, std::move(params)});
  }
  void Commit() { out_.push_back({"commit", {}}); }

 private:
  std::vector<Connection::Command>& out_;
};

void WriteLab(const Changes& c, Writer* w) {
  w->Write("write_lab", c.lab);
  w->Write("write_members", c.members);
  w->Write("write_projects", c.projects);
  w->Write("write_tiers", c.tiers);
  w->Write("write_rates", c.rates);
  w->Write("write_billing", c.billing);
  w->Write("write_periods", c.periods);
  w->Write("write_nodes", c.nodes);
  w->Write("write_tokens", c.tokens);
  w->Write("write_rentals", c.rentals);
}

void WriteJobs(const Changes& c, Writer* w) {
  w->Write("write_payloads", c.payloads);
  w->Write("write_jobs", c.jobs);
  w->Write("write_job_texts", c.job_texts);
  w->Write("write_tasks", c.tasks);
  w->Write("write_attempts", c.attempts);
  w->Write("write_file_sets", c.file_sets);
  w->Write("drop_old_generations", TasksOf(c.file_sets));
}

void WriteLedger(const Changes& c, Writer* w) {
  w->Write("write_assets", AssetsOf(c.packages));
  w->Write("write_accounts", c.accounts);
  w->Write("write_lots", c.new_lots);
  w->Write("write_lot_flags", FlagsOf(c.lot_flags));
  w->Write("move_lots", c.lot_moves);
  w->Write("write_packages", c.packages);
  w->Write("write_portions", c.portions);
  w->Write("write_holds", c.holds);
  w->Write("write_hold_lines", c.hold_lines);
  w->Write("write_hold_cuts", c.hold_cuts);
  w->Write("write_settlements", c.settlements);
  w->Write("write_invoices", c.invoices);
  w->Write("write_invoice_lines", c.invoice_lines);
  w->Write("write_transfers", c.transfers);
  w->Write("write_months", c.months);
  w->Write("write_positions", c.positions);
  w->Write("write_payments", c.payments);
  w->Write("write_limits", c.limits);
  w->Write("write_thresholds", c.thresholds);
  w->Write("write_payers", c.payers);
  w->Write("write_spend", c.spend);
  w->Write("write_usage", c.usage);
}

}  // namespace

std::vector<Connection::Command> WriteBatch(const Batch& batch, const Changes& changes) {
  std::vector<Connection::Command> commands;
  Writer writer(batch, &commands);
  WriteLab(changes, &writer);
  WriteJobs(changes, &writer);
  WriteLedger(changes, &writer);
  writer.Write("write_requests", changes.requests);
  Params events;
  events.Int(batch.number);
  writer.Write("write_events", changes.events, std::move(events));
  writer.Commit();
  return commands;
}

}  // namespace pinka::db
