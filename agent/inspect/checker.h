// Checks the box's hardware at joining, on demand, at random intervals and when the node comes
// back, on a thread of its own: a driver that hangs holds up nobody who has a lease to renew. At
// most one question is outstanding. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/hardware/standing.h"
#include "agent/inspect/collect.h"
#include "base/clock.h"
#include "base/random.h"

namespace pinka::inspect {

class Checker {
 public:
  struct Options {
    Questions questions;
    hardware::Claim claim;
    std::set<std::string> only;           // UUIDs that the node offers; empty: all
    Duration every = Duration::Hours(1);  // on average
    std::string id_prefix;                // of this process: "7."
  };
  struct Newest {
    std::string id;
    hardware::Verdict verdict = hardware::Verdict::kUnusable;
    std::string why;
    std::string cause;
    int64_t demand = 0;  // the newest that has been answered
    std::string evidence;
    std::string cuda;  // the newest that the driver serves; "": not known
    std::vector<hardware::Standing::Card> cards;
  };

  explicit Checker(Options options);
  ~Checker();

  // The check at joining, before there is a thread: as long as it takes.
  void Join();
  // `changed` is called after each check, from the thread.
  void Start(std::function<void()> changed);

  void Demand(int64_t demand);
  void Returned();  // the scheduler answers again after a silence
  std::shared_ptr<const Newest> newest() const;
  // UUIDs in the order of the PCI bus, asked now: what CUDA's indices count. The last known order
  // where the driver does not answer.
  std::vector<std::string> PciOrder();
  // Bytes in use of each card, by UUID, asked now; without those that do not say.
  std::map<std::string, int64_t> UsedMemory();

 private:
  void Loop(std::stop_token stop);
  void Check(const std::string& cause, int64_t demand);
  Duration Pause();

  Options options_;
  SystemClock clock_;
  SystemRandom random_;
  std::mutex asking_;  // held while a program is asked
  std::function<void()> changed_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable_any wake_;
  hardware::Standing standing_;
  std::vector<std::string> order_;
  std::shared_ptr<const Newest> newest_;
  int64_t demanded_ = 0;
  bool returned_ = false;
  Duration checked_at_;
  int64_t number_ = 0;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace pinka::inspect
