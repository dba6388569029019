#include "scheduler/check/rules.h"

#include <algorithm>

#include "base/check.h"

namespace pinka::check {
namespace {

using enum Rule::Kind;

constexpr Rule kRules[] = {
    {"transfer.sides", kQuery,
     "Every entry moves more than 0 between two different accounts of its own asset."},
    {"transfer.kind", kQuery,
     "Entries move between the kinds of account that their kind may touch."},
    {"transfer.gap", kQuery, "Entries are numbered without a gap: none was taken away."},
    {"transfer.person", kQuery,
     "Money verbs name the member who asked; pinka's own entries nobody."},
    {"transfer.request", kQuery,
     "The request id of a money verb is known for its person, answered once and at that time."},
    {"request.entries", kQuery,
     "Every request about money has exactly the entries it answered with."},
    {"transfer.dimensions", kQuery,
     "What an attempt posts carries its member, project, tier, source, node and payer."},
    {"transfer.owner", kQuery,
     "Money verbs carry the owner of their lot and nothing of an attempt."},
    {"transfer.account", kQuery,
     "Charges go from the attempt's own lines to its member, overhead to the account of its "
     "cause, withdrawals to who had paid it in."},
    {"transfer.time", kQuery,
     "Charges stand at the end of their attempt or of a month, lapses at the end of their lot."},
    {"transfer.link", kQuery,
     "A refund or correction names a settled entry before it and moves between its accounts; hours "
     "of a package that has ended go to the lab, and what they cost with them."},
    {"transfer.within", kQuery, "Refunds and corrections never turn what they name below zero."},
    {"charge.posting", kQuery,
     "Every posting is the cost of the unit-time so far less what was posted so far."},
    {"account.zero", kQuery, "The balances of all accounts of an asset sum to zero."},
    {"account.shape", kQuery, "Each account has an owner who may have it, and is the only one."},
    {"account.use", kQuery, "An account sees only entries of its kind, on their side."},
    {"account.spent", kQuery,
     "What a member has spent is what the member's attempts have settled and their hours of "
     "packages "
     "cost, less refunds and with corrections, and what of bills the member was charged for."},
    {"lot.credited", kQuery,
     "A lot is credited with what came in, less withdrawals, transfers and lapses."},
    {"lot.posted", kQuery,
     "What is posted on a lot is what was charged to it, less what was given back of that."},
    {"lot.held", kQuery,
     "What a lot holds is what open attempts have not yet drawn of their lines."},
    {"lot.account", kQuery, "A lot lies in an account of its own, of the same owner and asset."},
    {"lot.tier", kQuery, "A lot is for the tier that its deposit or purchase named."},
    {"lot.origin", kQuery,
     "A lot filled by a transfer or refund is for the tier and time of the lot it stands for; what "
     "lies in a lot was paid in by whose it was at first."},
    {"lot.dates", kQuery,
     "Nothing comes into a lot before its start; after its end only earlier holds draw on it."},
    {"lot.lapsed", kQuery,
     "A lot lapses at its end, or with the last hold on it, and leaves nothing."},
    {"lot.floor", kReplay, "No hold has taken a lot below zero less its credit limit."},
    {"hold.one", kQuery, "Every attempt has one hold, and every hold an attempt."},
    {"hold.amount", kQuery,
     "A hold is units x time limit x rate, rounded once; on a package units x time limit."},
    {"hold.lines", kQuery, "The lines of a hold sum to it and are numbered from 0."},
    {"hold.reach", kQuery, "A hold draws only on lots that its member may use for its tier."},
    {"hold.burn", kReplay,
     "Lots are burnt in order: narrower scope, then soonest end, then oldest; of a package the own "
     "portion, then what nobody was given, then others."},
    {"hold.posted", kQuery, "What is posted of a hold is what was charged, and at most the hold."},
    {"hold.line_posted", kQuery, "Lines are charged one after the other, each as its entries say."},
    {"hold.state", kQuery,
     "A hold is in the asset of its source, open until its attempt ends, then settled, or voided "
     "where nothing ran."},
    {"settlement.one", kQuery, "Every attempt that has ended is settled once, no other is."},
    {"settlement.payer", kQuery,
     "Member and lab pay as the settlement's own rule says, which the end reason allows; at the "
     "frozen rate, at most the hold."},
    {"settlement.meter", kQuery, "A settlement is of the last meter, at the end of its attempt."},
    {"settlement.entries", kQuery,
     "The entries of an attempt sum to its settlement, refunds and corrections aside, their "
     "unit-time to its meter."},
    {"package.bought", kQuery,
     "A package's price came from its payer, its hours from outside, once and as its terms say."},
    {"package.portions", kQuery,
     "Portions are the whole package, split by shares, each in a lot of its owner."},
    {"package.used", kQuery,
     "What is used of a package is what was charged in its unit-time, less what was given back to "
     "it."},
    {"package.cost", kQuery,
     "The cost that has moved is price x used / total after every posting, rounded once."},
    {"package.back", kQuery,
     "Hours that are given back after their package's end cost the lab the same part of what their "
     "attempt was charged."},
    {"package.inventory", kQuery,
     "The inventory is the price less what moved and lapsed, and nothing at the close."},
    {"package.lapsed", kQuery,
     "What is left at the close lapses by the hours, to owners or to the lab as the package has "
     "it."},
    {"package.closed", kQuery, "A package closes with its last lot and its last hold."},
    {"package.borrow", kQuery, "Nobody borrows more of a package than its rule allows."},
    {"package.end", kQuery,
     "Work starts on a package after its start, and where its limit ends within it."},
    {"rental.rule", kQuery, "A rental goes by the billing rule that was in force at its opening."},
    {"rental.stretch", kQuery,
     "A node has one rental at a time, for as long as it is there, posted up to its end."},
    {"rental.entry", kQuery,
     "Entries of a rental are of its node; attempts post on the one that was open at their order."},
    {"rental.sums", kQuery, "The sums of a rental are what its entries say."},
    {"rental.bill", kQuery,
     "A rental is billed by its rule; idle time, rounding, disk, egress and variance follow from "
     "that and from the time that work used."},
    {"spend.counters", kQuery,
     "The counters of limits are the charges of their period, less what was given back in it."},
    {"sums.usage", kQuery, "A day's sums by job are its entries, side by side."},
    {"sums.lots", kQuery, "What moved a lot in a month is its entries of that month."},
    {"limit.crossed", kReplay,
     "No hold since the lab's last change crossed a limit of running units, money or unit-hours, "
     "or "
     "was taken beyond its threshold that blocks."},
    {"month.closed", kQuery,
     "Months are closed one after the other, when they have ended, and nothing is dated in them "
     "after that."},
    {"positions.zero", kQuery, "Where members stand among each other comes to nothing."},
    {"positions.sum", kPositions,
     "A member's position is what the others used of the member's money, less what the member used "
     "of theirs."},
    {"payment.settles", kQuery,
     "The payments of a month bring everybody within a cent of nothing, one less than there are "
     "people at most."},
    {"payment.paid", kQuery, "A payment that was made has one entry, between its two members."},
    {"invoice.lines", kQuery,
     "A bill is its lines; what of a line no rental had posted was booked for it, once, on the "
     "account of its kind, in the month in which the bill ends if that was open."},
    {"invoice.unknown", kQuery,
     "What is unknown of a line is what was booked as unknown, less what was explained, and "
     "nothing in a closed month."},
    {"invoice.identity", kQuery,
     "A bill is charges, idle, rounding, disk, egress, variance and unknown, less vouchers, to the "
     "micro-unit."},
    {"invoice.covered", kQuery,
     "Bills cover of a rental at most what it has posted: idle, rounding, disk, egress."},
    {"period.calendar", kQuery,
     "Days and months follow each other without gap, and nothing of a kind overlaps."},
    {"lab.ids", kQuery, "The next ids are above all that were given out."},
    {"attempt.rate", kQuery,
     "The frozen rate is the one in force when the attempt was ordered; of a package price / "
     "hours."},
    {"attempt.copy", kQuery,
     "An attempt is of its job's member and project, of the tier and size that the job had then, "
     "and "
     "of a source it asked for."},
    {"attempt.numbers", kQuery,
     "Attempts of a task are numbered from 1, and only the last is open."},
    {"attempt.end", kQuery, "Times, end reason and exit of an attempt fit together."},
    {"attempt.meter", kQuery, "No attempt is metered for longer than it can have run."},
    {"task.state", kQuery, "A task's state follows from its last attempt."},
    {"task.outcome", kQuery, "A task tells how many attempts it had and how the last one ended."},
    {"job.charged", kQuery,
     "What a job was charged is what its attempts were, with its holds at most its ceiling."},
    {"job.tasks", kJobs, "Each task of a job stands in one range or has one row, never both."},
    {"job.counts", kJobs, "The counts of a job are its tasks by state."},
    {"job.state", kJobs, "A job's state and end follow from its tasks."},
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

const Rule& RuleNamed(std::string_view name) {
  auto it = std::ranges::find(Rules(), name, &Rule::name);
  PINKA_CHECK(it != Rules().end(), "no rule named " + std::string(name));
  return *it;
}

std::string QueryOf(const Rule& rule) {
  std::string query = "check_" + std::string(rule.name);
  std::ranges::replace(query, '.', '_');
  return query;
}

}  // namespace pinka::check
