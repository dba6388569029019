#include "scheduler/api/limit_calls.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/parse.h"
#include "scheduler/api/forms.h"
#include "scheduler/api/limits.h"

namespace pinka::api {
namespace {

constexpr int64_t kMostCount = 1'000'000'000;

// Money with six decimals, unit-hours too, counts as integers.
std::string LimitNumber(LimitResource resource, int64_t amount) {
  switch (resource) {
    case LimitResource::kMoney:
      return FormatWireMoney(Money::Micros(amount));
    case LimitResource::kUnitHours:
      return FormatWireMoney(Money::Micros(MulDivRound(amount, 1'000'000, 3'600'000)));
    case LimitResource::kRunningUnits:
    case LimitResource::kQueuedTasks:
      return std::to_string(amount);
  }
  return "";
}

// Percents of an amount that is nothing are none, and what is used beyond counting is capped.
int32_t Percent(const LimitUse& use) {
  if (use.row.unlimited || use.row.amount <= 0) return 0;
  const Int128 percent = Int128{use.used} * 100 / use.row.amount;
  return static_cast<int32_t>(std::clamp<Int128>(percent, 0, INT32_MAX));
}

// The amount in the unit that core counts in; "unlimited" is said.
Status ReadAmount(const std::string& text, LimitRow* row) {
  if (text == "unlimited") {
    row->unlimited = true;
    return OkStatus();
  }
  switch (row->resource) {
    case LimitResource::kMoney: {
      StatusOr<Money> money = PositiveMoney(text, "the amount");
      if (money.ok()) row->amount = money->micros();
      return money.status();
    }
    case LimitResource::kUnitHours: {
      StatusOr<int64_t> hours = ParseHours(text, "the amount");
      if (hours.ok()) row->amount = *hours;
      return hours.status();
    }
    case LimitResource::kRunningUnits:
    case LimitResource::kQueuedTasks: {
      StatusOr<int64_t> count = ParseInt(text, 1, kMostCount, "the amount");
      if (count.ok()) row->amount = *count;
      return count.status();
    }
  }
  return OkStatus();
}

// "project:NAME/MEMBER" beside what names an owner.
Status ReadScope(const std::string& text, const Board& board, LimitRow* row) {
  const size_t slash = text.find('/');
  const auto owner = FindOwner(board, text.empty() ? "lab" : text.substr(0, slash));
  bool known = owner.has_value();
  if (known) row->scope = *owner;
  if (slash != std::string::npos) {
    const auto member = FindMember(board, text.substr(slash + 1));
    known = known && row->scope.kind == OwnerKind::kProject && member.has_value();
    if (member) row->member = *member;
  }
  if (known) return OkStatus();
  return Refusal(Reason::kNoSuchAccount,
                 "no such scope; use lab, a member, project:NAME or project:NAME/MEMBER");
}

}  // namespace

void FillLimit(const LimitUse& use, v1::Limit* out) {
  const LimitRow& row = use.row;
  out->set_id(row.id.value());
  out->set_resource(std::string(Name(row.resource)));
  out->set_of(std::string(Name(row.of)));
  out->set_scope(use.scope);
  out->set_tier(use.tier);
  out->set_period(std::string(Name(row.period)));
  out->set_amount(row.unlimited ? "unlimited" : LimitNumber(row.resource, row.amount));
  out->set_used(LimitNumber(row.resource, use.used));
  out->set_percent(Percent(use));
  out->set_member(use.member);
  for (const int32_t percent : row.notify_at) out->add_notify_at(percent);
  for (const int32_t percent : use.crossed) out->add_crossed(percent);
  out->set_block_at(row.block_at);
  if (use.raise)
    out->set_raised_from(use.raise_unlimited ? "unlimited"
                                             : LimitNumber(row.resource, use.raised_from));
  SetTime(row.starts_at, [&] { return out->mutable_starts_at(); });
  SetTime(row.until, [&] { return out->mutable_until(); });
}

StatusOr<RaiseLimit> ConvertRaise(const v1::RaiseLimitRequest& request, const Board& board) {
  RaiseLimit command;
  StatusOr<RequestKey> key = KeyOf(request);
  if (!key.ok()) return key.status();
  command.request = *key;
  command.reason = request.reason();
  if (Status s = CheckText(request.reason(), kMostTextChars, "reason"); !s.ok()) return s;
  LimitRow& row = command.row;
  if (!FromName(request.resource().empty() ? "money" : request.resource(), &row.resource))
    return Invalid("a resource is money, running_units, queued_tasks or unit_hours");
  if (!request.of().empty() && !FromName(request.of(), &row.of))
    return Invalid("of is each (every single member) or all");
  if (!request.period().empty() &&
      (!FromName(request.period(), &row.period) || row.period == Period::kNight))
    return Invalid("a period is none, day, month or dated");
  if (Status s = ReadScope(request.scope(), board, &row); !s.ok()) return s;
  if (!request.tier().empty()) {
    const Board::Tier* tier = FindTier(board, request.tier());
    if (!tier) return Refusal(Reason::kNoSuchTier, "no such tier; `pinka status` lists them");
    row.tier = tier->row.id;
  }
  if (Status s = ReadAmount(request.amount(), &row); !s.ok()) return s;
  if (request.has_until()) row.until = FromProto(request.until());
  return command;
}

void LimitCalls::List(CallPtr call, const v1::ListLimitsRequest* request,
                      v1::ListLimitsResponse* response) {
  desk_.tools().names.Fresh([=, this](BoardPtr board) {
    MemberId member = call->who().member;
    if (request->everybody() && !call->who().admin)
      return call->Refuse(Reason::kNotPermitted, "the limits of everybody are for admins");
    if (!request->user().empty()) {
      const auto named = FindMember(*board, request->user());
      if (!named || (!call->who().admin && *named != member))
        return call->Refuse(Reason::kNoSuchMember, "no such member, or not you");
      member = *named;
    }
    auto uses = std::make_shared<std::vector<LimitUse>>();
    desk_.tools().runtime.Look(
        [uses, member, everybody = request->everybody()](const State& state) {
          *uses = everybody ? AllLimits(state) : LimitsOf(state, member);
        },
        [=, this](const Outcome& outcome) {
          if (Status s = StatusOf(outcome); !s.ok()) return call->Fail(s);
          for (const LimitUse& use : *uses) FillLimit(use, response->add_limits());
          *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
          call->Done();
        });
  });
}

void LimitCalls::Raise(CallPtr call, const v1::RaiseLimitRequest* request,
                       v1::RaiseLimitResponse* response) {
  desk_.tools().names.Fresh([=, this](BoardPtr board) {
    StatusOr<RaiseLimit> command = ConvertRaise(*request, *board);
    if (!command.ok()) return call->Fail(command.status());
    command->actor = call->actor();
    const LimitRow row = command->row;
    desk_.Do(call, *std::move(command), [=, this](const Outcome& outcome) {
      response->set_limit_id(outcome.reply.first);
      response->set_amount(row.unlimited ? "unlimited" : LimitNumber(row.resource, row.amount));
      SetTime(row.until, [&] { return response->mutable_until(); });
      *response->mutable_as_of() = ToProto(desk_.tools().clock.Now());
      call->Done();
    });
  });
}

}  // namespace pinka::api
