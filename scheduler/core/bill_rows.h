// The rows of what machines cost: billing rules, rentals and providers' bills (semantics.md 9). As
// rows.h, which includes this.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/money.h"
#include "base/time.h"
#include "scheduler/core/types.h"

namespace pinka {

// The rule by which a provider bills a node's up-time (semantics.md 9): amounts and times together.
struct BillingRule {
  Rate rate;          // per unit-hour while it is on
  Rate stopped_rate;  // while it is stopped
  Duration minimum;
  Duration block = Duration::Seconds(1);
  Rounding rounding = Rounding::kHalfAway;
  RoundAt round_at = RoundAt::kBill;
  Money round_to = Money::Micros(1);
  Duration cut;         // a stretch ends at each multiple of it; 0: it does not
  Duration cut_offset;  // of the zone in which these are counted, east of Greenwich
  Rate disk;            // per GB-hour, used or not
  Money egress;         // per GB
  Duration notice;      // between a reclaim and the end
  friend bool operator==(const BillingRule&, const BillingRule&) = default;
};

// Insert only: rentals opened from valid_from on go by it.
struct BillingRow {
  TierId tier;
  Source source = Source::kOnDemand;
  Timestamp valid_from;
  std::string provider;
  BillingRule rule;
  friend bool operator==(const BillingRow&, const BillingRow&) = default;
};

// A node's paid up-time, one stretch of it, or its time while it was stopped and kept. Its rule is
// frozen when it opens.
struct RentalRow {
  RentalId id;
  NodeId node;
  TierId tier;
  Source source = Source::kOnDemand;
  std::string provider;
  std::string instance;  // the provider's name of the machine; "": the node's
  int32_t units = 0;
  BillingRule rule;
  int64_t disk_gb = 0;
  Timestamp opened_at;
  Timestamp closed_at;  // none: open
  bool by_hand = false;
  // Posted so far, since its opening (semantics.md 9): billed is members + lab + idle + rounding +
  // variance, always.
  Timestamp posted_at;  // up to here; none: nothing was
  Money billed;         // by the rule, disk and egress aside
  Money members;        // charged to members for attempts on it
  Money lab;            // attempts on it that the lab paid
  Money idle;
  Money rounding;
  Money disk;
  Money variance;       // rule's rate against the attempts' rates
  int64_t used_ms = 0;  // unit-milliseconds of those attempts
  // What attempts on it have posted since then; nothing once it is closed.
  Money since_members;
  Money since_lab;
  int64_t since_used_ms = 0;
  bool stopped = false;      // kept while it is off, at the rule's stopped rate: nothing runs on it
  int64_t egress_bytes = 0;  // that left the machine, as told by hand
  Money egress;
  friend bool operator==(const RentalRow&, const RentalRow&) = default;
};

// A provider's bill as it came.
struct InvoiceRow {
  InvoiceId id;
  std::string provider;
  std::string ref;  // the provider's number of it; with the provider, once
  Timestamp starts_at;
  Timestamp ends_at;
  MemberId payer;  // who paid it; none: from outside
  Money total;
  Money charges;  // of it what members' charges and lab-paid attempts cover
  Timestamp at;
  MemberId by;
  Timestamp booked_at;  // where its entries stand: at its end, if that month was open
  friend bool operator==(const InvoiceRow&, const InvoiceRow&) = default;
};

struct InvoiceLineRow {
  InvoiceId invoice;
  int32_t n = 0;
  InvoiceLineKind kind = InvoiceLineKind::kCompute;
  std::string instance;
  std::string text;
  Timestamp starts_at;
  Timestamp ends_at;
  Money amount;     // vouchers below 0
  RentalId rental;  // none: unknown, or of no machine
  Money unknown;    // not explained yet
  // What it covers of what its rental had posted when the bill came (reconcile.h).
  Money charges;  // of attempts: to members and to the lab
  Money idle;
  Money rounding;
  Money disk;
  Money variance;
  Money egress;
  friend bool operator==(const InvoiceLineRow&, const InvoiceLineRow&) = default;
};

// What all bills so far have covered of a rental. Derived from their lines; loaded, never written.
struct CoveredRow {
  RentalId rental;
  Timestamp until;       // of its up-time
  Timestamp disk_until;  // of its disk
  Money charges;
  Money idle;
  Money rounding;
  Money disk;
  Money variance;
  Timestamp egress_until;  // of its egress; none: no bill had any
  Money egress;
  friend bool operator==(const CoveredRow&, const CoveredRow&) = default;
};

}  // namespace pinka
