// A provider's bill against what rentals have posted (semantics.md 9): which line is for which
// rental, what it covers of that, and what is left to book. Pure.
//
// A line is for the rental whose provider's name of the machine, or whose node, it names, and which
// was up at its time: the one that has at least nine tenths of what overlaps. Several lines may be
// for one rental, one line never for two. A disk is billed while its machine is off, too: it is for
// the last rental of the machine that was opened before.
//
//   compute   covers its time's part of what its rental has posted and no line before has covered:
//             charges, idle, rounding, variance, in proportion to time, all of it with the line
//             that reaches the end. What it is more or less than that: variance
//   disk      the same with the rental's disk; what it is more or less: disk
//   egress    all that its rental has posted and no line before has covered; what it is more or
//   less:
//             egress; unknown where it names a machine that nobody knows
//   voucher   below 0: voucher
//   other, and what fits no rental: unknown, until somebody explains it
//
// So for each line amount = charges + idle + rounding + disk + egress + variance + what is booked
// for it, and for the whole bill the identity holds exactly, whatever the provider wrote.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/core/rows.h"

namespace pinka {

struct PaidRental {
  RentalRow row;
  std::string node;    // its name; "": not known any more
  CoveredRow covered;  // by earlier bills
};

// Fills rental, unknown and what is covered; lines keep their order.
void Reconcile(const std::vector<PaidRental>& rentals, std::vector<InvoiceLineRow>* lines);

// Adds what a line covers.
void Cover(const InvoiceLineRow& line, CoveredRow* covered);

// What is booked for a line when it comes, from external where it is above 0. Nothing: exactly as
// posted.
struct LineEntry {
  AccountKind account = AccountKind::kUnknown;
  Money amount;
};
LineEntry EntryOf(const InvoiceLineRow& line);

// Whether it was unknown when it came.
bool CameUnknown(const InvoiceLineRow& line);

// total = charges + members + overhead + idle + rounding + disk + egress + variance - vouchers
//         + unknown
struct Identity {
  Money total;
  Money charges;   // of attempts on its machines: to members and to the lab
  Money members;   // unknown that a member was charged for
  Money overhead;  // unknown that the lab bears
  Money idle;
  Money rounding;
  Money disk;
  Money egress;
  Money variance;
  Money vouchers;
  Money unknown;
  friend bool operator==(const Identity&, const Identity&) = default;
};
// `explained`: what was unknown of them and is not any more, by account.
Identity IdentityOf(const std::vector<InvoiceLineRow>& lines,
                    const std::map<AccountKind, Money>& explained = {});
bool AddsUp(const Identity& identity);

}  // namespace pinka
