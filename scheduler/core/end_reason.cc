#include "scheduler/core/end_reason.h"

#include <iterator>

namespace pinka {
namespace {

using enum EndReason;
using S = TaskState;

constexpr std::string_view kPayers[] = {"member", "lab", "checkpoint", "nobody"};

// In the order of the enumerators.
constexpr EndRule kRules[] = {
    {kNone, "", S::kFailed, Payer::kNobody, Requeue::kNo, false, ""},
    {kExited, "Exited", S::kFailed, Payer::kMember, Requeue::kRetry, false, "ended by itself"},
    {kTimeLimit, "TimeLimit", S::kTimeout, Payer::kMember, Requeue::kNo, false,
     "reached its time limit"},
    {kOutOfMemory, "OutOfMemory", S::kOutOfMemory, Payer::kMember, Requeue::kNo, false,
     "was killed for memory"},
    {kCancelledByUser, "CancelledByUser", S::kCancelled, Payer::kMember, Requeue::kNo, false,
     "was cancelled by its owner"},
    {kCancelledByAdmin, "CancelledByAdmin", S::kCancelled, Payer::kCheckpoint, Requeue::kNo, false,
     "was cancelled by an admin"},
    {kRunAgain, "RunAgain", S::kFailed, Payer::kMember, Requeue::kFree, false,
     "wrote a checkpoint and asked to run again"},
    {kBudget, "Budget", S::kBudget, Payer::kMember, Requeue::kNo, false,
     "reached its cost ceiling"},
    {kIdleGuard, "IdleGuard", S::kCancelled, Payer::kMember, Requeue::kNo, false,
     "left its cards idle"},
    {kLaunchFailed, "LaunchFailed", S::kFailed, Payer::kLab, Requeue::kNo, false,
     "could not start"},
    {kStagingFailed, "StagingFailed", S::kNodeFail, Payer::kLab, Requeue::kInfra, false,
     "could not be staged"},
    {kHardwareWrong, "HardwareWrong", S::kNodeFail, Payer::kLab, Requeue::kInfra, true,
     "met the wrong hardware"},
    {kHardwareLost, "HardwareLost", S::kNodeFail, Payer::kLab, Requeue::kInfra, true,
     "lost its card"},
    {kNodeLost, "NodeLost", S::kNodeFail, Payer::kLab, Requeue::kInfra, false, "lost its node"},
    {kNodeRebooted, "NodeRebooted", S::kNodeFail, Payer::kLab, Requeue::kInfra, false,
     "lost its node to a reboot"},
    {kSupervisorLost, "SupervisorLost", S::kNodeFail, Payer::kLab, Requeue::kInfra, false,
     "lost its supervisor"},
    {kDiskFull, "DiskFull", S::kNodeFail, Payer::kLab, Requeue::kInfra, false, "met a full disk"},
    {kSpotReclaim, "SpotReclaim", S::kPreempted, Payer::kCheckpoint, Requeue::kInfra, false,
     "was taken back by the provider"},
    {kPreempted, "Preempted", S::kPreempted, Payer::kCheckpoint, Requeue::kFree, false,
     "gave way to another job"},
    {kNodeDrain, "NodeDrain", S::kPreempted, Payer::kCheckpoint, Requeue::kFree, false,
     "left a node that was drained"},
    {kWithdrawn, "Withdrawn", S::kCancelled, Payer::kNobody, Requeue::kFree, false,
     "was withdrawn before it started"},
};

}  // namespace

const EndRule& RuleOf(EndReason reason) { return kRules[static_cast<size_t>(reason)]; }

bool PayerIsOpen(EndReason reason) {
  const Payer payer = RuleOf(reason).payer;
  return payer == Payer::kLab || payer == Payer::kCheckpoint;
}

std::span<const EndRule> EndRules() { return kRules; }

std::string_view Name(EndReason reason) { return RuleOf(reason).name; }

bool FromName(std::string_view name, EndReason* out) {
  for (const EndRule& rule : kRules) {
    if (rule.name != name) continue;
    *out = rule.reason;
    return true;
  }
  return false;
}

std::string_view Name(Payer payer) { return kPayers[static_cast<size_t>(payer)]; }

bool FromName(std::string_view name, Payer* out) {
  for (size_t i = 0; i < std::size(kPayers); ++i) {
    if (kPayers[i] != name) continue;
    *out = static_cast<Payer>(i);
    return true;
  }
  return false;
}

}  // namespace pinka
