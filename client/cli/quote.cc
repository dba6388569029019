// pinka quote: the price before you submit.
#include "client/cli/commands.h"
#include "client/cli/core/amount.h"
#include "client/cli/core/portions.h"
#include "client/cli/core/submitting.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class QuoteCommand final : public Command {
 public:
  Description Describe() const override {
    return {"quote",
            "[submit's options] [-- COMMAND [ARG…] | SCRIPT [ARG…]]",
            Group::kRun,
            "the price beforehand",
            "Says what a job would cost: at most (its whole time limit), likely (from your own "
            "history), and what the lab pays at least for one block of a machine. Says also what "
            "would refuse it. Changes nothing.",
            "pinka quote --tier a100 --gpus 2 --time 3h"};
  }

  void Declare(Options& options) override {
    line_.Declare(options);
    options.Rest("COMMAND", "what would run", &rest_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const Prepared prepared, Prepare(session, line_, rest_, true));
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    v1::QuoteRequest request;
    *request.mutable_spec() = prepared.spec;
    if (prepared.spec.argv().empty())
      request.mutable_spec()->add_argv("true");  // any has its price
    PINKA_TRY_ASSIGN(const v1::QuoteResponse answer, api->Quote(request));
    if (session.json()) {
      session.PrintJson(answer);
    } else {
      Print(session, answer);
    }
    return 0;
  }

 private:
  static void Print(Session& session, const v1::QuoteResponse& answer) {
    Table table({{"TIER", 8},
                 {"SOURCE", 6},
                 {"UNITS", 0, true},
                 {"HOURS", 0, true},
                 {"AN HOUR", 0, true},
                 {"AT MOST", 0, true},
                 {"LIKELY", 0, true},
                 {"MIN BLOCK", 0, true}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Quote& quote : answer.quotes()) {
      table.Row({quote.tier(), quote.source(), std::to_string(quote.units()),
                 quote.hours().empty() ? "" : HoursText(quote.hours()),
                 Amount(quote.rate(), quote.currency()), Amount(quote.at_most(), quote.currency()),
                 Amount(quote.likely(), quote.currency()),
                 Amount(quote.min_block(), quote.currency())});
    }
    table.Finish("No tier has a price for it.");
    if (!answer.refusal().empty()) {
      session.out().Line("It would be refused (" + answer.refusal_reason() +
                         "): " + answer.refusal());
    }
  }

  SubmitLine line_;
  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> MakeQuote() { return std::make_unique<QuoteCommand>(); }

}  // namespace pinka::cli
