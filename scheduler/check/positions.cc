#include "scheduler/check/positions.h"

#include <algorithm>
#include <tuple>

#include "fmt/format.h"
#include "scheduler/check/funds.h"
#include "scheduler/check/stream.h"

namespace pinka::check {
namespace {

constexpr int64_t kCent = 10'000;

struct Month {
  Timestamp start_at;
  Timestamp end_at;
  std::string spread;
};

// The columns of a row of positions.
struct Standing {
  Wide paid = 0;
  Wide settled = 0;
  Wide spent = 0;
  Wide overhead = 0;
  Wide lapsed = 0;
  Wide carried = 0;
  Wide position = 0;
  friend bool operator==(const Standing&, const Standing&) = default;
};
using Standings = std::map<int64_t, Standing>;

std::string Text(const Standing& s) {
  return fmt::format("{} + {} - {} - {} - {} - {} = {}", Amount(s.paid), Amount(s.settled),
                     Amount(s.spent), Amount(s.overhead), Amount(s.lapsed), Amount(s.carried),
                     Amount(s.position));
}

class Replay {
 public:
  Replay(db::Connection& connection, Findings& findings)
      : connection_(connection), findings_(findings) {}

  Status Run() {
    if (Status status = Load(); !status.ok() || months_.empty()) return status;
    Stream stream(connection_, "money");
    size_t next = 0;
    while (next < months_.size() && stream.Next()) {
      db::Row& row = stream.row();
      const Timestamp at = row.At();
      for (; next < months_.size() && at >= months_[next].end_at; ++next) {
        if (Status status = End(months_[next]); !status.ok()) return status;
      }
      MoneyEntry entry;
      entry.kind = row.Text();
      entry.amount = row.Int();
      ReadSide(row, &entry.from);
      ReadSide(row, &entry.to);
      if (entry.to.kind == "spent") used_[entry.to.id] += entry.amount;
      if (entry.from.kind == "spent") used_[entry.from.id] -= entry.amount;
      funds_.Take(entry);
    }
    if (!stream.status().ok()) return stream.status();
    for (; next < months_.size(); ++next) {
      if (Status status = End(months_[next]); !status.ok()) return status;
    }
    for (const auto& [month, rows] : stored_) {
      for (const auto& [member, row] : rows) Report(month, member, "no such row", Text(row));
    }
    return OkStatus();
  }

 private:
  static void ReadSide(db::Row& row, Side* side) {
    side->kind = row.Text();
    side->owner = row.Text();
    side->id = row.Int();
    side->owner += " " + std::to_string(side->id);
  }

  Status Load() {
    StatusOr<db::Result> months = connection_.Exec("check_settled_months");
    if (!months.ok()) return months.status();
    for (db::Row row(*months); row.Next();) {
      const Timestamp start = row.At();
      const Timestamp end = row.At();
      months_.push_back({start, end, row.Text()});
    }
    StatusOr<db::Result> positions = connection_.Exec("check_positions");
    if (!positions.ok()) return positions.status();
    for (db::Row row(*positions); row.Next();) {
      Standing& s = stored_[row.At()][row.Int()];
      for (Wide* column :
           {&s.paid, &s.settled, &s.spent, &s.overhead, &s.lapsed, &s.carried, &s.position}) {
        *column = row.Int();
      }
    }
    StatusOr<db::Result> payments = connection_.Exec("check_payments");
    if (!payments.ok()) return payments.status();
    for (db::Row row(*payments); row.Next();) {
      const Timestamp month = row.At();
      const int64_t payer = row.Int();
      const int64_t payee = row.Int();
      const int64_t amount = row.Int();
      moves_.emplace_back(month, payer, amount);
      moves_.emplace_back(month, payee, -amount);
    }
    return OkStatus();
  }

  void Report(Timestamp month, int64_t member, std::string expected, std::string found) {
    findings_.Add("positions.sum", "positions", fmt::format("{}/{}", TextOf(month), member),
                  std::move(expected), std::move(found));
  }

  // As the database prints it.
  std::string TextOf(Timestamp at) {
    StatusOr<db::Result> result = connection_.Exec("check_text_of", db::Params().At(at));
    if (!result.ok()) return "?";
    db::Row row(*result);
    return row.Next() ? row.Text() : "?";
  }

  Status End(const Month& month) {
    Funds funds = funds_;
    funds.Flush();
    Standings standings;
    for (const auto& [member, amount] : funds.paid) standings[member].paid = amount;
    for (const auto& [member, amount] : funds.spent) standings[member].spent = amount;
    for (const auto& [member, amount] : funds.lapsed) standings[member].lapsed = amount;
    for (const auto& [member, amount] : funds.Left()) {
      if (member != 0) standings[member].carried = amount;
    }
    for (const auto& [at, member, amount] : moves_) {
      if (at < month.start_at) standings[member].settled += amount;
    }
    Wide overhead = 0;
    if (Status status = AddPackages(month, &standings, &overhead); !status.ok()) return status;
    if (Status status = AddBills(month, &standings, &overhead); !status.ok()) return status;
    ShareOverhead(month, overhead, &standings);
    Compare(month, &standings);
    used_.clear();
    return OkStatus();
  }

  Status AddPackages(const Month& month, Standings* standings, Wide* overhead) {
    StatusOr<db::Result> result =
        connection_.Exec("check_packages_at", db::Params().At(month.end_at));
    if (!result.ok()) return result.status();
    std::map<int64_t, std::map<int64_t, Wide>> unused;
    std::map<int64_t, std::pair<Wide, Wide>> wholes;  // lapsed to the lab, left
    for (db::Row row(*result); row.Next();) {
      const int64_t package = row.Int();
      Standing& payer = (*standings)[row.Int()];
      const int64_t member = row.Int();
      const Wide spent = row.Int();
      const Wide lapsed = row.Int();
      unused[package][member] = row.Int();
      const Wide to_lab = row.Int();
      const Wide left = row.Int();
      payer.paid += spent + lapsed;
      if (wholes.emplace(package, std::pair(to_lab, left)).second) payer.paid += to_lab + left;
      if (member == 0) continue;
      (*standings)[member].spent += spent;
      (*standings)[member].lapsed += lapsed;
    }
    for (const auto& [package, whole] : wholes) {
      *overhead += whole.first;
      for (const auto& [member, part] : ByWeight(whole.second, unused[package]))
        (member == 0 ? *overhead : (*standings)[member].carried) += part;
    }
    return OkStatus();
  }

  // What a member paid of a provider's bill beyond the charges of attempts is everybody's, but for
  // what single members were charged of it.
  Status AddBills(const Month& month, Standings* standings, Wide* overhead) {
    StatusOr<db::Result> result = connection_.Exec("check_bills_at", db::Params().At(month.end_at));
    if (!result.ok()) return result.status();
    for (db::Row row(*result); row.Next();) {
      const std::string what = row.Text();
      Standing& of = (*standings)[row.Int()];
      const Wide amount = row.Int();
      (what == "paid" ? of.paid : of.spent) += amount;
      *overhead += what == "paid" ? amount : -amount;
    }
    return OkStatus();
  }

  // Who took part in an equal share is not written down: those whose share moved.
  Wide Weight(const std::string& spread, int64_t member, const Standings& standings) {
    if (spread == "usage") return std::max<Wide>(used_[member], 0);
    if (spread == "contribution") return std::max<Wide>(standings.at(member).paid, 0);
    return stored_month_ && stored_month_->contains(member) &&
           stored_month_->at(member).overhead != shared_[member];
  }

  void ShareOverhead(const Month& month, Wide overhead, Standings* standings) {
    const auto stored = stored_.find(month.start_at);
    stored_month_ = stored == stored_.end() ? nullptr : &stored->second;
    if (stored_month_) {
      for (const auto& [member, row] : *stored_month_) (*standings)[member];
    }
    Wide due = overhead;
    for (const auto& [member, share] : shared_) {
      due -= share;
      (*standings)[member].overhead = share;
    }
    if (due == 0) return;
    std::vector<Wide> weights;
    Wide all = 0;
    for (const std::string& spread : {month.spread, std::string("equal")}) {
      if (all > 0) break;
      weights.clear();
      for (const auto& [member, s] : *standings) {
        weights.push_back(Weight(spread, member, *standings));
        all += weights.back();
      }
    }
    if (all == 0) return;
    const Wide size = due < 0 ? -due : due;
    std::vector<Wide> parts = InProportion(size / kCent, weights);
    for (Wide& part : parts) part *= kCent;
    parts[static_cast<size_t>(std::ranges::max_element(weights) - weights.begin())] += size % kCent;
    size_t i = 0;
    for (auto& [member, s] : *standings) s.overhead += due < 0 ? -parts[i++] : parts[i++];
    for (const auto& [member, s] : *standings) shared_[member] = s.overhead;
  }

  void Compare(const Month& month, Standings* standings) {
    Standings& stored = stored_[month.start_at];
    for (auto& [member, s] : *standings) {
      s.position = s.paid + s.settled - s.spent - s.overhead - s.lapsed - s.carried;
      const auto row = stored.find(member);
      if (row == stored.end()) {
        if (s != Standing()) Report(month.start_at, member, Text(s), "no row");
        continue;
      }
      if (row->second != s) Report(month.start_at, member, Text(s), Text(row->second));
      if (row->second.overhead != s.overhead) {
        findings_.Add("positions.sum", "months", TextOf(month.start_at),
                      fmt::format("a spread of overhead that gives member {} {}", member,
                                  Amount(row->second.overhead)),
                      fmt::format("{}, which gives {}", month.spread, Amount(s.overhead)));
      }
      stored.erase(row);
    }
  }

  db::Connection& connection_;
  Findings& findings_;
  Funds funds_;
  std::vector<Month> months_;
  std::map<Timestamp, Standings> stored_;
  const Standings* stored_month_ = nullptr;
  std::vector<std::tuple<Timestamp, int64_t, Wide>> moves_;  // by payments: month, member, made
  std::map<int64_t, Wide> used_;                             // since the month settled before
  std::map<int64_t, Wide> shared_;                           // overhead up to then
};

}  // namespace

Status CheckPositions(db::Connection& connection, Findings& findings) {
  return Replay(connection, findings).Run();
}

}  // namespace pinka::check
