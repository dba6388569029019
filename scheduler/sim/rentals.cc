#include "scheduler/sim/rentals.h"

#include "scheduler/core/rentals.h"

namespace pinka::sim {
namespace {

CloseRental Close(const Actor& admin, RentalId rental, const char* reason) {
  CloseRental close;
  close.actor = admin;
  close.rental = rental;
  close.reason = reason;
  return close;
}

}  // namespace

std::vector<Command> TurnsOfRentals(const State& state, const Actor& admin,
                                    const std::map<std::string, bool>& turned) {
  std::vector<Command> turns;
  for (const auto& [name, up] : turned) {
    const NodeRow& node = state.nodes.Get(state.node_by_name.at(name));
    const auto open = state.open_rentals.find(node.id);
    const bool is_open = open != state.open_rentals.end();
    if (!up && is_open) turns.emplace_back(Close(admin, open->second, "taken back"));
    if (!up || is_open || !BillingAt(state, node.tier, node.source, state.now)) continue;
    OpenRental again;
    again.actor = admin;
    again.node = name;
    turns.emplace_back(again);
  }
  return turns;
}

std::vector<Command> EndsOfRentals(const State& state, const Actor& admin) {
  std::vector<Command> ends;
  for (const auto& [node, rental] : state.open_rentals)
    ends.emplace_back(Close(admin, rental, "the replay ends"));
  return ends;
}

}  // namespace pinka::sim
