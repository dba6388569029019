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
    bool any_hours = false;
    for (const v1::Quote& quote : answer.quotes()) any_hours = any_hours || !quote.hours().empty();
    std::vector<Column> columns = {{"TIER", 8}, {"SOURCE", 6}, {"UNITS", 0, true}};
    if (any_hours) columns.push_back({"HOURS", 0, true});
    for (const char* title : {"AN HOUR", "AT MOST", "LIKELY", "MIN BLOCK"})
      columns.push_back({title, 0, true});
    Table table(std::move(columns), session.terminal(),
                [&](std::string_view text) { session.out().Write(text); });
    for (const v1::Quote& quote : answer.quotes()) {
      std::vector<std::string> row = {quote.tier(), quote.source(), std::to_string(quote.units())};
      if (any_hours) row.push_back(HoursText(quote.hours()));
      for (const std::string* money :
           {&quote.rate(), &quote.at_most(), &quote.likely(), &quote.min_block()})
        row.push_back(Amount(*money, quote.currency()));
      table.Row(std::move(row));
    }
    table.Finish("No tier has a price for it.");
    for (const v1::Quote& quote : answer.quotes()) {
      if (!quote.likely_from().empty())
        session.out().Line("Likely is by " + quote.likely_from() + ".");
    }
    for (const v1::Hint& hint : answer.hints()) {
      if (WantsAdvice()) session.out().Line("Advice: " + hint.text() + ".");
    }
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
