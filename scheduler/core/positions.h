// Where members stand among each other at a month's end (semantics.md 9): what others used of what
// a member has paid for, less what the member used of what others have. Cumulated since ever from
// the entries, in integers, so that the positions of all members come to nothing:
//
//   position = paid + settled - spent - overhead - lapsed - carried
//
// Money of one owner's lots is one pool. Who put money in funds what is used of it, pro rata to
// what each has left in it at that time; money that moves to another pool takes its funders along.
// Who takes money out takes the own part first.
// Outside money is a gift: what it paid for is owed to nobody. The hours of a package that a member
// paid for cost their users; unused ones their owners; those of nobody are overhead.
//
// A provider's bill that a member has paid: what charges of attempts cover of it is the pool's, who
// paid for it by those charges. The rest (total - charges: idle, rounding, disk ...) the member has
// put up: it is paid in, and overhead. What an explanation has charged to a member is spent by that
// member instead of overhead. It counts where the entries of the bill stand. A bill paid from
// outside is a gift.
//
//   const std::vector<PositionRow> rows = PositionsOf(facts, month, Spread::kUsage);
//   for (const Proposal& p : ProposePayments(rows)) ...   // at most rows.size() - 1
#pragma once

#include <map>
#include <vector>

#include "scheduler/core/rows.h"

namespace pinka {

// What moved money in pools, in the order of the books. Uses between two other steps come together,
// one a pool and member, after them.
struct PoolStep {
  enum class What : int8_t {
    kIn,       // `member` put it in; none: from outside. Below 0: a correction
    kOut,      // taken out to the outside
    kPaidOut,  // taken out by `member`
    kLapse,
    kMove,  // to the pool of `to`
    kUse    // `member` was charged. Below 0: given back
  };
  What what = What::kIn;
  Owner pool;
  Owner to;
  MemberId member;
  Money amount;
};

// A package that a member paid for: all of its price, by what became of it.
struct PaidPackage {
  struct Part {
    Money spent;
    Money lapsed;
    int64_t unused_ms = 0;  // of the own portion
  };
  MemberId payer;
  Money overhead;                  // lapsed at the lab's expense
  Money left;                      // nobody has used it yet
  std::map<MemberId, Part> parts;  // none: hours that nobody was given
};

// A bill that a member has paid.
struct PaidBill {
  MemberId payer;
  Money rest;                       // total - charges; below 0 where vouchers are more
  std::map<MemberId, Money> spent;  // of it: charged to members by explanations
};

struct PositionFacts {
  struct Person {
    bool removed = false;
    Money used;      // since the month that was settled before: the weight of overhead
    Money overhead;  // share in the month that was settled before
    Money settled;   // payments of earlier months, made less received
  };
  Timestamp since;  // the month settled before; none: none
  std::map<MemberId, Person> people;
  std::vector<PoolStep> steps;
  std::map<PackageId, PaidPackage> packages;
  std::map<InvoiceId, PaidBill> bills;
};

// By member id; without removed members of whom there is nothing to tell.
std::vector<PositionRow> PositionsOf(const PositionFacts& facts, Timestamp month, Spread spread);

// Whether each row adds up and all of them come to nothing.
bool AddUp(const std::vector<PositionRow>& rows);

struct Proposal {
  MemberId from;
  MemberId to;
  Money amount;  // whole cents
  friend bool operator==(const Proposal&, const Proposal&) = default;
};

// Who hands whom what, so that every position comes within a cent of nothing: the largest debtor to
// the largest creditor, ties by member id, until all is paid. Rows that AddUp, in any order.
std::vector<Proposal> ProposePayments(const std::vector<PositionRow>& rows);

}  // namespace pinka
