// The database of the simulated world: the tables of db/ as maps, with its refusals. A commit is
// one transaction: everything or nothing. It keeps every row for ever, so that a checker can add up
// entries from the first one; Load gives the live part, as db/ does at start.
//
// What it refuses, as the schema would: a batch out of its place, a second row under a key that is
// written once (rates, periods, accounts, transfers, settlements, tokens), a known request id, rows
// that refer to nothing, a hold that crosses its lot's floor, a charge beyond its hold or line, a
// hold whose lines do not add up, a second live attempt of a task, waiting tasks of an ended job,
// more given back of an entry than there is of it, an entry dated in a closed month, positions that
// do not come to nothing together.
//
// Simulated world: no wall clock, no threads, no randomness of its own. Not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/core/changes.h"
#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka::sim {

class FakeStore {
 public:
  using LineKey = std::pair<AttemptId, int32_t>;
  using PortionKey = std::pair<PackageId, MemberId>;
  using SpendRowKey = std::tuple<MemberId, ProjectId, TierId, Period, Timestamp>;
  struct Tables {
    LabRow lab;
    std::map<MemberId, MemberRow> members;
    std::map<ProjectId, ProjectRow> projects;
    std::map<TierId, TierRow> tiers;
    std::map<NodeId, NodeRow> nodes;
    std::map<NodeId, HardwareRow> hardware;
    std::map<JobId, JobRow> jobs;
    std::map<JobId, JobTextRow> job_texts;
    std::map<TaskId, TaskRow> tasks;
    std::map<AttemptId, AttemptRow> attempts;
    std::map<std::tuple<AttemptId, FileKind, int64_t>, FileSetRow> file_sets;
    std::map<AttemptId, HoldRow> holds;
    std::map<LineKey, HoldLineRow> hold_lines;
    std::map<std::pair<LineKey, Timestamp>, HoldCutRow> hold_cuts;
    std::map<LimitId, LimitRow> limits;
    std::map<std::tuple<LimitId, MemberId, int32_t, Timestamp>, ThresholdRow> thresholds;
    std::map<EndReason, PayerRow> payers;
    std::map<std::string, CardRow> cards;
    std::map<SpendRowKey, SpendRow> spend;
    std::map<ShareKey, UsageRow> usage;
    std::map<std::string, TokenRow> tokens;
    std::map<AccountId, AccountRow> accounts;
    std::map<LotId, LotRow> lots;
    std::map<PackageId, PackageRow> packages;
    std::map<PortionKey, PortionRow> portions;
    std::map<Timestamp, MonthRow> months;
    std::map<std::pair<Timestamp, MemberId>, PositionRow> positions;
    std::map<PaymentId, PaymentRow> payments;
    std::map<InvoiceId, InvoiceRow> invoices;
    std::map<std::pair<InvoiceId, int32_t>, InvoiceLineRow> invoice_lines;
    std::map<std::tuple<TierId, Source, Timestamp>, RateRow> rates;
    std::map<std::tuple<TierId, Source, Timestamp>, BillingRow> billing;
    std::map<RentalId, RentalRow> rentals;
    std::map<std::pair<Period, Timestamp>, PeriodRow> periods;
    std::map<std::string, PayloadRow> payloads;
    std::map<AttemptId, SettlementRow> settlements;
    std::map<TransferId, TransferRow> transfers;
    std::map<std::pair<MemberId, std::string>, RequestRow> requests;
    std::vector<HardwareCheckRow> hardware_checks;
    std::vector<EventRow> events;
  };

  // Nothing where it landed, else why it was refused; then nothing is written.
  std::optional<std::string> Commit(int64_t number, Timestamp core_now, const Changes& changes);

  int64_t batch() const { return batch_; }
  Timestamp core_now() const { return core_now_; }
  const Tables& tables() const { return t_; }

  // What a core loads: see Snapshot.
  Snapshot Load() const;

  // What a money verb attaches: one entry, or the charges of an attempt or (number 0) of a task,
  // with all charges and reversals of the same attempts.
  std::vector<NamedEntry> EntryNamed(TransferId id) const;
  std::vector<NamedEntry> ChargesOf(const AttemptId& attempt) const;
  // What a command attaches of a job that has ended; without a member where there is none such.
  EndedJob EndedJobOf(JobId id) const;
  // By how much later entries have changed each that they name.
  std::map<TransferId, Money> Amended() const;

 private:
  template <class Map, class Row>
  void Upsert(Map& map, const typename Map::key_type& key, const Row& row);
  template <class Map, class Row>
  void Insert(const char* table, Map& map, const typename Map::key_type& key, const Row& row);
  void Refuse(std::string why);

  void WriteLab(const Changes& changes);
  void WriteJobs(const Changes& changes);
  void WriteLedger(const Changes& changes);
  void MoveLots(const Changes& changes);
  void WriteRequests(const Changes& changes);
  void JudgeJobs(const Changes& changes);
  void JudgeLedger(const Changes& changes);
  void JudgePackages(const Changes& changes);
  void WriteMonths(const Changes& changes);
  void WriteRentals(const Changes& changes);
  void WriteInvoices(const Changes& changes);
  std::vector<CoveredRow> Covered() const;
  void JudgeTransfers(const Changes& changes);

  NamedEntry Named(const TransferRow& row) const;
  bool PeriodGoesOn(const ThresholdRow& row) const;
  Timestamp SpendFrom() const;

  Tables t_;
  int64_t batch_ = 0;
  Timestamp core_now_;
  std::vector<std::function<void()>> undo_;  // of the transaction that is open
  std::optional<std::string> refusal_;       // the first one
};

}  // namespace pinka::sim
