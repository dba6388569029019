#include "scheduler/api/job_reads.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/api/convert_spec.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/gate_proof.h"
#include "scheduler/api/hints.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/signal.h"
#include "scheduler/core/limits.h"
#include "scheduler/core/state.h"
#include "scheduler/core/waits.h"
#include "spdlog/spdlog.h"

namespace pinka::api {
namespace {

constexpr Duration kLongestWait = Duration::Seconds(60);
constexpr Duration kWaitSlice = Duration::Seconds(5);

// The members' own rows only, where the openness hides the others.
db::JobFilter FilterOf(const v1::ListJobsRequest& request, const Principal& who,
                       Openness openness) {
  db::JobFilter filter;
  filter.all = request.all();
  filter.user = request.user();
  filter.tier = request.tier();
  for (int state : request.states()) {
    if (state > 0 && state <= kTaskStates)
      filter.states.push_back(static_cast<TaskState>(state - 1));
  }
  if (request.has_since()) filter.since = FromProto(request.since());
  filter.after = JobId(request.after_job_id());
  const int32_t page = request.page_size() > 0 ? request.page_size() : kMostJobsPage;
  filter.limit = std::min(page, kMostJobsPage);
  const bool foreign = who.admin || OthersMaySee(openness, JobPart::kQueue);
  if (request.mine() || !foreign) filter.member = who.member;
  return filter;
}

}  // namespace

Status NoSuchJob(JobId id) {
  return Refusal(Reason::kNoSuchJob, fmt::format("no such job {}", id.value()));
}

void LogForeignRead(const Principal& who, const char* what, JobId id, const std::string& owner) {
  spdlog::info("audit: admin {} reads {} of job {} of {}", who.name, what, id.value(), owner);
}

void JobReads::Get(CallPtr call, const v1::GetJobRequest* request, v1::GetJobResponse* response) {
  desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
    const JobId id(request->job_id());
    auto job = db::GetJob(desk_.database(), id);
    if (!job.ok()) return call->Fail(job.status());
    if (!job->has_value()) return call->Fail(NoSuchJob(id));
    const db::JobDetail& detail = **job;
    const View view(call->who(), detail.line.member, board->lab.openness);
    if (!view.Sees(JobPart::kById)) return call->Fail(NoSuchJob(id));
    if (!view.own()) LogForeignRead(call->who(), "show", id, detail.line.user);
    FillJobDetail(detail, view, *board, response->mutable_job());
    if (view.Sees(JobPart::kCommand)) {
      auto payload = db::PayloadByHash(desk_.database(), detail.row.payload);
      if (!payload.ok()) return call->Fail(payload.status());
      if (payload->has_value())
        FillPayload(**payload, view, request->with_env(), response->mutable_job());
    }
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    const bool newer = IsWaiting(detail.line.state) && detail.line.state != TaskState::kHeld &&
                       !board->waiting.contains(id.value());
    if (!newer) return call->Done();
    ExplainNew(call, id, response->mutable_job());
  });
}

// A job that waits and is not on the board yet: it came after the board was made.
void JobReads::ExplainNew(CallPtr call, JobId id, v1::Job* job) {
  auto answer = std::make_shared<Explanation>();
  desk_.tools().runtime.Look(
      [answer, id](const State& state) { *answer = ::pinka::Explain(state, id); },
      [=](const Outcome& outcome) {
        if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
        if (answer->reason != Reason::kOk && IsWaiting(answer->state)) {
          job->set_reason(std::string(Name(answer->reason)));
          job->set_reason_text(answer->text);
          job->set_position(answer->position);
          SetTime(answer->expected_start, [&] { return job->mutable_expected_start_at(); });
        }
        call->Done();
      });
}

void JobReads::List(CallPtr call, const v1::ListJobsRequest* request,
                    v1::ListJobsResponse* response) {
  desk_.ReadWithBoard(call, request->min_batch(), [=, this](BoardPtr board) {
    const Openness openness = board->lab.openness;
    const db::JobFilter filter = FilterOf(*request, call->who(), openness);
    auto lines = db::ListJobs(desk_.database(), filter);
    if (!lines.ok()) return call->Fail(lines.status());
    size_t bytes = 0;
    bool more = lines->size() >= static_cast<size_t>(filter.limit);
    for (const db::JobLine& line : *lines) {
      if (bytes > kMostPageBytes) {
        more = true;
        break;
      }
      const View view(call->who(), line.member, openness);
      FillJob(line, view, *board, response->add_jobs());
      bytes += response->jobs().rbegin()->ByteSizeLong();
    }
    if (more) response->set_next_after_job_id(response->jobs().rbegin()->id());
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    std::vector<v1::Job*> newer;
    for (v1::Job& job : *response->mutable_jobs()) {
      const bool pending = job.state() == v1::TaskState::PENDING;
      if (pending && !board->waiting.contains(job.id())) newer.push_back(&job);
    }
    newer.empty() ? call->Done() : SayWhatTheyWaitFor(call, std::move(newer));
  });
}

// Of a list only what costs no pass of the plan: what they wait for beside room. Their places come
// with the next board.
void JobReads::SayWhatTheyWaitFor(CallPtr call, std::vector<v1::Job*> newer) {
  desk_.tools().runtime.Look(
      [newer](const State& state) {
        for (v1::Job* job : newer) {
          const JobRow* row = state.jobs.Find(JobId(job->id()));
          if (!row) continue;
          const auto blocked = NotYetInWords(state, *row);
          job->set_reason(std::string(Name(blocked ? blocked->reason : Reason::kPriority)));
          if (blocked) job->set_reason_text(blocked->text);
        }
      },
      [call](const Outcome& outcome) {
        const Status looked = StatusOf(outcome);
        looked.ok() ? call->Done() : call->Fail(looked);
      });
}

void JobReads::Explain(CallPtr call, const v1::ExplainJobRequest* request,
                       v1::ExplainJobResponse* response) {
  const JobId id(request->job_id());
  const auto explain = [=, this](const std::string& ended_text) {
    auto answer = std::make_shared<Explanation>();
    desk_.tools().runtime.Look(
        [answer, id](const State& state) { *answer = ::pinka::Explain(state, id); },
        [=, this](const Outcome& outcome) {
          if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
          response->set_job_id(id.value());
          *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
          if (answer->reason == Reason::kNoSuchJob) {  // it has left memory
            response->set_text(ended_text);
            return call->Done();
          }
          response->set_reason(std::string(Name(answer->reason)));
          response->set_text(answer->text);
          response->set_priority(answer->priority);
          for (const auto& [name, value] : answer->factors) {
            v1::Factor* factor = response->add_factors();
            factor->set_name(name);
            factor->set_value(value);
          }
          response->set_position(answer->position);
          response->set_ahead(std::max(answer->position - 1, 0));
          response->set_gpu_hours_ahead(WireHours(answer->unit_ms_ahead));
          for (const std::string& line : answer->ahead) response->add_ahead_of_it(line);
          SetTime(answer->expected_start, [&] { return response->mutable_expected_start_at(); });
          SetTime(answer->expected_by, [&] { return response->mutable_expected_start_by(); });
          response->set_assumption(answer->assumption);
          response->set_would_change(answer->would_change);
          call->Done();
        });
  };
  desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
    auto line = db::GetJobLine(desk_.database(), id);
    if (!line.ok()) return call->Fail(line.status());
    if (!line->has_value()) return call->Fail(NoSuchJob(id));
    const View view(call->who(), (*line)->member, board->lab.openness);
    if (!view.Sees(JobPart::kById)) return call->Fail(NoSuchJob(id));
    if (!view.own()) LogForeignRead(call->who(), "why", id, (*line)->user);
    explain(fmt::format("Job {} does not wait: it is {}.", id.value(), Name((*line)->state)));
  });
}

void JobReads::Quote(CallPtr call, const v1::QuoteRequest* request, v1::QuoteResponse* response) {
  desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    if (Status s = CheckWorkload(request->spec()); !s.ok()) return call->Fail(s);
    StatusOr<JobRequest> job = ConvertSpec(request->spec(), *board);
    if (!job.ok()) return call->Fail(job.status());
    auto asked = std::make_shared<JobRequest>(*job);
    const auto proven = ReadProof(desk_.database(), {*job}, call->who().member, *board);
    if (!proven.ok()) return call->Fail(proven.status());
    auto answer = std::make_shared<QuoteAnswer>();
    desk_.tools().runtime.Look(
        [answer, call, job = *std::move(job), proof = proven->front()](const State& state) {
          *answer = QuoteJob(state, call->actor(), job, proof);
        },
        [=, this](const Outcome& outcome) {
          if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
          desk_.Read(call, [=, this] {
            auto usual = db::ReadUsualRun(desk_.database(), call->who().member, asked->name,
                                          asked->payload.hash, asked->tier);
            if (!usual.ok()) return call->Fail(usual.status());
            const auto past = db::ReadPastRuns(desk_.database(), call->who().member, asked->name,
                                               asked->payload.hash);
            if (!past.ok()) return call->Fail(past.status());
            const bool priced = answer->price.rate > Rate();
            v1::Quote* quote = response->add_quotes();
            FillQuote(*asked, *board, quote, priced ? std::optional(answer->price) : std::nullopt,
                      *usual);
            const v1::JobSpec& spec = request->spec();
            for (v1::Hint& hint : HintsFor(*asked, spec.has_workload() ? &spec.workload() : nullptr,
                                           *board, *quote, *past))
              *response->add_hints() = std::move(hint);
            const std::vector<v1::Hint> hints(response->hints().begin(), response->hints().end());
            const std::string refused = RefusedByAdvice(*asked, *board, hints);
            const bool by_advice = answer->refusal == Reason::kOk && !refused.empty();
            response->set_refusal(by_advice ? refused : answer->detail);
            response->set_refusal_reason(
                std::string(Name(by_advice ? Reason::kAdvice : answer->refusal)));
            call->Done();
          });
        });
  });
}

// ---- wait ----

struct JobReads::Waiting {
  CallPtr call;
  const v1::WaitJobRequest* request = nullptr;
  v1::WaitJobResponse* response = nullptr;
  Duration until;  // monotonic
};

void JobReads::Wait(CallPtr call, const v1::WaitJobRequest* request,
                    v1::WaitJobResponse* response) {
  auto waiting = std::make_shared<Waiting>();
  waiting->call = std::move(call);
  waiting->request = request;
  waiting->response = response;
  const Duration hold = BoundedMillis(request->hold_ms(), kLongestWait);
  waiting->until = desk_.tools().clock.Monotonic() + hold;
  WaitMore(waiting);
}

// First the signal, then the read: what changes in between is not missed.
void JobReads::WaitMore(std::shared_ptr<Waiting> waiting) {
  auto changed = desk_.NewSignal();
  const Duration rest = waiting->until - desk_.tools().clock.Monotonic();
  desk_.tools().runtime.WhenJobChanges(JobId(waiting->request->job_id()),
                                       std::clamp(rest, Duration(), kWaitSlice),
                                       [changed] { changed->Fire(); });
  desk_.ReadWithBoard(waiting->call, 0, [=, this](BoardPtr board) {
    const JobId id(waiting->request->job_id());
    auto line = db::GetJobLine(desk_.database(), id);
    if (!line.ok()) return waiting->call->Fail(line.status());
    if (!line->has_value()) return waiting->call->Fail(NoSuchJob(id));
    const View view(waiting->call->who(), (*line)->member, board->lab.openness);
    if (!view.Sees(JobPart::kById)) return waiting->call->Fail(NoSuchJob(id));
    const TaskState state = (*line)->state;
    const bool there =
        IsTerminal(state) || (waiting->request->until_started() && !IsWaiting(state));
    const bool over = desk_.tools().clock.Monotonic() >= waiting->until || desk_.stopping();
    if (there || over) {
      FillJob(**line, view, *board, waiting->response->mutable_job());
      *waiting->response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
      return waiting->call->Done();
    }
    changed->Then([this, waiting] { WaitMore(waiting); });
  });
}

}  // namespace pinka::api
