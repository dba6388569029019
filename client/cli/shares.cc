// pinka shares: who has which share, what was used of late, and what that makes.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/bar.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

constexpr int kBarColumns = 20;

// "0.2000" as "20.0%".
std::string Percent(const std::string& ratio) {
  if (ratio.empty()) return "-";
  const Money value = MoneyOf(ratio);
  const int64_t tenths = (value.micros() + 500) / 1'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

std::string Hours(const std::string& wire) { return FormatMoney(MoneyOf(wire)); }

class Shares final : public Command {
 public:
  Description Describe() const override {
    return {"shares",
            "",
            Group::kMoney,
            "shares and recent use",
            "Shows everybody's share, the GPU-hours they have used of late (weighted by tier and "
            "class, fading with the lab's half-life), level fairness (share / use: above 1 has "
            "had less than its share) and the factor that orders the queue. Where projects have "
            "shares, projects come first, then their members.",
            "pinka shares"};
  }

  void Declare(Options&) override {}

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListSharesResponse answer, api->ListShares({}));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Table table({{"WHO", 8},
                 {"SHARE", 0, true},
                 {"OF ALL", 0, true},
                 {"GPU-HOURS", 0, true},
                 {"OF ALL", 0, true},
                 {"FAIRNESS", 0, true},
                 {"FACTOR", 0, true},
                 {"", 4}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::ShareLine& line : answer.lines()) table.Row(Cells(answer, line));
    table.Finish("No members that you may see.");
    session.out().Line("Use fades with a half-life of " +
                       FormatDuration(Duration::Hours(answer.half_life_h())) + ".");
    return 0;
  }

 private:
  static std::vector<std::string> Cells(const v1::ListSharesResponse& answer,
                                        const v1::ShareLine& line) {
    std::string who = line.user();
    if (line.user().empty()) who = line.project().empty() ? "(no project)" : line.project();
    if (answer.by_project() && !line.user().empty()) who = "  " + who;
    const std::string& factor = line.factor();
    return {who,
            line.share() > 0 ? std::to_string(line.share()) : "none",
            Percent(line.normalized_share()),
            Hours(line.gpu_hours()),
            Percent(line.normalized_use()),
            line.level_fairness().empty() ? "-" : line.level_fairness(),
            factor.empty() ? "-" : factor,
            factor.empty() ? "" : Bar(MoneyOf(factor).micros(), 1'000'000, kBarColumns)};
  }
};

}  // namespace

std::unique_ptr<Command> MakeShares() { return std::make_unique<Shares>(); }

}  // namespace pinka::cli
