// What callers read beforehand and attach to their commands.
#include "scheduler/sim/fake_store.h"

namespace pinka::sim {

std::vector<NamedEntry> FakeStore::ChargesOf(const AttemptId& attempt) const {
  std::vector<NamedEntry> entries;
  for (const auto& [id, row] : t_.transfers) {
    const bool kind = row.kind == TransferKind::kCharge || row.kind == TransferKind::kReversal;
    const bool task = row.attempt.job == attempt.job && row.attempt.index == attempt.index;
    const bool same = task && (attempt.number == 0 || row.attempt.number == attempt.number);
    if (kind && same) entries.push_back(Named(row));
  }
  return entries;
}

std::vector<NamedEntry> FakeStore::EntryNamed(TransferId id) const {
  auto it = t_.transfers.find(id);
  if (it == t_.transfers.end()) return {};
  std::vector<NamedEntry> entries;
  if (it->second.attempt.job) entries = ChargesOf(it->second.attempt);
  const bool there =
      std::ranges::any_of(entries, [id](const NamedEntry& e) { return e.row.id == id; });
  if (!there) entries.push_back(Named(it->second));
  return entries;
}

NamedEntry FakeStore::Named(const TransferRow& row) const {
  NamedEntry entry;
  entry.row = row;
  for (AccountId account : {row.credit, row.debit}) {
    for (const auto& [id, lot] : t_.lots) {
      if (lot.account != account) continue;
      entry.lot = id;
      entry.lot_tier = lot.tier;
      entry.lot_payer = lot.payer;
    }
  }
  auto hold = t_.holds.find(row.attempt);
  entry.open = hold != t_.holds.end() && !hold->second.closed_at;
  return entry;
}

EndedJob FakeStore::EndedJobOf(JobId id) const {
  EndedJob ended;
  ended.id = id;
  const auto row = t_.jobs.find(id);
  if (row == t_.jobs.end() || !row->second.ended_at) return ended;
  ended.member = row->second.member;
  ended.state = row->second.state;
  ended.name_hash = row->second.name_hash;
  for (auto it = t_.tasks.lower_bound({id, 0}); it != t_.tasks.end() && it->first.job == id; ++it) {
    if (it->second.state == TaskState::kCompleted) ended.ok.Insert(it->first.index);
  }
  for (auto it = t_.attempts.lower_bound({id, 0, 0});
       it != t_.attempts.end() && it->first.job == id; ++it) {
    const Timestamp at = it->second.started_at;
    if (at && (!ended.started_at || at < ended.started_at)) ended.started_at = at;
  }
  return ended;
}

}  // namespace pinka::sim
