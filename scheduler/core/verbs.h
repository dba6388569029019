// What each command does: guards in a fixed order, each with its own refusal, then the change.
// A refusal leaves nothing behind. One file a verb.
#pragma once

#include <optional>
#include <string>

#include "scheduler/core/command.h"
#include "scheduler/core/state.h"

namespace pinka {

Reply Do(State& state, const SubmitJobs& command);          // submit.cc
Reply Do(State& state, const ChangeJobs& command);          // change_jobs.cc
Reply Do(State& state, const EditJob& command);             // edit_job.cc
Reply Do(State& state, const AgentReport& command);         // report.cc
Reply Do(State& state, const StoreMeters& command);         // report.cc
Reply Do(State& state, const KeepFiles& command);           // keep_files.cc
Reply Do(State& state, const NodeSilent& command);          // nodes.cc
Reply Do(State& state, const AttemptsProvenOver& command);  // nodes.cc
Reply Do(State& state, const Evacuate& command);            // nodes.cc
Reply Do(State& state, const ChangeNode& command);          // nodes.cc
Reply Do(State& state, const Deposit& command);             // deposit.cc
Reply Do(State& state, const Withdraw& command);            // withdraw.cc
Reply Do(State& state, const Refund& command);              // refund.cc
Reply Do(State& state, const Transfer& command);            // transfer.cc
Reply Do(State& state, const Correct& command);             // correct.cc
Reply Do(State& state, const BuyPackage& command);          // buy_package.cc
Reply Do(State& state, const ClosePackage& command);        // close_package.cc
Reply Do(State& state, const CloseMonth& command);          // close_month.cc
Reply Do(State& state, const SettleMonth& command);         // settle_month.cc
Reply Do(State& state, const MarkPaid& command);            // mark_paid.cc
Reply Do(State& state, const OpenRental& command);          // open_rental.cc
Reply Do(State& state, const CloseRental& command);         // close_rental.cc
Reply Do(State& state, const ImportInvoice& command);       // import_invoice.cc
Reply Do(State& state, const ExplainLine& command);         // explain_line.cc
Reply Do(State& state, const RaiseLimit& command);          // raise_limit.cc
Reply Do(State& state, const ApplyLab& command);            // lab.cc
Reply Do(State& state, const AddMember& command);           // member.cc
Reply Do(State& state, const RemoveMember& command);        // member.cc
Reply Do(State& state, const AddToken& command);            // member.cc
Reply Do(State& state, const AddNode& command);             // join.cc
Reply Do(State& state, const JoinNode& command);            // join.cc
Reply Do(State& state, const RotateKey& command);           // join.cc
Reply Do(State& state, const FoundLab& command);            // member.cc
Reply Do(State& state, const AddPeriods& command);          // time.cc
Reply Do(State& state, const Tick& command);                // time.cc

// Everything due up to `now`, in time order (time.cc).
void AdvanceTo(State& state, Timestamp now);
Timestamp NextDue(const State& state);

inline Reply Refuse(Reason reason, std::string sentence) {
  Reply reply;
  reply.reason = reason;
  reply.detail = std::move(sentence);
  return reply;
}

// Idempotency (semantics.md 11, request.cc). A reply where the key is known: the first answer
// again, or a conflict. Nothing where the command is new.
std::optional<Reply> KnownRequest(const State& state, const Actor& actor,
                                  const RequestKey& request);
// What to tell of a key that is past its life and makes something new; else empty.
std::string ExpiredNote(const State& state, const Actor& actor, const RequestKey& request);
void Remember(State& state, const Actor& actor, const RequestKey& request, bool money,
              int64_t first, int64_t count);

// What submit would refuse of one request, or nothing (submit.cc).
// `proven` as in SubmitJobs.
std::optional<Reply> WouldRefuse(const State& state, const Actor& actor, const JobRequest& request,
                                 TierId proven = {});

// Whether the actor may act on what belongs to `owner`.
inline bool MayActFor(const Actor& actor, MemberId owner) {
  return actor.admin || actor.member == owner;
}

}  // namespace pinka
