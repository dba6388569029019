// The promotion gate: a tier may ask that the same code has succeeded on a cheaper tier of late,
// before a dear hour goes on a typing mistake. The code is the tree of files that came with the
// job, by its hash: another rate or more epochs do not make it other code. A job that came without
// one (--workdir none, --chdir) is compared by its payload: command, environment, script, directory
// and sweep.
//
// A success is a COMPLETED task of the same member's job with the same code, on the gate's tier or
// on one that costs at least as much (the harder test), at most `gate_within` ago. Looked for among
// the jobs in memory; what the database knows beyond them comes with the command (`proven`). A gate
// whose tier has been taken out, or is the tier itself, asks nothing.
#pragma once

#include <optional>
#include <string>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

// What is compared: of the two hashes the one that says most.
inline const std::string& ProvenBy(const std::string& code, const std::string& payload) {
  return code.empty() ? payload : code;
}

// What is missing, as a sentence with the command that would satisfy the gate; nothing where the
// request may pass. `request.skip_gate` is not looked at.
std::optional<std::string> MissingProof(const State& state, MemberId member,
                                        const JobRequest& request, TierId proven);

}  // namespace pinka
