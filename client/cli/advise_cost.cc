// pinka advise cost: own machine or rented card.
#include "advise/answers.h"
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdviseCost final : public Command {
 public:
  Description Describe() const override {
    return {"advise cost",
            "",
            Group::kAdvice,
            "own card or rented?",
            "Compares the electricity of an own machine with a rented card: what each costs, from "
            "which price on renting pays, what every hour sooner costs, and what hides behind a "
            "price by the hour. Works without a scheduler.",
            "pinka advise cost --local 8h --watts 170 --kwh 0.8 --cloud 2h --rate 6"};
  }

  void Declare(Options& options) override {
    options.Value("--local", "D", "one epoch on the own machine", &local_);
    options.Value("--watts", "W", "what it draws", &watts_);
    options.Value("--kwh", "M", "price of a kWh", &kwh_);
    options.Value("--wear", "M", "its wear, an hour", &wear_);
    options.Value("--cloud", "D", "one epoch on the rented card", &cloud_);
    options.Value("--rate", "M", "its price an hour", &rate_);
    options.Value("--minimum", "D", "billed at least (1h is the trap of the guide)", &minimum_);
    options.Value("--block", "D", "billed in whole blocks (1s)", &block_);
    options.Value("--egress-gb", "GB", "data to bring out", &egress_gb_);
    options.Value("--egress", "M", "price of a GB brought out", &egress_);
    options.Value("--disk-gb", "GB", "disk kept meanwhile", &disk_gb_);
    options.Value("--disk", "M", "price of a GB of it, an hour", &disk_);
    options.Value("--epochs", "N", "how many (1)", &epochs_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const v1::AdviseCostRequest request, Request());
    PINKA_TRY_ASSIGN(const v1::AdviseCostResponse answer, advise::AdviseCost(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Print(session, answer, request.local_ms() > 0);
    return 0;
  }

 private:
  static Status Span(const std::string& text, int64_t* ms) {
    if (text.empty()) return OkStatus();
    PINKA_TRY_ASSIGN(const Duration span, ParseDuration(text));
    *ms = span.millis();
    return OkStatus();
  }

  static Status Price(const std::string& text, std::string* wire) {
    if (text.empty()) return OkStatus();
    PINKA_TRY_ASSIGN(const Money money, ParseMoney(text));
    *wire = FormatWireMoney(money);
    return OkStatus();
  }

  static Status Size(const std::string& text, double* gb) {
    if (text.empty()) return OkStatus();
    PINKA_TRY_ASSIGN(const Money size, ParseMoney(text));
    *gb = static_cast<double>(size.micros()) / 1e6;
    return OkStatus();
  }

  StatusOr<v1::AdviseCostRequest> Request() const {
    v1::AdviseCostRequest r;
    int64_t local = 0, cloud = 0, minimum = 0, block = 0;
    double egress_gb = 0, disk_gb = 0;
    PINKA_TRY(Span(local_, &local));
    PINKA_TRY(Span(cloud_, &cloud));
    PINKA_TRY(Span(minimum_, &minimum));
    PINKA_TRY(Span(block_, &block));
    PINKA_TRY(Price(kwh_, r.mutable_kwh()));
    PINKA_TRY(Price(wear_, r.mutable_wear()));
    PINKA_TRY(Price(rate_, r.mutable_rate()));
    PINKA_TRY(Price(egress_, r.mutable_egress()));
    PINKA_TRY(Price(disk_, r.mutable_disk()));
    PINKA_TRY(Size(egress_gb_, &egress_gb));
    PINKA_TRY(Size(disk_gb_, &disk_gb));
    r.set_local_ms(local);
    r.set_cloud_ms(cloud);
    r.set_minimum_ms(minimum);
    r.set_block_ms(block);
    r.set_egress_gb(egress_gb);
    r.set_disk_gb(disk_gb);
    if (!watts_.empty()) {
      PINKA_TRY_ASSIGN(const int64_t watts, ParseInt(watts_, 0, 1'000'000, "--watts"));
      r.set_watts(watts);
    }
    if (!epochs_.empty()) {
      PINKA_TRY_ASSIGN(const int64_t epochs, ParseInt(epochs_, 1, 1'000'000, "--epochs"));
      r.set_epochs(epochs);
    }
    return r;
  }

  void Print(Session& session, const v1::AdviseCostResponse& a, bool has_local) {
    const auto money = [&a](const std::string& wire) { return Amount(wire, a.currency()); };
    Table table({{"", 0}, {"COST", 0, true}}, session.terminal(),
                [&](std::string_view text) { session.out().Write(text); });
    if (has_local) table.Row({"own machine", money(a.local())});
    table.Row({"rented card, " + FormatDuration(Duration::Millis(a.billed_ms())) + " billed",
               money(a.cloud())});
    if (MoneyOf(a.unused()) > Money()) table.Row({"  of it unused", money(a.unused())});
    if (MoneyOf(a.egress()) > Money()) table.Row({"data brought out", money(a.egress())});
    if (MoneyOf(a.disk()) > Money()) table.Row({"disk", money(a.disk())});
    table.Row({"rented, all of it", money(a.cloud_total())});
    table.Finish("");
    if (has_local && a.saved_ms() > 0) {
      const std::string sooner = FormatDuration(Duration::Millis(a.saved_ms()));
      session.out().Line(a.cloud_is_cheaper()
                             ? "Rented it is done " + sooner + " sooner."
                             : "Rented it is done " + sooner + " sooner: each hour of that costs " +
                                   money(a.price_of_an_hour()) + ".");
    }
    if (has_local && !a.break_even().empty())
      session.out().Line("Renting is cheaper below " + money(a.break_even()) + " an hour.");
    for (const std::string& note : a.notes()) session.out().Line("Note: " + note + ".");
  }

  std::string local_, watts_, kwh_, wear_, cloud_, rate_, minimum_, block_;
  std::string egress_gb_, egress_, disk_gb_, disk_, epochs_;
};

}  // namespace

std::unique_ptr<Command> MakeAdviseCost() { return std::make_unique<AdviseCost>(); }

}  // namespace pinka::cli
