#include "scheduler/core/holds.h"

#include <algorithm>

#include "base/hash.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/rentals.h"
#include "scheduler/core/thresholds.h"

namespace pinka {
namespace {

using LineKey = std::pair<AttemptId, int32_t>;

std::vector<LineKey> LinesOf(const State& state, const AttemptId& attempt) {
  std::vector<LineKey> keys;
  const auto& rows = state.hold_lines.rows();
  for (auto it = rows.lower_bound({attempt, 0}); it != rows.end() && it->first.first == attempt;
       ++it) {
    keys.push_back(it->first);
  }
  return keys;
}

using Parts = std::vector<std::pair<LotId, Money>>;

// What a hold of `amount` draws of lots of money, in burn order.
Parts MoneyParts(const State& state, const AttemptRow& attempt, Money amount) {
  Parts parts;
  for (LotId id : LotsInReach(state, attempt.member, attempt.project, attempt.tier)) {
    const Money part = std::min(amount, Available(state.lots.Get(id)));
    if (part <= Money()) continue;
    parts.emplace_back(id, part);
    amount -= part;
  }
  return parts;
}

// Draws `amount` as new lines, numbered from `n`.
void DrawLines(State& state, const AttemptRow& attempt, AssetId asset, Money amount, int32_t n) {
  const Parts parts = asset == kCurrency
                          ? MoneyParts(state, attempt, amount)
                          : PackageParts(state, PackageOf(asset), attempt.member, amount);
  for (const auto& [id, part] : parts) {
    HoldOnLot(state, id, part);
    CountBorrowed(state, attempt.member, id, Money(), part);
    state.hold_lines.Put({attempt.id, n}, {attempt.id, n, id, part, Money()});
    ++n;
    amount -= part;
  }
  PINKA_CHECK(amount == Money(), "the lots in reach were said to cover the hold");
}

// What open holds count against limits of money: the hours of a package do not.
void CountOpen(State& state, const AttemptRow& attempt, AssetId asset, Money money) {
  if (asset == kCurrency) state.open_sums[KeyOf(attempt)].money += money;
}

// What a job was charged, for its ceiling: money alone, as the hours of a package are paid already.
void CountForJob(State& state, const AttemptRow& attempt, AssetId asset, Money money) {
  if (asset == kCurrency && money != Money()) state.jobs.Edit(attempt.id.job).charged += money;
}

// What was run in a month that had been closed by force is told apart in the open one.
std::string ForcedNote(const State& state, Timestamp at) {
  const auto& months = state.closed_months.rows();
  if (months.empty()) return "";
  const MonthRow& last = months.rbegin()->second;
  if (!last.forced || at != last.end_at) return "";
  return "run in " + MonthName(last.start_at) + ", which was closed before this was metered";
}

// Moves `amount` from the attempt's own lines, first line first, to the member's spending.
// `unit_ms` stands on the first transfer.
void PostCharge(State& state, const AttemptRow& attempt, Money amount, int64_t unit_ms,
                Timestamp at) {
  const AssetId asset = state.holds.Get(attempt.id).asset;
  const Money whole = amount;
  CountSpend(state, KeyOf(attempt), asset == kCurrency ? amount : Money(), unit_ms, at);
  if (amount == Money()) return;
  state.holds.Edit(attempt.id).posted += amount;
  CountOpen(state, attempt, asset, -amount);
  CountForJob(state, attempt, asset, amount);
  for (const LineKey& key : LinesOf(state, attempt.id)) {
    HoldLineRow& line = state.hold_lines.Edit(key);
    const Money part = std::min(amount, line.amount - line.posted);
    if (part == Money()) continue;
    line.posted += part;
    MoveLot(state, line.lot, Money(), part, -part);
    CountBorrowed(state, attempt.member, line.lot, part, -part);
    TransferRow row = EntryOf(attempt);
    row.at = at;
    row.asset = asset;
    row.kind = TransferKind::kCharge;
    row.reason = ForcedNote(state, at);
    row.debit = state.lots.Get(line.lot).account;
    row.credit = AccountOf(state, AccountKind::kSpent, OwnedBy(attempt.member), asset);
    row.amount = part;
    row.payer = OwnedBy(attempt.member);
    row.unit_ms = std::exchange(unit_ms, 0);
    CountOnRental(state, attempt, row);
    AppendTransfer(state, std::move(row));
    LapseIfOver(state, line.lot);
    amount -= part;
    if (amount == Money()) break;
  }
  PINKA_CHECK(amount == Money(), "a charge stays within its hold");
  if (asset != kCurrency) MoveCost(state, attempt, PackageOf(asset), whole, at);
}

void PostOverhead(State& state, const AttemptRow& attempt, AccountKind kind, Money amount,
                  int64_t unit_ms, std::string reason) {
  if (amount == Money()) return;
  const AssetId asset = state.holds.Get(attempt.id).asset;
  TransferRow row = EntryOf(attempt);
  row.asset = asset;
  row.kind = TransferKind::kOverhead;
  row.debit = AccountOf(state, AccountKind::kExternal, OwnedByLab(), asset);
  row.credit = AccountOf(state, kind, OwnedByLab(), asset);
  row.amount = amount;
  row.reason = std::move(reason);
  row.payer = OwnedByLab();
  row.unit_ms = unit_ms;
  CountOnRental(state, attempt, row);
  AppendTransfer(state, std::move(row));
}

AccountKind OverheadOf(EndReason reason) {
  switch (reason) {
    case EndReason::kLaunchFailed:
    case EndReason::kStagingFailed:
      return AccountKind::kOverheadStart;
    case EndReason::kHardwareWrong:
    case EndReason::kHardwareLost:
    case EndReason::kNodeLost:
    case EndReason::kNodeRebooted:
    case EndReason::kSupervisorLost:
    case EndReason::kDiskFull:
      return AccountKind::kOverheadNode;
    case EndReason::kNone:
    case EndReason::kExited:
    case EndReason::kTimeLimit:
    case EndReason::kOutOfMemory:
    case EndReason::kCancelledByUser:
    case EndReason::kCancelledByAdmin:
    case EndReason::kRunAgain:
    case EndReason::kBudget:
    case EndReason::kIdleGuard:
    case EndReason::kSpotReclaim:
    case EndReason::kPreempted:
    case EndReason::kNodeDrain:
    case EndReason::kWithdrawn:
      return AccountKind::kOverheadOther;
  }
  return AccountKind::kOverheadOther;
}

// Gives back what the hold's lines have not posted, last line first, and forgets them.
void ReleaseLines(State& state, const AttemptId& attempt) {
  const std::vector<LineKey> lines = LinesOf(state, attempt);
  for (auto it = lines.rbegin(); it != lines.rend(); ++it) {
    const HoldLineRow line = state.hold_lines.Get(*it);
    const Money rest = line.amount - line.posted;
    if (rest > Money()) {
      MoveLot(state, line.lot, Money(), Money(), -rest);
      const MemberId member = state.attempts.Get(attempt).member;
      CountBorrowed(state, member, line.lot, Money(), -rest);
    }
  }
  // Two lines may lie on one lot: it lapses when both have given back.
  for (const LineKey& key : lines) LapseIfOver(state, state.hold_lines.Get(key).lot);
}

// The unit-time that an amount stands for: cost(UnitMillisOf(a)) is a. Rows do not keep what stands
// beside earlier postings, so accruals put this beside theirs, and the last posting puts the rest.
int64_t UnitMillisOf(Money amount, Rate rate) {
  const int64_t micros = rate.micros_per_unit_hour();
  return micros == 0 ? 0 : MulDivRound(amount.micros(), 3'600'000, micros);
}

void Post(State& state, const AttemptRow& attempt, int64_t metered_ms, Timestamp at, bool last) {
  const HoldRow& hold = state.holds.Get(attempt.id);
  const int64_t own_ms = std::min(metered_ms, attempt.time_limit.millis());
  const UnitTime time = UnitTime::Millis(own_ms * attempt.units);
  const Rate rate = HoldRate(attempt);
  Money total = std::min(Cost(time, rate), hold.amount);
  // Where a millisecond costs less than a micro-unit and the amount does not name this very
  // instant, the accrual stops a micro-unit short: then the last posting is never nothing, and has
  // a row for the rest of the time.
  const bool inexact = !last && UnitMillisOf(total, rate) != time.millis();
  if (inexact && total > Money()) total -= Money::Micros(1);
  const Money due = total - hold.posted;
  // What costs nothing has no entries, yet its unit-time counts.
  if (last && rate == Rate()) CountSpend(state, KeyOf(attempt), Money(), time.millis(), at);
  if (due <= Money()) return;
  const int64_t before = UnitMillisOf(hold.posted, rate);
  const int64_t upto = last ? time.millis() : UnitMillisOf(total, rate);
  PostCharge(state, attempt, due, std::max<int64_t>(upto - before, 0), at);
}

// Takes back what accruals charged beyond `keep`, last line first, into the lots it came from,
// which are open as long as this hold is. Entries of this instant: closed months stand.
void Reverse(State& state, const AttemptRow& attempt, Money keep, int64_t keep_unit_ms) {
  Money rest = state.holds.Get(attempt.id).posted - keep;
  if (rest <= Money()) return;
  const Money posted = state.holds.Get(attempt.id).posted;
  const AssetId asset = state.holds.Get(attempt.id).asset;
  int64_t unit_ms = std::max<int64_t>(UnitMillisOf(posted, HoldRate(attempt)) - keep_unit_ms, 0);
  const std::vector<LineKey> lines = LinesOf(state, attempt.id);
  for (auto it = lines.rbegin(); it != lines.rend() && rest > Money(); ++it) {
    HoldLineRow& line = state.hold_lines.Edit(*it);
    const Money part = std::min(rest, line.posted);
    if (part == Money()) continue;
    line.posted -= part;
    rest -= part;
    MoveLot(state, line.lot, Money(), -part, part);
    CountBorrowed(state, attempt.member, line.lot, -part, part);
    state.holds.Edit(attempt.id).posted -= part;
    CountOpen(state, attempt, asset, part);
    CountForJob(state, attempt, asset, -part);
    CountSpend(state, KeyOf(attempt), asset == kCurrency ? -part : Money(), -unit_ms, state.now);
    TransferRow row = EntryOf(attempt);
    row.asset = asset;
    row.kind = TransferKind::kReversal;
    row.debit = AccountOf(state, AccountKind::kSpent, OwnedBy(attempt.member), asset);
    row.credit = state.lots.Get(line.lot).account;
    row.amount = part;
    row.reason = std::string(RuleOf(attempt.end_reason).text);
    row.payer = OwnedBy(attempt.member);
    row.unit_ms = std::exchange(unit_ms, 0);
    CountOnRental(state, attempt, row);
    AppendTransfer(state, std::move(row));
  }
  const Money back = posted - state.holds.Get(attempt.id).posted;
  if (asset != kCurrency && back > Money())
    MoveCost(state, attempt, PackageOf(asset), -back, state.now);
}

// Settled, or voided where nothing ran; what the hold did not need is free again.
void CloseHold(State& state, const AttemptRow& attempt, const HoldRow& hold, Money charged) {
  HoldRow& closed = state.holds.Edit(attempt.id);
  const bool voided = charged == Money() && attempt.metered_ms == 0;
  closed.state = voided ? HoldState::kVoided : HoldState::kSettled;
  closed.closed_at = state.now;
  closed.reason = attempt.end_reason;
  state.holds_closed.push_back(attempt.id);
  ReleaseLines(state, attempt.id);
  CountOpen(state, attempt, hold.asset, charged - hold.amount);
  CloseIfOver(state, PackageOf(hold.asset));
}

}  // namespace

Payer PayerFor(const State& state, EndReason reason) {
  const PayerRow* row = state.payers.Find(reason);
  return row ? row->payer : RuleOf(reason).payer;
}

int64_t OwnMillis(const AttemptRow& attempt, Payer payer) {
  const int64_t within = std::min(std::max<int64_t>(attempt.metered_ms - attempt.overrun_ms, 0),
                                  attempt.time_limit.millis());
  switch (payer) {
    case Payer::kMember:
      return within;
    case Payer::kCheckpoint:
      return attempt.checkpoint_ms > 0 ? std::min(within, attempt.checkpoint_ms) : within;
    case Payer::kLab:
    case Payer::kNobody:
      return 0;
  }
  return 0;
}

// cost(u) = div(2 u r + 3'600'000, 7'200'000) <= m is 2 u r < 3'600'000 (2 m + 1).
Duration CoveredTime(Money money, Rate rate, int32_t units, Duration limit) {
  if (money <= Money()) return Duration();
  const Int128 per_ms = Int128{2} * rate.micros_per_unit_hour() * units;
  if (per_ms == 0) return limit;
  const Int128 ms = (Int128{3'600'000} * (2 * Int128{money.micros()} + 1) - 1) / per_ms;
  return ms >= limit.millis() ? limit : Duration::Millis(static_cast<int64_t>(ms));
}

std::optional<Money> LeftOf(const State& state, const JobRow& job) {
  if (job.max_cost == Money()) return std::nullopt;
  Money left = job.max_cost - job.charged;
  const auto& rows = state.attempts.rows();
  for (auto it = rows.lower_bound({job.id, 0, 0}); it != rows.end() && it->first.job == job.id;
       ++it) {
    const HoldRow* hold = state.holds.Find(it->first);
    if (hold && hold->state == HoldState::kOpen && hold->asset == kCurrency)
      left -= hold->amount - hold->posted;
  }
  return left;
}

TransferRow EntryOf(const AttemptRow& attempt) {
  TransferRow row;
  row.member = attempt.member;
  row.project = attempt.project;
  row.attempt = attempt.id;
  row.tier = attempt.tier;
  row.source = attempt.source;
  row.node = attempt.node;
  return row;
}

std::optional<Blocked> NotCovered(const State& state, MemberId member, ProjectId project,
                                  TierId tier, Money amount) {
  Money available;
  for (LotId id : LotsInReach(state, member, project, tier)) {
    const Money part = Available(state.lots.Get(id));
    if (part > Money()) available += part;
  }
  if (available >= amount) return std::nullopt;
  Blocked blocked;
  blocked.reason = Reason::kBudget;
  blocked.short_by = amount - available;
  blocked.text = fmt::format(
      "needs {}, available {}: {} short in the lots that {} can draw on",
      FormatAmount(amount, state.lab.currency), FormatAmount(available, state.lab.currency),
      FormatAmount(blocked.short_by, state.lab.currency), MemberName(state, member));
  return blocked;
}

Money EverInReach(const State& state, MemberId member, ProjectId project, TierId tier) {
  Money sum;
  for (LotId id : LotsInReach(state, member, project, tier)) {
    const LotRow& lot = state.lots.Get(id);
    const Money part = lot.credited - lot.posted + lot.credit_limit;
    if (part > Money()) sum += part;
  }
  return sum;
}

void TakeHold(State& state, const AttemptRow& attempt, AssetId asset, Money amount) {
  HoldRow hold;
  hold.attempt = attempt.id;
  hold.asset = asset;
  hold.amount = amount;
  hold.at = state.now;
  state.holds.Put(attempt.id, hold);
  DrawLines(state, attempt, asset, amount, 0);
  CountOpen(state, attempt, asset, amount);
}

void EnlargeHold(State& state, const AttemptRow& attempt, Money amount) {
  const Money more = amount - state.holds.Get(attempt.id).amount;
  if (more <= Money()) return;
  const AssetId asset = state.holds.Get(attempt.id).asset;
  DrawLines(state, attempt, asset, more, static_cast<int32_t>(LinesOf(state, attempt.id).size()));
  state.holds.Edit(attempt.id).amount = amount;
  CountOpen(state, attempt, asset, more);
}

void CutHold(State& state, const AttemptRow& attempt, Money amount) {
  Money rest = state.holds.Get(attempt.id).amount - amount;
  if (rest <= Money()) return;
  const AssetId asset = state.holds.Get(attempt.id).asset;
  state.holds.Edit(attempt.id).amount = amount;
  CountOpen(state, attempt, asset, -rest);
  const std::vector<LineKey> lines = LinesOf(state, attempt.id);
  for (auto it = lines.rbegin(); it != lines.rend() && rest > Money(); ++it) {
    HoldLineRow& line = state.hold_lines.Edit(*it);
    const Money part = std::min(rest, line.amount - line.posted);
    if (part == Money()) continue;
    line.amount -= part;
    rest -= part;
    MoveLot(state, line.lot, Money(), Money(), -part);
    CountBorrowed(state, attempt.member, line.lot, Money(), -part);
    std::vector<HoldCutRow>& cuts = state.out.hold_cuts;
    const HoldCutRow cut{attempt.id, line.n, state.now, part};
    const auto same = std::ranges::find_if(cuts, [&](const HoldCutRow& c) {
      return c.attempt == cut.attempt && c.n == cut.n && c.at == cut.at;
    });
    if (same == cuts.end()) {
      cuts.push_back(cut);
    } else {
      same->amount += part;
    }
    LapseIfOver(state, line.lot);
  }
  PINKA_CHECK(rest == Money(), "what is posted is within the lower limit");
}

void PostUpTo(State& state, const AttemptRow& attempt, int64_t metered_ms, Timestamp at) {
  Post(state, attempt, metered_ms, at, false);
  CrossThresholds(state, KeyOf(attempt));
}

void Settle(State& state, const AttemptRow& attempt) {
  const Payer payer = PayerFor(state, attempt.end_reason);
  const HoldRow hold = state.holds.Get(attempt.id);
  const int64_t total_ms = attempt.metered_ms * attempt.units;
  const int64_t own_ms = OwnMillis(attempt, payer) * attempt.units;
  const Rate rate = HoldRate(attempt);
  if (own_ms > 0) Post(state, attempt, own_ms / attempt.units, state.now, true);
  Reverse(state, attempt, std::min(Cost(UnitTime::Millis(own_ms), rate), hold.amount), own_ms);
  const Money charged = state.holds.Get(attempt.id).posted;
  Money lab;
  if (payer != Payer::kNobody)
    lab = std::max(Cost(UnitTime::Millis(total_ms), rate) - charged, Money());
  const bool overrun = own_ms == OwnMillis(attempt, Payer::kMember) * attempt.units &&
                       (payer == Payer::kMember || payer == Payer::kCheckpoint);
  PostOverhead(
      state, attempt, overrun ? AccountKind::kOverheadOverrun : OverheadOf(attempt.end_reason), lab,
      std::max<int64_t>(total_ms - own_ms, 0),
      overrun ? "past the limit: grace and kill" : std::string(RuleOf(attempt.end_reason).text));
  CloseHold(state, attempt, hold, charged);

  SettlementRow row;
  row.attempt = attempt.id;
  row.at = state.now;
  row.charged = charged;
  row.lab = lab;
  row.metered_ms = attempt.metered_ms;
  row.hash = Sha256Hex(fmt::format("{} {} {} {}", ToString(attempt.id), Name(attempt.end_reason),
                                   attempt.metered_ms, attempt.overrun_ms));
  row.payer = payer;
  PINKA_CHECK(state.settlements.emplace(attempt.id, row).second, "an attempt is settled once");
  state.out.settlements.push_back(row);
}

}  // namespace pinka
