#include "scheduler/check/lot_replay.h"

#include <tuple>

#include "fmt/format.h"

namespace pinka::check {

Status LotReplay::Load(db::Connection& connection) {
  StatusOr<db::Result> result = connection.Exec("check_lots");
  if (!result.ok()) return result.status();
  for (db::Row row(*result); row.Next();) {
    Lot lot;
    lot.id = row.Int();
    const std::string kind = row.Text();
    lot.breadth = kind == "member" ? 0 : kind == "project" ? 1 : 2;
    lot.owner = row.Int();
    lot.tier = row.Int();
    lot.starts_at = row.At();
    lot.ends_at = row.At();
    lot.credit_limit = row.Int();
    lot.asset = row.Int();
    lots_.emplace(lot.id, lot);
  }
  return OkStatus();
}

bool LotReplay::InReach(const Lot& lot, const Moment& line) const {
  if (line.at < lot.starts_at || line.at >= lot.ends_at) return false;
  if (lot.asset != line.asset) return false;
  if (lot.tier != 0 && lot.tier != line.tier) return false;
  if (lot.asset != 1) return true;  // which portions lend is another rule
  if (lot.breadth == 2) return true;
  return lot.owner == (lot.breadth == 0 ? line.member : line.project);
}

// Of a package: the own portion, then what nobody was given, then others. Which of those lends
// first changes with what is left in them, and is not judged.
bool LotReplay::BurnsBefore(const Lot& a, const Lot& b, const Moment& line) {
  if (a.asset != 1) {
    const auto turn = [&](const Lot& lot) {
      return lot.breadth == 0 && lot.owner == line.member ? 0 : lot.breadth == 2 ? 1 : 2;
    };
    return turn(a) < turn(b);
  }
  const auto rank = [](const Lot& lot) {
    return std::tuple(lot.breadth, lot.tier != 0 ? 0 : 1, lot.ends_at, lot.starts_at, lot.id);
  };
  return rank(a) < rank(b);
}

// For each line: every lot in reach that burns earlier was used up. What this instant brought in is
// not counted, for it may have come after; what it took is, but not this hold's own later lines.
void LotReplay::JudgeOrder(std::span<const Moment> moments) {
  std::map<int64_t, Wide> taken;
  for (const Moment& m : moments) {
    if (m.what == What::kLine || m.what == What::kDebit) taken[m.lot] += m.amount;
  }
  const auto later_lines = [&](const Moment& line, int64_t lot) {
    Wide sum = 0;
    for (const Moment& m : moments) {
      const bool later = m.what == What::kLine && m.attempt == line.attempt && m.n > line.n;
      if (later && m.lot == lot) sum += m.amount;
    }
    return sum;
  };
  for (const Moment& line : moments) {
    if (line.what != What::kLine || !line.sure) continue;
    auto drawn = lots_.find(line.lot);
    if (drawn == lots_.end()) continue;
    for (const auto& [id, lot] : lots_) {
      if (!BurnsBefore(lot, drawn->second, line) || !InReach(lot, line)) continue;
      Wide left = lot.low + lot.credit_limit;
      if (left <= 0) continue;
      if (auto it = taken.find(id); it != taken.end()) left += later_lines(line, id) - it->second;
      if (left <= 0) continue;
      findings_.Add("hold.burn", "hold_lines", fmt::format("{}/{}", Text(line.attempt), line.n),
                    fmt::format("drawn from lot {}, which had {}", id, Amount(left)),
                    fmt::format("{} from lot {}", Amount(line.amount), line.lot));
      break;
    }
  }
}

void LotReplay::Apply(std::span<const Moment> moments, bool debits) {
  for (const Moment& m : moments) {
    if ((m.what == What::kDebit) != debits) continue;
    auto it = lots_.find(m.lot);
    if (it == lots_.end()) continue;
    Lot& lot = it->second;
    switch (m.what) {
      case What::kCredit:
        lot.low += m.amount;
        lot.high += m.amount;
        break;
      case What::kDebit:
        lot.low -= m.amount;
        lot.high -= m.amount;
        break;
      case What::kLine:
        lot.low -= m.amount;
        if (m.sure) lot.high -= m.amount;
        break;
      case What::kRelease:
        lot.low += Wide{m.amount} - m.posted;
        lot.high += m.sure ? Wide{m.amount} - m.posted : -Wide{m.posted};
        break;
      case What::kCut:
        lot.low += m.amount;
        if (m.sure) lot.high += m.amount;
        break;
      case What::kCharge:
      case What::kEnd:
      case What::kOrder:
      case What::kMoreCharged:
        break;
    }
  }
}

void LotReplay::JudgeFloor(std::span<const Moment> moments) const {
  int64_t judged = 0;
  for (const Moment& m : moments) {
    if (m.what != What::kLine || !m.sure || m.lot == judged) continue;
    auto it = lots_.find(m.lot);
    if (it == lots_.end()) continue;
    const Lot& lot = it->second;
    if (lot.high + lot.credit_limit >= 0) continue;
    judged = m.lot;
    findings_.Add(
        "lot.floor", "lots", std::to_string(m.lot),
        fmt::format("at least {} after the hold of {}", Amount(-lot.credit_limit), Text(m.attempt)),
        Amount(lot.high));
  }
}

void LotReplay::Instant(std::span<const Moment> moments) {
  JudgeOrder(moments);
  Apply(moments, false);
  JudgeFloor(moments);
  Apply(moments, true);
}

}  // namespace pinka::check
