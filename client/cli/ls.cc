// pinka ls: the queue.
#include <algorithm>
#include <functional>
#include <future>

#include "base/text.h"
#include "client/cli/commands.h"
#include "client/cli/core/job_text.h"
#include "client/cli/core/json.h"
#include "client/cli/core/outcome.h"
#include "client/cli/core/session.h"
#include "client/cli/core/table.h"
#include "client/cli/core/try.h"

namespace pinka::cli {
namespace {

// A first page that is there soon; later ones are fetched while the one before is printed.
constexpr int kFirstPage = 1'000;
constexpr int kLaterPage = 5'000;

Status AddStates(const std::string& text, v1::ListJobsRequest* request) {
  for (std::string name : SplitCommas(text)) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    v1::TaskState::Value state{};
    if (!v1::TaskState::Value_Parse(name, &state)) {
      std::vector<std::string> known;
      for (int i = 1; i < v1::TaskState::Value_ARRAYSIZE; ++i) {
        known.push_back(StateName(static_cast<v1::TaskState::Value>(i)));
      }
      const std::string nearest = Nearest(name, known);
      return Invalid("no state " + SanitizeForTerminal(name) +
                     (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
    }
    request->add_states(state);
  }
  return OkStatus();
}

class Ls final : public Command {
 public:
  Description Describe() const override {
    return {"ls",
            "[-a] [--mine] [--state S] [--tier T] [--user U] [--since T]",
            Group::kFollow,
            "the queue",
            "Lists jobs with their place in the queue of their tier, why they wait and when they "
            "are expected to start. Without -a, --state or --since only those that have not ended.",
            "pinka ls --mine --tier rtx3090"};
  }

  void Declare(Options& options) override {
    options.Flag("-a,--all", "ended ones too", &all_);
    options.Flag("--mine", "only yours", &mine_);
    options.Custom("--state", "S[,S…]", "only these states",
                   [this](const std::string& text) { return AddStates(text, &request_); });
    options.Value("--tier", "T", "only this tier", &tier_);
    options.Value("--user", "U", "only this member's", &user_);
    options.Value("--since", "T", "submitted since: 2026-11-30, 2026-11-30T14:00, now-2h", &since_);
  }

  StatusOr<int> Run(Session& session) override {
    request_.set_all(all_ || !since_.empty() || request_.states_size() > 0);
    request_.set_mine(mine_);
    request_.set_tier(tier_);
    request_.set_user(user_);
    request_.set_page_size(kFirstPage);
    if (!since_.empty()) {
      PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
      PINKA_TRY_ASSIGN(const Timestamp since, lab->zone.Parse(since_, session.Now()));
      *request_.mutable_since() = ToProto(since);
    }
    PINKA_TRY(session.json() ? PrintAsJson(session) : PrintAsTable(session));
    return 0;
  }

 private:
  // While a page is printed the next one is on its way.
  Status EachPage(Session& session, const std::function<void(const v1::ListJobsResponse&)>& each) {
    PINKA_TRY_ASSIGN(Api * api, session.Connect());
    StatusOr<v1::ListJobsResponse> page = api->ListJobs(request_);
    for (;;) {
      if (!page.ok()) return page.status();
      std::future<StatusOr<v1::ListJobsResponse>> next;
      if (page->next_after_job_id() != 0) {
        request_.set_after_job_id(page->next_after_job_id());
        request_.set_page_size(kLaterPage);
        next = std::async(std::launch::async,
                          [api, request = request_] { return api->ListJobs(request); });
      }
      each(*page);
      if (!next.valid()) return OkStatus();
      page = next.get();
    }
  }

  Status PrintAsJson(Session& session) {
    bool begun = false;
    bool first = true;
    std::string text;
    PINKA_TRY(EachPage(session, [&](const v1::ListJobsResponse& page) {
      text.clear();
      if (!begun) {
        begun = true;
        text = JsonHead("pinka.v1.ListJobsResponse", FromProto(page.as_of())) + ",\"jobs\":[";
      }
      for (const v1::Job& job : page.jobs()) {
        text += first ? "\n" : ",\n";
        first = false;
        AppendJson(job, &text);
      }
      session.out().Write(text);
    }));
    session.out().Line("]}");
    return OkStatus();
  }

  Status PrintAsTable(Session& session) {
    PINKA_TRY_ASSIGN(const Lab* lab, session.AskLab());
    Table table({{"ID", 0},
                 {"NAME", 5},
                 {"USER", 6},
                 {"TIER", 0},
                 {"GPU", 0, true},
                 {"STATE", 0, false, StateColor},
                 {"POS", 0, true},
                 {"REASON", 8},
                 {"EXPECTED START", 11}},
                session.terminal(), [&](std::string_view text) { session.out().Write(text); });
    PINKA_TRY(EachPage(session, [&](const v1::ListJobsResponse& page) {
      for (const v1::Job& job : page.jobs()) table.Row(JobRow(job, lab->zone));
    }));
    table.Finish(request_.all() ? "No jobs." : "No jobs wait or run (-a lists ended ones).");
    return OkStatus();
  }

  static std::vector<std::string> JobRow(const v1::Job& job, const Zone& zone) {
    return {JobIdText(job),
            job.name(),
            job.user(),
            TierText(job),
            std::to_string(job.gpus()),
            StateName(job.state()),
            job.position() > 0 ? std::to_string(job.position()) : "",
            WaitText(job),
            job.has_expected_start_at() ? zone.Short(FromProto(job.expected_start_at())) : ""};
  }

  bool all_ = false;
  bool mine_ = false;
  std::string tier_;
  std::string user_;
  std::string since_;
  v1::ListJobsRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLs() { return std::make_unique<Ls>(); }

}  // namespace pinka::cli
