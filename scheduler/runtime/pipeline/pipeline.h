// Batches, terms and replies as a pure state machine (design.md 3): commands in, one batch at a
// time out, and replies only once the batch is known to be committed. The shell around it owns the
// thread, the clock and the database; the simulator drives it from a seed.
//
//   pipeline.Load(snapshot, term, batch);
//   pipeline.Offer(id, command, Lane::kClient);
//   while (pipeline.HasWork()) {
//     auto batch = pipeline.Next(now);
//     if (batch) switch (commit(*batch)) {   // one transaction
//       done:       pipeline.Committed();
//       refused:    pipeline.Refused(message); pipeline.Load(…); // again, one command at a time
//       not there:  pipeline.NotThere();       pipeline.Load(…); // the same commands again
//       not leader: pipeline.Deposed(address);
//     }
//     answers = pipeline.TakeAnswers();
//   }
//
// A commit whose answer was lost is none of these until the leader's row says whether it landed.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/core/core.h"

namespace pinka {

enum class Lane : int8_t { kAgent, kClient };  // agents and timers go before clients

struct Outcome {
  enum class Kind : int8_t {
    kDone,       // committed: `reply` is the answer (which may be a refusal)
    kBusy,       // the lane is full: ask again after retry_after, same request id
    kNotLeader,  // another scheduler leads, at `leader`
    kPoisoned,   // the database refused this command alone; alarmed
    kDown,       // shutting down, or the database is away: ask again
  };
  Kind kind = Kind::kDone;
  Reply reply;
  int64_t batch = 0;  // the batch that carried it; reads may ask for at least that
  Timestamp now;      // core's time of the command
  Duration retry_after;
  std::string leader;
  std::string message;
};

// One transaction: batch n of a term, moving n - 1 to n.
struct Batch {
  int64_t term = 0;
  int64_t number = 0;
  Timestamp core_now;
  Changes changes;
};

class Pipeline {
 public:
  static constexpr size_t kMaxCommands = 256;  // a batch
  static constexpr int64_t kMaxRows = 4000;    // a batch, about
  static constexpr size_t kMaxLane = 8192;     // waiting commands
  // A plan that the database refuses alone is tried again after this; commands go on meanwhile.
  static constexpr Duration kPlanPause = Duration::Minutes(1);

  // What became of one command.
  struct Answer {
    uint64_t id = 0;  // as offered
    Outcome outcome;
  };

  // A fresh core from what the database holds at `batch`. Commands that wait stay.
  void Load(const Snapshot& snapshot, int64_t term, int64_t batch);
  bool loaded() const { return core_.has_value(); }

  // False where the lane is full: the caller answers "busy".
  bool Offer(uint64_t id, Command command, Lane lane);

  // Whether Next has something to do. False while a batch is out.
  bool HasWork() const;

  // Applies waiting commands. A batch to commit, or nothing where they changed nothing: then
  // TakeAnswers has their replies already.
  std::optional<Batch> Next(Timestamp now);

  // What became of the batch that is out.
  void Committed();
  void Refused(const std::string& message);  // for its content; Load must follow
  void NotThere();                           // it did not land; Load must follow
  void Deposed(const std::string& leader);  // another term: everything is answered, nothing goes on

  std::vector<Answer> TakeAnswers();
  // Of batches committed since the last call.
  std::vector<NodeOrders> TakeOrders();
  std::vector<JobId> TakeChangedJobs();
  std::vector<std::string> TakeAlarms();
  // Whether members, projects or tiers changed since the last call.
  bool TakeNamesChanged();

  int64_t batch() const { return batch_; }  // the newest committed
  int64_t term() const { return term_; }
  const Core& core() const { return *core_; }
  size_t waiting() const { return agents_.size() + clients_.size() + replay_.size(); }

 private:
  struct Item {
    uint64_t id = 0;
    Command command;
  };
  std::vector<Item> Take();
  void KeepReply(const Item& item, Reply reply, Timestamp now);
  void Fail(const Item& item, Outcome::Kind kind, std::string message);

  std::optional<Core> core_;
  int64_t term_ = 0;
  int64_t batch_ = 0;
  bool out_ = false;         // a batch is being committed
  bool one_by_one_ = false;  // the replay of a refused batch
  bool more_to_plan_ = false;
  Timestamp plan_again_at_;
  std::deque<Item> agents_;
  std::deque<Item> clients_;
  std::deque<Item> replay_;  // commands of a batch that did not land, first of all
  std::vector<Item> in_batch_;
  std::vector<Answer> pending_;  // replies of in_batch_, until the commit
  std::vector<JobId> batch_jobs_;
  bool names_changed_ = false;
  std::vector<Answer> answers_;
  std::vector<NodeOrders> orders_;
  std::vector<JobId> changed_jobs_;
  std::vector<std::string> alarms_;
};

}  // namespace pinka
