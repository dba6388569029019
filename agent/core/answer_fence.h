// Drops answers that are older than one already acted on (semantics.md 5). Kept durably by the
// shell. A lab run that changes (a restore) starts its own count.
#pragma once

#include <cstdint>
#include <string>

namespace pinka {

struct AnswerFence {
  std::string lab_run;
  int64_t term = 0;
  int64_t sequence = 0;

  // True: newer than all before, and remembered as such. An equal one is a repetition.
  bool Admit(const std::string& run, int64_t answer_term, int64_t answer_sequence);
};

}  // namespace pinka
