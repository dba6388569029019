// pinka wait: until jobs have ended.
#include "client/cli/commands.h"
#include "client/cli/core/try.h"
#include "client/cli/core/watch.h"

namespace pinka::cli {
namespace {

class Wait final : public Command {
 public:
  Description Describe() const override {
    return {"wait",
            "ID [ID…]",
            Group::kFollow,
            "until it has ended",
            "Waits until all have ended. One task: ends with its exit code, 128+n for a signal, "
            "125 if it never ran. Several, or an array: 0 if all are COMPLETED, else 1.",
            "pinka wait 17 && echo done"};
  }

  void Declare(Options& options) override {
    options.Positionals("ID", "jobs or tasks: 36, 36_1, 36_[1-3,7]", &ids_);
    options.Flag("-q,--quiet", "print nothing", &quiet_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const std::vector<JobSlice> slices, ParseSlices(ids_));
    PINKA_TRY_ASSIGN(const std::vector<Watched> ended, WaitForEnd(session, slices));
    if (!quiet_) PrintOutcomes(session, ended);
    return ExitCodeOf(ended);
  }

  bool EndsAsTheJob() const override { return true; }

 private:
  std::vector<std::string> ids_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeWait() { return std::make_unique<Wait>(); }

}  // namespace pinka::cli
