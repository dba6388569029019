// The durable steps by which attempts begin and end on this box. Each is done whole or can be done
// again: a step that a crash cut short is found by the next scan and repeated, and the claim in
// the attempt's directory makes sure that nothing starts twice.
// Thread-safe; every function blocks.
#pragma once

#include <functional>
#include <string>

#include "agent/box.h"
#include "agent/payloads.h"
#include "agent/records.h"
#include "agent/stager.h"
#include "agent/state_dir.h"
#include "base/time.h"
#include "pinka/v1/agent.pb.h"

namespace pinka {

class Launcher {
 public:
  // `supervisor`: the program. `scratch`: where jobs' directories go.
  Launcher(const StateDir& state, const Box& box, Payloads* payloads, Stager* stager,
           std::string supervisor, std::string scratch);
  // Real cards: their UUIDs in the order of the PCI bus, which is what CUDA's indices count, asked
  // for at each start. Without it the box's own order stands.
  void AskPciOrder(std::function<std::vector<std::string>()> ask) {
    ask_pci_order_ = std::move(ask);
  }

  // Fetches the payload, stages code and checkpoint, writes the order, starts the supervisor. How
  // long to wait before trying again, if it makes sense to; what can never work is ended in the
  // record (StagingFailed).
  Duration Launch(const AttemptKey& key, const v1::DesiredAttempt& desired,
                  Duration start_by) const;
  // Takes the claim for nobody: it never starts. Does nothing if somebody has it.
  Duration Refuse(const AttemptKey& key, const std::string& reason) const;
  // Ends what a lost supervisor left behind, and writes the end.
  Duration Bury(const AttemptKey& key) const;
  // Drops the record and everything of it.
  Duration Forget(const AttemptKey& key) const;

 private:
  Order MakeOrder(const AttemptKey& key, const v1::DesiredAttempt& desired,
                  const v1::Payload& payload, const Stager::Staged& staged, Duration start_by,
                  const std::vector<std::string>& cards) const;
  std::vector<std::string> Environment(const Order& order, const v1::DesiredAttempt& desired,
                                       const v1::Payload& payload,
                                       const std::vector<std::string>& cards) const;
  Duration FailStaging(const AttemptKey& key, const std::string& message) const;
  std::string Home(const AttemptKey& key) const;
  bool StartSupervisor(const AttemptDir& dir) const;
  std::vector<std::string> PciOrder() const;

  const StateDir& state_;
  const Box& box_;
  Payloads* payloads_;
  Stager* stager_;
  std::string supervisor_;
  std::string scratch_;
  std::string boot_id_;
  std::function<std::vector<std::string>()> ask_pci_order_;
};

}  // namespace pinka
