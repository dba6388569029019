#include "db/write_batch.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "db/columns_hardware.h"
#include "db/columns_invoices.h"
#include "db/columns_jobs.h"
#include "db/columns_lab.h"
#include "db/columns_ledger.h"
#include "db/columns_rentals.h"
#include "db/whole_rows.h"

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
  Writer(const Batch& batch, const Known& known, Connection* connection)
      : known_(known), connection_(*connection) {
    Send("begin_batch");
    Params move;
    move.Int(batch.term).Int(batch.number).At(batch.core_now);
    Send("move_batch", std::move(move));
  }
  void Send(const char* query, Params params = {}) { out_.push_back({query, std::move(params)}); }
  template <class Rows>
  void Write(const char* query, const Rows& rows) {
    if (rows.empty()) return;
    Params params;
    for (const ArrayColumn& column : ColumnWriter::Of(rows)) params.Array(column);
    Send(query, std::move(params));
  }
  // The same as whole rows of the table: for what comes by the hundred.
  template <class Rows>
  void WriteWhole(const char* query, const Rows& rows, Params params = {}) {
    if (rows.empty() || !status_.ok()) return;
    const StatusOr<const RowType*> type = connection_.RowTypeOf(query);
    status_ = type.status();
    if (!type.ok()) return;
    params.Rows(RowEncoder::Of(rows, **type));
    Send(query, std::move(params));
  }
  const Known& known() const { return known_; }
  StatusOr<std::vector<Connection::Command>> Commit() {
    if (!status_.ok()) return status_;
    Send("commit");
    return std::move(out_);
  }

 private:
  const Known& known_;
  Connection& connection_;
  std::vector<Connection::Command> out_;
  Status status_;
};

void WriteLab(const Changes& c, Writer* w) {
  if (!c.lab.empty() && w->known().OnlyCounters(c.lab.front())) {
    const LabRow& lab = c.lab.front();
    Params counters;
    counters.Int(lab.next_id).Int(lab.next_job).Int(lab.next_transfer);
    w->Send("write_counters", std::move(counters));
  } else {
    w->Write("write_lab", c.lab);
  }
  w->Write("write_members", c.members);
  w->Write("write_projects", c.projects);
  w->Write("write_tiers", c.tiers);
  w->Write("write_rates", c.rates);
  w->Write("write_billing", c.billing);
  w->Write("write_periods", c.periods);
  w->Write("write_nodes", c.nodes);
  w->Write("write_hardware", c.hardware);
  w->Write("write_hardware_checks", c.hardware_checks);
  w->Write("write_tokens", c.tokens);
  w->Write("write_rentals", c.rentals);
}

bool IsAmong(std::span<const JobRow> jobs, JobId id) {
  return std::ranges::binary_search(jobs, id, {}, &JobRow::id);
}

// New jobs, each with its text.
std::vector<NewJob> WithTexts(std::span<const JobRow> jobs, const std::vector<JobTextRow>& texts) {
  static const JobTextRow kNone;
  std::map<JobId, const JobTextRow*> of;
  for (const JobTextRow& text : texts) of[text.job] = &text;
  std::vector<NewJob> out;
  out.reserve(jobs.size());
  for (const JobRow& job : jobs) {
    const auto text = of.find(job.id);
    out.push_back({job, text == of.end() ? kNone : *text->second});
  }
  return out;
}

std::vector<JobTextRow> TextsOfOthers(std::span<const JobRow> jobs,
                                      const std::vector<JobTextRow>& texts) {
  std::vector<JobTextRow> out;
  std::ranges::copy_if(texts, std::back_inserter(out),
                       [jobs](const JobTextRow& text) { return !IsAmong(jobs, text.job); });
  return out;
}

void WriteJobs(const Changes& c, Writer* w) {
  w->Write("write_payloads", w->known().NotThere(c.payloads));
  const auto first_new = std::ranges::partition_point(
      c.jobs, [w](const JobRow& job) { return !w->known().IsNew(job); });
  const std::span<const JobRow> known(c.jobs.begin(), first_new);
  const std::span<const JobRow> fresh(first_new, c.jobs.end());
  w->WriteWhole("write_jobs", known);
  w->WriteWhole("add_jobs", WithTexts(fresh, c.job_texts));
  w->Write("write_job_texts", TextsOfOthers(fresh, c.job_texts));
  w->WriteWhole("write_tasks", c.tasks);
  w->WriteWhole("write_attempts", c.attempts);
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
  w->Write("write_cards", c.cards);
  w->Write("write_spend", c.spend);
  w->Write("write_usage", c.usage);
}

}  // namespace

StatusOr<std::vector<Connection::Command>> WriteBatch(const Batch& batch, const Changes& changes,
                                                      const Known& known, Connection* connection) {
  Writer writer(batch, known, connection);
  WriteLab(changes, &writer);
  WriteJobs(changes, &writer);
  WriteLedger(changes, &writer);
  writer.WriteWhole("write_requests", changes.requests);
  Params events;
  events.Int(batch.number);
  writer.WriteWhole("write_events", changes.events, std::move(events));
  return writer.Commit();
}

}  // namespace pinka::db
