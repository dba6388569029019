// Brings onto the box what an attempt starts with, before anything of it runs: its code, and the
// checkpoint that it goes on from. Each is unpacked beside its place, out of every job's reach, and
// appears there whole; a step that was cut short is done again from its beginning.
// Thread-safe; every function blocks.
#pragma once

#include <cstdint>
#include <string>

#include "agent/blob_cache.h"
#include "agent/scheduler_client.h"
#include "base/ids.h"
#include "base/status.h"
#include "pinka/v1/agent.pb.h"

namespace pinka {

class Stager {
 public:
  // `cache`: a directory of this agent's own, for code that several attempts share.
  Stager(SchedulerClient* client, const std::string& cache)
      : client_(client), cache_(cache, client) {}

  struct Places {
    std::string home;     // of the attempt; code/ and checkpoints/ appear in it
    std::string account;  // who will own them; "": the agent's own
  };
  struct Staged {
    std::string directory;  // where the job starts; "": in its scratch directory
    int64_t restored = -1;  // the generation that was put into checkpoints/; -1: none
  };
  // Unavailable: worth another try; anything else can never work.
  StatusOr<Staged> Stage(const TaskId& task, const v1::Payload& payload, const Places& places);

 private:
  Status StageCode(const v1::Payload& payload, const Places& places);
  Status StageCheckpoint(const TaskId& task, const Places& places);

  SchedulerClient* client_;
  BlobCache cache_;
};

// "gen-12" -> 12; -1 for any other name. A generation is a directory of this form in an attempt's
// checkpoints/, put there by rename(2): a half-written one never has the name.
int64_t GenerationOf(const std::string& name);
std::string GenerationName(int64_t generation);

}  // namespace pinka
