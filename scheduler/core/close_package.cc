// package close: its end, now. What is left lapses as it would have at the end.
#include "fmt/format.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/verbs.h"

namespace pinka {
namespace {

int32_t OpenHolds(const State& state, PackageId package) {
  int32_t n = 0;
  for (const auto& [id, hold] : state.holds.rows()) {
    n += hold.asset == AssetOf(package) && hold.state == HoldState::kOpen ? 1 : 0;
  }
  return n;
}

}  // namespace

Reply Do(State& state, const ClosePackage& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "packages are closed by admins");
  const PackageId id = command.package;
  const PackageRow* package = state.packages.Find(id);
  if (!package || package->closed_at) {
    return Refuse(
        Reason::kNoSuchAccount,
        fmt::format("no package {} is open; `pinka admin package ls` lists them all", id.value()));
  }
  if (command.reason.empty())
    return Refuse(Reason::kBadRequest, "say why with --reason; it stays with the entries");
  if (const int32_t open = OpenHolds(state, id); open > 0) {
    return Refuse(
        Reason::kConflict,
        fmt::format("{} attempt(s) run on package {}; wait for them, or cancel their jobs", open,
                    id.value()));
  }
  const int64_t before = state.lab.next_transfer;
  const AskedBy by{command.actor.member, command.request.key, command.reason};
  std::vector<LotId> lots;
  const auto& rows = state.portions.rows();
  for (auto it = rows.lower_bound({id, MemberId()}); it != rows.end() && it->first.first == id;
       ++it) {
    if (state.lots.Find(it->second.lot)) lots.push_back(it->second.lot);
  }
  for (LotId lot : lots) EndLot(state, lot, by);
  CloseIfOver(state, id, by);
  PlanAll(state);
  Reply reply;
  reply.first = id.value();
  reply.count = state.lab.next_transfer - before;
  Remember(state, command.actor, command.request, true, reply.first, reply.count);
  return reply;
}

}  // namespace pinka
