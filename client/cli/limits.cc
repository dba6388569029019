// pinka limits: the ceilings that bind.
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Limits final : public Command {
 public:
  Description Describe() const override {
    return {"limits",
            "[--user U]",
            Group::kMoney,
            "ceilings and use",
            "Lists the limits that bind you, and how much of each is used.",
            "pinka limits"};
  }

  void Declare(Options& options) override {
    options.Value("--user", "U", "those of this member (admins)", &user_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::ListLimitsRequest request;
    request.set_user(user_);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::ListLimitsResponse answer, api->ListLimits(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Table table({{"SCOPE", 8},
                 {"LIMIT", 0},
                 {"OF", 0},
                 {"TIER", 6},
                 {"PERIOD", 0},
                 {"USED", 0, true},
                 {"AMOUNT", 0, true},
                 {"UNTIL", 11}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Limit& limit : answer.limits()) {
      const bool money = limit.resource() == "money";
      table.Row({limit.scope(), limit.resource(), limit.of(), limit.tier(), limit.period(),
                 money ? Amount(limit.used(), lab->currency) : limit.used(),
                 money ? Amount(limit.amount(), lab->currency) : limit.amount(),
                 limit.has_until() ? lab->zone.Full(FromProto(limit.until())) : ""});
    }
    table.Finish("No limits.");
    return 0;
  }

 private:
  std::string user_;
};

}  // namespace

std::unique_ptr<Command> MakeLimits() { return std::make_unique<Limits>(); }

}  // namespace pinka::cli
