// The small closed vocabularies of the core (semantics.md 6). Each has names that are stable: they
// stand in the database, in JSON and in reports.
#pragma once

#include <cstdint>
#include <string_view>

namespace pinka {

enum class TaskState : int8_t {
  kPending,
  kHeld,
  kStarting,
  kRunning,
  kUnknown,
  kStopping,
  kCompleted,
  kFailed,
  kTimeout,
  kOutOfMemory,
  kCancelled,
  kNodeFail,
  kPreempted,
  kDeadline,
  kBudget,
};
constexpr int kTaskStates = 15;

enum class AttemptState : int8_t { kOrdered, kStarting, kRunning, kUnknown, kStopping, kEnded };

enum class NodeState : int8_t {
  kJoining,
  kReady,
  kDraining,
  kDrained,
  kUnreachable,
  kLost,
  kQuarantined,
  kStopped,
};

enum class HardwareVerdict : int8_t { kNone, kOk, kMismatch, kUnusable };
enum class Source : int8_t { kOwned, kPackage, kSpot, kOnDemand, kTrial };
// What a job asks for: a source, or whichever covers it, cheapest to the lab first (sources.h).
enum class Wish : int8_t { kAny, kOwned, kPackage, kSpot, kOnDemand, kTrial };
enum class JobClass : int8_t { kScavenger, kNormal, kDebug };

// What the scheduler wants of an attempt on its node.
enum class Want : int8_t { kRun, kStop, kForget };

// Of an attempt, in the blob store.
enum class FileKind : int8_t { kOutput, kCheckpoint };

// Why the scheduler stops an attempt.
enum class StopReason : int8_t {
  kNone,
  kCancelByUser,
  kCancelByAdmin,
  kNodeDrain,
  kBudget,
  kPreempt,
  kRequeue,
  kReclaim,  // played by an admin; a real one is told by the node
};

enum class OwnerKind : int8_t { kLab, kProject, kMember };
enum class AccountKind : int8_t {
  kLot,
  kPaidIn,
  kExternal,
  kSpent,
  kOverheadStart,
  kOverheadNode,
  kOverheadOverrun,
  kOverheadOther,
  kLapsed,
  kInventory,       // of the lab, one a package: what its hours have cost and nobody has used yet
  kOverheadLapsed,  // what lapsed of a package at the lab's expense
  // The lab's side of the provider's bill (semantics.md 9), one of each, of the lab.
  kIdle,      // paid up-time that nobody used
  kRounding,  // minimums, blocks and rounding
  kDisk,
  kEgress,
  kVariance,  // what the provider charged beyond the rates of the tier, or less
  kVoucher,   // credits of the provider
  kUnknown    // what nobody has explained yet
};
enum class TransferKind : int8_t {
  kDeposit,
  kWithdraw,
  kCharge,
  kOverhead,
  kLapse,
  kReversal,
  kRefund,
  kTransfer,
  kCorrect,
  kPurchase,
  kPayment,
  kRental,   // idle and rounded time of a node's paid up-time
  kInvoice,  // what a provider's bill adds to that
  kExplain   // what was unknown of it
};
enum class HoldState : int8_t { kOpen, kSettled, kVoided };

// A package is a count of unit-hours, or a machine for a period.
enum class PackageKind : int8_t { kHours, kCapacity };
enum class SplitRule : int8_t { kEqual, kContribution, kShares };
// What a member may draw beyond the own portion: nothing, so many unit-hours, anything.
enum class BorrowRule : int8_t { kNone, kLimit, kFree };
// Who bears what is left of a portion at the end.
enum class LapseTo : int8_t { kOwner, kOverhead };

// How the lab's overhead is shared out: by use, equally, by what each has brought in.
enum class Spread : int8_t { kUsage, kEqual, kContribution };
enum class PaymentState : int8_t { kProposed, kPaid };

enum class LimitResource : int8_t { kMoney, kRunningUnits, kQueuedTasks, kUnitHours };
enum class LimitOf : int8_t { kEach, kAll };
// kDated: from a limit's start to its end. kNight: the hours of cheap work, of the calendar only.
enum class Period : int8_t { kNone, kDay, kMonth, kDated, kNight };

// How a provider rounds an amount, and whether it does so for every stretch of up-time or once.
enum class Rounding : int8_t { kHalfAway, kUp };
enum class RoundAt : int8_t { kSegment, kBill };
enum class InvoiceLineKind : int8_t { kCompute, kDisk, kEgress, kVoucher, kOther };
enum class Openness : int8_t { kClosed, kQueue, kOpen };

bool IsTerminal(TaskState s);
bool IsWaiting(TaskState s);  // PENDING, HELD
bool IsLive(TaskState s);     // STARTING, RUNNING, UNKNOWN, STOPPING: an attempt is open

std::string_view Name(TaskState s);        // "PENDING"
std::string_view Name(AttemptState s);     // "ORDERED"
std::string_view Name(NodeState s);        // "READY"
std::string_view Name(HardwareVerdict v);  // "MISMATCH", "" for none
std::string_view Name(Source s);           // "on_demand"
std::string_view Name(Wish w);             // "any", "on_demand"
std::string_view Name(JobClass c);         // "normal"
std::string_view Name(Want w);             // "run"
std::string_view Name(FileKind k);         // "checkpoint"
std::string_view Name(StopReason r);       // "CancelByUser", "" for none
std::string_view Name(OwnerKind k);        // "member"
std::string_view Name(AccountKind k);      // "lot", "overhead_start"
std::string_view Name(TransferKind k);     // "deposit"
std::string_view Name(HoldState s);        // "open"
std::string_view Name(PackageKind k);      // "hours"
std::string_view Name(SplitRule r);        // "equal"
std::string_view Name(BorrowRule r);       // "none", "limit"
std::string_view Name(LapseTo t);          // "owner"
std::string_view Name(Spread s);           // "usage"
std::string_view Name(PaymentState s);     // "proposed"
std::string_view Name(LimitResource r);    // "money"
std::string_view Name(LimitOf o);          // "each"
std::string_view Name(Period p);           // "month"
std::string_view Name(Openness o);         // "queue"
std::string_view Name(Rounding r);         // "half_away"
std::string_view Name(RoundAt r);          // "segment"
std::string_view Name(InvoiceLineKind k);  // "compute"

// The value whose Name is `name`; false, and *out untouched, where there is none.
template <class E>
bool FromName(std::string_view name, E* out);

}  // namespace pinka
