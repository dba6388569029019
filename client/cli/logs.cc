// pinka logs: what a job wrote.
#include "base/parse.h"
#include "base/ranges.h"
#include "client/cli/commands.h"
#include "client/cli/core/log_follow.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

class Logs final : public Command {
 public:
  Description Describe() const override {
    return {"logs",
            "[-f] [--attempt N] [--tail N] ID",
            Group::kFollow,
            "its output",
            "Prints what a task wrote, in the order written, byte for byte into a file or pipe; "
            "what would harm a terminal is replaced there. With -f it goes on until the task has "
            "ended, over new attempts and broken connections; notes go to standard error.",
            "pinka logs -f 17"};
  }

  void Declare(Options& options) override {
    options.Flag("-f,--follow", "go on until it has ended", &follow_);
    options.Custom("--attempt", "N", "an earlier attempt (default: the newest)",
                   [this](const std::string& text) { return ReadInt(text, &attempt_); });
    options.Custom("--tail", "N", "only the last N lines",
                   [this](const std::string& text) { return ReadInt(text, &tail_); });
    options.Positional("ID", "a job, or a task of an array: 17, 36_1", &id_);
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(const JobSlice slice, ParseJobSlice(id_));
    if (slice.indices.size() > 1) return Invalid("logs prints one task; name it as in 36_1");
    PINKA_TRY(PrintLog(session, {.task = id_,
                                 .attempt = static_cast<int32_t>(attempt_),
                                 .tail_lines = tail_,
                                 .follow = follow_}));
    return 0;
  }

 private:
  static Status ReadInt(const std::string& text, int64_t* to) {
    PINKA_TRY_ASSIGN(*to, ParseInt(text, 1, 1'000'000'000, "the number"));
    return OkStatus();
  }

  bool follow_ = false;
  int64_t attempt_ = 0;
  int64_t tail_ = 0;
  std::string id_;
};

}  // namespace

std::unique_ptr<Command> MakeLogs() { return std::make_unique<Logs>(); }

}  // namespace pinka::cli
