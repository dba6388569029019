#include "scheduler/api/call.h"

#include <utility>

#include "base/check.h"
#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace pinka::api {
namespace {

constexpr Duration kBatchPatience = Duration::Seconds(10);

std::string TokenOf(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("authorization");
  if (found == metadata.end()) return "";
  return std::string(BearerToken({found->second.data(), found->second.size()}));
}

}  // namespace

grpc::Status Attach(grpc::CallbackServerContext* context, const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  if (absl::IsCancelled(status)) return grpc::Status::CANCELLED;
  WireStatus wire = ToWire(status);
  context->AddTrailingMetadata("pinka-error-bin", wire.error_bin);
  return wire.status;
}

Call::~Call() {
  if (!answered_) Fail(Internal("a call was dropped without an answer"));
}

void Call::Done() {
  if (!answered_.exchange(true)) reactor_->Finish(grpc::Status::OK);
}

void Call::Fail(const Status& status) {
  PINKA_CHECK(!status.ok(), "a refusal needs a reason");
  if (!answered_.exchange(true)) reactor_->Finish(Attach(context_, status));
}

Status StatusOf(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kDone:
      if (outcome.reply.reason == Reason::kOk) return OkStatus();
      return Refusal(outcome.reply.reason, outcome.reply.detail);
    case Outcome::Kind::kBusy:
      return Refusal(Trouble::kBusy, "the scheduler is busy; try again in a moment",
                     outcome.retry_after);
    case Outcome::Kind::kNotLeader:
      return Refusal(
          Trouble::kNotLeader,
          outcome.leader.empty()
              ? "this scheduler does not lead the lab"
              : fmt::format("this scheduler does not lead the lab; {} does", outcome.leader),
          Duration::Seconds(1));
    case Outcome::Kind::kPoisoned:
      return Refusal(Reason::kPoison,
                     "the database refused this request; nothing was changed and the admins see an "
                     "alarm");
    case Outcome::Kind::kDown:
      return Refusal(Trouble::kDown, outcome.message,
                     std::max(outcome.retry_after, Duration::Millis(200)));
  }
  return Internal("an outcome without a kind");
}

grpc::ServerUnaryReactor* Desk::Open(grpc::CallbackServerContext* context, std::string_view method,
                                     std::function<void(CallPtr)> then) {
  auto call = std::make_shared<Call>(context);
  grpc::ServerUnaryReactor* reactor = call->reactor_;
  Admit(context, method, [call, then = std::move(then)](StatusOr<Principal> who) {
    if (!who.ok()) return call->Fail(who.status());
    call->who_ = *std::move(who);
    then(call);
  });
  return reactor;
}

void Desk::Admit(grpc::CallbackServerContext* context, std::string_view method,
                 std::function<void(StatusOr<Principal>)> then) {
  const MethodRule* rule = RuleOf(method);
  PINKA_CHECK(rule != nullptr, "a method without a rule: " + std::string(method));
  const auto judge = [rule](StatusOr<Principal> who) -> StatusOr<Principal> {
    if (!who.ok()) return who;
    if (Status may = MayCall(*rule, *who); !may.ok()) return may;
    return who;
  };
  if (rule->who == Who::kAnybody) return then(Principal());
  const std::string token = TokenOf(*context);
  if (auto known = tools_.tokens.Known(token)) return then(judge(*known));
  const bool taken =
      tools_.readers.Run([this, token, judge, then] { then(judge(tools_.tokens.Resolve(token))); });
  if (!taken) then(Refusal(Trouble::kBusy, "the scheduler is busy", Duration::Millis(500)));
}

void Desk::Read(CallPtr call, std::function<void()> job) {
  if (tools_.readers.Run(std::move(job))) return;
  call->Fail(
      Refusal(Trouble::kBusy, "too many reads wait; try again in a moment", Duration::Millis(500)));
}

void Desk::ReadWithBoard(CallPtr call, int64_t min_batch, std::function<void(BoardPtr)> job) {
  auto with_board = [this, call, job = std::move(job)] {
    tools_.names.Fresh([this, call, job](BoardPtr board) {
      if (!board) return call->Fail(Unavailable("the scheduler is starting"));
      Read(call, [board, job] { job(board); });
    });
  };
  if (min_batch <= tools_.runtime.committed_batch()) return with_board();
  tools_.runtime.WhenBatch(min_batch, kBatchPatience, std::move(with_board));
}

void Desk::Do(CallPtr call, Command command, std::function<void(const Outcome&)> then) {
  tools_.runtime.Do(std::move(command), Lane::kClient,
                    [call, then = std::move(then)](const Outcome& outcome) {
                      if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
                      then(outcome);
                    });
}

}  // namespace pinka::api
