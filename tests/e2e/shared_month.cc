// A month of ten people in a real database, as core would have left it: a package of 1,000 a100
// hours for 12,000 yuan, of which 700 were used, over and under the portions, and 300 lapsed; a
// machine rented by the hour for debugging; a deposit that was typed wrong, a run that was given
// back. Prints the database's address and the admin's token, a line each, and keeps the server
// until its standard input closes. shared_month_test.py goes on from there as the treasurer would.
#include <cstdio>

#include "base/hash.h"
#include "tests/db/check_history.h"

namespace pinka {
namespace {

using test::At;
using test::CoreWorld;

constexpr const char* kToken = "the-treasurers-token-of-a-test-lab";

struct Person {
  const char* name;
  int minutes;  // of eight cards
};
constexpr Person kPeople[] = {{"alice", 600}, {"bob", 1200}, {"carol", 300}, {"王芳", 750},
                              {"dave", 240},  {"erin", 900}, {"frank", 540}, {"grace", 660},
                              {"heidi", 60},  {"ivan", 0}};

RequestKey Key(const std::string& key) { return {key, Sha256Hex(key)}; }

Reply Must(const Reply& reply) {
  PINKA_CHECK(reply.reason == Reason::kOk, reply.detail);
  return reply;
}

// The rest of the people, and a debugging machine that bills whole hours.
void Found(CoreWorld& w) {
  LabChange change;
  for (const Person& person : kPeople) change.members.push_back({person.name, 1, false});
  LabChange::Tier& t4 = change.tiers.emplace_back();
  t4.row = w.state().tiers.Get(w.Tier("t4"));
  t4.row.id = {};
  BillingRow& billing = t4.billing.emplace_back();
  billing.source = Source::kOnDemand;
  billing.provider = "hengyuan";
  billing.rule.rate = Rate::MicrosPerUnitHour(2'000'000);
  billing.rule.minimum = billing.rule.block = Duration::Hours(1);
  Must(w.Apply(change));
  TokenRow token;
  token.hash = Sha256Hex(kToken);
  token.member = w.Member("admin");
  Must(w.Do(AddToken{w.Admin(), {}, token}));
}

// Twenty yuan each for debugging; ivan's were typed as two.
void PayIn(CoreWorld& w) {
  for (const Person& person : kPeople) {
    const bool wrong = person.minutes == 0;
    Deposit in;
    in.actor = w.Admin();
    in.request = Key(std::string("in-") + person.name);
    in.to = OwnedByLab();
    in.from = w.Member(person.name);
    in.amount = Money::Whole(wrong ? 2 : 20);
    in.reason = "debugging in September";
    Must(w.Do(in));
    if (wrong)
      Must(w.Correct(w.Transfers(TransferKind::kDeposit).back().id, Money::Whole(18), "typed"));
  }
}

void BuyTogether(CoreWorld& w) {
  std::vector<std::pair<std::string, int64_t>> shares;
  for (const Person& person : kPeople) shares.emplace_back(person.name, 1);
  BuyPackage buy = w.Package("a100", 1'000, Money::Whole(12'000), std::move(shares));
  buy.request = Key("package");
  buy.payer = w.Member("alice");
  buy.provider = "hengyuan";
  buy.split = SplitRule::kEqual;
  buy.borrow = BorrowRule::kFree;
  buy.ends_at = At(2026, 10, 1);
  w.Buy(buy);
}

JobId RunFor(CoreWorld& w, const std::string& member, JobRequest request, Duration time) {
  const JobId job = w.Submit(member, std::move(request));
  w.Run(job);
  w.Advance(time);
  w.Exit(job, 0);
  return job;
}

// 45 minutes of one paid hour on the debugging machine; the first run is given back.
void Debug(CoreWorld& w) {
  w.AddNode("t4-1", "t4", 1);
  const JobId first = RunFor(w, "bob", w.Job("t4", Duration::Minutes(30)), Duration::Minutes(20));
  RunFor(w, "王芳", w.Job("t4", Duration::Minutes(30)), Duration::Minutes(25));
  ChangeNode gone;
  gone.actor = w.Admin();
  gone.node = "t4-1";
  gone.verb = NodeVerb::kRemove;
  gone.reason = "given back to the provider";
  Must(w.Do(gone));
  Must(w.Refund(AttemptId{first, 0, 0}, Money::Micros(666'667), "the data set was broken"));
}

void Train(CoreWorld& w) {
  w.AddNode("a100-1", "a100", 8);
  for (const Person& person : kPeople) {
    if (person.minutes == 0) continue;
    JobRequest request = w.Job("a100", Duration::Minutes(person.minutes + 10), 8);
    request.source = Wish::kPackage;
    RunFor(w, person.name, std::move(request), Duration::Minutes(person.minutes));
    w.Advance(Duration::Hours(5));
  }
}

int Main() {
  CoreWorld w(At(2026, 9, 1, 9));
  Found(w);
  PayIn(w);
  BuyTogether(w);
  w.AdvanceTo(At(2026, 9, 3, 10));
  Debug(w);
  w.AdvanceTo(At(2026, 9, 7, 9));
  Train(w);
  w.AdvanceTo(At(2026, 10, 1, 9));
  std::printf("%s\n%s\n", testing::StoreBooks(w).c_str(), kToken);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

}  // namespace
}  // namespace pinka

int main() { return pinka::Main(); }
