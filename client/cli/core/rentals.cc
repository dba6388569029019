#include "client/cli/core/rentals.h"

#include "client/cli/core/amount.h"
#include "client/cli/core/table.h"

namespace pinka::cli {

void PrintRentals(Session& session, const Lab& lab, const std::string& currency,
                  const Rentals& rentals, const std::string& none) {
  Table table({{"ID", 0},
               {"NODE", 6},
               {"TIER", 4},
               {"SOURCE", 6},
               {"PROVIDER", 6},
               {"OPENED", 10},
               {"CLOSED", 10},
               {"PAID MIN", 0, true},
               {"BILLED", 0, true},
               {"MEMBERS", 0, true},
               {"LAB", 0, true},
               {"IDLE", 0, true},
               {"ROUNDING", 0, true},
               {"VARIANCE", 0, true},
               {"DISK", 0, true},
               {"EGRESS", 0, true}},
              session.terminal(), [&](std::string_view text) { session.out().Write(text); });
  for (const v1::Rental& r : rentals) {
    table.Row({std::to_string(r.id()), r.node(), r.tier(), r.source(), r.provider(),
               lab.zone.Full(FromProto(r.opened_at())),
               r.has_closed_at() ? lab.zone.Full(FromProto(r.closed_at())) : "",
               r.stopped()         ? "stopped"
               : r.has_closed_at() ? ""
                                   : std::to_string(r.paid_minutes_left()),
               Amount(r.billed(), currency), Amount(r.members(), currency),
               Amount(r.lab(), currency), Amount(r.idle(), currency),
               Amount(r.rounding(), currency), Amount(r.variance(), currency),
               Amount(r.disk(), currency), Amount(r.egress(), currency)});
  }
  table.Finish(none);
}

}  // namespace pinka::cli
