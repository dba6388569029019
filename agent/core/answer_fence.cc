#include "agent/core/answer_fence.h"

#include <utility>

namespace pinka {

bool AnswerFence::Admit(const std::string& run, int64_t answer_term, int64_t answer_sequence) {
  bool newer = std::pair(answer_term, answer_sequence) > std::pair(term, sequence);
  if (run == lab_run && !newer) return false;
  lab_run = run;
  term = answer_term;
  sequence = answer_sequence;
  return true;
}

}  // namespace pinka
