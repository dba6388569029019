// pinka top: the queue, live.
#include <algorithm>
#include <chrono>
#include <thread>

#include "base/parse.h"
#include "client/cli/commands.h"
#include "client/cli/core/errors.h"
#include "client/cli/core/screen.h"
#include "client/cli/core/session.h"
#include "client/cli/core/top_view.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

constexpr Duration kEvery = Duration::Seconds(2);
constexpr int kMostJobs = 1'000;

class Top final : public Command {
 public:
  Description Describe() const override {
    return {"top",
            "[--once] [-n N]",
            Group::kFollow,
            "the queue, live",
            "Shows tiers, what runs, what is next and your balance, anew every two seconds; q "
            "quits. Where the output is no terminal, one frame. Of longer queues the oldest 1,000 "
            "jobs are looked at.",
            "pinka top --once"};
  }

  void Declare(Options& options) override {
    options.Flag("--once", "one frame, then end", &once_);
    options.Custom("-n,--frames", "N", "end after N frames", [this](const std::string& text) {
      PINKA_TRY_ASSIGN(frames_, ParseInt(text, 1, 1'000'000'000, "the number of frames"));
      return OkStatus();
    });
  }

  StatusOr<int> Run(Session& session) override {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    PINKA_TRY_ASSIGN(const v1::WhoAmIResponse me, api->WhoAmI({}));
    frame_.user = me.name();
    PINKA_TRY(Ask(*api));
    if (session.json()) {
      session.PrintJson(frame_.status);
      return 0;
    }
    const Terminal& terminal = session.terminal();
    if (terminal.out && terminal.in && !once_) return Live(*api, *lab, terminal.color);
    return Plain(session, *api, *lab);
  }

 private:
  Status Ask(Api& api) {
    PINKA_TRY_ASSIGN(frame_.status, api.GetStatus({}));
    PINKA_TRY_ASSIGN(frame_.balance, api.GetBalance({}));
    v1::ListJobsRequest request;
    request.set_page_size(kMostJobs);
    PINKA_TRY_ASSIGN(const v1::ListJobsResponse jobs, api.ListJobs(request));
    frame_.jobs.assign(jobs.jobs().begin(), jobs.jobs().end());
    return OkStatus();
  }

  // A server that is away leaves the last frame, with a line that says so.
  void AskAgain(Api& api) {
    const Status status = Ask(api);
    frame_.trouble = status.ok() ? "" : "As of then: " + ErrorOf(status).message();
  }

  StatusOr<int> Plain(Session& session, Api& api, const Lab& lab) {
    const int64_t frames = once_ ? 1 : std::max<int64_t>(frames_, 1);
    const int columns = session.terminal().columns > 0 ? session.terminal().columns : 80;
    for (int64_t n = 0; n < frames; ++n) {
      if (n > 0) {
        session.out().Line("");
        session.out().Flush();
        std::this_thread::sleep_for(std::chrono::microseconds(kEvery.micros()));
        PINKA_TRY(Ask(api));
      }
      const TopSize size{columns, 0, session.terminal().color};
      for (const std::string& line : DrawTop(frame_, lab.zone, size)) session.out().Line(line);
    }
    return 0;
  }

  StatusOr<int> Live(Api& api, const Lab& lab, bool color) {
    api.set_patience(Duration());
    Screen screen;
    for (int64_t n = 1;; ++n) {
      // A new size and a key draw what is known; time asks anew.
      Screen::Event event = Screen::Event::kResize;
      while (event == Screen::Event::kResize || event == Screen::Event::kKey) {
        const ScreenSize size = screen.size();
        screen.Show(DrawTop(frame_, lab.zone, {size.columns, size.rows, color}));
        if (frames_ > 0 && n >= frames_) return 0;
        event = screen.Wait(kEvery);
      }
      if (event == Screen::Event::kQuit) return 0;
      if (event == Screen::Event::kSignal) return 128 + screen.signal();
      AskAgain(api);
    }
  }

  bool once_ = false;
  int64_t frames_ = 0;
  TopFrame frame_;
};

}  // namespace

std::unique_ptr<Command> MakeTop() { return std::make_unique<Top>(); }

}  // namespace pinka::cli
