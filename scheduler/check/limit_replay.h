// Limits over time (semantics.md 7): after each hold, what is open and what was posted in the
// period stays within every limit that applies to its member. Judged from the lab's last change on,
// since limits have no history. Nor is anything ordered from `block_at` percent on. What machines
// bind the lab to pay beyond holds is not replayed: it only keeps more from starting. Where the
// order within an instant is open, the smaller use counts.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "scheduler/check/exact.h"
#include "scheduler/check/findings.h"
#include "scheduler/check/moments.h"

namespace pinka::check {

class LimitReplay {
 public:
  explicit LimitReplay(Findings& findings) : findings_(findings) {}
  Status Load(db::Connection& connection);
  void Instant(std::span<const Moment> moments);

 private:
  struct Limit {
    int64_t id = 0;
    std::string resource;
    bool each = false;
    std::string scope;
    int64_t scope_id = 0;
    int64_t member = 0;  // within a project
    int64_t tier = 0;
    std::string period;
    bool unlimited = false;
    Wide amount = 0;
    int64_t block_at = 0;  // percent; 0: none
    Timestamp until;
    Timestamp starts_at;  // of a dated one, which is a calendar of its own
  };
  struct Use {
    Wide units = 0;
    Wide money = 0;
    Wide unit_ms = 0;
  };
  struct Open {
    int64_t member = 0;
    int64_t project = 0;
    int64_t tier = 0;
    Use use;
  };
  using Key = std::tuple<int64_t, int64_t, int64_t>;  // member, project, tier
  using Uses = std::map<Key, Use>;
  struct Calendar {
    std::vector<std::pair<Timestamp, Timestamp>> periods;
    size_t current = 0;
    Uses posted;
  };

  static bool Applies(const Limit& limit, const Moment& order);
  std::vector<const Limit*> LimitsOf(const Moment& order) const;
  static bool Counts(const Limit& limit, const Moment& order, const Key& key);
  static Wide Part(const Limit& limit, const Use& use);
  static Wide Sum(const Limit& limit, const Moment& order, const Uses& uses);
  Wide Used(const Limit& limit, const Moment& order) const;
  void Advance(Timestamp at);
  void Apply(const Moment& m);
  void Charge(const Moment& m);
  void Judge(const Moment& order, const Uses& ordered);
  void JudgeBlock(const Limit& limit, const Moment& order, Wide used, Wide ordered);

  Findings& findings_;
  Timestamp since_;
  std::vector<Limit> limits_;
  std::map<std::string, Calendar> calendars_;  // "none", "day", "month", "dated 12"
  std::map<AttemptKey, Open> open_;
  Uses sums_;  // of what is open
  std::vector<AttemptKey> ended_now_;
};

}  // namespace pinka::check
