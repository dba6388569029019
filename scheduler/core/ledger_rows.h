// The rows of the ledger: accounts, packages, lots, holds, transfers, and months as they were
// closed and settled. As rows.h, which includes this.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/money.h"
#include "base/time.h"
#include "scheduler/core/end_reason.h"
#include "scheduler/core/types.h"

namespace pinka {

struct Owner {
  OwnerKind kind = OwnerKind::kLab;
  int64_t id = 0;  // MemberId or ProjectId; 0 for the lab
  friend auto operator<=>(const Owner&, const Owner&) = default;
};
inline Owner OwnedBy(MemberId m) { return {OwnerKind::kMember, m.value()}; }
inline Owner OwnedBy(ProjectId p) { return {OwnerKind::kProject, p.value()}; }
inline Owner OwnedByLab() { return {}; }

struct AccountRow {
  AccountId id;
  AccountKind kind = AccountKind::kExternal;
  Owner owner;
  AssetId asset;
  friend bool operator==(const AccountRow&, const AccountRow&) = default;
};

// Unit-hours of one tier, bought together (semantics.md 8). Its unit-time is an asset of its own:
// the asset's id is the package's.
struct PackageRow {
  PackageId id;
  TierId tier;
  PackageKind kind = PackageKind::kHours;
  std::string provider;
  MemberId payer;  // none: from outside
  Money price;     // whole cents
  int64_t total_ms = 0;
  int32_t units = 0;  // of kind capacity: side by side
  Timestamp bought_at;
  Timestamp starts_at;
  Timestamp ends_at;
  SplitRule split = SplitRule::kEqual;
  BorrowRule borrow = BorrowRule::kNone;
  int64_t borrow_ms = 0;  // of kLimit: for each member, all together
  LapseTo lapse_to = LapseTo::kOwner;
  AccountId inventory;  // price - moved - lapsed
  int64_t used_ms = 0;  // charged to members
  Money moved;          // price x used / total, exactly: in the members' spending
  Money lapsed;         // what lapsed cost
  Timestamp closed_at;  // nothing moves any more
  friend bool operator==(const PackageRow&, const PackageRow&) = default;
};

// A member's part of a package, or what nobody was given: the lab's. Its hours are a lot.
struct PortionRow {
  PackageId package;
  MemberId member;  // none: the lab's
  int64_t share = 0;
  int64_t total_ms = 0;
  Money cost;  // of the price, whole cents
  LotId lot;
  int64_t borrowed_ms = 0;   // charged to this member on other portions
  int64_t borrowing_ms = 0;  // held there and not yet charged
  int64_t lapsed_ms = 0;
  Money lapsed;  // its part of the package's
  friend bool operator==(const PortionRow&, const PortionRow&) = default;
};

// Money with an owner and dates. available = credited - posted - held + credit_limit.
struct LotRow {
  LotId id;
  AccountId account;  // of kind lot
  AssetId asset;
  Owner owner;  // who may draw: the member, the project's members, everybody
  TierId tier;  // may be spent on this tier only; none: any
  Timestamp starts_at;
  Timestamp ends_at = Timestamp::Never();
  Money credited;  // what came in, less what left it unspent
  Money posted;    // charges, less what was given back of them
  Money held;      // open hold lines less what is posted of them
  Money credit_limit;
  bool lapsed = false;
  MemberId payer;  // who paid in what lies here, and gets what is taken out; none: from outside
  friend bool operator==(const LotRow&, const LotRow&) = default;
};

struct HoldRow {
  AttemptId attempt;
  AssetId asset;
  Money amount;
  Money posted;
  HoldState state = HoldState::kOpen;
  Timestamp at;
  Timestamp closed_at;
  EndReason reason = EndReason::kNone;  // why it was closed
  friend bool operator==(const HoldRow&, const HoldRow&) = default;
};

struct HoldLineRow {
  AttemptId attempt;
  int32_t n = 0;  // burn order
  LotId lot;
  Money amount;
  Money posted;
  friend bool operator==(const HoldLineRow&, const HoldLineRow&) = default;
};

// What a line gave back early, for a lower time limit of running work. The line is smaller by it.
struct HoldCutRow {
  AttemptId attempt;
  int32_t n = 0;
  Timestamp at;
  Money amount;  // above 0; several of one instant are one
};

// Exists once per attempt: the settle.
struct SettlementRow {
  AttemptId attempt;
  Timestamp at;
  Money charged;  // to the member
  Money lab;      // to overhead
  int64_t metered_ms = 0;
  std::string hash;              // of what was settled: a repeat must say the same
  Payer payer = Payer::kMember;  // the rule it was settled by
  friend bool operator==(const SettlementRow&, const SettlementRow&) = default;
};

// Append only. `debit` gives, `credit` receives; amount > 0.
struct TransferRow {
  TransferId id;
  Timestamp at;
  AssetId asset;
  AccountId debit;
  AccountId credit;
  Money amount;
  TransferKind kind = TransferKind::kCharge;
  std::string reason;
  MemberId person;  // who asked; none: pinka
  std::string request_id;
  MemberId member;  // dimensions of reports
  ProjectId project;
  AttemptId attempt;  // none for money verbs
  TierId tier;
  Source source = Source::kOnDemand;
  NodeId node;
  Owner payer;
  int64_t unit_ms = 0;
  TransferId linked;  // the entry that this one refunds or corrects
  RentalId rental;    // of the lab's side: the rental, and the bill that it belongs to
  InvoiceId invoice;
};

// By how much refunds and corrections have changed an entry since it was posted. Derived from the
// transfers that name it; loaded, never written.
struct AmendedRow {
  TransferId entry;
  Money change;
  friend bool operator==(const AmendedRow&, const AmendedRow&) = default;
};

// A month that is closed: nothing is dated in it any more. It is settled once, after that.
struct MonthRow {
  Timestamp start_at;  // of the lab's calendar
  Timestamp end_at;
  Timestamp closed_at;
  bool forced = false;  // while work ran whose meter had not passed the end
  MemberId by;
  Timestamp settled_at;  // none: not yet
  Spread spread = Spread::kUsage;
  MemberId settled_by;
  friend bool operator==(const MonthRow&, const MonthRow&) = default;
};

// Where a member stands among the others at a month's end, since ever (positions.h). Above 0: the
// others owe the member.
struct PositionRow {
  Timestamp month;  // its start
  MemberId member;
  Money paid;      // brought in and paid to providers, less taken out
  Money settled;   // payments of earlier months: made less received
  Money spent;     // of what members have paid for
  Money overhead;  // its share
  Money lapsed;
  Money carried;  // not used yet: own hours at cost, own part of common money
  Money position;
  friend bool operator==(const PositionRow&, const PositionRow&) = default;
};

// What one member hands another so that positions of a month come to nothing. Whole cents.
struct PaymentRow {
  PaymentId id;
  Timestamp month;
  MemberId from;
  MemberId to;
  Money amount;
  PaymentState state = PaymentState::kProposed;
  Timestamp proposed_at;
  Timestamp paid_at;  // none: not yet
  std::string ref;    // of the bank, as told
  TransferId transfer;
  friend bool operator==(const PaymentRow&, const PaymentRow&) = default;
};

}  // namespace pinka
