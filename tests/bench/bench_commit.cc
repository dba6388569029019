// What a batch of submits costs the database: decided by core, committed by the store, no gRPC. The
// CPU time of the server's process and of this thread, the bytes of the server's log, and the
// wall's time beside them. CPU times hold on a machine that others use as well. Nothing is
// asserted.
#include <cstdio>
#include <ctime>
#include <fstream>

#include "base/hash.h"
#include "db/store.h"
#include "fmt/format.h"
#include "scheduler/core/core.h"
#include "tests/support/postgres.h"

namespace pinka {
namespace {

constexpr int64_t kJobs = 20'000;  // of each line
const Timestamp kStart = Timestamp::Seconds(1'790'000'000);

// What psql prints for a query, as a number.
double Ask(const std::string& url, const std::string& query) {
  FILE* pipe = popen(fmt::format("psql -XAtq '{}' -c \"{}\"", url, query).c_str(), "r");
  double number = 0;
  if (!pipe || fscanf(pipe, "%lf", &number) != 1) number = 0;
  if (pipe) pclose(pipe);
  return number;
}

double Seconds(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9;
}

struct Reading {
  double server = 0;  // CPU seconds
  double own = 0;
  double wall = 0;
  double log_bytes = 0;
};

class Bench {
 public:
  Bench() : url_(testing::FreshDatabase()), store_(url_) {}

  bool Start() {
    const auto term = store_.AcquireLeadership("bench", "here");
    if (!term.ok()) return false;
    term_ = *term;
    const auto loaded = store_.LoadSnapshot(term_);
    if (!loaded.ok()) return false;
    core_.emplace(loaded->second);
    core_->Apply(FoundLab{"bench", "admin", Sha256Hex("token")}, kStart);
    ApplyLab lab;
    lab.actor.admin = true;
    LabChange::Tier tier;
    tier.row.name = "t4";
    tier.row.unit_gpus = 1;
    RateRow rate;
    rate.rate = Rate::MicrosPerUnitHour(1'500'000);
    tier.rates.push_back(rate);
    lab.change.tiers.push_back(tier);
    core_->Apply(lab, kStart);
    Deposit deposit;
    deposit.actor.admin = true;
    deposit.amount = Money::Whole(1'000'000'000);
    core_->Apply(deposit, kStart);
    if (!Commit()) return false;
    pid_ = Ask(url_,
               "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
               "pg_backend_pid()");
    return pid_ > 0;
  }

  bool Line(int64_t jobs) {
    const int64_t batches = std::min<int64_t>(kJobs / jobs, 4000);
    if (!Batches(jobs, 20)) return false;  // plans made, pages there
    const Reading before = Read();
    if (!Batches(jobs, batches)) return false;
    const Reading after = Read();
    const auto each = [&](double Reading::*what) {
      return (after.*what - before.*what) / static_cast<double>(batches);
    };
    fmt::print(
        "{:>4} jobs a batch: server {:>6.0f} us, {:>6.1f} a job; own {:>6.0f} us, {:>5.1f} a "
        "job; log {:>7.0f} bytes, {:>5.0f} a job; wall {:>6.0f} us\n",
        jobs, each(&Reading::server) * 1e6,
        each(&Reading::server) * 1e6 / static_cast<double>(jobs), each(&Reading::own) * 1e6,
        each(&Reading::own) * 1e6 / static_cast<double>(jobs), each(&Reading::log_bytes),
        each(&Reading::log_bytes) / static_cast<double>(jobs), each(&Reading::wall) * 1e6);
    fflush(stdout);
    return true;
  }

 private:
  bool Batches(int64_t jobs, int64_t count) {
    while (count-- > 0) {
      for (int64_t n = 0; n < jobs; ++n) Submit();
      core_->Schedule(4000);
      if (!Commit()) return false;
    }
    return true;
  }

  void Submit() {
    SubmitJobs submit;
    submit.actor = {core_->state().members.rows().begin()->first, true};
    submit.request = {fmt::format("bench-{}", ++submitted_), Sha256Hex("body")};
    JobRequest job;
    job.tier = core_->state().tiers.rows().begin()->first;
    job.time_limit = Duration::Minutes(1);
    job.payload = {Sha256Hex("bench"), "bench"};
    job.name = std::string("bench");
    submit.jobs.push_back(job);
    core_->Apply(submit, core_->now() + Duration::Micros(1));
  }

  bool Commit() {
    const db::CommitResult result =
        store_.Commit({term_, ++batch_, core_->now()}, core_->TakeChanges());
    if (!result.done()) fmt::print(stderr, "{} {}\n", result.sqlstate, result.message);
    return result.done();
  }

  Reading Read() {
    Reading reading;
    std::ifstream file(fmt::format("/proc/{:.0f}/schedstat", pid_));
    file >> reading.server;
    reading.server /= 1e9;
    reading.own = Seconds(CLOCK_THREAD_CPUTIME_ID);
    reading.wall = Seconds(CLOCK_MONOTONIC);
    reading.log_bytes = Ask(url_, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
    return reading;
  }

  const std::string url_;
  db::Store store_;
  std::optional<Core> core_;
  int64_t term_ = 0;
  int64_t batch_ = 0;
  int64_t submitted_ = 0;
  double pid_ = 0;
};

int Main() {
  Bench bench;
  if (!bench.Start()) return 1;
  for (int64_t jobs : {1, 8, 64, 256}) {
    if (!bench.Line(jobs)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace pinka

int main() { return pinka::Main(); }
