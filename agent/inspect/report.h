// A judgement in words and as JSON (cli.md): for `pinka-agent check`, and kept as evidence.
#pragma once

#include <string>

#include "agent/hardware/judge.h"
#include "base/status.h"
#include "base/time.h"

namespace pinka::inspect {

std::string ToJson(const hardware::Judgement& judgement, Timestamp as_of);
// {"error": …}, as every `--json` of the lab.
std::string ErrorJson(const Status& status);
// For a terminal; `colour` paints the verdicts.
std::string ToText(const hardware::Judgement& judgement, bool colour);
// What is kept at the scheduler: the verdict in words, then what nvidia-smi printed, within bounds.
std::string ToEvidence(const hardware::Judgement& judgement, const hardware::Evidence& evidence);

}  // namespace pinka::inspect
