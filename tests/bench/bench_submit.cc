// Durable submits a second through gRPC at 1, 16 and 64 in flight, in one run beside
//   - a callback echo of the same messages (what gRPC itself allows here), and
//   - pgbench on the same PostgreSQL: one-row commits, and three statements on one hot row.
// Prints a line a measurement and the ratios that figures of merit are made of. Nothing is
// asserted.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "fmt/format.h"
#include "pinka/v1/job.pb.h"
#include "tests/support/whole_scheduler.h"

namespace pinka {
namespace {

using Stub = grpc::TemplatedGenericStub<v1::SubmitJobsRequest, v1::SubmitJobsResponse>;
constexpr int kSeconds = 4;

// Answers every call with the bytes it got.
class Echo final : public grpc::CallbackGenericService {
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor() { StartRead(&bytes_); }
    void OnReadDone(bool ok) override {
      if (ok) {
        StartWriteAndFinish(&bytes_, grpc::WriteOptions(), grpc::Status::OK);
      } else {
        Finish(grpc::Status::CANCELLED);
      }
    }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer bytes_;
  };
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new Reactor;
  }
};

struct Figure {
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
  int64_t failed = 0;
};

// Keeps `in_flight` calls going for a few seconds.
class Load {
 public:
  Load(std::shared_ptr<grpc::Channel> channel, std::string token, std::string method)
      : stub_(std::move(channel)), token_(std::move(token)), method_(std::move(method)) {}

  Figure Run(int in_flight) {
    end_ = clock_.Monotonic() + Duration::Seconds(kSeconds);
    const Duration began = clock_.Monotonic();
    running_ = in_flight;
    for (int i = 0; i < in_flight; ++i) Next();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    const double seconds = static_cast<double>((clock_.Monotonic() - began).micros()) / 1e6;
    std::ranges::sort(latencies_);
    Figure figure;
    figure.failed = failed_;
    if (latencies_.empty()) return figure;
    figure.per_second = static_cast<double>(latencies_.size()) / seconds;
    figure.p50_us = static_cast<double>(latencies_[latencies_.size() / 2]);
    figure.p99_us = static_cast<double>(latencies_[latencies_.size() * 99 / 100]);
    return figure;
  }

 private:
  struct One {
    grpc::ClientContext context;
    v1::SubmitJobsRequest request;
    v1::SubmitJobsResponse response;
    Duration sent;
  };

  void Next() {
    auto* one = new One;
    one->context.AddMetadata("authorization", "Bearer " + token_);
    one->request.set_request_id(fmt::format("bench-{}", ++requests_));
    v1::JobSpec& spec = *one->request.add_specs();
    spec.add_argv("true");
    spec.add_tiers("t4");
    spec.set_name("bench");
    spec.set_time_limit_ms(60'000);
    one->sent = clock_.Monotonic();
    stub_.UnaryCall(&one->context, method_, grpc::StubOptions(), &one->request, &one->response,
                    [this, one](const grpc::Status& status) { Done(one, status); });
  }

  void Done(One* one, const grpc::Status& status) {
    const Duration now = clock_.Monotonic();
    bool more = false;
    {
      std::lock_guard lock(mutex_);
      if (status.ok()) {
        latencies_.push_back((now - one->sent).micros());
      } else if (failed_++ == 0) {
        fmt::print(stderr, "first failure: {}\n", status.error_message());
      }
      more = now < end_;
      if (!more && --running_ == 0) done_.notify_one();
    }
    delete one;
    if (more) Next();
  }

  SystemClock clock_;
  Stub stub_;
  const std::string token_;
  const std::string method_;
  Duration end_;
  std::atomic<int64_t> requests_{0};
  std::mutex mutex_;
  std::condition_variable done_;
  int running_ = 0;
  int64_t failed_ = 0;
  std::vector<int64_t> latencies_;
};

// Transactions a second that pgbench reports for a script.
double Pgbench(const std::string& url, const std::string& script, int clients) {
  const std::string path = "/tmp/pinka_bench.sql";
  if (!WriteFileDurably(path, script).ok()) return 0;
  const std::string command = fmt::format(
      "/usr/lib/postgresql/15/bin/pgbench -n -M prepared -T {} -c {} -j 2 -f {} '{}' 2>/dev/null",
      kSeconds, clients, path, url);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return 0;
  double tps = 0;
  for (char line[512]; fgets(line, sizeof line, pipe);) {
    if (sscanf(line, "tps = %lf", &tps) == 1) break;
  }
  while (fgetc(pipe) != EOF) {
  }
  pclose(pipe);
  return tps;
}

void Print(const std::string& what, const Figure& f) {
  fmt::print("{:<34} {:>9.0f} /s   p50 {:>7.0f} us   p99 {:>7.0f} us{}\n", what, f.per_second,
             f.p50_us, f.p99_us, f.failed ? fmt::format("   {} failed", f.failed) : "");
  fflush(stdout);
}

int Main() {
  auto world = WholeScheduler::Start();
  if (!world.ok()) {
    fmt::print(stderr, "{}\n", Message(world.status()));
    return 1;
  }
  Echo echo;
  int echo_port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &echo_port);
  builder.RegisterCallbackGenericService(&echo);
  const auto echo_server = builder.BuildAndStart();
  const auto echo_channel = grpc::CreateChannel(fmt::format("ipv4:127.0.0.1:{}", echo_port),
                                                grpc::InsecureChannelCredentials());
  const auto channel = grpc::CreateChannel((*world)->target(), grpc::InsecureChannelCredentials());

  double echo64 = 0, submit64 = 0, submit1_p50 = 0;
  for (int in_flight : {1, 16, 64}) {
    const Figure e = Load(echo_channel, (*world)->token(), "/echo/Echo").Run(in_flight);
    Print(fmt::format("callback echo, {} in flight", in_flight), e);
    const Figure s =
        Load(channel, (*world)->token(), "/pinka.v1.JobService/SubmitJobs").Run(in_flight);
    Print(fmt::format("durable submit, {} in flight", in_flight), s);
    if (in_flight == 64) {
      echo64 = e.per_second;
      submit64 = s.per_second;
    }
    if (in_flight == 1) submit1_p50 = s.p50_us;
  }
  const std::string url = (*world)->database_url();
  system(fmt::format("psql -q '{}' -c \"CREATE TABLE IF NOT EXISTS bench_rows (v text); CREATE "
                     "TABLE IF NOT EXISTS "
                     "bench_hot (id int primary key, v bigint); INSERT INTO bench_hot VALUES (1, "
                     "0) ON CONFLICT DO "
                     "NOTHING\" 2>/dev/null",
                     url)
             .c_str());
  double best_row = 0;
  double one_client = 0;
  for (int clients : {1, 8, 32}) {
    const double tps = Pgbench(url, "INSERT INTO bench_rows VALUES ('x');\n", clients);
    fmt::print("{:<34} {:>9.0f} /s\n", fmt::format("pgbench, one row, {} clients", clients), tps);
    best_row = std::max(best_row, tps);
    if (clients == 1) one_client = tps;
  }
  const double hot =
      Pgbench(url,
              "BEGIN;\nINSERT INTO bench_rows VALUES ('x');\nINSERT INTO bench_rows VALUES ('y');\n"
              "UPDATE bench_hot SET v = v + 1 WHERE id = 1;\nCOMMIT;\n",
              32);
  fmt::print("{:<34} {:>9.0f} /s\n", "pgbench, three statements, hot row", hot);
  fmt::print("\nsubmit / echo, 64 in flight        {:.2f}   (goal 0.3)\n", submit64 / echo64);
  fmt::print("submit 64 / best one-row pgbench   {:.2f}   (goal 1.5)\n", submit64 / best_row);
  fmt::print("submit 64 / hot three statements   {:.2f}   (goal 8)\n", submit64 / hot);
  fmt::print("submit 1: p50 in commits' latency  {:.2f}   (goal at most 2)\n",
             submit1_p50 * one_client / 1e6);
  echo_server->Shutdown();
  return 0;
}

}  // namespace
}  // namespace pinka

int main() { return pinka::Main(); }
