// pinka admin package buy: hours bought together.
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/portions.h"
#include "client/cli/core/session.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdminPackageBuy final : public Command {
 public:
  Description Describe() const override {
    return {"admin package buy",
            "--tier T --hours N --price M --until D --members a,b,… [--payer P]",
            Group::kAdmin,
            "buy hours together",
            "Books prepaid unit-hours of one tier, split among members: each gets a portion of the "
            "hours and a part of the price, in whole cents that sum to it. Their jobs draw on it "
            "first. What is left at the end lapses.",
            "pinka admin package buy --tier a100 --hours 1000 --price 9000 --until 2027-03-01 "
            "--members a,b -y"};
  }

  void Declare(Options& options) override {
    options.Value("--tier", "T", "the class of hardware", &tier_);
    options.Value("--hours", "N", "unit-hours (with --kind capacity: units x period)", &hours_);
    options.Value("--price", "M", "of all of it, in whole cents", &price_);
    options.Value("--payer", "MEMBER", "who paid it (default: from outside)", &payer_);
    options.Value("--provider", "X", "where it was bought", &provider_);
    options.Value("--starts", "D", "not to be used before (default: now)", &starts_);
    options.Value("--until", "D", "its end, not included: 2027-03-01", &until_);
    options.Value("--kind", "KIND", "hours: a count (default), capacity: a machine for a period",
                  &kind_);
    options.Value("--units", "N", "of a machine for a period: how many side by side", &units_);
    options.Value("--members", "a,b,…", "who has a part, with --split equal or contribution",
                  &members_);
    options.Value("--split", "RULE",
                  "equal (default), contribution (by what each has paid in), or shares: a=1,b=2; "
                  "hours of lab=N stay with the lab",
                  &split_);
    options.Value("--contribution", "a=400,…", "who gave what, instead of what was paid in",
                  &contribution_);
    options.Value("--borrow", "RULE",
                  "beyond the own portion: none (default), free, or so many unit-hours each",
                  &borrow_);
    options.Value("--lapse-to", "WHO", "who bears what is left: owner (default) or overhead",
                  &lapse_to_);
    options.Value("--reason", "TEXT", "kept with the entries", &reason_);
    options.Value("--request-id", "K", "the same key is booked once, for ever (default: random)",
                  &request_id_);
    options.Flag("-y,--yes", "do not ask", &yes_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const v1::BuyPackageRequest request, BuildRequest(session));
    const std::string what = request.hours().empty() ? "a machine" : hours_ + " unit-hours";
    PINKA_TRY(session.Confirm(
        "Buy " + what + " of " + tier_ + " for " + FormatMoney(MoneyOf(request.price())) + "?",
        yes_, true));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::BuyPackageResponse answer, api->BuyPackage(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PrintPackage(session, *lab, answer.currency(), answer.package());
    return 0;
  }

 private:
  StatusOr<v1::BuyPackageRequest> BuildRequest(Session& session) const {
    if (tier_.empty()) return Invalid("say of which tier: --tier T");
    if (price_.empty()) return Invalid("say what it cost: --price M");
    if (until_.empty()) return Invalid("say until when its hours can be used: --until D");
    v1::BuyPackageRequest request;
    request.set_request_id(request_id_.empty() ? session.NewRequestId() : request_id_);
    request.set_tier(tier_);
    request.set_kind(kind_);
    if (!hours_.empty()) {
      PINKA_TRY_ASSIGN(const Money hours, ParseMoney(hours_));
      request.set_hours(FormatWireMoney(hours));
    }
    if (!units_.empty()) {
      PINKA_TRY_ASSIGN(const int64_t units, ParseInt(units_, 1, 1'000'000, "the units"));
      request.set_units(static_cast<int32_t>(units));
    }
    PINKA_TRY_ASSIGN(const Money price, ParseMoney(price_));
    request.set_price(FormatWireMoney(price));
    request.set_payer(payer_);
    request.set_provider(provider_);
    PINKA_TRY(AddSplit(&request));
    PINKA_TRY(AddBorrow(&request));
    request.set_lapse_to(lapse_to_);
    request.set_reason(reason_);
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PINKA_TRY_ASSIGN(const Timestamp until, lab->zone.Parse(until_, session.Now()));
    *request.mutable_until() = ToProto(until);
    if (starts_.empty()) return request;
    PINKA_TRY_ASSIGN(const Timestamp starts, lab->zone.Parse(starts_, session.Now()));
    *request.mutable_starts_at() = ToProto(starts);
    return request;
  }

  Status AddSplit(v1::BuyPackageRequest* request) const {
    if (!members_.empty()) {
      PINKA_TRY_ASSIGN(const std::vector<std::string> names, ParseNames(members_));
      for (const std::string& name : names) request->add_members(name);
    }
    const bool shares = split_.find('=') != std::string::npos;
    request->set_split(shares ? "shares" : split_);
    if (!contribution_.empty() && split_ != "contribution")
      return Invalid("--contribution goes with --split contribution");
    const std::string& text = shares ? split_ : contribution_;
    if (text.empty()) {
      if (members_.empty()) return Invalid("say who has a part: --members a,b or --split a=1,b=2");
      return OkStatus();
    }
    PINKA_TRY_ASSIGN(const auto parts, ParseShares(text));
    for (const auto& [name, share] : parts) {
      v1::Share* part = request->add_shares();
      part->set_member(name);
      part->set_share(share);
    }
    return SameMembers(request);
  }

  // --members beside named shares only repeats them.
  static Status SameMembers(v1::BuyPackageRequest* request) {
    for (const std::string& name : request->members()) {
      bool found = false;
      for (const v1::Share& part : request->shares()) found = found || part.member() == name;
      if (!found) return Invalid(name + " is in --members and has no share; give one, or 0");
    }
    request->clear_members();
    return OkStatus();
  }

  Status AddBorrow(v1::BuyPackageRequest* request) const {
    request->set_borrow(borrow_);
    if (borrow_ == "none" || borrow_ == "free") return OkStatus();
    const auto hours = ParseMoney(borrow_);
    if (!hours.ok()) return Invalid("--borrow is none, free, or a number of unit-hours");
    request->set_borrow(FormatWireMoney(*hours));
    return OkStatus();
  }

  std::string tier_;
  std::string hours_;
  std::string price_;
  std::string payer_;
  std::string provider_;
  std::string starts_;
  std::string until_;
  std::string kind_ = "hours";
  std::string units_;
  std::string members_;
  std::string split_ = "equal";
  std::string contribution_;
  std::string borrow_ = "none";
  std::string lapse_to_ = "owner";
  std::string reason_ = "bought together";
  std::string request_id_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdminPackageBuy() { return std::make_unique<AdminPackageBuy>(); }

}  // namespace pinka::cli
