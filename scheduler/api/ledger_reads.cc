#include "scheduler/api/ledger_reads.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/parse.h"
#include "db/reads.h"
#include "fmt/format.h"
#include "scheduler/api/balance.h"
#include "scheduler/api/convert_package.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/job_reads.h"
#include "scheduler/api/limits.h"
#include "scheduler/runtime/agents.h"

namespace pinka::api {
namespace {

// Accounts whose money the caller may draw on.
bool MaySee(const Principal& who, const Owner& owner, const std::set<int64_t>& projects) {
  if (who.admin || owner.kind == OwnerKind::kLab) return true;
  if (owner.kind == OwnerKind::kProject) return projects.contains(owner.id);
  return owner == OwnedBy(who.member);
}

StatusOr<std::set<int64_t>> ProjectsOf(db::ReadPool& database, MemberId member) {
  auto rows = db::ListProjects(database);
  if (!rows.ok()) return rows.status();
  std::set<int64_t> ids;
  for (const ProjectRow& row : *rows) {
    if (std::ranges::find(row.members, member.value()) != row.members.end())
      ids.insert(row.id.value());
  }
  return ids;
}

Status NoSuchAccount(const std::string& name) {
  const std::string shown = CheckText(name, kMostNameChars, "account").ok() ? name : "of that name";
  return Refusal(Reason::kNoSuchAccount, fmt::format("no such account {}", shown));
}

void FillLot(const LotNumbers& lot, v1::Lot* out) {
  out->set_id(lot.lot.row.id.value());
  out->set_credited(FormatWireMoney(lot.numbers.credited));
  out->set_settled(FormatWireMoney(lot.numbers.settled));
  out->set_committed(FormatWireMoney(lot.numbers.committed + lot.numbers.in_flight));
  out->set_available(FormatWireMoney(lot.numbers.available));
  out->set_scope(lot.lot.tier);
  SetTime(lot.lot.row.starts_at, [&] { return out->mutable_starts_at(); });
  SetTime(lot.lot.row.ends_at, [&] { return out->mutable_ends_at(); });
}

void ForEachOpenPortion(
    const db::Packages& packages,
    const std::function<void(const db::PackageLine&, const db::PortionLine&)>& each) {
  for (const db::PackageLine& package : packages.packages) {
    if (package.row.closed_at) continue;
    for (const db::PortionLine& line : packages.portions) {
      if (line.row.package == package.row.id) each(package, line);
    }
  }
}

void FillAccount(const std::string& name, const Numbers& n, v1::AccountBalance* out) {
  out->set_account(name);
  out->set_credited(FormatWireMoney(n.credited));
  out->set_settled(FormatWireMoney(n.settled));
  out->set_in_flight(FormatWireMoney(n.in_flight));
  out->set_committed(FormatWireMoney(n.committed));
  out->set_available(FormatWireMoney(n.available));
  out->set_credit_limit(FormatWireMoney(n.credit_limit));
  if (n.available < Money())
    out->set_note("a correction or withdrawal took more than was free; new work waits for money");
}

// "" for money; the amounts of a package's unit-time are hours.
std::string AssetName(AssetId asset) {
  const PackageId package = PackageOf(asset);
  return package ? fmt::format("package:{}", package.value()) : "";
}

std::string WireAmount(AssetId asset, Money amount) {
  return asset == kCurrency ? FormatWireMoney(amount) : WireHours(amount.micros());
}

void FillEntry(const db::Entry& entry, v1::Entry* out) {
  const TransferRow& row = entry.row;
  out->set_id(row.id.value());
  SetTime(row.at, [&] { return out->mutable_at(); });
  out->set_kind(std::string(Name(row.kind)));
  out->set_debit(AccountName(entry.debit_kind, entry.debit_owner));
  out->set_credit(AccountName(entry.credit_kind, entry.credit_owner));
  out->set_amount(WireAmount(row.asset, row.amount));
  out->set_asset(AssetName(row.asset));
  out->set_member(entry.member);
  if (row.attempt.job) {
    out->set_job(ToString(row.attempt));
    out->set_source(std::string(Name(row.source)));
  }
  out->set_tier(entry.tier);
  out->set_node(entry.node);
  out->set_project(entry.project);
  out->set_reason(row.reason);
  out->set_person(entry.person.empty() ? "pinka" : entry.person);
  out->set_unit_ms(row.unit_ms);
  out->set_linked_id(row.linked.value());
}

void FillHold(const HoldRow& row, v1::HoldEntry* out) {
  out->set_attempt(ToString(row.attempt));
  out->set_amount(WireAmount(row.asset, row.amount));
  out->set_posted(WireAmount(row.asset, row.posted));
  out->set_asset(AssetName(row.asset));
  out->set_state(std::string(Name(row.state)));
  out->set_reason(std::string(Name(row.reason)));
  SetTime(row.at, [&] { return out->mutable_at(); });
  SetTime(row.closed_at, [&] { return out->mutable_closed_at(); });
}

}  // namespace

std::string AccountName(AccountKind kind, const std::string& owner) {
  if (kind == AccountKind::kLot) return owner;
  const std::string name(Name(kind));
  return owner == "lab" ? name : name + ":" + owner;
}

void LedgerReads::Balance(CallPtr call, const v1::GetBalanceRequest* request,
                          v1::GetBalanceResponse* response) {
  desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
    auto projects = ProjectsOf(desk_.database(), call->who().member);
    if (!projects.ok()) return call->Fail(projects.status());
    auto balances = db::ReadBalances(desk_.database());
    if (!balances.ok()) return call->Fail(balances.status());
    auto packages = db::ReadPackages(desk_.database(), {}, false);
    if (!packages.ok()) return call->Fail(packages.status());
    const std::string& wanted = request->account();
    const auto owner = wanted.empty() ? std::nullopt : FindOwner(*board, wanted);
    if (!wanted.empty() && (!owner || !MaySee(call->who(), *owner, *projects)))
      return call->Fail(NoSuchAccount(wanted));
    std::map<Owner, std::pair<Numbers, v1::AccountBalance>> accounts;
    if (owner) accounts[*owner];
    if (wanted.empty()) accounts[OwnedBy(call->who().member)];
    const AgentBoard& agents = desk_.tools().runtime.agents();
    for (const LotNumbers& lot :
         NumbersOfLots(*balances, [&](const AttemptId& id) { return agents.MeteredOf(id); })) {
      const Owner& of = lot.lot.row.owner;
      if (owner ? of != *owner : !MaySee(call->who(), of, *projects)) continue;
      accounts[of].first += lot.numbers;
      FillLot(lot, accounts[of].second.add_lots());
    }
    ForEachOpenPortion(*packages, [&](const db::PackageLine& package, const db::PortionLine& line) {
      const Owner of = line.row.member ? OwnedBy(line.row.member) : OwnedByLab();
      if (owner ? of != *owner : !MaySee(call->who(), of, *projects)) return;
      FillPortion(package, line, accounts[of].second.add_portions());
    });
    for (auto& [of, account] : accounts) {
      FillAccount(OwnerName(*board, of), account.first, &account.second);
      *response->add_accounts() = std::move(account.second);
    }
    response->set_currency(board->lab.currency);
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    auto reach = std::make_shared<ReachAnswer>();
    desk_.tools().runtime.Look(
        [reach, call](const State& state) { *reach = Reach(state, call->who().member); },
        [=](const Outcome& outcome) {
          if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
          response->mutable_reach()->set_available(FormatWireMoney(reach->available));
          response->mutable_reach()->set_tightest(reach->tightest);
          call->Done();
        });
  });
}

Status LedgerReads::FillEntries(const Principal& who, const Board& board,
                                const v1::ListEntriesRequest& request,
                                v1::ListEntriesResponse* response) {
  db::EntryFilter filter;
  filter.after = TransferId(request.after_id());
  const int32_t page = request.page_size() > 0 ? request.page_size() : kMostPage;
  filter.limit = std::min(page, kMostPage);
  if (!who.admin) filter.member = who.member;
  if (!request.user().empty()) {
    const auto member = FindMember(board, request.user());
    if (!member || (!who.admin && *member != who.member))
      return Refusal(Reason::kNoSuchMember, "no such member, or not you");
    filter.member = *member;
  }
  if (!request.account().empty()) {
    auto projects = ProjectsOf(desk_.database(), who.member);
    if (!projects.ok()) return projects.status();
    filter.account = FindOwner(board, request.account());
    if (!filter.account || !MaySee(who, *filter.account, *projects))
      return NoSuchAccount(request.account());
    // What others have moved into the own lots is theirs by its dimensions.
    if (*filter.account == OwnedBy(who.member) && request.user().empty()) filter.member = {};
  }
  if (request.job_id() != 0) {
    const JobId id(request.job_id());
    auto job = db::GetJobLine(desk_.database(), id);
    if (!job.ok()) return job.status();
    if (!job->has_value() || (!who.admin && (*job)->member != who.member)) return NoSuchJob(id);
    if ((*job)->member != who.member) LogForeignRead(who, "entries", id, (*job)->user);
    filter.job = id;
    filter.member = {};  // what the lab paid for it too
    auto holds = db::HoldsOfJob(desk_.database(), id);
    if (!holds.ok()) return holds.status();
    for (const HoldRow& row : *holds) FillHold(row, response->add_holds());
  }
  response->set_whole_account(filter.account && !filter.member && !filter.job);
  auto entries = db::ListEntries(desk_.database(), filter);
  if (!entries.ok()) return entries.status();
  for (const db::Entry& entry : *entries) FillEntry(entry, response->add_entries());
  if (entries->size() >= static_cast<size_t>(filter.limit))
    response->set_next_after_id(entries->back().row.id.value());
  return OkStatus();
}

void LedgerReads::Entries(CallPtr call, const v1::ListEntriesRequest* request,
                          v1::ListEntriesResponse* response) {
  desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
    if (Status s = FillEntries(call->who(), *board, *request, response); !s.ok())
      return call->Fail(s);
    response->set_currency(board->lab.currency);
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    call->Done();
  });
}

}  // namespace pinka::api
