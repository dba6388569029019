// Members and tokens.
#include <algorithm>

#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/lots.h"
#include "scheduler/core/members.h"
#include "scheduler/core/packages.h"
#include "scheduler/core/task.h"
#include "scheduler/core/verbs.h"

namespace pinka {

MemberId PutMember(State& state, const std::string& name, int64_t share, bool admin,
                   MemberId actor) {
  auto it = state.member_by_name.find(name);
  MemberRow row;
  if (it != state.member_by_name.end()) row = state.members.Get(it->second);
  const MemberRow before = row;
  const bool known = static_cast<bool>(row.id);
  if (!known) row.id = MemberId(TakeId(state));
  row.name = name;
  row.share = share;
  row.admin = admin;
  row.removed = false;
  if (known && row == before) return row.id;
  state.members.Put(row.id, row);
  state.member_by_name[name] = row.id;
  Log(state, "member", name, known ? "changed" : "added",
      fmt::format("share {}{}", share, admin ? ", admin" : ""), actor);
  PlanAll(state);
  return row.id;
}

Reply Do(State& state, const AddMember& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "members are added by admins");
  if (command.name.empty() || command.share < 0)
    return Refuse(Reason::kBadRequest, "a member needs a name and a share of 0 or more");
  auto it = state.member_by_name.find(command.name);
  if (it != state.member_by_name.end() && !state.members.Get(it->second).removed) {
    return Refuse(Reason::kConflict, fmt::format("there is a member {} already", command.name));
  }
  const MemberId id =
      PutMember(state, command.name, command.share, command.admin, command.actor.member);
  if (!command.token_hash.empty()) {
    TokenRow token;
    token.hash = command.token_hash;
    token.member = id;
    token.created_at = state.now;
    state.out.tokens.push_back(token);
  }
  Reply reply;
  reply.first = id.value();
  Remember(state, command.actor, command.request, false, id.value(), 1);
  return reply;
}

Reply Do(State& state, const RemoveMember& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin) return Refuse(Reason::kNotPermitted, "members are removed by admins");
  auto it = state.member_by_name.find(command.name);
  if (it == state.member_by_name.end() || state.members.Get(it->second).removed) {
    return Refuse(Reason::kNoSuchMember, fmt::format("no such member {}", command.name));
  }
  const MemberId id = it->second;
  if (id == command.actor.member)
    return Refuse(Reason::kBadRequest, "nobody removes themself; ask another admin");
  state.members.Edit(id).removed = true;
  Log(state, "member", command.name, "removed", "", command.actor.member);
  Reply reply;
  int waiting = 0;
  int running = 0;
  std::vector<JobId> open;
  for (const auto& [job_id, job] : state.jobs.rows()) {
    if (job.member == id && !IsTerminal(job.state)) open.push_back(job_id);
  }
  for (JobId job_id : open) {
    waiting += MoveRanges(state, job_id, RangeSet::Of(0, state.jobs.Get(job_id).task_count),
                          RangeMove::kCancel, Reason::kOk);
    std::vector<TaskId> tasks;
    const auto& rows = state.tasks.rows();
    for (auto t = rows.lower_bound({job_id, 0}); t != rows.end() && t->first.job == job_id; ++t) {
      if (!IsTerminal(t->second.state)) tasks.push_back(t->first);
    }
    for (const TaskId& task : tasks) {
      if (IsLive(state.tasks.Get(task).state)) {
        ++running;
      } else {
        MoveTask(state, task, TaskState::kCancelled, "member removed", command.actor.member);
        ++waiting;
      }
    }
  }
  Money left;
  Money hours;
  for (const auto& [lot_id, lot] : state.lots.rows()) {
    if (lot.owner != OwnedBy(id)) continue;
    (lot.asset == kCurrency ? left : hours) += lot.credited - lot.posted - lot.held;
  }
  reply.lines.push_back(fmt::format("{} waiting task(s) cancelled", waiting));
  reply.lines.push_back(fmt::format("{} running task(s) go on and are charged as before", running));
  reply.lines.push_back(
      fmt::format("{} stay in {}'s account; `pinka admin withdraw` takes them out",
                  FormatAmount(left, state.lab.currency), command.name));
  if (hours > Money()) {
    reply.lines.push_back(fmt::format(
        "{} stay in {}'s portions of packages: others draw on them as the packages allow, and the "
        "rest lapses at their ends",
        FormatUnitHours(hours), command.name));
  }
  reply.first = id.value();
  reply.count = 1;
  Remember(state, command.actor, command.request, false, reply.first, reply.count);
  PlanAll(state);
  return reply;
}

Reply Do(State& state, const AddToken& command) {
  if (auto known = KnownRequest(state, command.actor, command.request)) return *known;
  if (!command.actor.admin && command.actor.member != command.token.member) {
    return Refuse(Reason::kNotPermitted, "tokens for others are made by admins");
  }
  TokenRow token = command.token;
  token.created_at = state.now;
  const MemberRow* member = state.members.Find(token.member);
  if (!member || member->removed) return Refuse(Reason::kNoSuchMember, "no such member");
  Log(state, "member", member->name, "token made", "", command.actor.member);
  state.out.tokens.push_back(token);
  Remember(state, command.actor, command.request, false, 0, 1);
  return {};
}

Reply Do(State& state, const FoundLab& command) {
  if (!state.lab.run.empty()) return Refuse(Reason::kConflict, "the lab is founded already");
  state.lab.run = command.run;
  state.lab.name = "lab";
  const int64_t hour = Duration::Hours(1).micros();
  state.lab.usage_hour = Timestamp::Micros(state.now.micros() / hour * hour);
  state.lab_touched = true;
  const MemberId admin = PutMember(state, command.admin, 1, true, {});
  TokenRow token;
  token.hash = command.token_hash;
  token.member = admin;
  token.created_at = state.now;
  state.out.tokens.push_back(token);
  Log(state, "lab", state.lab.run, "founded", "", admin);
  Reply reply;
  reply.first = admin.value();
  return reply;
}

}  // namespace pinka
