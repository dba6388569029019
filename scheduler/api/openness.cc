#include "scheduler/api/openness.h"

namespace pinka::api {
namespace {

constexpr int kOpennesses = 3;

// Columns: queue, by id, text, command, env, logs, money.
constexpr bool kTable[kOpennesses][kJobParts] = {
    {false, false, false, false, false, false, false},  // closed
    {true, false, false, false, false, false, false},   // queue
    {true, true, true, true, false, true, true},        // open
};

}  // namespace

bool OthersMaySee(Openness openness, JobPart part) {
  return kTable[static_cast<int>(openness)][static_cast<int>(part)];
}

}  // namespace pinka::api
