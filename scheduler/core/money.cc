#include "scheduler/core/money.h"

#include <algorithm>
#include <tuple>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/lots.h"

namespace pinka {
namespace {

constexpr int64_t kMostMoney = 2'000'000'000'000'000'000;

}  // namespace

std::optional<Reply> RefuseOwner(const State& state, const Owner& owner) {
  if (owner.kind == OwnerKind::kMember && !state.members.Find(MemberId(owner.id))) {
    return Refuse(Reason::kNoSuchAccount, "no such member; `pinka admin member ls` lists them");
  }
  if (owner.kind == OwnerKind::kProject && !state.projects.Find(ProjectId(owner.id))) {
    return Refuse(Reason::kNoSuchAccount, "no such project");
  }
  return std::nullopt;
}

std::optional<Reply> RefuseTooMuch(const State& state, Money more) {
  Int128 credited = more.micros();
  for (const auto& [id, lot] : state.lots.rows()) {
    if (lot.asset == kCurrency) credited += lot.credited.micros();
  }
  Int128 spent = more.micros();
  for (const auto& [key, row] : state.spend.rows()) {
    if (key.period == Period::kNone) spent += row.charged.micros();
  }
  if (credited <= kMostMoney && spent <= kMostMoney) return std::nullopt;
  return Refuse(Reason::kBadRequest, "that is more money than a lab can count");
}

std::optional<Reply> RefuseUnfounded(const std::string& verb, const RequestKey& request,
                                     const std::string& reason) {
  if (reason.find_first_not_of(' ') == std::string::npos) {
    return Refuse(Reason::kBadRequest,
                  verb + " needs a reason that stays with its entries; say why with --reason");
  }
  if (request.key.empty()) {
    return Refuse(Reason::kBadRequest,
                  verb + " needs a request id, so that sending it again does not book it twice");
  }
  return std::nullopt;
}

AccountId Outside(State& state, MemberId member) {
  return member ? AccountOf(state, AccountKind::kPaidIn, OwnedBy(member))
                : AccountOf(state, AccountKind::kExternal, OwnedByLab());
}

TransferRow MoneyVerb(const Actor& actor, const RequestKey& request, TransferKind kind, Owner owner,
                      std::string reason) {
  TransferRow row;
  row.kind = kind;
  row.reason = std::move(reason);
  row.person = actor.member;
  row.request_id = request.key;
  row.payer = owner;
  if (owner.kind == OwnerKind::kMember) row.member = MemberId(owner.id);
  if (owner.kind == OwnerKind::kProject) row.project = ProjectId(owner.id);
  return row;
}

OwnMoney TakeOwn(const State& state, const Owner& owner, Money amount) {
  std::vector<const LotRow*> lots;
  for (const auto& [id, lot] : state.lots.rows()) {
    const bool money = lot.asset == kCurrency && lot.owner == owner;
    if (money && lot.ends_at > state.now) lots.push_back(&lot);
  }
  std::ranges::sort(lots, {}, [](const LotRow* lot) {
    return std::tuple(lot->ends_at, lot->starts_at, lot->id);
  });
  OwnMoney own;
  Money rest = amount;
  Money available;
  for (const LotRow* lot : lots) {
    const Money free = lot->credited - lot->posted - lot->held;
    if (free <= Money()) continue;
    available += free;
    const Money part = std::min(free, rest);
    if (part > Money()) own.parts.emplace_back(lot->id, part);
    rest -= part;
  }
  if (rest > Money()) {
    own.refused = Refuse(
        Reason::kInsufficient,
        fmt::format("needs {}, available {}: what is held for running work cannot be taken out",
                    FormatAmount(amount, state.lab.currency),
                    FormatAmount(available, state.lab.currency)));
  }
  return own;
}

Reply AnswerEntries(State& state, const Actor& actor, const RequestKey& request, TransferId first) {
  Reply reply;
  reply.first = first.value();
  reply.count = state.lab.next_transfer - first.value();
  Remember(state, actor, request, true, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
