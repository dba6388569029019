#include "tests/support/ledger_script.h"

#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "base/check.h"
#include "base/parse.h"
#include "fmt/format.h"

namespace pinka::test {
namespace {

using Words = std::vector<std::string>;

Words SplitLine(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Money MoneyOf(const std::string& text) {
  const bool below = text.starts_with("-");
  const StatusOr<Money> money = ParseMoney(below ? text.substr(1) : text);
  PINKA_CHECK(money.ok(), "no money: " + text);
  return below ? -*money : *money;
}

Duration SpanOf(const std::string& text) {
  const StatusOr<Duration> span = ParseDuration(text);
  PINKA_CHECK(span.ok(), "no span: " + text);
  return *span;
}

Rate RateOf(const std::string& text) { return Rate::MicrosPerUnitHour(MoneyOf(text).micros()); }

template <class E>
E NamedValue(const std::string& text) {
  E value{};
  PINKA_CHECK(FromName(text, &value), "no such name: " + text);
  return value;
}

// What follows the columns that a step needs: words with a value each.
std::map<std::string, std::string> Options(const Words& words, size_t from) {
  std::map<std::string, std::string> options;
  for (size_t i = from; i < words.size(); i += 2)
    options[words[i]] = i + 1 < words.size() ? words[i + 1] : "";
  return options;
}

// Unit-milliseconds in hours, six decimals.
std::string InHours(int64_t unit_ms) {
  return FormatWireMoney(Money::Micros(MulDivRound(unit_ms, 1'000'000, 3'600'000)));
}

class Player {
 public:
  explicit Player(Timestamp start) : w_(start) {
    steps_ = {{"node", &Player::AddNode},      {"lot", &Player::Deposit},
              {"package", &Player::Buy},       {"limit", &Player::Limit},
              {"rule", &Player::Rule},         {"rate", &Player::SetRate},
              {"submit", &Player::Submit},     {"start", &Player::Start},
              {"wait", &Player::Wait},         {"until", &Player::Until},
              {"meter", &Player::Meter},       {"saved", &Player::Saved},
              {"end", &Player::End},           {"refund", &Player::Refund},
              {"correct", &Player::Correct},   {"transfer", &Player::Transfer},
              {"withdraw", &Player::Withdraw}, {"stop", &Player::Stop},
              {"remove", &Player::Remove}};
    checks_ = {{"lot", {1, &Player::LotIs}},         {"hold", {1, &Player::HoldIs}},
               {"account", {2, &Player::AccountIs}}, {"portion", {2, &Player::PortionIs}},
               {"job", {1, &Player::JobIs}},         {"rental", {1, &Player::RentalIs}},
               {"entries", {1, &Player::EntriesAre}}};
  }

  void Play(const Words& words) {
    if (words[0] == "=") return Compare(Words(words.begin() + 1, words.end()));
    if (words[0] == "refused") return Refused(words);
    const Reply reply = Do(words);
    EXPECT_EQ(reply.reason, Reason::kOk) << reply.detail;
  }

 private:
  using Step = Reply (Player::*)(const Words&);
  // What a table's row is called, and its columns.
  struct Check {
    size_t names;
    std::string (Player::*columns)(const Words&);
  };

  Reply Do(const Words& words) {
    const auto step = steps_.find(words[0]);
    PINKA_CHECK(step != steps_.end(), "no such step: " + words[0]);
    return (this->*step->second)(words);
  }

  void Refused(const Words& words) {
    const int64_t entries = w_.state().lab.next_transfer;
    const Reply reply = Do(Words(words.begin() + 2, words.end()));
    EXPECT_EQ(Name(reply.reason), words[1]) << reply.detail;
    EXPECT_EQ(w_.state().lab.next_transfer, entries) << "a refusal leaves nothing behind";
  }

  // The found columns as text, in the script's order and form; columns may be left out at the end.
  void Compare(const Words& words) {
    const auto check = checks_.find(words[0]);
    PINKA_CHECK(check != checks_.end(), "no such table: " + words[0]);
    const Words found = SplitLine((this->*check->second.columns)(words));
    const Words wanted(words.begin() + 1 + static_cast<ptrdiff_t>(check->second.names),
                       words.end());
    ASSERT_FALSE(wanted.empty());
    ASSERT_LE(wanted.size(), found.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      const bool money = found[i].find('.') != std::string::npos;
      EXPECT_EQ(money ? FormatWireMoney(MoneyOf(wanted[i])) : wanted[i], found[i])
          << "column " << i + 1;
    }
  }

  template <class... Parts>
  static std::string Row(Parts... parts) {
    std::string text;
    ((text += FormatWireMoney(parts) + " "), ...);
    return text;
  }

  Reply AddNode(const Words& v) {
    w_.AddNode(v[1], v[2], static_cast<int32_t>(std::stoi(v[3])));
    return {};
  }

  Reply Deposit(const Words& v) {
    pinka::Deposit command;
    command.actor = w_.Admin();
    command.to = OwnerNamed(w_.state(), v[2]);
    command.amount = MoneyOf(v[3]);
    for (const auto& [name, value] : Options(v, 4)) {
      if (name == "ends") command.until = w_.now + SpanOf(value);
      if (name == "tier") command.tier = w_.Tier(value);
      if (name == "from") command.from = w_.Member(value);
    }
    const Reply reply = w_.Do(command);
    lots_[v[1]] = LotId(reply.first);
    return reply;
  }

  Reply Buy(const Words& v) {
    std::vector<std::pair<std::string, int64_t>> shares;
    std::istringstream in(v[5]);
    for (std::string part; std::getline(in, part, ',');) {
      const size_t at = part.find('=');
      shares.emplace_back(part.substr(0, at), std::stoll(part.substr(at + 1)));
    }
    BuyPackage buy = w_.Package(v[2], std::stoll(v[3]), MoneyOf(v[4]), shares);
    for (const auto& [name, value] : Options(v, 6)) {
      if (name == "payer") buy.payer = w_.Member(value);
      if (name == "ends") buy.ends_at = w_.now + SpanOf(value);
      if (name == "lapse") buy.lapse_to = NamedValue<LapseTo>(value);
      if (name != "borrow") continue;
      const bool hours = value.find_first_not_of("0123456789") == std::string::npos;
      buy.borrow = hours ? BorrowRule::kLimit : NamedValue<BorrowRule>(value);
      if (hours) buy.borrow_ms = std::stoll(value) * 3'600'000;
    }
    const Reply reply = w_.Do(buy);
    packages_[v[1]] = PackageId(reply.first);
    return reply;
  }

  Reply Limit(const Words& v) {
    LabChange::Limit limit;
    limit.row.of = NamedValue<LimitOf>(v[1]);
    limit.scope = v[2];
    limit.row.resource = NamedValue<LimitResource>(v[3]);
    limit.row.amount = limit.row.resource == LimitResource::kMoney ? MoneyOf(v[4]).micros()
                       : limit.row.resource == LimitResource::kUnitHours
                           ? std::stoll(v[4]) * 3'600'000
                           : std::stoll(v[4]);
    for (const auto& [name, value] : Options(v, 5)) {
      if (name == "period") limit.row.period = NamedValue<Period>(value);
      if (name == "tier") limit.tier = value;
      if (name == "block") limit.row.block_at = static_cast<int32_t>(std::stoi(value));
    }
    LabChange change;
    change.limits.push_back(limit);
    return w_.Apply(change);
  }

  Reply Rule(const Words& v) {
    BillingRow row;
    row.provider = "provider";
    row.rule.rate = RateOf(v[2]);
    for (const auto& [name, value] : Options(v, 3)) {
      if (name == "minimum") row.rule.minimum = SpanOf(value);
      if (name == "block") row.rule.block = SpanOf(value);
      if (name == "stopped") row.rule.stopped_rate = RateOf(value);
      if (name == "egress") row.rule.egress = MoneyOf(value);
      if (name != "up") continue;
      row.rule.rounding = Rounding::kUp;
      row.rule.round_at = RoundAt::kSegment;
      row.rule.round_to = MoneyOf(value);
    }
    LabChange::Tier tier;
    tier.row = w_.state().tiers.Get(w_.Tier(v[1]));
    tier.billing.push_back(row);
    LabChange change;
    change.tiers.push_back(tier);
    return w_.Apply(change);
  }

  Reply SetRate(const Words& v) {
    w_.SetRate(v[1], RateOf(v[2]));
    return {};
  }

  Reply Submit(const Words& v) {
    JobRequest request = w_.Job(v[3], SpanOf(v[4]));
    request.no_requeue = true;
    for (const auto& [name, value] : Options(v, 5)) {
      if (name == "units") request.gpus = static_cast<int32_t>(std::stoi(value));
      if (name == "source") request.source = NamedValue<Wish>(value);
    }
    const Reply reply = w_.TrySubmit(v[2], request);
    if (reply.reason == Reason::kOk) jobs_[v[1]] = JobId(reply.first);
    return reply;
  }

  Reply Start(const Words& v) {
    w_.Run(JobOf(v[1]));
    return {};
  }

  Reply Wait(const Words& v) {
    w_.Advance(SpanOf(v[1]));
    return {};
  }

  Reply Until(const Words& v) {
    w_.AdvanceTo(At(std::stoi(v[1].substr(0, 4)), std::stoi(v[1].substr(5, 2)),
                    std::stoi(v[1].substr(8, 2)), std::stoi(v[2].substr(0, 2)),
                    std::stoi(v[2].substr(3, 2))));
    return {};
  }

  Reply Meter(const Words& v) {
    const AttemptRow& attempt = w_.AttemptOf(JobOf(v[1]));
    const int64_t ran_ms = (w_.now - attempt.started_at).millis();
    return w_.Do(StoreMeters{{{attempt.id, ran_ms, 0}}});
  }

  Reply Saved(const Words& v) {
    const AttemptId id = w_.Attempt(JobOf(v[1]));
    w_.AgentOf(id).Find(id)->checkpoint_ms = SpanOf(v[2]).millis();
    return {};
  }

  Reply End(const Words& v) {
    const JobId job = JobOf(v[1]);
    if (v.size() > 2)
      w_.End(job, NamedValue<EndReason>(v[2]));
    else
      w_.Exit(job, 0);
    return {};
  }

  Reply Refund(const Words& v) {
    const AttemptId task{JobOf(v[2]), 0, 0};
    if (v[3] == "all") return w_.RefundHours(task, 0, v[1]);
    if (v[3].find_first_of("hms") != std::string::npos)
      return w_.RefundHours(task, SpanOf(v[3]).millis(), v[1]);
    return w_.Refund(task, MoneyOf(v[3]), v[1]);
  }

  Reply Correct(const Words& v) {
    for (const TransferRow& row : w_.Transfers(TransferKind::kCharge)) {
      if (row.attempt.job == JobOf(v[2])) return w_.Correct(row.id, MoneyOf(v[3]), v[1]);
    }
    return w_.Correct(TransferId(1'000'000), MoneyOf(v[3]), v[1]);
  }

  Reply Transfer(const Words& v) { return w_.Transfer(v[2], v[3], MoneyOf(v[4]), v[1]); }
  Reply Withdraw(const Words& v) { return w_.Withdraw(v[2], MoneyOf(v[3]), v[1]); }

  Reply Stop(const Words& v) {
    CloseRental command{w_.Admin(), {}, LastRental(v[1]).id, {}, "by hand"};
    for (const auto& [name, value] : Options(v, 2)) {
      if (name == "egress") command.egress_bytes = MoneyOf(value).micros() * 1'000;
      if (name == "keep") command.stopped = true;
    }
    return w_.Do(command);
  }

  Reply Remove(const Words& v) {
    rented_[v[1]] = w_.Node(v[1]);
    ChangeNode command;
    command.actor = w_.Admin();
    command.node = v[1];
    command.verb = NodeVerb::kRemove;
    command.dead = true;
    return w_.Do(command);
  }

  std::string LotIs(const Words& v) {
    const LotRow& lot = w_.Lot(lots_.at(v[1]));
    const Money left = lot.credited - lot.posted - lot.held + lot.credit_limit;
    return Row(lot.credited, lot.posted, lot.held, left);
  }

  std::string HoldIs(const Words& v) {
    const HoldRow& hold = w_.HoldOf(JobOf(v[1]));
    return Row(hold.amount, hold.posted) + std::string(Name(hold.state));
  }

  std::string AccountIs(const Words& v) {
    return Row(w_.Balance(NamedValue<AccountKind>(v[1]), v[2]));
  }

  std::string PortionIs(const Words& v) {
    const PackageId id = packages_.at(v[1]);
    const LotRow& lot = w_.PortionLot(id, v[2]);
    const Money left = lot.credited - lot.posted - lot.held;
    return InHours(left.micros()) + " " + InHours(lot.posted.micros()) + " " +
           InHours(w_.Portion(id, v[2]).borrowed_ms);
  }

  std::string JobIs(const Words& v) { return std::string(Name(w_.StateOf(JobOf(v[1])))); }

  std::string RentalIs(const Words& v) {
    const RentalRow& row = LastRental(v[1]);
    return Row(row.billed, row.members, row.lab, row.idle, row.rounding, row.variance);
  }

  std::string EntriesAre(const Words& v) {
    return std::to_string(w_.Transfers(NamedValue<TransferKind>(v[1])).size());
  }

  JobId JobOf(const std::string& name) const { return jobs_.at(name); }

  const RentalRow& LastRental(const std::string& node) const {
    const auto gone = rented_.find(node);
    const NodeId id = gone == rented_.end() ? w_.Node(node) : gone->second;
    const RentalRow* last = nullptr;
    for (const auto& [key, row] : w_.store().tables().rentals) {
      if (row.node == id) last = &row;
    }
    PINKA_CHECK(last, "no rental of " + node);
    return *last;
  }

  CoreWorld w_;
  std::map<std::string, Step> steps_;
  std::map<std::string, Check> checks_;
  std::map<std::string, LotId> lots_;
  std::map<std::string, PackageId> packages_;
  std::map<std::string, JobId> jobs_;
  std::map<std::string, NodeId> rented_;  // of nodes that were removed
};

}  // namespace

void PlayLedger(const std::string& script, Timestamp start) {
  Player player(start);
  std::istringstream in(script);
  int n = 0;
  for (std::string line; std::getline(in, line);) {
    ++n;
    const Words words = SplitLine(line);
    SCOPED_TRACE(fmt::format("line {}: {}", n, line));
    if (!words.empty()) player.Play(words);
  }
}

}  // namespace pinka::test
