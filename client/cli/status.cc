// pinka status: the lab at a glance.
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

std::string RatesText(const v1::TierStatus& tier, const std::string& currency) {
  std::string text;
  for (const v1::TierRate& rate : tier.rates()) {
    text += (text.empty() ? "" : ", ") + rate.source() + " " + Amount(rate.rate(), currency);
  }
  return text;
}

class StatusCommand final : public Command {
 public:
  Description Describe() const override {
    return {"status",
            "",
            Group::kLab,
            "the lab at a glance",
            "Shows every tier: units, free ones, tasks that wait and run, and prices per "
            "unit-hour.",
            "pinka status"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetStatusResponse answer, api->GetStatus({}));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    const Zone zone(answer.timezone());
    session.out().Line(answer.lab() + ", pinka " + answer.version() + ", " +
                       zone.Full(FromProto(answer.as_of())));
    Table table({{"TIER", 0},
                 {"UNITS", 0, true},
                 {"FREE", 0, true},
                 {"WAITING", 0, true},
                 {"RUNNING", 0, true},
                 {"A UNIT-HOUR", 12},
                 {"FOR", 8}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::TierStatus& tier : answer.tiers()) {
      table.Row({tier.simulated() ? tier.tier() + " (simulated)" : tier.tier(),
                 std::to_string(tier.units()), std::to_string(tier.free()),
                 std::to_string(tier.pending()), std::to_string(tier.running()),
                 RatesText(tier, answer.currency()), tier.purpose()});
    }
    table.Finish("No tiers yet; an admin sets them up with pinka admin apply lab.toml.");
    for (const std::string& alarm : answer.alarms()) session.out().Line("Alarm: " + alarm);
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> MakeStatus() { return std::make_unique<StatusCommand>(); }

}  // namespace pinka::cli
