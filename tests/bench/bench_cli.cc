// `pinka` as whole processes against a lab with 50,000 waiting jobs: listing them, the first answer
// a person sees, an array of 10,000, cancelling all. Each line is the median of several runs,
// beside an empty process of the same run. Nothing is asserted.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "fmt/format.h"
#include "tests/support/whole_scheduler.h"

namespace pinka {
namespace {

constexpr int kWaiting = 50'000;
constexpr int kAtOnce = 250;

SubmitJobs SomeJobs(const State& state) {
  SubmitJobs command;
  command.actor = {state.members.rows().begin()->first, true};
  JobRequest job;
  job.tier = state.tiers.rows().begin()->first;
  job.time_limit = Duration::Minutes(1);
  job.payload = {Sha256Hex("bench"), "bench"};
  job.name = std::string("bench");
  command.jobs.assign(kAtOnce, job);
  return command;
}

bool Fill(Shell& shell) {
  std::promise<SubmitJobs> made;
  shell.Look([&made](const State& state) { made.set_value(SomeJobs(state)); },
             [](const Outcome&) {});
  const SubmitJobs command = made.get_future().get();
  for (int n = 0; n < kWaiting / kAtOnce; ++n) {
    std::promise<Reason> answer;
    shell.Do(command, Lane::kClient,
             [&answer](const Outcome& outcome) { answer.set_value(outcome.reply.reason); });
    if (answer.get_future().get() != Reason::kOk) return false;
  }
  return true;
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

int Main() {
  auto world = WholeScheduler::Start();
  if (!world.ok()) {
    fmt::print(stderr, "{}\n", Message(world.status()));
    return 1;
  }
  if (!Fill((*world)->shell())) return 1;
  const std::string target = (*world)->target();
  setenv("PINKA_SERVER", target.substr(target.find(':') + 1).c_str(), 1);
  setenv("PINKA_TOKEN", (*world)->token().c_str(), 1);
  const std::string pinka = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pinka";
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
                  p.Time("pinka ls --json, 50,000 jobs", pinka + " ls --json", 3);
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace pinka

int main() { return pinka::Main(); }
