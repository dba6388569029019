// `pinka` as whole processes against a lab with 50,000 waiting jobs: listing them, the first answer
// a person sees, an array of 10,000, cancelling all. Each line is the median of several runs,
// beside an empty process of the same run. Nothing is asserted.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <vector>

#include "base/clock.h"
#include "fmt/format.h"
#include "pinka/v1/job.pb.h"
#include "tests/support/whole_scheduler.h"

namespace pinka {
namespace {

constexpr int kWaiting = 50'000;
constexpr int kAtOnce = 250;
constexpr int kCancelAtOnce = 10'000;

using Stub = grpc::TemplatedGenericStub<v1::SubmitJobsRequest, v1::SubmitJobsResponse>;

struct Target {
  std::string address;
  std::string token;
};

// Waiting jobs, as a client makes them; their numbers.
std::vector<int64_t> Fill(const Target& target) {
  Stub stub(grpc::CreateChannel(target.address, grpc::InsecureChannelCredentials()));
  v1::SubmitJobsRequest request;
  for (int n = 0; n < kAtOnce; ++n) {
    v1::JobSpec& spec = *request.add_specs();
    spec.add_argv("true");
    spec.add_tiers("t4");
    spec.set_gpus(1);
    spec.set_name("bench");
    spec.set_time_limit_ms(60'000);
  }
  std::vector<int64_t> ids;
  for (int n = 0; n < kWaiting / kAtOnce; ++n) {
    request.set_request_id(fmt::format("fill-{}", n));
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + target.token);
    v1::SubmitJobsResponse response;
    std::promise<grpc::Status> answer;
    stub.UnaryCall(&context, "/pinka.v1.JobService/SubmitJobs", grpc::StubOptions(), &request,
                   &response, [&answer](const grpc::Status& s) { answer.set_value(s); });
    const grpc::Status status = answer.get_future().get();
    if (!status.ok()) {
      fmt::print(stderr, "{}\n", status.error_message());
      return {};
    }
    for (const auto& job : response.jobs()) ids.push_back(job.job_id());
  }
  return ids;
}

// A shell script that cancels all of them.
bool WriteCancels(const std::string& path, const std::string& pinka,
                  const std::vector<int64_t>& ids) {
  std::ofstream script(path);
  for (size_t n = 0; n < ids.size(); ++n) {
    if (n % kCancelAtOnce == 0) script << "\n" << pinka << " cancel -y";
    script << ' ' << ids[n];
  }
  script << "\n";
  return script.good();
}

class Processes {
 public:
  // The median of `runs`, printed in milliseconds and in empty processes. False where one fails.
  bool Time(const std::string& what, const std::string& command, int runs) {
    std::vector<int64_t> took;
    for (int n = 0; n < runs; ++n) {
      const Duration began = clock_.Monotonic();
      const int status = system((command + " >/dev/null").c_str());
      took.push_back((clock_.Monotonic() - began).micros());
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fmt::print(stderr, "failed: {}\n", command);
        return false;
      }
    }
    std::ranges::sort(took);
    const auto median = static_cast<double>(took[took.size() / 2]);
    if (empty_us_ == 0) empty_us_ = median;
    fmt::print("{:<40} {:>9.1f} ms {:>8.1f} empty processes\n", what, median / 1e3,
               median / empty_us_);
    fflush(stdout);
    return true;
  }

 private:
  SystemClock clock_;
  double empty_us_ = 0;
};

int Measure(const Target& target) {
  const std::vector<int64_t> ids = Fill(target);
  if (ids.empty()) return 1;
  setenv("PINKA_SERVER", target.address.substr(target.address.find(':') + 1).c_str(), 1);
  setenv("PINKA_TOKEN", target.token.c_str(), 1);
  const std::string pinka = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pinka";
  const std::string cancels = fmt::format("/tmp/pinka-bench-cancel-{}.sh", getpid());
  if (!WriteCancels(cancels, pinka, ids)) return 1;
  fmt::print("{} jobs wait\n", kWaiting);
  Processes p;
  const bool ok = p.Time("an empty process, with its shell", "/bin/true", 11) &&
                  p.Time("pinka version", pinka + " version", 11) &&
                  p.Time("pinka whoami", pinka + " whoami", 11) &&
                  p.Time("pinka status", pinka + " status", 5) &&
                  p.Time("pinka submit", pinka + " submit -q -y --tier t4 --time 1m -- true", 11) &&
                  p.Time("pinka submit --array 0-9999",
                         pinka + " submit -q -y --tier t4 --time 1m --array 0-9999 -- true", 5) &&
                  p.Time("pinka ls, 50,000 lines", pinka + " ls", 3) &&
                  p.Time("pinka ls --json, 50,000 jobs", pinka + " ls --json", 3) &&
                  p.Time("pinka cancel, 50,000 in 5 calls", "/bin/sh " + cancels, 1);
  std::filesystem::remove(cancels);
  return ok ? 0 : 1;
}

// bench_cli [ADDRESS TOKEN]: without them, of a scheduler in this process.
int Main(int argc, char** argv) {
  if (argc == 3) return Measure({fmt::format("ipv4:{}", argv[1]), argv[2]});
  auto world = WholeScheduler::Start();
  if (world.ok()) return Measure({(*world)->target(), (*world)->token()});
  fmt::print(stderr, "{}\n", Message(world.status()));
  return 1;
}

}  // namespace
}  // namespace pinka

int main(int argc, char** argv) { return pinka::Main(argc, argv); }
