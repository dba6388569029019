// What one store knows to be in the database, from its load and its own commits, so that a batch
// does not send it again: the lab's row, which jobs are new, payloads that many jobs share. Nothing
// here is needed for correctness of what is written; a store that knows nothing writes everything.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "scheduler/core/changes.h"

namespace pinka::db {

class Known {
 public:
  void Loaded(const LabRow& lab);
  void Committed(const Changes& changes);

  // Whether the lab's row differs from what is there in its counters only.
  bool OnlyCounters(const LabRow& lab) const;
  // A job that no batch has written: core numbers them upwards.
  bool IsNew(const JobRow& job) const { return lab_ && job.id.value() >= lab_->next_job; }
  std::vector<PayloadRow> NotThere(const std::vector<PayloadRow>& payloads) const;

 private:
  std::optional<LabRow> lab_;
  std::unordered_set<std::string> payloads_;  // hashes; they stay for ever
};

}  // namespace pinka::db
