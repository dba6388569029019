// pinka advise compat: which PyTorch runs on which card and driver.
#include "advise/answers.h"
#include "client/cli/commands.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class AdviseCompat final : public Command {
 public:
  Description Describe() const override {
    return {"advise compat",
            "CARD",
            Group::kAdvice,
            "which PyTorch runs?",
            "Says which PyTorch wheels run on a card with a driver, why the others do not, and how "
            "to install the newest. Works without a scheduler.",
            "pinka advise compat p100 --driver 550"};
  }

  void Declare(Options& options) override {
    options.Positional("CARD", "as pinka gpus or nvidia-smi names it", &card_);
    options.Value("--driver", "V", "the driver's version (default: the newest)", &driver_);
    options.Value("--cuda", "V", "the CUDA that is installed", &cuda_);
    options.Flag("-a,--all", "every release, not only what matters", &all_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::AdviseCompatRequest request;
    request.set_card(card_);
    request.set_driver(driver_);
    request.set_cuda(cuda_);
    PINKA_TRY_ASSIGN(const v1::AdviseCompatResponse answer, advise::AdviseCompat(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Print(session, answer);
    return 0;
  }

 private:
  void Print(Session& session, const v1::AdviseCompatResponse& a) {
    Out& out = session.out();
    if (a.newest_torch().empty()) {
      out.Line(a.name() + ": no PyTorch of the last years runs with this driver.");
    } else {
      out.Line(a.name() + ": the newest PyTorch that runs is " + a.newest_torch() + " with " +
               a.newest_wheel() + ".");
      out.Line("  " + a.install());
    }
    Table table({{"PYTORCH", 0}, {"WHEEL", 0}, {"PYTHON", 0}, {"RUNS", 0}, {"", 20}},
                session.terminal(), [&](std::string_view text) { out.Write(text); });
    int shown = 0;
    for (const v1::Wheel& wheel : a.wheels()) {
      if (!all_ && ++shown > kShown) break;
      table.Row({wheel.torch(), wheel.wheel() + (wheel.experimental() ? " (experimental)" : ""),
                 wheel.python(), wheel.runs() ? "yes" : "no", wheel.why()});
    }
    table.Finish("");
    if (!all_ && a.wheels_size() > kShown) out.Line("Older ones: --all.");
    for (const std::string& note : a.notes()) out.Line("Note: " + note + ".");
  }

  static constexpr int kShown = 12;
  std::string card_;
  std::string driver_;
  std::string cuda_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeAdviseCompat() { return std::make_unique<AdviseCompat>(); }

}  // namespace pinka::cli
