// Synchronize: hears an agent, tells core what is news, and answers with the node's orders as soon
// as they differ from what the agent has acted on, or when the hold is over.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "pinka/v1/agent.pb.h"
#include "scheduler/api/call.h"
#include "scheduler/core/command.h"

namespace pinka::api {

// Drops requests that were overtaken: (incarnation, sequence) never goes back for one instance.
// A repeat of the newest passes. Thread-safe.
class SyncOrder {
 public:
  bool Accept(const std::string& node, const std::string& instance, int64_t incarnation,
              int64_t sequence);

 private:
  struct Newest {
    std::string instance;
    int64_t incarnation = 0;
    int64_t sequence = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Newest> newest_;  // by node
};

class AgentSync {
 public:
  explicit AgentSync(Desk& desk) : desk_(desk) {}
  void Synchronize(CallPtr call, const v1::SynchronizeRequest* request,
                   v1::SynchronizeResponse* response);

 private:
  struct Exchange {
    CallPtr call;
    const v1::SynchronizeRequest* request = nullptr;
    v1::SynchronizeResponse* response = nullptr;
    Duration hold;
  };
  void Hear(Exchange exchange, AgentReport report);
  void Answer(const Exchange& exchange, std::vector<AttemptId> unknown);
  Desk& desk_;
  SyncOrder order_;
};

}  // namespace pinka::api
