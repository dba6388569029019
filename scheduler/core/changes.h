// What a batch writes: the rows it touched, once each in their final form, and what it appends.
// The order of vectors is the order of writing within a table.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/core/file_set.h"
#include "scheduler/core/rows.h"

namespace pinka {

// The guarded move of what a lot holds. The statement applies deltas, and where `guarded` (a hold
// was made on it) refuses the batch if available would end below zero.
struct LotMove {
  LotId lot;
  Money credited;
  Money posted;
  Money held;
  bool guarded = false;
};

struct Changes {
  // Upserts by key.
  std::vector<LabRow> lab;  // none or one
  std::vector<MemberRow> members;
  std::vector<ProjectRow> projects;
  std::vector<TierRow> tiers;
  std::vector<NodeRow> nodes;
  std::vector<HardwareRow> hardware;
  std::vector<JobRow> jobs;
  std::vector<JobTextRow> job_texts;  // empty fields included: whole rows
  std::vector<TaskRow> tasks;
  std::vector<AttemptRow> attempts;
  std::vector<FileSetRow> file_sets;
  std::vector<PackageRow> packages;
  std::vector<PortionRow> portions;
  std::vector<MonthRow> months;  // after the transfers: from then on nothing is dated in them
  std::vector<PaymentRow> payments;
  std::vector<HoldRow> holds;
  std::vector<HoldLineRow> hold_lines;
  std::vector<HoldCutRow> hold_cuts;  // added to a cut of the same line and instant
  std::vector<LimitRow> limits;
  std::vector<ThresholdRow> thresholds;
  std::vector<PayerRow> payers;
  std::vector<CardRow> cards;
  std::vector<RentalRow> rentals;
  std::vector<InvoiceRow> invoices;
  std::vector<InvoiceLineRow> invoice_lines;
  std::vector<SpendRow> spend;
  std::vector<UsageRow> usage;
  std::vector<TokenRow> tokens;
  std::vector<LotRow> lot_flags;  // known lots: `lapsed` and `ends_at` only; amounts go by moves
  // Inserts.
  std::vector<AccountRow> accounts;
  std::vector<LotRow> new_lots;  // with zero amounts; their first credit is a move
  std::vector<LotMove> lot_moves;
  std::vector<RateRow> rates;
  std::vector<BillingRow> billing;
  std::vector<PeriodRow> periods;
  std::vector<PayloadRow> payloads;  // known hashes are left as they are
  std::vector<SettlementRow> settlements;
  std::vector<TransferRow> transfers;
  std::vector<PositionRow> positions;
  std::vector<RequestRow> requests;  // an expired key is replaced
  std::vector<HardwareCheckRow> hardware_checks;
  std::vector<EventRow> events;

  bool empty() const;
  int64_t rows() const;
};

// What core loads at start: the live part of the database. Also what a fake store keeps.
struct Snapshot {
  Timestamp now;  // core's time at the last batch
  LabRow lab;
  std::vector<MemberRow> members;
  std::vector<ProjectRow> projects;
  std::vector<TierRow> tiers;
  std::vector<RateRow> rates;
  std::vector<PeriodRow> periods;       // those that end after `now` - 75 days
  std::vector<NodeRow> nodes;           // not removed
  std::vector<HardwareRow> hardware;    // of those
  std::vector<JobRow> jobs;             // not ended, or ended less than 10 minutes before `now`
  std::vector<TaskRow> tasks;           // of those jobs
  std::vector<AttemptRow> attempts;     // of those jobs, or not forgotten
  std::vector<HoldRow> holds;           // open
  std::vector<HoldLineRow> hold_lines;  // of open holds
  std::vector<AccountRow> accounts;
  std::vector<LotRow> lots;          // not lapsed
  std::vector<PackageRow> packages;  // not closed
  std::vector<PortionRow> portions;  // of those
  std::vector<MonthRow> months;
  std::vector<PaymentRow> payments;
  std::vector<LimitRow> limits;          // not absent
  std::vector<ThresholdRow> thresholds;  // of periods that go on
  std::vector<PayerRow> payers;
  std::vector<CardRow> cards;
  std::vector<BillingRow> billing;
  std::vector<RentalRow> rentals;  // open, or closed less than 75 days before `now`
  std::vector<InvoiceRow> invoices;
  std::vector<InvoiceLineRow> invoice_lines;  // of which something is unknown
  std::vector<CoveredRow> covered;            // every rental that a bill has named
  std::vector<SpendRow> spend;                // Period::kNone, or start_at after `now` - 75 days
  std::vector<UsageRow> usage;
  std::vector<RequestRow> requests;        // money, or younger than 48 h
  std::vector<SettlementRow> settlements;  // of the attempts above
  std::vector<AmendedRow> amended;         // every entry that was refunded or corrected
};

}  // namespace pinka
