// pinka-chaos --seeds N --start-seed S: histories of the simulated world, one a seed. Prints each
// violation with its seed, and a last line: histories, faults, violations, seconds. Exit 1 if any.
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/clock.h"
#include "fmt/format.h"
#include "scheduler/sim/chaos.h"

namespace {

int64_t Option(int argc, char** argv, const std::string& name, int64_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == name) return std::strtoll(argv[i + 1], nullptr, 10);
  }
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t seeds = Option(argc, argv, "--seeds", 100);
  const int64_t first = Option(argc, argv, "--start-seed", 1);
  const int64_t seconds = Option(argc, argv, "--seconds", 24 * 3600);  // stops after this long
  const pinka::SystemClock clock;
  const pinka::Duration begin = clock.Monotonic();
  int64_t histories = 0;
  int64_t faults = 0;
  int64_t violations = 0;
  for (int64_t seed = first; seed < first + seeds; ++seed) {
    const pinka::sim::History history = pinka::sim::RunHistory(static_cast<uint64_t>(seed));
    ++histories;
    faults += history.faults;
    violations += static_cast<int64_t>(history.violations.size());
    for (const std::string& text : history.violations)
      std::cout << fmt::format("seed {}: {}\n", seed, text);
    if ((clock.Monotonic() - begin).seconds() >= seconds) break;
  }
  const double took = static_cast<double>((clock.Monotonic() - begin).micros()) / 1e6;
  std::cout << fmt::format("histories {} faults {} violations {} seconds {:.1f}\n", histories,
                           faults, violations, took);
  return violations == 0 ? 0 : 1;
}
