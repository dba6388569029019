#include "scheduler/check/limit_replay.h"

#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"

namespace pinka::check {
namespace {

// Member in project, member, project, lab: how near a scope is.
int Distance(const std::string& scope, int64_t member) {
  if (scope == "project") return member != 0 ? 0 : 2;
  return scope == "member" ? 1 : 3;
}

}  // namespace

Status LimitReplay::Load(db::Connection& connection) {
  StatusOr<db::Result> limits = connection.Exec("check_limits");
  if (!limits.ok()) return limits.status();
  for (db::Row row(*limits); row.Next();) {
    Limit limit;
    limit.id = row.Int();
    limit.resource = row.Text();
    limit.each = row.Text() == "each";
    limit.scope = row.Text();
    limit.scope_id = row.Int();
    limit.member = row.Int();
    limit.tier = row.Int();
    limit.period = row.Text();
    limit.unlimited = row.Bool();
    limit.amount = row.Int();
    limit.until = row.At();
    limit.starts_at = row.At();
    limit.block_at = row.Int();
    if (limit.period == "dated") {
      limit.period = fmt::format("dated {}", limit.id);
      calendars_[limit.period].periods = {{Timestamp(), limit.starts_at},
                                          {limit.starts_at, limit.until}};
    }
    limits_.push_back(limit);
  }
  calendars_["none"].periods.emplace_back(Timestamp(), Timestamp::Never());
  StatusOr<db::Result> periods = connection.Exec("check_periods");
  if (!periods.ok()) return periods.status();
  for (db::Row row(*periods); row.Next();) {
    auto& calendar = calendars_[row.Text()];
    const Timestamp start = row.At();
    calendar.periods.emplace_back(start, row.At());
  }
  StatusOr<db::Result> since = connection.Exec("check_limits_since");
  if (!since.ok()) return since.status();
  for (db::Row row(*since); row.Next();) since_ = row.At();
  return OkStatus();
}

void LimitReplay::Advance(Timestamp at) {
  for (auto& [kind, calendar] : calendars_) {
    auto& [periods, current, posted] = calendar;
    while (current < periods.size() && periods[current].second <= at) {
      ++current;
      posted.clear();
    }
  }
}

void LimitReplay::Charge(const Moment& m) {
  const Key key{m.member, m.project, m.tier};
  for (auto& [kind, calendar] : calendars_) {
    Use& posted = calendar.posted[key];
    posted.money += m.amount;
    posted.unit_ms += m.unit_ms;
  }
  auto it = open_.find(m.attempt);
  if (it == open_.end()) return;
  const Wide money = std::min<Wide>(m.amount, it->second.use.money);
  const Wide unit_ms = std::min<Wide>(m.unit_ms, it->second.use.unit_ms);
  it->second.use.money -= money;
  it->second.use.unit_ms -= unit_ms;
  sums_[key].money -= money;
  sums_[key].unit_ms -= unit_ms;
}

void LimitReplay::Apply(const Moment& m) {
  const Key key{m.member, m.project, m.tier};
  switch (m.what) {
    case What::kCharge:
      return Charge(m);
    case What::kEnd: {
      ended_now_.push_back(m.attempt);
      auto it = open_.find(m.attempt);
      if (it == open_.end()) return;
      sums_[key].units -= it->second.use.units;
      sums_[key].money -= it->second.use.money;
      sums_[key].unit_ms -= it->second.use.unit_ms;
      open_.erase(it);
      return;
    }
    case What::kOrder:
      if (std::ranges::find(ended_now_, m.attempt) != ended_now_.end()) return;
      open_[m.attempt] = {m.member, m.project, m.tier, {m.units, 0, Wide{m.units} * m.limit_ms}};
      // What costs nothing leaves no trace of a limit that was raised later.
      if (m.rate == 0) open_[m.attempt].use.unit_ms = 0;
      sums_[key].units += m.units;
      sums_[key].unit_ms += open_[m.attempt].use.unit_ms;
      return;
    case What::kLine: {
      auto it = open_.find(m.attempt);
      if (it == open_.end()) return;
      if (m.sure) {
        if (m.asset != 1) return;  // hours of a package are no money
        it->second.use.money += m.amount;
        sums_[key].money += m.amount;
      } else {
        sums_[key].unit_ms -= it->second.use.unit_ms;
        it->second.use.unit_ms = 0;
      }
      return;
    }
    case What::kCut: {
      auto it = open_.find(m.attempt);
      if (it == open_.end() || !m.sure || m.asset != 1) return;
      const Wide money = std::min<Wide>(m.amount, it->second.use.money);
      it->second.use.money -= money;
      sums_[key].money -= money;
      return;
    }
    case What::kCredit:
    case What::kRelease:
    case What::kDebit:
    case What::kMoreCharged:
      return;
  }
}

bool LimitReplay::Applies(const Limit& limit, const Moment& order) {
  if (limit.until && limit.until <= order.at) return false;
  if (limit.starts_at > order.at) return false;
  if (limit.tier != 0 && limit.tier != order.tier) return false;
  if (limit.scope == "lab") return true;
  if (limit.scope == "member") return limit.scope_id == order.member;
  return order.project != 0 && limit.scope_id == order.project &&
         (limit.member == 0 || limit.member == order.member);
}

// Of `each` the nearest scope, of one place the newest (a raise stands above what it raises); of
// `all` every ancestor's.
std::vector<const LimitReplay::Limit*> LimitReplay::LimitsOf(const Moment& order) const {
  using Place = std::tuple<std::string, int64_t, std::string, Timestamp, int>;
  std::map<Place, const Limit*> each;
  std::map<Place, const Limit*> all;
  for (const Limit& limit : limits_) {
    if (!Applies(limit, order)) continue;
    const int distance = Distance(limit.scope, limit.member);
    auto& found = (limit.each ? each : all)[{limit.resource, limit.tier, limit.period.substr(0, 5),
                                             limit.starts_at, limit.each ? 0 : distance}];
    const bool nearer = !found || !limit.each || distance <= Distance(found->scope, found->member);
    if (nearer) found = &limit;  // in the order of ids: the newest stays
  }
  std::vector<const Limit*> result;
  for (const auto* places : {&each, &all}) {
    for (const auto& [place, limit] : *places) {
      if (!limit->unlimited) result.push_back(limit);
    }
  }
  return result;
}

bool LimitReplay::Counts(const Limit& limit, const Moment& order, const Key& key) {
  const auto& [member, project, tier] = key;
  if (limit.tier != 0 && limit.tier != tier) return false;
  if (limit.scope == "project" && limit.scope_id != project) return false;
  if (limit.scope == "member" && limit.scope_id != member) return false;
  if (limit.member != 0 && limit.member != member) return false;
  return !limit.each || member == order.member;
}

Wide LimitReplay::Part(const Limit& limit, const Use& use) {
  if (limit.resource == "running_units") return use.units;
  return limit.resource == "money" ? use.money : use.unit_ms;
}

Wide LimitReplay::Sum(const Limit& limit, const Moment& order, const Uses& uses) {
  Wide sum = 0;
  for (const auto& [key, use] : uses) {
    if (Counts(limit, order, key)) sum += Part(limit, use);
  }
  return sum;
}

Wide LimitReplay::Used(const Limit& limit, const Moment& order) const {
  const Wide open = Sum(limit, order, sums_);
  const auto calendar = calendars_.find(limit.period);
  if (limit.resource == "running_units" || calendar == calendars_.end()) return open;
  return open + Sum(limit, order, calendar->second.posted);
}

// Before all that was ordered in this instant.
void LimitReplay::JudgeBlock(const Limit& limit, const Moment& order, Wide used, Wide ordered) {
  const auto own = open_.find(order.attempt);
  if (limit.block_at == 0 || own == open_.end()) return;
  const Wide before = used - ordered;
  if (before * 100 < limit.amount * limit.block_at) return;
  const auto text = [&](Wide n) { return limit.resource == "money" ? Amount(n) : Number(n); };
  findings_.Add("limit.crossed", "limits", std::to_string(limit.id),
                fmt::format("nothing starts from {} % of {} {} on", limit.block_at,
                            text(limit.amount), limit.resource),
                fmt::format("{} used before the hold of {} at {}", text(before),
                            Text(order.attempt), FormatUtc(order.at)));
}

void LimitReplay::Judge(const Moment& order, const Uses& ordered) {
  for (const Limit* limit : LimitsOf(order)) {
    if (limit->resource == "queued_tasks") continue;  // judged at submit
    const auto own = open_.find(order.attempt);
    if (own != open_.end() && Part(*limit, own->second.use) == 0) continue;  // it takes none of it
    const Wide used = Used(*limit, order);
    JudgeBlock(*limit, order, used, Sum(*limit, order, ordered));
    if (used <= limit->amount) continue;
    const auto text = [&](Wide n) { return limit->resource == "money" ? Amount(n) : Number(n); };
    findings_.Add("limit.crossed", "limits", std::to_string(limit->id),
                  fmt::format("at most {} {}", text(limit->amount), limit->resource),
                  fmt::format("{} with the hold of {} at {}", text(used), Text(order.attempt),
                              FormatUtc(order.at)));
  }
}

void LimitReplay::Instant(std::span<const Moment> moments) {
  Advance(moments.front().at);
  ended_now_.clear();
  for (const Moment& m : moments) Apply(m);
  Uses ordered;
  for (const Moment& m : moments) {
    const auto open = open_.find(m.attempt);
    if (m.what != What::kOrder || open == open_.end()) continue;
    Use& use = ordered[{m.member, m.project, m.tier}];
    use.units += open->second.use.units;
    use.money += open->second.use.money;
    use.unit_ms += open->second.use.unit_ms;
  }
  for (const Moment& m : moments) {
    if (m.what == What::kOrder && m.at > since_) Judge(m, ordered);
  }
  // After the orders of its instant, which it may have followed.
  for (const Moment& m : moments) {
    if (m.what == What::kMoreCharged) Charge(m);
  }
}

}  // namespace pinka::check
