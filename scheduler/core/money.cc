// deposit and withdraw.
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

std::optional<Reply> RefuseOwner(const State& state, const Owner& owner) {
  if (owner.kind == OwnerKind::kMember && !state.members.Find(MemberId(owner.id))) {
    return Refuse(Reason::kNoSuchAccount, "no such member; `pinka admin member ls` lists them");
  }
  if (owner.kind == OwnerKind::kProject && !state.projects.Find(ProjectId(owner.id))) {
    return Refuse(Reason::kNoSuchAccount, "no such project");
  }
  return std::nullopt;
}

// What all lots may hold together: sums of lots stay within 64 bits.
constexpr int64_t kMostMoney = 2'000'000'000'000'000'000;

Int128 AllMoney(const State& state) {
  Int128 sum = 0;
  for (const auto& [id, lot] : state.lots.rows()) {
    if (lot.asset == kCurrency) sum += lot.credited.micros();
  }
  return sum;
}

MemberId MemberOf(const Owner& owner) {
  return owner.kind == OwnerKind::kMember ? MemberId(owner.id) : MemberId();
}

AccountId Outside(State& state, MemberId from) {
  return from ? AccountOf(state, AccountKind::kPaidIn, OwnedBy(from))
              : AccountOf(state, AccountKind::kExternal, OwnedByLab());
}

TransferRow MoneyVerb(const Actor& actor, const RequestKey& request, TransferKind kind, Owner owner,
                      std::string reason) {
  TransferRow row;
  row.kind = kind;
  row.reason = std::move(reason);
  row.person = actor.member;
  row.request_id = request.key;
  row.member = MemberOf(owner);
  row.payer = owner;
  if (owner.kind == OwnerKind::kProject) row.project = ProjectId(owner.id);
  return row;
}

}  // namespace

Reply Do(State& state, const Deposit& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "deposits are made by admins");
  if (auto refused = RefuseOwner(state, command.to)) return *refused;
  if (command.amount <= Money()) {
    return Refuse(Reason::kBadRequest,
                  "a deposit is more than 0; `pinka admin withdraw` takes money out");
  }
  if (AllMoney(state) + command.amount.micros() > kMostMoney) {
    return Refuse(Reason::kBadRequest, "that is more money than a lab can count");
  }
  if (command.until <= state.now)
    return Refuse(Reason::kBadRequest, "the end of the lot is in the past");
  if (command.from && !state.members.Find(command.from))
    return Refuse(Reason::kNoSuchMember, "no such payer");

  const LotId lot = OpenLot(state, command.to, command.tier, state.now, command.until);
  TransferRow row =
      MoneyVerb(command.actor, command.request, TransferKind::kDeposit, command.to, command.reason);
  row.debit = Outside(state, command.from);
  row.credit = state.lots.Get(lot).account;
  row.amount = command.amount;
  row.tier = command.tier;
  AppendTransfer(state, std::move(row));
  MoveLot(state, lot, command.amount, Money(), Money());
  Log(state, "lot", std::to_string(lot.value()), "deposit", FormatWireMoney(command.amount),
      command.actor.member);
  PlanAll(state);
  Reply reply;
  reply.first = lot.value();
  reply.count = 1;
  Remember(state, command.actor, command.request, true, reply.first, 1);
  return reply;
}

Reply Do(State& state, const Withdraw& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "withdrawals are made by admins");
  if (auto refused = RefuseOwner(state, command.from)) return *refused;
  if (command.amount <= Money()) return Refuse(Reason::kBadRequest, "a withdrawal is more than 0");
  // Own money only: not what is held, and no credit.
  std::vector<std::pair<LotId, Money>> parts;
  Money rest = command.amount;
  Money available;
  for (const auto& [id, lot] : state.lots.rows()) {
    if (lot.asset != kCurrency || lot.owner != command.from || lot.ends_at <= state.now) continue;
    const Money free = lot.credited - lot.posted - lot.held;
    if (free <= Money()) continue;
    available += free;
    const Money part = std::min(free, rest);
    if (part > Money()) parts.emplace_back(id, part);
    rest -= part;
  }
  if (rest > Money()) {
    return Refuse(
        Reason::kInsufficient,
        fmt::format("needs {}, available {}: what is held for running work cannot be taken out",
                    FormatAmount(command.amount, state.lab.currency),
                    FormatAmount(available, state.lab.currency)));
  }
  for (const auto& [id, part] : parts) {
    TransferRow row = MoneyVerb(command.actor, command.request, TransferKind::kWithdraw,
                                command.from, command.reason);
    row.debit = state.lots.Get(id).account;
    row.credit = AccountOf(state, AccountKind::kExternal, OwnedByLab());
    row.amount = part;
    AppendTransfer(state, std::move(row));
    MoveLot(state, id, -part, Money(), Money());
    state.lots_guarded.insert(id);
  }
  Log(state, "account", OwnerName(state, command.from), "withdraw", FormatWireMoney(command.amount),
      command.actor.member);
  Reply reply;
  reply.count = static_cast<int64_t>(parts.size());
  Remember(state, command.actor, command.request, true, 0, reply.count);
  return reply;
}

}  // namespace pinka
