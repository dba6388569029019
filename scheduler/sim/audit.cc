#include "scheduler/sim/audit.h"

#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "scheduler/core/digest.h"
#include "scheduler/core/state.h"

namespace pinka::sim {
namespace {

using Violations = std::vector<std::string>;

// What entries say of one account or attempt.
struct Sums {
  Money in, out, charged, overhead;
  bool corrected = false;  // which may take a lot below zero
};

struct Entries {
  std::map<AccountId, Sums> accounts;
  std::map<AttemptId, Sums> attempts;
};

// Given back into the lot that had paid the charge, or taken from it once more: its postings
// change.
void AddAmendment(const FakeStore& store, const TransferRow& row, Entries& e) {
  const auto& transfers = store.tables().transfers;
  const TransferRow* of = &transfers.at(row.linked);
  if (of->kind == TransferKind::kRefund) of = &transfers.at(of->linked);
  if (of->kind == TransferKind::kCharge && row.credit == of->debit)
    e.accounts[row.credit].charged -= row.amount;
  if (of->kind == TransferKind::kCharge && row.debit == of->debit)
    e.accounts[row.debit].charged += row.amount;
  if (row.kind == TransferKind::kCorrect) e.accounts[row.debit].corrected = true;
}

Entries AddUp(const FakeStore& store) {
  Entries e;
  for (const auto& [id, row] : store.tables().transfers) {
    e.accounts[row.credit].in += row.amount;
    e.accounts[row.debit].out += row.amount;
    if (row.kind == TransferKind::kCharge) e.accounts[row.debit].charged += row.amount;
    if (row.kind == TransferKind::kReversal) e.accounts[row.credit].charged -= row.amount;
    if (row.linked) AddAmendment(store, row, e);
    // What a package's hours cost stands beside them.
    if (!row.attempt.job || row.asset != store.tables().holds.at(row.attempt).asset) continue;
    if (row.kind == TransferKind::kCharge) e.attempts[row.attempt].charged += row.amount;
    if (row.kind == TransferKind::kReversal) e.attempts[row.attempt].charged -= row.amount;
    if (row.kind == TransferKind::kOverhead) e.attempts[row.attempt].overhead += row.amount;
  }
  return e;
}

void AuditLots(const FakeStore& store, const Entries& entries, Violations& out) {
  std::map<LotId, Money> held;  // of lots on which an open hold has a line
  for (const auto& [key, line] : store.tables().hold_lines) {
    if (!store.tables().holds.at(key.first).closed_at) held[line.lot] += line.amount - line.posted;
  }
  for (const auto& [id, lot] : store.tables().lots) {
    const auto known = entries.accounts.find(lot.account);
    const Sums sums = known == entries.accounts.end() ? Sums() : known->second;
    const auto bad = [&, n = id.value()](std::string_view what) {
      out.push_back(fmt::format("lot {}: {} (credited {} posted {} held {})", n, what,
                                lot.credited.micros(), lot.posted.micros(), lot.held.micros()));
    };
    if (sums.in - sums.out != lot.credited - lot.posted) bad("its entries say something else");
    if (sums.charged != lot.posted) bad("posted is not what was charged");
    const bool drawn_on = held.contains(id);
    if (held[id] != lot.held) bad("held is not the sum of open lines");
    const Money available = lot.credited - lot.posted - lot.held + lot.credit_limit;
    if (available < Money() && !sums.corrected) bad("below its floor");
    const bool over = lot.ends_at <= store.core_now() && !drawn_on;
    if (lot.lapsed != over) bad("lapsed before its time, or not at it");
    if (lot.lapsed && lot.credited > lot.posted) bad("lapsed with money in it");
    if (lot.lapsed && lot.credited < lot.posted && !sums.corrected) bad("lapsed below zero");
  }
}

// Hours that others' portions lend to one member: charged, and held.
struct Lent {
  int64_t charged = 0;
  int64_t held = 0;
};
using LentKey = std::pair<PackageId, MemberId>;

std::map<LentKey, Lent> AddUpLent(const FakeStore& store) {
  const auto& t = store.tables();
  std::map<LentKey, Lent> lent;
  for (const auto& [key, line] : t.hold_lines) {
    const LotRow& lot = t.lots.at(line.lot);
    const MemberId member = t.attempts.at(key.first).member;
    if (lot.asset == kCurrency || lot.owner == OwnedBy(member)) continue;
    Lent& sum = lent[{PackageOf(lot.asset), member}];
    sum.charged += line.posted.micros();
    if (!t.holds.at(key.first).closed_at) sum.held += (line.amount - line.posted).micros();
  }
  for (const auto& [id, row] : t.transfers) {  // given back to who lent it
    if (row.kind != TransferKind::kRefund || row.asset == kCurrency) continue;
    const AccountRow& to = t.accounts.at(row.credit);
    if (to.kind == AccountKind::kLot && to.owner != OwnedBy(row.member))
      lent[{PackageOf(row.asset), row.member}].charged -= row.amount.micros();
  }
  return lent;
}

void AuditPackage(const FakeStore& store, const Entries& entries, const PackageRow& package,
                  Violations& out) {
  const auto& t = store.tables();
  const auto bad = [&](std::string_view what) {
    out.push_back(fmt::format("package {}: {}", package.id.value(), what));
  };
  Money cost, lapsed;
  int64_t total = 0, used = 0;
  bool over = true;
  std::map<LentKey, Lent> lent = AddUpLent(store);
  for (auto it = t.portions.lower_bound({package.id, MemberId()});
       it != t.portions.end() && it->first.first == package.id; ++it) {
    const PortionRow& portion = it->second;
    const LotRow& lot = t.lots.at(portion.lot);
    cost += portion.cost;
    lapsed += portion.lapsed;
    total += portion.total_ms;
    used += lot.posted.micros();
    over = over && lot.lapsed;
    if (lot.credited.micros() != portion.total_ms - portion.lapsed_ms) bad("a portion lost hours");
    const Lent sum = lent[it->first];
    if (sum.charged != portion.borrowed_ms || sum.held != portion.borrowing_ms)
      bad("a portion borrowed something else");
    if (package.borrow == BorrowRule::kNone && sum.charged + sum.held > 0) bad("it lends nothing");
    if (package.borrow == BorrowRule::kLimit && sum.charged + sum.held > package.borrow_ms)
      bad("somebody borrowed more than it lends");
  }
  if (cost != package.price) bad("the costs of its portions are not its price");
  if (total != package.total_ms) bad("its portions are not the whole");
  if (used != package.used_ms) bad("used is not what was charged");
  const int64_t moved = MulDivRound(package.price.micros(), used, package.total_ms);
  if (package.moved != Money::Micros(moved)) bad("moved is not price x used / total");
  const auto known = entries.accounts.find(package.inventory);
  const Sums sums = known == entries.accounts.end() ? Sums() : known->second;
  if (sums.in - sums.out != package.price - package.moved - package.lapsed)
    bad("its inventory is not price - moved - lapsed");
  if (lapsed != package.lapsed) bad("its portions lapsed something else");
  const bool open = std::ranges::any_of(t.holds, [&](const auto& entry) {
    return entry.second.asset == AssetOf(package.id) && !entry.second.closed_at;
  });
  if (static_cast<bool>(package.closed_at) != (over && !open)) bad("closed too early or too late");
  if (package.closed_at && sums.in != sums.out) bad("closed with something in its inventory");
}

// What was ordered on a package ends within it, if it ran at once.
void AuditPackageAttempts(const FakeStore& store, Violations& out) {
  for (const auto& [id, hold] : store.tables().holds) {
    const AttemptRow& attempt = store.tables().attempts.at(id);
    const bool package = attempt.source == Source::kPackage;
    if (package == (hold.asset == kCurrency)) {
      out.push_back(ToString(id) + ": held in another asset than its source's");
      continue;
    }
    if (!package) continue;
    const PackageRow& row = store.tables().packages.at(PackageOf(hold.asset));
    if (attempt.ordered_at < row.starts_at || attempt.ordered_at + attempt.time_limit > row.ends_at)
      out.push_back(ToString(id) + ": ordered on a package that does not last for it");
  }
}

void AuditAttempt(const FakeStore& store, const Entries& entries, const AttemptRow& attempt,
                  Violations& out) {
  const auto& t = store.tables();
  const std::string name = ToString(attempt.id);
  const auto hold = t.holds.find(attempt.id);
  const auto settled = t.settlements.find(attempt.id);
  const bool ended = attempt.state == AttemptState::kEnded;
  if (hold == t.holds.end()) return out.push_back(name + ": no hold");
  if (ended != static_cast<bool>(hold->second.closed_at))
    out.push_back(name + ": its hold is not as open as it is");
  if (ended != (settled != t.settlements.end()))
    out.push_back(name + ": settled before its end, or not after it");
  const auto known = entries.attempts.find(attempt.id);
  const Sums sums = known == entries.attempts.end() ? Sums() : known->second;
  if (sums.charged != hold->second.posted) out.push_back(name + ": entries are not what is posted");
  if (settled == t.settlements.end()) return;
  if (settled->second.charged != sums.charged || settled->second.lab != sums.overhead)
    out.push_back(name + ": settled with something else than its entries");
}

// What a rental counted is what its entries say.
void AuditRentals(const FakeStore& store, Violations& out) {
  struct Counted {
    Money members, lab, idle;
    int64_t used_ms = 0;
  };
  std::map<RentalId, Counted> sums;
  for (const auto& [id, row] : store.tables().transfers) {
    Counted& sum = sums[row.rental];
    const bool idle = store.tables().accounts.at(row.credit).kind == AccountKind::kIdle;
    const bool back = store.tables().accounts.at(row.debit).kind == AccountKind::kIdle;
    if (row.kind == TransferKind::kCharge) sum.members += row.amount;
    if (row.kind == TransferKind::kReversal) sum.members -= row.amount;
    if (row.kind == TransferKind::kOverhead) sum.lab += row.amount;
    if (row.kind == TransferKind::kRental && idle) sum.idle += row.amount;
    if (row.kind == TransferKind::kRental && back) sum.idle -= row.amount;
    sum.used_ms += row.kind == TransferKind::kReversal ? -row.unit_ms : row.unit_ms;
  }
  for (const auto& [id, row] : store.tables().rentals) {
    const Counted& sum = sums[id];
    const bool same = sum.members == row.members + row.since_members &&
                      sum.lab == row.lab + row.since_lab && sum.idle == row.idle &&
                      sum.used_ms == row.used_ms + row.since_used_ms;
    if (!same) out.push_back(fmt::format("rental {}: its entries say something else", id.value()));
  }
}

// What jobs were charged in money, and that with their holds they stay within their ceilings.
void AuditCeilings(const FakeStore& store, const Entries& entries, Violations& out) {
  std::map<JobId, Money> charged, held;
  for (const auto& [id, hold] : store.tables().holds) {
    if (hold.asset != kCurrency) continue;
    const auto known = entries.attempts.find(id);
    if (known != entries.attempts.end()) charged[id.job] += known->second.charged;
    if (!hold.closed_at) held[id.job] += hold.amount - hold.posted;
  }
  for (const auto& [id, job] : store.tables().jobs) {
    if (job.charged != charged[id])
      out.push_back(fmt::format("job {}: charged something else than its entries", id.value()));
    if (job.max_cost > Money() && job.charged + held[id] > job.max_cost)
      out.push_back(fmt::format("job {}: above its ceiling", id.value()));
  }
}

bool SameWaiting(const State& a, const State& b) {
  const auto flat = [](const State& s) {
    std::vector<std::tuple<TierId, ShareKey, bool, Int128, Timestamp, JobId>> all;
    for (const auto& [tier, queues] : s.queues) {
      for (const auto& [whose, queue] : queues) {
        for (const QueuePlace& p : queue.young)
          all.emplace_back(tier, whose, true, p.key, p.submitted_at, p.job);
        for (const QueuePlace& p : queue.capped)
          all.emplace_back(tier, whose, false, p.key, p.submitted_at, p.job);
      }
    }
    return all;
  };
  return flat(a) == flat(b) && a.age_caps == b.age_caps && a.timers == b.timers &&
         a.dependants == b.dependants && a.namesakes == b.namesakes;
}

bool SameNodeUse(const State& a, const State& b) {
  const auto flat = [](const State& s) {
    std::vector<std::tuple<NodeId, int32_t, std::set<int32_t>, std::set<AttemptId>, int32_t>> all;
    for (const auto& [id, use] : s.node_use) {
      if (use.live > 0 || !use.attempts.empty() || use.units > 0)
        all.emplace_back(id, use.units, use.gpus, use.attempts, use.live);
    }
    return all;
  };
  const auto interruptible = [](const State& s) {
    auto all = s.interruptible;
    std::erase_if(all, [](const auto& e) { return e.second.empty(); });
    return all;
  };
  const auto against_time = [](const State& s) {
    auto all = s.against_time;
    std::erase_if(all, [](const auto& e) { return e.second.empty(); });
    return all;
  };
  return flat(a) == flat(b) && interruptible(a) == interruptible(b) &&
         against_time(a) == against_time(b) && a.freed == b.freed;
}

bool SameSums(const State& a, const State& b) {
  const auto flat = [](const State& s) {
    std::map<OpenKey, std::array<int64_t, 4>> all;
    for (const auto& [key, sums] : s.open_sums) {
      const std::array<int64_t, 4> row = {sums.money.micros(), sums.unit_ms, sums.units,
                                          sums.queued};
      if (row != std::array<int64_t, 4>{}) all.emplace(key, row);
    }
    return all;
  };
  return flat(a) == flat(b);
}

bool SameOpenUse(const State& a, const State& b) {
  const auto flat = [](const State& s) {
    std::vector<std::tuple<ShareKey, Int128, Int128, std::map<Timestamp, Int128>>> all;
    for (const auto& [whose, use] : s.open_use) {
      if (!use.by_start.empty() || use.weight != 0 || use.weight_at_start != 0)
        all.emplace_back(whose, use.weight, use.weight_at_start, use.by_start);
    }
    return all;
  };
  return flat(a) == flat(b);
}

bool SameJobIndex(const State& a, const State& b) {
  const auto flat = [](const State& s) {
    std::vector<std::tuple<JobId, std::vector<int32_t>, std::set<int32_t>, int32_t>> all;
    for (const auto& [id, index] : s.job_index)
      all.emplace_back(id, index.indices, index.waiting_again, index.live);
    return all;
  };
  return flat(a) == flat(b) && a.ended_jobs == b.ended_jobs;
}

bool SameNames(const State& a, const State& b) {
  const auto units = [](const State& s) {
    std::map<TierId, int32_t> all = s.tier_units;
    std::erase_if(all, [](const auto& e) { return e.second == 0; });
    return all;
  };
  const auto nodes = [](const State& s) {
    std::map<TierId, TierNodes> all = s.tier_nodes;
    std::erase_if(all, [](const auto& e) { return e.second.by_units.empty(); });
    return all;
  };
  return units(a) == units(b) && nodes(a) == nodes(b) && a.member_by_name == b.member_by_name &&
         a.node_by_name == b.node_by_name && a.open_rentals == b.open_rentals &&
         a.tier_by_name == b.tier_by_name && a.request_ends == b.request_ends;
}

void CompareIndexes(const State& running, const State& loaded, Violations& out) {
  const auto judge = [&](bool same, std::string_view what) {
    if (!same) out.push_back(fmt::format("reload: other {}", what));
  };
  judge(SameWaiting(running, loaded), "queues");
  judge(SameNodeUse(running, loaded), "use of nodes");
  judge(SameSums(running, loaded), "open sums");
  judge(SameOpenUse(running, loaded), "open use");
  judge(SameJobIndex(running, loaded), "job index");
  judge(SameNames(running, loaded), "names or units");
}

// The first line that differs, with both its forms.
std::string FirstDifference(const std::string& a, const std::string& b) {
  size_t at = 0;
  size_t line = 0;
  for (; at < a.size() && at < b.size() && a[at] == b[at]; ++at) {
    if (a[at] == '\n') line = at + 1;
  }
  const auto from = [line](const std::string& s) {
    return s.substr(line, s.find('\n', line) - line);
  };
  return fmt::format("running: {}\n   loaded:  {}", from(a), from(b));
}

}  // namespace

Violations AuditBooks(const FakeStore& store) {
  Violations out;
  const Entries entries = AddUp(store);
  AuditLots(store, entries, out);
  for (const auto& [id, attempt] : store.tables().attempts)
    AuditAttempt(store, entries, attempt, out);
  for (const auto& [id, package] : store.tables().packages)
    AuditPackage(store, entries, package, out);
  AuditPackageAttempts(store, out);
  AuditRentals(store, out);
  AuditCeilings(store, entries, out);
  if (store.tables().holds.size() != store.tables().attempts.size())
    out.push_back("a hold without its attempt");
  return out;
}

Violations AuditMachines(const FakeStore& store) {
  Violations out;
  std::map<NodeId, int32_t> units;
  std::set<std::pair<NodeId, int32_t>> gpus;
  std::set<TaskId> live;
  for (const auto& [id, attempt] : store.tables().attempts) {
    if (attempt.ended_at) continue;
    units[attempt.node] += attempt.units;
    for (int32_t gpu : attempt.gpus) {
      if (!gpus.emplace(attempt.node, gpu).second)
        out.push_back(fmt::format("{}: a card is given out twice", ToString(id)));
    }
    if (!live.insert({id.job, id.index}).second)
      out.push_back(fmt::format("{}: its task has two live attempts", ToString(id)));
  }
  for (const auto& [id, used] : units) {
    const NodeRow& node = store.tables().nodes.at(id);
    // Work on a card that has just failed runs until it is over.
    const auto sick = static_cast<int32_t>(
        std::ranges::count_if(node.gpus, [](const Gpu& gpu) { return !gpu.fault.empty(); }));
    if (used > node.units + sick)
      out.push_back(fmt::format("node {}: {} of {} units given out", node.name, used, node.units));
    if (node.removed) out.push_back(fmt::format("node {}: removed with live work", node.name));
  }
  return out;
}

Violations AuditJobs(const FakeStore& store) {
  Violations out;
  std::map<JobId, std::vector<int32_t>> counts;
  for (const auto& [id, task] : store.tables().tasks) {
    auto& row = counts[id.job];
    row.resize(kTaskStates);
    ++row[static_cast<size_t>(task.state)];
    const auto attempt = store.tables().attempts.find({id.job, id.index, task.attempts});
    const bool open = attempt != store.tables().attempts.end() && !attempt->second.ended_at;
    if (IsLive(task.state) != open)
      out.push_back(fmt::format("task {}: {} without an open attempt, or not with it", ToString(id),
                                Name(task.state)));
  }
  for (const auto& [id, job] : store.tables().jobs) {
    auto& row = counts[id];
    row.resize(kTaskStates);
    row[static_cast<size_t>(TaskState::kPending)] += static_cast<int32_t>(job.pending.size());
    row[static_cast<size_t>(TaskState::kHeld)] += static_cast<int32_t>(job.held.size());
    row[static_cast<size_t>(TaskState::kCancelled)] += static_cast<int32_t>(job.cancelled.size());
    row[static_cast<size_t>(TaskState::kDeadline)] += static_cast<int32_t>(job.expired.size());
    if (row != job.counts) out.push_back(fmt::format("job {}: counts are no recount", id.value()));
    int32_t tasks = 0;
    for (int32_t n : row) tasks += n;
    if (tasks != job.task_count) out.push_back(fmt::format("job {}: tasks got lost", id.value()));
  }
  return out;
}

Violations AuditReload(const Core& core, const FakeStore& store) {
  Violations out;
  if (core.now() != store.core_now()) return out;
  const State loaded = LoadState(store.Load());
  CompareIndexes(core.state(), loaded, out);
  const std::string running = DumpOf(ExportState(core.state()));
  const std::string reloaded = DumpOf(ExportState(loaded));
  if (running != reloaded)
    out.push_back("reload: other rows\n   " + FirstDifference(running, reloaded));
  return out;
}

Violations Audit(const Core& core, const FakeStore& store) {
  Violations out;
  for (auto part :
       {AuditBooks(store), AuditMachines(store), AuditJobs(store), AuditReload(core, store)}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

}  // namespace pinka::sim
