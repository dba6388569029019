// What this box is and offers: its name, cores, memory, GPUs (simulated ones, in this version), and
// the account that its jobs run as. Read once at start-up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace pinka {

struct Gpu {
  std::string uuid;
  std::string name;
  int64_t memory_mib = 0;
};

struct Box {
  std::string name;  // the node's
  std::string hostname;
  std::string boot_id;
  std::string tier;
  int cpus = 0;
  int64_t memory_bytes = 0;
  int units = 0;  // 0: derived by the scheduler
  std::vector<Gpu> gpus;
  bool simulated = false;

  // Jobs.
  std::string account;        // "" : the agent's own
  bool own_accounts = false;  // a member's jobs run as the account of that name, where there is one
  std::string home, user, lang, path;
  std::string shared_dir, data_dir;
};

// "rtx3090:4", "a100:1,t4:2": that many cards with stable UUIDs "SIM-NODE-rtx3090-0".
StatusOr<std::vector<Gpu>> SimulatedGpus(const std::string& spec, const std::string& node);

int UsableCpus();
int64_t MemoryBytes();
std::string Hostname();
// Fills account, home, user, lang and path: pinka-job's when root runs the agent and that account
// exists, else the agent's own.
void FindJobAccount(Box* box);
// The account, home and user name that `member`'s jobs get on this box: with own_accounts those of
// the account of that name if it is a person's (its id is 1000 or more), else the box's.
struct JobAccount {
  std::string account, home, user;
};
JobAccount AccountFor(const Box& box, const std::string& member);
// Any account may walk through all of `path`.
bool IsPassable(const std::string& path);

}  // namespace pinka
