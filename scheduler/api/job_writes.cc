#include "scheduler/api/job_writes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/api/both.h"
#include "scheduler/api/convert_spec.h"
#include "scheduler/api/file_shelf.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/gate_proof.h"
#include "scheduler/api/hints.h"
#include "scheduler/api/job_reads.h"
#include "scheduler/api/limits.h"
#include "scheduler/api/names.h"
#include "scheduler/core/timeline.h"

namespace pinka::api {
namespace {

constexpr Duration kLongestLimit = Duration::Days(3'650);

// Where a tier has room and nobody waits, a job starts at once; otherwise `why` knows more.
void FillExpectedStart(const JobRequest& request, const Board& board, v1::SubmittedJob* out) {
  for (const Board::Tier& tier : board.tiers) {
    if (tier.row.id != request.tier || tier.pending > 0) continue;
    if (!out->quotes().empty() && tier.free < out->quotes(0).units()) continue;
    if (tier.free > 0) SetTime(board.now, [&] { return out->mutable_expected_start_at(); });
  }
}

std::vector<v1::Hint> HintsOf(size_t at, const JobRequest& job, const Workloads& workloads,
                              const Board& board, const v1::Quote& quote, const History& history) {
  const auto workload = workloads.find(at);
  return HintsFor(job, workload == workloads.end() ? nullptr : &workload->second, board, quote,
                  history.past);
}

void FillSubmitted(const SubmitJobs& command, const Workloads& workloads, const Reply& reply,
                   const Board& board, const History& history, v1::SubmitJobsResponse* out) {
  for (size_t i = 0; i < command.jobs.size(); ++i) {
    const JobRequest& request = command.jobs[i];
    v1::SubmittedJob* job = out->add_jobs();
    job->set_job_id(reply.first + static_cast<int64_t>(i));
    job->set_task_count(CountTasks(request, board));
    const bool priced = i < reply.priced.size();
    FillQuote(request, board, job->add_quotes(),
              priced ? std::optional(reply.priced[i]) : std::nullopt, history.usual);
    FillExpectedStart(request, board, job);
    for (v1::Hint& hint : HintsOf(i, request, workloads, board, job->quotes(0), history))
      *job->add_hints() = std::move(hint);
    if (i < reply.warnings.size() && !reply.warnings[i].empty())
      job->add_warnings(reply.warnings[i]);
  }
  out->set_note(reply.note);
}

Workloads WorkloadsOf(const v1::SubmitJobsRequest& request) {
  Workloads workloads;
  for (int i = 0; i < request.specs_size(); ++i) {
    if (request.specs(i).has_workload())
      workloads.emplace(static_cast<size_t>(i), request.specs(i).workload());
  }
  return workloads;
}

// All specs or the first refusal, which names its spec where there are several.
StatusOr<std::vector<JobRequest>> ConvertSpecs(const v1::SubmitJobsRequest& request,
                                               const Board& board) {
  if (request.specs().empty()) return Invalid("no job in the request");
  if (request.specs_size() > kMostSpecs) {
    return Invalid(fmt::format("{} jobs in one request; at most {} go together, an array is one",
                               request.specs_size(), kMostSpecs));
  }
  std::vector<JobRequest> jobs;
  for (const v1::JobSpec& spec : request.specs()) {
    if (Status s = CheckWorkload(spec); !s.ok()) return s;
    StatusOr<JobRequest> job = ConvertSpec(spec, board);
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

StatusOr<JobVerb> ConvertVerb(v1::ChangeJobsRequest::Verb verb) {
  switch (verb) {
    case v1::ChangeJobsRequest::CANCEL:
      return JobVerb::kCancel;
    case v1::ChangeJobsRequest::HOLD:
      return JobVerb::kHold;
    case v1::ChangeJobsRequest::RELEASE:
      return JobVerb::kRelease;
    case v1::ChangeJobsRequest::REQUEUE:
      return JobVerb::kRequeue;
    default:
      return Invalid("no verb: cancel, hold, release or requeue");
  }
}

StatusOr<ChangeJobs> ConvertChange(const v1::ChangeJobsRequest& request, const Actor& actor) {
  ChangeJobs command;
  command.actor = actor;
  StatusOr<RequestKey> key = KeyOf(request);
  if (!key.ok()) return key.status();
  command.request = *key;
  StatusOr<JobVerb> verb = ConvertVerb(request.verb());
  if (!verb.ok()) return verb.status();
  command.verb = *verb;
  if (request.slices().empty()) return Invalid("no job is named");
  if (request.slices_size() > kMostSlices) {
    return Invalid(
        fmt::format("{} jobs are named; at most {} at a time", request.slices_size(), kMostSlices));
  }
  for (const std::string& text : request.slices()) {
    StatusOr<Slice> slice = ConvertSlice(text);
    if (!slice.ok()) return slice.status();
    command.slices.push_back(*std::move(slice));
  }
  if (Status s = CheckText(request.reason(), kMostTextChars, "reason"); !s.ok()) return s;
  command.reason = request.reason();
  return command;
}

// The spec of an old job, to be judged as a new one. What it waited for, and its times of day, were
// the old one's.
v1::JobSpec SpecOf(const db::JobDetail& detail) {
  v1::JobSpec spec;
  const JobRow& row = detail.row;
  spec.add_tiers(detail.line.tier);
  spec.set_gpus(row.gpus);
  spec.set_cpus(row.cpus);
  spec.set_memory_bytes(row.memory);
  spec.set_time_limit_ms(row.time_limit.millis());
  spec.set_grace_ms(row.grace.millis());
  spec.set_array(row.array);
  spec.set_source(std::string(Name(row.source)));
  spec.set_retries(row.retries);
  spec.set_no_requeue(row.no_requeue);
  if (row.max_cost > Money()) spec.set_max_cost(FormatWireMoney(row.max_cost));
  if (row.max_rate > Rate()) spec.set_max_rate(WireRate(row.max_rate));
  if (row.need_cuda > 0) spec.set_need_cuda(PrintCuda(row.need_cuda));
  for (int32_t code : row.requeue_exit) spec.add_requeue_exit(code);
  switch (row.klass) {
    case JobClass::kScavenger:
      spec.set_class_(v1::JobSpec::scavenger);
      break;
    case JobClass::kNormal:
      spec.set_class_(v1::JobSpec::normal);
      break;
    case JobClass::kDebug:
      spec.set_class_(v1::JobSpec::debug);
      break;
  }
  spec.set_nice(std::max(row.nice, 0));
  spec.set_night(row.night);
  spec.set_project(detail.line.project);
  spec.set_name(detail.text.name);
  spec.set_comment(detail.text.comment);
  spec.set_output(detail.text.output);
  return spec;
}

std::vector<int64_t> Values(const std::vector<JobId>& ids) {
  std::vector<int64_t> values;
  for (JobId id : ids) values.push_back(id.value());
  return values;
}

// What the database knows of `ids`; one that it does not know is attached without a member.
std::vector<EndedJob> Attach(const std::vector<JobId>& ids,
                             const std::vector<db::EndedJob>& known) {
  std::vector<EndedJob> attached;
  for (JobId id : ids) {
    EndedJob& job = attached.emplace_back();
    job.id = id;
    const auto it = std::ranges::find(known, id, &db::EndedJob::id);
    if (it == known.end()) continue;
    job.member = it->member;
    job.state = it->state;
    job.name_hash = it->name_hash;
    job.started_at = it->started_at;
    job.ok = it->ok;
  }
  return attached;
}

}  // namespace

template <class C>
void JobWrites::DoWithEnded(CallPtr call, C command, std::function<void(const Outcome&)> then) {
  auto kept = std::make_shared<C>(command);
  desk_.Do(call, std::move(command), [=, this](const Outcome& outcome) {
    const std::vector<JobId> need = outcome.reply.need;
    if (need.empty()) return then(outcome);
    desk_.Read(call, [=, this] {
      auto ended = db::EndedJobs(desk_.database(), Values(need));
      if (!ended.ok()) return call->Fail(ended.status());
      kept->ended = Attach(need, *ended);
      desk_.Do(call, *kept, [=](const Outcome& second) {
        if (!second.reply.need.empty()) return call->Fail(Internal("core asked for facts twice"));
        then(second);
      });
    });
  });
}

void JobWrites::Submit(CallPtr call, const v1::SubmitJobsRequest* request,
                       v1::SubmitJobsResponse* response) {
  desk_.tools().names.Recent([=, this](BoardPtr recent) {
    const auto submit = [=, this](const BoardPtr& board) -> Status {
      SubmitJobs command;
      command.actor = call->actor();
      StatusOr<RequestKey> key = KeyOf(*request);
      if (!key.ok()) return key.status();
      command.request = *key;
      StatusOr<std::vector<JobRequest>> jobs = ConvertSpecs(*request, *board);
      if (!jobs.ok()) return jobs.status();
      command.jobs = *std::move(jobs);
      Judge(call, std::move(command), board, WorkloadsOf(*request), response);
      return OkStatus();
    };
    const Status first = submit(recent);
    if (first.ok()) return;
    // A tier or project may be younger than the board.
    desk_.tools().names.Fresh([=](BoardPtr board) {
      if (Status s = submit(board); !s.ok()) call->Fail(s);
    });
  });
}

void JobWrites::Judge(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
                      v1::SubmitJobsResponse* response) {
  const bool judged = std::ranges::any_of(
      command.jobs, [&board](const JobRequest& job) { return AdviceMayRefuse(job, *board); });
  if (!judged) return Send(call, std::move(command), board, std::move(workloads), response);
  auto kept = std::make_shared<SubmitJobs>(std::move(command));
  desk_.Read(call, [=, this] {
    for (size_t i = 0; i < kept->jobs.size(); ++i) {
      const JobRequest& job = kept->jobs[i];
      if (!AdviceMayRefuse(job, *board)) continue;
      const History history = ReadHistory(desk_.database(), call->who().member, job);
      v1::Quote quote;
      FillQuote(job, *board, &quote);
      const std::string refused =
          RefusedByAdvice(job, *board, HintsOf(i, job, workloads, *board, quote, history));
      if (!refused.empty()) return call->Refuse(Reason::kAdvice, refused);
    }
    Send(call, std::move(*kept), board, workloads, response);
  });
}

// The files that jobs start in are whole, before anything is queued: each tree once.
void JobWrites::Send(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
                     v1::SubmitJobsResponse* response) {
  std::set<std::string> trees;
  for (const JobRequest& job : command.jobs) {
    if (!job.code.empty()) trees.insert(job.code);
  }
  if (trees.empty()) return Prove(call, std::move(command), board, std::move(workloads), response);
  auto kept = std::make_shared<SubmitJobs>(std::move(command));
  desk_.Read(call, [=, this] {
    for (const std::string& root : trees) {
      auto whole = CheckTree(desk_.tools().blobs, root);
      if (!whole.ok()) return call->Fail(whole.status());
    }
    Prove(call, std::move(*kept), board, workloads, response);
  });
}

// With what the database knows of the gates' proof, where there are gates.
void JobWrites::Prove(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
                      v1::SubmitJobsResponse* response) {
  if (!AnyGate(command.jobs, *board))
    return Order(call, std::move(command), board, std::move(workloads), response);
  auto kept = std::make_shared<SubmitJobs>(std::move(command));
  desk_.Read(call, [=, this] {
    auto proven = ReadProof(desk_.database(), kept->jobs, call->who().member, *board);
    if (!proven.ok()) return call->Fail(proven.status());
    kept->proven = *std::move(proven);
    Order(call, std::move(*kept), board, workloads, response);
  });
}

void JobWrites::Order(CallPtr call, SubmitJobs command, BoardPtr board, Workloads workloads,
                      v1::SubmitJobsResponse* response) {
  auto sent = std::make_shared<SubmitJobs>(command);
  for (JobRequest& job : sent->jobs) job.payload.bytes.clear();  // core has its own
  const auto both =
      Both<Outcome, History>::Make([=, this](const Outcome& outcome, const History& history) {
        response->set_batch(outcome.batch);
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        FillSubmitted(*sent, workloads, outcome.reply, *board, history, response);
        call->Done();
      });
  // It is queued, whatever history says.
  const auto tell = [both](const History& history) { both->Second(history); };
  sent->jobs.size() == 1 ? histories_.Ask(sent->actor.member, sent->jobs.front(), tell) : tell({});
  const auto done = [both](const Outcome& outcome) { both->First(outcome); };
  const bool depends = std::ranges::any_of(
      command.jobs, [](const JobRequest& job) { return !job.dependency.empty(); });
  if (depends) return DoWithEnded<SubmitJobs>(call, std::move(command), done);
  desk_.Do(call, std::move(command), done);
}

void JobWrites::Resubmit(CallPtr call, const v1::ResubmitJobRequest* request,
                         v1::SubmitJobsResponse* response) {
  desk_.ReadWithBoard(call, 0, [=, this](BoardPtr board) {
    const JobId id(request->job_id());
    auto job = db::GetJob(desk_.database(), id, 1);
    if (!job.ok()) return call->Fail(job.status());
    // Only one's own, whatever may be seen: it would run with somebody else's secrets.
    if (!job->has_value() || (*job)->line.member != call->who().member)
      return call->Fail(NoSuchJob(id));
    auto payload = db::PayloadByHash(desk_.database(), (*job)->row.payload);
    if (!payload.ok()) return call->Fail(payload.status());
    v1::JobSpec spec = SpecOf(**job);
    if (!payload->has_value() || !SpecFromPayload(**payload, &spec))
      return call->Fail(Internal(fmt::format("job {} has no payload", id.value())));
    StatusOr<JobRequest> again = ConvertSpec(spec, *board);
    if (!again.ok()) return call->Fail(again.status());
    StatusOr<RequestKey> key = KeyOf(*request);
    if (!key.ok()) return call->Fail(key.status());
    SubmitJobs command;
    command.actor = call->actor();
    command.request = *std::move(key);
    command.jobs.push_back(*std::move(again));
    Judge(call, std::move(command), board, {}, response);
  });
}

void JobWrites::Change(CallPtr call, const v1::ChangeJobsRequest* request,
                       v1::ChangeJobsResponse* response) {
  StatusOr<ChangeJobs> command = ConvertChange(*request, call->actor());
  if (!command.ok()) return call->Fail(command.status());
  DoWithEnded<ChangeJobs>(call, *std::move(command), [=, this](const Outcome& outcome) {
    for (int i = 0; i < request->slices_size(); ++i) {
      auto* result = response->add_results();
      result->set_slice(request->slices(i));
      if (static_cast<size_t>(i) >= outcome.reply.slices.size()) continue;
      const Reply::PerSlice& slice = outcome.reply.slices[static_cast<size_t>(i)];
      result->set_tasks(slice.tasks);
      result->set_note(slice.note);
      result->set_error_reason(std::string(Name(slice.reason)));
    }
    response->set_batch(outcome.batch);
    *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
    call->Done();
  });
}

void JobWrites::Edit(CallPtr call, const v1::EditJobRequest* request,
                     v1::EditJobResponse* response) {
  StatusOr<RequestKey> key = KeyOf(*request);
  if (!key.ok()) return call->Fail(key.status());
  if (!request->has_time_limit_ms() && !request->has_name() && !request->has_dependency() &&
      request->tier().empty()) {
    return call->Refuse(Reason::kBadRequest,
                        "nothing to change; give --time, --name, --dependency or --tier");
  }
  if (request->has_name()) {
    const Status s = CheckText(request->name(), kMostNameChars, "job's name");
    if (!s.ok()) return call->Fail(s);
  }
  desk_.ReadWithBoard(call, 0, [=, this, key = *std::move(key)](BoardPtr board) {
    const JobId id(request->job_id());
    auto job = db::GetJob(desk_.database(), id, 1);
    if (!job.ok()) return call->Fail(job.status());
    const bool may =
        job->has_value() && (call->who().admin || (*job)->line.member == call->who().member);
    if (!may) return call->Fail(NoSuchJob(id));
    EditJob command;
    command.actor = call->actor();
    command.request = key;
    command.job = id;
    command.set_time = request->has_time_limit_ms();
    command.time_limit = BoundedMillis(request->time_limit_ms(), kLongestLimit);
    command.set_text = request->has_name();
    command.text = (*job)->text;
    if (request->has_name()) command.text.name = request->name();
    command.set_dependency = request->has_dependency();
    command.dependency = request->dependency();
    if (!request->tier().empty()) {
      const Board::Tier* tier = FindTier(*board, request->tier());
      if (!tier) return call->Fail(NoSuchTier(request->tier(), *board));
      command.tier = tier->row.id;
    }
    DoWithEnded<EditJob>(call, std::move(command), [=, this](const Outcome&) {
      desk_.Read(call, [=, this] {
        auto line = db::GetJobLine(desk_.database(), id);
        if (!line.ok()) return call->Fail(line.status());
        if (!line->has_value()) return call->Fail(NoSuchJob(id));
        const View view(call->who(), (*line)->member, board->lab.openness);
        FillJob(**line, view, *board, response->mutable_job());
        *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
        call->Done();
      });
    });
  });
}

}  // namespace pinka::api
