// pinka admin limit raise: a limit set higher until an instant.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"
#include "client/cli/core/when.h"

namespace pinka::cli {
namespace {

class AdminLimitRaise final : public Command {
 public:
  Description Describe() const override {
    return {"admin limit raise",
            "SCOPE --to AMOUNT --until T --reason TEXT",
            Group::kAdmin,
            "a limit higher for a while",
            "Sets a limit higher until an instant. The limit of the lab file stands again when it "
            "is over, by itself. Which limit it is say its scope and --resource, --of, --tier and "
            "--period, as `pinka admin limit ls` shows them.",
            "pinka admin limit raise alice --period month --to 200 --until now+7d "
            "--reason 'paper deadline' -y"};
  }

  void Declare(Options& options) override {
    options.Positional("SCOPE", "lab, a member, project:NAME or project:NAME/MEMBER", &scope_);
    options.Value("--resource", "R", "money (default), running_units, queued_tasks or unit_hours",
                  &resource_);
    options.Value("--of", "OF", "each (default) or all", &of_);
    options.Value("--tier", "T", "where the limit is for one tier", &tier_);
    options.Value("--period", "P", "none (default), day, month or dated", &period_);
    options.Value("--to", "AMOUNT", "money, unit-hours or a count; or unlimited; needed", &to_);
    options.Value("--until", "T", "a day, an instant or now+7d; needed", &until_);
    options.Value("--reason", "TEXT", "kept with the raise; needed", &reason_);
    options.Value("--request-id", "K", "the same key raises once (default: random)", &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    if (to_.empty()) return Invalid("say how high: --to AMOUNT");
    if (until_.empty()) return Invalid("say until when: --until T; a raise ends by itself");
    if (reason_.empty()) return Invalid("say why: --reason TEXT stays with the raise");
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PINKA_TRY_ASSIGN(const Timestamp until, lab->zone.Parse(until_, session.Now()));
    v1::RaiseLimitRequest request;
    PINKA_TRY_ASSIGN(*request.mutable_amount(), WireAmount());
    PINKA_TRY(session.Confirm("Raise the " + resource_ + " limit of " + scope_ + " to " + to_ +
                                  " until " + lab->zone.Full(until) + "?",
                              yes_, true));
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_resource(resource_);
    request.set_of(of_);
    request.set_scope(scope_);
    request.set_tier(tier_);
    request.set_period(period_);
    *request.mutable_until() = ToProto(until);
    request.set_reason(reason_);
    PINKA_TRY_ASSIGN(const v1::RaiseLimitResponse answer, api->RaiseLimit(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      session.out().Line("Raised the " + resource_ + " limit of " + scope_ + " to " + to_ +
                         " until " + lab->zone.Full(FromProto(answer.until())) + ".");
    }
    return 0;
  }

 private:
  // Money as the wire has it; counts and hours stand as written.
  StatusOr<std::string> WireAmount() const {
    if (to_ == "unlimited" || resource_ != "money") return to_;
    PINKA_TRY_ASSIGN(const Money amount, ParseMoney(to_));
    return FormatWireMoney(amount);
  }

  std::string scope_;
  std::string resource_ = "money";
  std::string of_ = "each";
  std::string tier_;
  std::string period_ = "none";
  std::string to_;
  std::string until_;
  std::string reason_;
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminLimitRaise() { return std::make_unique<AdminLimitRaise>(); }

}  // namespace pinka::cli
