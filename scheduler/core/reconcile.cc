#include "scheduler/core/reconcile.h"

#include <algorithm>
#include <tuple>

namespace pinka {
namespace {

constexpr Duration kInstant = Duration::Micros(1);  // a line without a length
// A provider's clock and its ends of machines are a little off: a line that ends so close before
// the end of a closed rental reaches it.
constexpr Duration kSlack = Duration::Minutes(1);

// How long both are up together.
Duration Overlap(const RentalRow& rental, const InvoiceLineRow& line) {
  const Timestamp line_end = std::max(line.ends_at, line.starts_at + kInstant);
  const Timestamp start = std::max(rental.opened_at, line.starts_at);
  const Timestamp end = rental.closed_at ? std::min(rental.closed_at, line_end) : line_end;
  return end > start ? end - start : Duration();
}

class Matcher {
 public:
  explicit Matcher(const std::vector<PaidRental>& rentals) : rentals_(rentals) {
    for (size_t i = 0; i < rentals.size(); ++i) {
      const PaidRental& rental = rentals[i];
      if (!rental.row.instance.empty()) by_name_[rental.row.instance].push_back(i);
      const bool both = rental.node == rental.row.instance;
      if (!rental.node.empty() && !both) by_name_[rental.node].push_back(i);
    }
  }

  // The index of the line's rental; none: npos.
  size_t Find(const InvoiceLineRow& line) const {
    const auto named = by_name_.find(line.instance);
    if (line.instance.empty() || named == by_name_.end()) return npos;
    const size_t up = MostOf(line, named->second);
    if (up != npos || line.kind != InvoiceLineKind::kDisk) return up;
    return LastBefore(line, named->second);
  }

  static constexpr size_t npos = static_cast<size_t>(-1);

 private:
  size_t MostOf(const InvoiceLineRow& line, const std::vector<size_t>& named) const {
    size_t best = npos;
    Int128 most = 0;
    Int128 all = 0;
    for (size_t i : named) {
      const Int128 overlap = Overlap(rentals_[i].row, line).micros();
      all += overlap;
      if (overlap > most) best = i;
      most = std::max(most, overlap);
    }
    return most * 10 >= all * 9 ? best : npos;
  }

  // Only where none was up: else it is for two.
  size_t LastBefore(const InvoiceLineRow& line, const std::vector<size_t>& named) const {
    size_t last = npos;
    for (size_t i : named) {
      const RentalRow& row = rentals_[i].row;
      if (Overlap(row, line) > Duration()) return npos;
      const bool later =
          last == npos || std::tuple(row.opened_at, row.id) >
                              std::tuple(rentals_[last].row.opened_at, rentals_[last].row.id);
      if (row.opened_at <= line.starts_at && later) last = i;
    }
    return last;
  }

  const std::vector<PaidRental>& rentals_;
  std::map<std::string, std::vector<size_t>> by_name_;
};

// The part of [from, posted) that the line takes: all of it where it reaches the end.
struct Part {
  int64_t taken = 0;  // microseconds
  int64_t of = 1;
  Money Of(Money rest) const {
    if (taken == of) return rest;
    return Money::Micros(MulDivRound(rest.micros(), taken, of));
  }
};

Part PartOf(const RentalRow& rental, Timestamp covered, const InvoiceLineRow& line) {
  const Timestamp from = std::max(rental.opened_at, covered);
  if (rental.posted_at <= from || line.starts_at >= rental.posted_at) return {};
  const Duration slack = rental.closed_at ? kSlack : Duration();
  const bool to_the_end = line.ends_at + slack >= rental.posted_at;
  const Timestamp start = std::max(from, line.starts_at);
  const Timestamp end = std::min(rental.posted_at, line.ends_at);
  const int64_t of = (rental.posted_at - from).micros();
  if (to_the_end) return {of, of};
  return {end > start ? (end - start).micros() : 0, of};
}

void Take(PaidRental& rental, InvoiceLineRow* line) {
  const RentalRow& row = rental.row;
  CoveredRow& covered = rental.covered;
  line->rental = row.id;
  if (line->kind == InvoiceLineKind::kCompute) {
    const Part part = PartOf(row, covered.until, *line);
    line->charges = part.Of(row.members + row.lab - covered.charges);
    line->idle = part.Of(row.idle - covered.idle);
    line->rounding = part.Of(row.rounding - covered.rounding);
    line->variance = part.Of(row.variance - covered.variance);
  } else if (line->kind == InvoiceLineKind::kDisk) {
    line->disk = PartOf(row, covered.disk_until, *line).Of(row.disk - covered.disk);
  } else if (line->kind == InvoiceLineKind::kEgress) {
    line->egress = row.egress - covered.egress;
  }
  Cover(*line, &covered);
}

}  // namespace

void Cover(const InvoiceLineRow& line, CoveredRow* covered) {
  covered->rental = line.rental;
  covered->charges += line.charges;
  covered->idle += line.idle;
  covered->rounding += line.rounding;
  covered->disk += line.disk;
  covered->variance += line.variance;
  covered->egress += line.egress;
  if (line.kind == InvoiceLineKind::kCompute)
    covered->until = std::max(covered->until, line.ends_at);
  if (line.kind == InvoiceLineKind::kDisk)
    covered->disk_until = std::max(covered->disk_until, line.ends_at);
  if (line.kind == InvoiceLineKind::kEgress)
    covered->egress_until = std::max(covered->egress_until, line.ends_at);
}

void Reconcile(const std::vector<PaidRental>& rentals, std::vector<InvoiceLineRow>* lines) {
  std::vector<PaidRental> paid = rentals;
  const Matcher matcher(rentals);
  std::vector<InvoiceLineRow*> in_time;
  for (InvoiceLineRow& line : *lines) in_time.push_back(&line);
  std::ranges::sort(in_time, {}, [](const InvoiceLineRow* line) {
    return std::tuple(line->starts_at, line->ends_at, line->n);
  });
  for (InvoiceLineRow* line : in_time) {
    const size_t rental = matcher.Find(*line);
    const bool of_machine = line->kind != InvoiceLineKind::kOther;
    if (of_machine && rental != Matcher::npos) Take(paid[rental], line);
    line->unknown = CameUnknown(*line) ? line->amount : Money();
  }
}

bool CameUnknown(const InvoiceLineRow& line) {
  switch (line.kind) {
    case InvoiceLineKind::kCompute:
    case InvoiceLineKind::kDisk:
      return !line.rental;
    case InvoiceLineKind::kEgress:
      return !line.rental && !line.instance.empty();
    case InvoiceLineKind::kVoucher:
      return false;
    case InvoiceLineKind::kOther:
      return true;
  }
  return true;
}

LineEntry EntryOf(const InvoiceLineRow& line) {
  const Money rest = line.amount - line.charges - line.idle - line.rounding - line.disk -
                     line.egress - line.variance;
  if (CameUnknown(line)) return {AccountKind::kUnknown, rest};
  switch (line.kind) {
    case InvoiceLineKind::kCompute:
      return {AccountKind::kVariance, rest};
    case InvoiceLineKind::kDisk:
      return {AccountKind::kDisk, rest};
    case InvoiceLineKind::kEgress:
      return {AccountKind::kEgress, rest};
    case InvoiceLineKind::kVoucher:
      return {AccountKind::kVoucher, rest};
    case InvoiceLineKind::kOther:
      break;
  }
  return {AccountKind::kUnknown, rest};
}

namespace {

void Add(AccountKind account, Money amount, Identity* sum) {
  if (account == AccountKind::kSpent) sum->members += amount;
  if (account == AccountKind::kOverheadOther) sum->overhead += amount;
  if (account == AccountKind::kIdle) sum->idle += amount;
  if (account == AccountKind::kRounding) sum->rounding += amount;
  if (account == AccountKind::kDisk) sum->disk += amount;
  if (account == AccountKind::kEgress) sum->egress += amount;
  if (account == AccountKind::kVariance) sum->variance += amount;
  if (account == AccountKind::kVoucher) sum->vouchers -= amount;
  if (account == AccountKind::kUnknown) sum->unknown += amount;
}

}  // namespace

Identity IdentityOf(const std::vector<InvoiceLineRow>& lines,
                    const std::map<AccountKind, Money>& explained) {
  Identity sum;
  for (const InvoiceLineRow& line : lines) {
    sum.total += line.amount;
    sum.charges += line.charges;
    sum.idle += line.idle;
    sum.rounding += line.rounding;
    sum.disk += line.disk;
    sum.egress += line.egress;
    sum.variance += line.variance;
    const LineEntry entry = EntryOf(line);
    Add(entry.account, entry.amount, &sum);
  }
  for (const auto& [account, amount] : explained) {
    sum.unknown -= amount;
    Add(account, amount, &sum);
  }
  return sum;
}

bool AddsUp(const Identity& i) {
  return i.total == i.charges + i.members + i.overhead + i.idle + i.rounding + i.disk + i.egress +
                        i.variance - i.vouchers + i.unknown;
}

}  // namespace pinka
