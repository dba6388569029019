#include "scheduler/core/types.h"

#include <iterator>

namespace pinka {
namespace {

// Names in the order of the enumerators.
template <class E>
struct Names;

template <>
struct Names<TaskState> {
  static constexpr std::string_view kAll[] = {
      "PENDING",   "HELD",      "STARTING",  "RUNNING",  "UNKNOWN",
      "STOPPING",  "COMPLETED", "FAILED",    "TIMEOUT",  "OUT_OF_MEMORY",
      "CANCELLED", "NODE_FAIL", "PREEMPTED", "DEADLINE", "BUDGET"};
};
template <>
struct Names<AttemptState> {
  static constexpr std::string_view kAll[] = {"ORDERED", "STARTING", "RUNNING",
                                              "UNKNOWN", "STOPPING", "ENDED"};
};
template <>
struct Names<NodeState> {
  static constexpr std::string_view kAll[] = {"JOINING",     "READY", "DRAINING",    "DRAINED",
                                              "UNREACHABLE", "LOST",  "QUARANTINED", "STOPPED"};
};
template <>
struct Names<HardwareVerdict> {
  static constexpr std::string_view kAll[] = {"", "OK", "MISMATCH", "UNUSABLE"};
};
template <>
struct Names<Source> {
  static constexpr std::string_view kAll[] = {"owned", "package", "spot", "on_demand", "trial"};
};
template <>
struct Names<Wish> {
  static constexpr std::string_view kAll[] = {"any",  "owned",     "package",
                                              "spot", "on_demand", "trial"};
};
template <>
struct Names<PackageKind> {
  static constexpr std::string_view kAll[] = {"hours", "capacity"};
};
template <>
struct Names<SplitRule> {
  static constexpr std::string_view kAll[] = {"equal", "contribution", "shares"};
};
template <>
struct Names<BorrowRule> {
  static constexpr std::string_view kAll[] = {"none", "limit", "free"};
};
template <>
struct Names<LapseTo> {
  static constexpr std::string_view kAll[] = {"owner", "overhead"};
};
template <>
struct Names<JobClass> {
  static constexpr std::string_view kAll[] = {"scavenger", "normal", "debug"};
};
template <>
struct Names<Want> {
  static constexpr std::string_view kAll[] = {"run", "stop", "forget"};
};
template <>
struct Names<FileKind> {
  static constexpr std::string_view kAll[] = {"output", "checkpoint"};
};
template <>
struct Names<StopReason> {
  static constexpr std::string_view kAll[] = {
      "", "CancelByUser", "CancelByAdmin", "NodeDrain", "Budget", "Preempt", "Requeue", "Reclaim"};
};
template <>
struct Names<OwnerKind> {
  static constexpr std::string_view kAll[] = {"lab", "project", "member"};
};
template <>
struct Names<AccountKind> {
  static constexpr std::string_view kAll[] = {"lot",
                                              "paid_in",
                                              "external",
                                              "spent",
                                              "overhead_start",
                                              "overhead_node",
                                              "overhead_overrun",
                                              "overhead_other",
                                              "lapsed",
                                              "inventory",
                                              "overhead_lapsed",
                                              "idle",
                                              "rounding",
                                              "disk",
                                              "egress",
                                              "variance",
                                              "voucher",
                                              "unknown"};
};
template <>
struct Names<TransferKind> {
  static constexpr std::string_view kAll[] = {
      "deposit",  "withdraw", "charge",   "overhead", "lapse",  "reversal", "refund",
      "transfer", "correct",  "purchase", "payment",  "rental", "invoice",  "explain"};
};
template <>
struct Names<HoldState> {
  static constexpr std::string_view kAll[] = {"open", "settled", "voided"};
};
template <>
struct Names<Spread> {
  static constexpr std::string_view kAll[] = {"usage", "equal", "contribution"};
};
template <>
struct Names<PaymentState> {
  static constexpr std::string_view kAll[] = {"proposed", "paid"};
};
template <>
struct Names<LimitResource> {
  static constexpr std::string_view kAll[] = {"money", "running_units", "queued_tasks",
                                              "unit_hours"};
};
template <>
struct Names<LimitOf> {
  static constexpr std::string_view kAll[] = {"each", "all"};
};
template <>
struct Names<Period> {
  static constexpr std::string_view kAll[] = {"none", "day", "month", "dated", "night"};
};
template <>
struct Names<Rounding> {
  static constexpr std::string_view kAll[] = {"half_away", "up"};
};
template <>
struct Names<RoundAt> {
  static constexpr std::string_view kAll[] = {"segment", "bill"};
};
template <>
struct Names<InvoiceLineKind> {
  static constexpr std::string_view kAll[] = {"compute", "disk", "egress", "voucher", "other"};
};
template <>
struct Names<Openness> {
  static constexpr std::string_view kAll[] = {"closed", "queue", "open"};
};

}  // namespace

#define PINKA_NAMES(E)                                                                  \
  std::string_view Name(E value) { return Names<E>::kAll[static_cast<size_t>(value)]; } \
  template <>                                                                           \
  bool FromName<E>(std::string_view name, E * out) {                                    \
    for (size_t i = 0; i < std::size(Names<E>::kAll); ++i) {                            \
      if (Names<E>::kAll[i] != name) continue;                                          \
      *out = static_cast<E>(i);                                                         \
      return true;                                                                      \
    }                                                                                   \
    return false;                                                                       \
  }

PINKA_NAMES(TaskState)
PINKA_NAMES(AttemptState)
PINKA_NAMES(NodeState)
PINKA_NAMES(HardwareVerdict)
PINKA_NAMES(Source)
PINKA_NAMES(Wish)
PINKA_NAMES(PackageKind)
PINKA_NAMES(SplitRule)
PINKA_NAMES(BorrowRule)
PINKA_NAMES(LapseTo)
PINKA_NAMES(JobClass)
PINKA_NAMES(Want)
PINKA_NAMES(FileKind)
PINKA_NAMES(StopReason)
PINKA_NAMES(OwnerKind)
PINKA_NAMES(AccountKind)
PINKA_NAMES(TransferKind)
PINKA_NAMES(HoldState)
PINKA_NAMES(Spread)
PINKA_NAMES(PaymentState)
PINKA_NAMES(LimitResource)
PINKA_NAMES(LimitOf)
PINKA_NAMES(Period)
PINKA_NAMES(Openness)
PINKA_NAMES(Rounding)
PINKA_NAMES(RoundAt)
PINKA_NAMES(InvoiceLineKind)
#undef PINKA_NAMES

bool IsTerminal(TaskState s) { return s >= TaskState::kCompleted; }

bool IsWaiting(TaskState s) { return s == TaskState::kPending || s == TaskState::kHeld; }
bool IsLive(TaskState s) { return s >= TaskState::kStarting && s <= TaskState::kStopping; }

}  // namespace pinka
