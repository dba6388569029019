// pinka advise vram: whether a model fits a card, before the card is paid for.
#include <algorithm>

#include "advise/answers.h"
#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/bar.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"
#include "client/cli/core/workload.h"
#include "fmt/format.h"

namespace pinka::cli {
namespace {

constexpr int kBarColumns = 30;

std::string BarOf(double part, double whole) {
  return Bar(static_cast<int64_t>(part * 1'000), static_cast<int64_t>(whole * 1'000), kBarColumns);
}

class AdviseVram final : public Command {
 public:
  Description Describe() const override {
    return {
        "advise vram",
        "",
        Group::kAdvice,
        "what fits, what it costs",
        "Estimates the memory that a run takes on each card, as a range, and the cards that "
        "hold it with the largest batch. Works without a scheduler. With --job the answer is what "
        "that job was seen to use, which is better than any estimate.",
        "pinka advise vram --model bert-base --batch 32 --tokens 128"};
  }

  void Declare(Options& options) override {
    DeclareWorkload(options, &workload_);
    options.List("--card", "CARD", "judge this one (repeatable; default: usual ones)", &cards_);
    options.Value("--job", "ID", "go by what this job used of a card", &job_);
    options.Value("--input-gb", "GB", "show the guide's formula too, with a batch of so many GB",
                  &input_gb_);
  }

  StatusOr<int> Run(Session& session) override {
    v1::AdviseMemoryRequest request;
    if (job_.empty()) {
      PINKA_TRY_ASSIGN(*request.mutable_workload(), WorkloadOf(workload_));
    } else {
      PINKA_TRY_ASSIGN(const double gib, MeasuredGib(session));
      request.set_measured_gib(gib);
    }
    for (const std::string& card : cards_) request.add_cards(card);
    if (!input_gb_.empty()) {
      PINKA_TRY_ASSIGN(const Money gb, ParseMoney(input_gb_));
      request.set_guide_input_gb(static_cast<double>(gb.micros()) / 1e6);
    }
    PINKA_TRY_ASSIGN(const v1::AdviseMemoryResponse answer, advise::AdviseMemory(request));
    if (session.json()) {
      session.PrintJson(answer);
      return 0;
    }
    Print(session, answer);
    return 0;
  }

 private:
  // The most that any attempt of the job was seen to use of a card.
  StatusOr<double> MeasuredGib(Session& session) {
    if (!input_gb_.empty()) return Invalid("--job and --input-gb exclude each other");
    v1::GetJobRequest request;
    PINKA_TRY_ASSIGN(const int64_t id, ParseJobId(job_));
    request.set_job_id(id);
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const v1::GetJobResponse answer, api->GetJob(request));
    int64_t most = 0;
    for (const v1::Task& task : answer.job().tasks()) {
      for (const v1::Attempt& attempt : task.attempts())
        most = std::max(most, attempt.peak_gpu_memory_bytes());
    }
    if (most > 0) return static_cast<double>(most) / (1 << 30);
    return Refusal("NotMeasured",
                   "nothing is known of what job " + job_ +
                       " used of a card: it ran on none, or too short a time; without --job there "
                       "is an estimate",
                   kExitFailure);
  }

  void Print(Session& session, const v1::AdviseMemoryResponse& a) {
    Out& out = session.out();
    if (a.has_guide()) PrintGuide(out, a.guide());
    const auto print = [&](std::string_view text) { out.Write(text); };
    if (job_.empty()) {
      PrintEstimate(session, a);
    } else {
      out.Line(fmt::format("Job {} used {:.1f} GiB of a card at most", job_, a.total_gib()));
      out.Line("");
    }
    Table fits({{"CARD", 0}, {"USABLE", 0, true}, {"FITS", 0}, {"LARGEST BATCH", 0, true}},
               session.terminal(), print);
    for (const v1::CardFit& fit : a.fits()) {
      fits.Row({fit.card(), fmt::format("{:.1f}", fit.usable_gib()), fit.fit(),
                fit.largest_batch() == 0 ? "-" : std::to_string(fit.largest_batch())});
    }
    fits.Finish("");
    for (const std::string& note : a.notes()) out.Line("Note: " + note + ".");
  }

  static void PrintEstimate(Session& session, const v1::AdviseMemoryResponse& a) {
    Out& out = session.out();
    out.Line(fmt::format("{}, {:g} M parameters: about {:.1f} GiB on a card ({:.1f} to {:.1f})",
                         a.network(), a.params_m(), a.total_gib(), a.low_gib(), a.high_gib()));
    const auto print = [&](std::string_view text) { out.Write(text); };
    Table parts({{"PART", 0}, {"GiB", 0, true}, {"", 4}}, session.terminal(), print);
    for (const v1::MemoryPart& part : a.parts())
      parts.Row({part.name(), fmt::format("{:.2f}", part.gib()), BarOf(part.gib(), a.total_gib())});
    parts.Finish("");
    out.Line("");
  }

  void PrintGuide(Out& out, const v1::GuideMemory& g) {
    out.Line(
        fmt::format("The guide's formula: {:.2f} GB weights{} + {:.2f} GB input + {:.2f} GB buffer "
                    "= {:.2f} GB: "
                    "a card of {:g} GB",
                    g.weights_gb(), g.guides_figure() ? " (the guide's figure)" : "", g.input_gb(),
                    g.buffer_gb(), g.total_gb(), g.card_gb()));
    out.Line("It counts no gradients, optimizer states or activations. The full estimate:");
    out.Line("");
  }

  WorkloadOptions workload_;
  std::string job_;
  std::vector<std::string> cards_;
  std::string input_gb_;
};

}  // namespace

std::unique_ptr<Command> MakeAdviseVram() { return std::make_unique<AdviseVram>(); }

}  // namespace pinka::cli
