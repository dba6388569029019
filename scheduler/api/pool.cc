#include "scheduler/api/pool.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/openness.h"
#include "scheduler/api/status_table.h"
#include "scheduler/core/rows.h"

namespace pinka::api {
namespace {

constexpr int64_t kWhole = 10'000;  // hundredths of a percent

// "42.00"
std::string Percent(int64_t hundredths) {
  return fmt::format("{}{}.{:02}", hundredths < 0 ? "-" : "", std::abs(hundredths) / 100,
                     std::abs(hundredths) % 100);
}

void FillRow(const db::PoolLine& line, v1::PoolRow* out) {
  out->set_tier(line.tier);
  out->set_paid(FormatWireMoney(line.paid));
  out->set_used(FormatWireMoney(line.used));
  out->set_wasted(FormatWireMoney(line.wasted));
  out->set_idle(FormatWireMoney(line.idle));
  out->set_other(FormatWireMoney(line.rest));
  out->set_gpu_hours(HoursOf(line.unit_ms));
  out->set_unit_ms(line.unit_ms);
  const std::vector<int64_t> parts = PartsOfWhole({line.used, line.wasted, line.idle, line.rest});
  if (parts.empty()) return;
  out->set_used_percent(Percent(parts[0]));
  out->set_wasted_percent(Percent(parts[1]));
  out->set_idle_percent(Percent(parts[2]));
  out->set_other_percent(Percent(parts[3]));
}

}  // namespace

StatusOr<Month> ConvertPool(const v1::GetPoolRequest& request, const Principal& who,
                            const Board& board) {
  if (!who.admin && !OthersMaySee(board.lab.openness, JobPart::kMoney)) {
    return Refusal(Reason::kNotPermitted,
                   "what tiers cost the lab is for admins, in an open lab for everybody; your own "
                   "part is in `pinka usage --by tier`");
  }
  return WindowOf(request, board.lab.timezone);
}

std::vector<int64_t> PartsOfWhole(const std::vector<Money>& parts) {
  const Money whole = std::accumulate(parts.begin(), parts.end(), Money());
  if (whole <= Money()) return {};
  std::vector<int64_t> shares;
  std::vector<std::pair<int64_t, size_t>> rests;  // below zero: the largest first
  int64_t left = kWhole;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Int128 scaled = Int128{parts[i].micros()} * kWhole;
    Int128 share = scaled / whole.micros();
    if (share * whole.micros() > scaled) --share;
    rests.emplace_back(static_cast<int64_t>(share * whole.micros() - scaled), i);
    shares.push_back(static_cast<int64_t>(share));
    left -= shares.back();
  }
  std::ranges::sort(rests);
  for (int64_t n = 0; n < left; ++n) ++shares[rests[static_cast<size_t>(n)].second];
  return shares;
}

void FillPool(const Month& window, const std::vector<db::PoolLine>& lines,
              v1::GetPoolResponse* out) {
  db::PoolLine total;
  for (const db::PoolLine& line : lines) {
    FillRow(line, out->add_rows());
    total.paid += line.paid;
    total.used += line.used;
    total.wasted += line.wasted;
    total.idle += line.idle;
    total.rest += line.rest;
    total.unit_ms += line.unit_ms;
  }
  FillRow(total, out->mutable_total());
  SetTime(window.start, [&] { return out->mutable_from(); });
  SetTime(window.end, [&] { return out->mutable_to(); });
}

}  // namespace pinka::api
