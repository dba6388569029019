#include "scheduler/api/status_table.h"

#include <array>
#include <charconv>

#include "base/check.h"
#include "pinka/v1/error.pb.h"
#include "spdlog/spdlog.h"

namespace pinka::api {
namespace {

using Code = grpc::StatusCode;

constexpr absl::string_view kPayload = "pinka/reason";
constexpr absl::string_view kRetry = "pinka/retry";
constexpr Duration kDatabaseRetry = Duration::Millis(500);

// A refusal by a limit, a budget or a policy.
constexpr StatusRow Limit(std::string_view name) {
  return {name, Code::FAILED_PRECONDITION, 409, 3, false};
}
constexpr StatusRow Missing(std::string_view name) {
  return {name, Code::NOT_FOUND, 404, 4, false};
}
constexpr StatusRow Conflict(std::string_view name) { return {name, Code::ABORTED, 409, 7, false}; }
constexpr StatusRow Usage(std::string_view name) {
  return {name, Code::INVALID_ARGUMENT, 400, 2, false};
}

// In the order of the enumerators.
constexpr std::array<StatusRow, static_cast<size_t>(Reason::kPoison) + 1> kReasons = {{
    {"", Code::OK, 200, 0, false},
    // Why a task waits; a refusal where a request can never be met, or not be met now.
    Limit("HeldByUser"),
    Limit("HeldByAdmin"),
    Limit("InfraHoldMaxRequeue"),
    Limit("BeginTime"),
    Limit("NightWindow"),
    Limit("Dependency"),
    Limit("ArrayTaskLimit"),
    Limit("TierDown"),
    {"TierForbidden", Code::PERMISSION_DENIED, 403, 5, false},
    Limit("TimeLimitAboveTier"),
    Limit("MemberMaxRunning"),
    Limit("ProjectMaxRunning"),
    Limit("Budget"),
    Limit("PackagePortion"),
    Limit("SmokeTestNeeded"),
    Limit("Reservation"),
    Limit("Priority"),
    Limit("Resources"),
    Limit("NoCapacity"),
    Limit("PriceAboveCap"),
    // Why a request is refused.
    Missing("NoSuchJob"),
    Missing("NoSuchTask"),
    Missing("NoSuchTier"),
    Missing("NoSuchMember"),
    Missing("NoSuchProject"),
    Missing("NoSuchNode"),
    Missing("NoSuchAccount"),
    Missing("NoSuchEntry"),
    {"NotPermitted", Code::PERMISSION_DENIED, 403, 5, false},
    Conflict("Conflict"),
    Limit("TooWide"),
    Limit("QueuedTasks"),
    {"NoRate", Code::FAILED_PRECONDITION, 409, 1, false},
    Conflict("AlreadyFinished"),
    Conflict("NotWaiting"),
    Usage("BadRequest"),
    Limit("Insufficient"),
    Limit("Advice"),
    Conflict("NodeTaken"),
    Conflict("NodeBusy"),
    Conflict("Stale"),
    {"Poison", Code::INTERNAL, 500, 1, false},
}};

constexpr std::array<StatusRow, kTroubles> kTroubleRows = {{
    {"Unauthenticated", Code::UNAUTHENTICATED, 401, 5, false},
    {"Busy", Code::UNAVAILABLE, 503, 1, true},
    {"NotLeader", Code::UNAVAILABLE, 503, 6, true},
    {"Unavailable", Code::UNAVAILABLE, 503, 6, true},
    {"TooLarge", Code::INVALID_ARGUMENT, 413, 2, false},
    {"NoSuchFile", Code::NOT_FOUND, 404, 4, false},
    {"StoreFull", Code::RESOURCE_EXHAUSTED, 507, 3, false},
    {"Internal", Code::INTERNAL, 500, 1, false},
}};

Status Make(const StatusRow& row, const std::string& sentence) {
  Status status(static_cast<absl::StatusCode>(row.code), sentence);
  status.SetPayload(kPayload, absl::Cord(absl::string_view(row.name.data(), row.name.size())));
  return status;
}

const StatusRow* MarkedRow(const Status& status) {
  const auto payload = status.GetPayload(kPayload);
  return payload ? RowOfName(std::string(*payload)) : nullptr;
}

int64_t RetryAfterMs(const Status& status) {
  const auto payload = status.GetPayload(kRetry);
  int64_t ms = 0;
  if (!payload) return ms;
  const std::string text(*payload);
  std::from_chars(text.data(), text.data() + text.size(), ms);
  return ms;
}

// A Status that nobody has marked: bad input as it stands, the rest without its inner text.
Status Mark(const Status& status) {
  if (absl::IsInvalidArgument(status)) return Refusal(Reason::kBadRequest, Message(status));
  if (absl::IsUnavailable(status)) {
    spdlog::warn("a read failed: {}", Message(status));
    return Refusal(Trouble::kDown, "the scheduler cannot reach its database; try again in a moment",
                   kDatabaseRetry);
  }
  spdlog::error("internal error: {}", Message(status));
  return Refusal(Trouble::kInternal, "the scheduler met a fault of its own; its log says more");
}

}  // namespace

const StatusRow& RowOf(Reason reason) {
  const StatusRow& row = kReasons[static_cast<size_t>(reason)];
  PINKA_CHECK(row.name == Name(reason), "the status table is out of step with reason.h");
  return row;
}

const StatusRow& RowOf(Trouble trouble) { return kTroubleRows[static_cast<size_t>(trouble)]; }

const StatusRow* RowOfName(std::string_view name) {
  for (const StatusRow& row : kReasons)
    if (row.name == name) return &row;
  for (const StatusRow& row : kTroubleRows)
    if (row.name == name) return &row;
  return nullptr;
}

Status Refusal(Reason reason, const std::string& sentence) { return Make(RowOf(reason), sentence); }

Status Refusal(Trouble trouble, const std::string& sentence, Duration retry_after) {
  Status status = Make(RowOf(trouble), sentence);
  if (retry_after > Duration()) {
    status.SetPayload(kRetry, absl::Cord(std::to_string(retry_after.millis())));
  }
  return status;
}

WireStatus ToWire(const Status& status) {
  const StatusRow* row = MarkedRow(status);
  if (row == nullptr) return ToWire(Mark(status));
  v1::Error error;
  error.set_reason(std::string(row->name));
  error.set_message(Message(status));
  error.set_exit_code(row->exit_code);
  error.set_retry_after_ms(RetryAfterMs(status));
  return {grpc::Status(row->code, error.message()), error.SerializeAsString()};
}

}  // namespace pinka::api
