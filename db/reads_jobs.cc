#include "db/reads_jobs.h"

#include "db/columns_jobs.h"

namespace pinka::db {

template <class Binder, RowOf<JobLine> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.name);
  b(row.comment);
  b(row.member);
  b(row.user);
  b(row.tier);
  b(row.project);
  b(row.units);
  b(row.gpus);
  b(row.cpus);
  b(row.memory);
  b(row.time_limit);
  b(row.source);
  b(row.klass);
  b(row.array);
  b(row.task_count);
  b(row.state);
  b(row.hold_reason);
  b(row.counts);
  b(row.submitted_at);
  b(row.eligible_at);
  b(row.ended_at);
  b(row.payload);
  b(row.chdir);
  b(row.charged);
  b(row.committed);
  b(row.simulated);
  b(row.end_reason);
  b(row.exited);
  b(row.exit_code);
  b(row.signal);
  b(row.dependency);
  b(row.waits_on);
  b.Maybe(row.begin_at);
  b(row.night);
  b.Maybe(row.deadline);
}

template <class Binder, RowOf<PayerShare> R>
void Bind(Binder& b, R& row) {
  b(row.task);
  b(row.number);
  b(row.payer);
  b(row.amount);
}

template <class Binder, RowOf<AttemptDetail> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.node);
  b(row.simulated);
  b(row.gpu_uuids);
  b(row.held);
  b(row.charged);
  b(row.package);
}

namespace {
struct TierLine {
  TierId tier;
};
}  // namespace

template <class Binder, RowOf<TierLine> R>
void Bind(Binder& b, R& row) {
  b(row.tier);
}

template <class Binder, RowOf<EndedJob> R>
void Bind(Binder& b, R& row) {
  b(row.id);
  b(row.member);
  b(row.state);
  b(row.payload);
  b(row.task_count);
  b(row.ended_at);
  b(row.name_hash);
  b.Maybe(row.started_at);
  b(row.ok);
}

template <class Binder, RowOf<UsualRun> R>
void Bind(Binder& b, R& row) {
  b(row.by);
  b(row.ms);
  b(row.runs);
}

template <class Binder, RowOf<PastRuns> R>
void Bind(Binder& b, R& row) {
  b(row.by);
  b(row.tier);
  b(row.runs);
  b(row.completed);
  b(row.timeouts);
  b(row.out_of_memory);
  b(row.median_ms);
  b(row.longest_ms);
  b(row.timeout_limit);
  b(row.memory_units);
  b(row.memory);
  b(row.peak_gpu_memory);
}

template <class Binder, RowOf<JobEvent> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.batch);
  b(row.actor);
}

namespace {

template <class T>
std::optional<T> First(std::vector<T> rows) {
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

Params IdParams(JobId id) {
  Params params;
  params.Int(id.value());
  return params;
}

StatusOr<std::vector<JobLine>> JobLines(ReadPool& pool, const std::vector<int64_t>& ids) {
  if (ids.empty()) return std::vector<JobLine>();
  Params params;
  params.Ints(ids);
  return pool.Rows<JobLine>("job_lines", params);
}

// Both are sorted by attempt.
void AddPayers(std::vector<PayerShare> payers, std::vector<AttemptDetail>* attempts) {
  auto at = attempts->begin();
  for (PayerShare& payer : payers) {
    AttemptId id{payer.task.job, payer.task.index, payer.number};
    while (at != attempts->end() && at->row.id < id) ++at;
    if (at == attempts->end()) return;
    if (at->row.id == id) at->payers.push_back(std::move(payer));
  }
}

}  // namespace

StatusOr<std::vector<JobLine>> ListJobs(ReadPool& pool, const JobFilter& filter) {
  std::vector<std::string> states;
  for (TaskState state : filter.states) states.emplace_back(Name(state));
  Params params;
  params.Int(filter.after.value()).Bool(filter.all).Int(filter.member.value()).Text(filter.user);
  params.Text(filter.tier).Texts(states).MaybeAt(filter.since).Int32(filter.limit);
  StatusOr<Result> page = pool.Exec("page_of_jobs", params, ReadPool::Plan::kAnew);
  if (!page.ok()) return page.status();
  std::vector<int64_t> ids;
  for (Row row(*page); row.Next();) ids.push_back(row.Int());
  return JobLines(pool, ids);
}

StatusOr<std::optional<JobLine>> GetJobLine(ReadPool& pool, JobId id) {
  auto rows = JobLines(pool, {id.value()});
  if (!rows.ok()) return rows.status();
  return First(*std::move(rows));
}

StatusOr<std::optional<JobDetail>> GetJob(ReadPool& pool, JobId id, int32_t task_limit) {
  auto lines = JobLines(pool, {id.value()});
  if (!lines.ok()) return lines.status();
  if (lines->empty()) return std::nullopt;
  Params some = IdParams(id);
  some.Int32(task_limit);
  auto rows = pool.Rows<JobRow>("get_job", IdParams(id));
  auto texts = pool.Rows<JobTextRow>("get_job_text", IdParams(id));
  auto tasks = pool.Rows<TaskRow>("get_job_tasks", some);
  auto attempts = pool.Rows<AttemptDetail>("get_job_attempts", some);
  auto payers = pool.Rows<PayerShare>("get_job_payers", some);
  for (const Status& status :
       {rows.status(), texts.status(), tasks.status(), attempts.status(), payers.status()}) {
    if (!status.ok()) return status;
  }
  AddPayers(*std::move(payers), &*attempts);
  JobDetail detail;
  detail.line = std::move(lines->front());
  if (!rows->empty()) detail.row = std::move(rows->front());
  if (!texts->empty()) detail.text = std::move(texts->front());
  detail.tasks = *std::move(tasks);
  detail.attempts = *std::move(attempts);
  return detail;
}

StatusOr<std::vector<EndedJob>> EndedJobs(ReadPool& pool, const std::vector<int64_t>& ids) {
  Params params;
  params.Ints(ids);
  return pool.Rows<EndedJob>("ended_jobs", params);
}

StatusOr<std::vector<TierId>> ProvenTiers(ReadPool& pool, MemberId member, const std::string& hash,
                                          Timestamp since) {
  Params params;
  params.Int(member.value()).Text(hash).At(since);
  auto rows = pool.Rows<TierLine>("proven_tiers", params);
  if (!rows.ok()) return rows.status();
  std::vector<TierId> tiers;
  for (const TierLine& row : *rows) tiers.push_back(row.tier);
  return tiers;
}

StatusOr<std::optional<UsualRun>> ReadUsualRun(ReadPool& pool, MemberId member,
                                               const std::string& name, const std::string& payload,
                                               TierId tier) {
  Params params;
  params.Int(member.value()).Text(name).Text(payload).Int(tier.value());
  auto rows = pool.Rows<UsualRun>("usual_run", params);
  if (!rows.ok()) return rows.status();
  return First(*std::move(rows));
}

StatusOr<std::vector<PastRuns>> ReadPastRuns(ReadPool& pool, MemberId member,
                                             const std::string& name, const std::string& payload) {
  Params params;
  params.Int(member.value()).Text(name).Text(payload);
  return pool.Rows<PastRuns>("past_runs", params);
}

StatusOr<std::optional<std::string>> PayloadByHash(ReadPool& pool, const std::string& hash) {
  Params params;
  params.Text(hash);
  auto rows = pool.Rows<PayloadRow>("get_payload", params);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  return std::move(rows->front().bytes);
}

StatusOr<std::vector<JobEvent>> EventsOf(ReadPool& pool, const std::string& entity,
                                         const std::string& id, int32_t limit) {
  Params params;
  params.Text(entity).Text(id).Int32(limit);
  return pool.Rows<JobEvent>("events_of", params);
}

}  // namespace pinka::db
