// The Runtime that serves: one thread around the pipeline, a Store for commits, timers for the
// lease, meters, silence and core's own dates.
//
//   Shell shell({.database_url = …}, clock, random);
//   Status s = shell.Start();      // leads, founded, loaded; or says why not
//   …
//   shell.Stop();                  // answers everybody, resigns
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "db/store.h"
#include "scheduler/runtime/agents.h"
#include "scheduler/runtime/pipeline/pipeline.h"
#include "scheduler/runtime/runtime.h"

namespace pinka {

// Called on the shell's thread, for those who measure; none need be there.
struct ShellWatch {
  std::function<void(Duration)> stepped;    // core took a batch's commands and planned
  std::function<void(Duration)> committed;  // a batch's transaction, from sending to its answer
  std::function<void()> reloaded;           // core was loaded anew while serving
};

struct ShellOptions {
  std::string database_url;
  std::string address;  // where others find this scheduler
  std::string first_admin = "admin";
  std::string first_token;                        // of a lab founded now; its hash is stored
  Duration silent_after = Duration::Seconds(40);  // two held calls
  ShellWatch watch{};
};

class Shell final : public Runtime {
 public:
  Shell(ShellOptions options, const Clock& clock, Random& random);
  ~Shell() override;

  // Blocks until this process leads and has loaded; waits for a lease to expire, up to `patience`.
  Status Start(Duration patience);
  void Stop();
  bool founded_now() const { return founded_now_; }
  // Why the thread ended by itself (another leader); empty while it serves.
  std::string ended() const;

  void Do(Command command, Lane lane, std::function<void(const Outcome&)> done) override;
  void Look(std::function<void(const State&)> look,
            std::function<void(const Outcome&)> then) override;
  void GetBoard(std::function<void(std::shared_ptr<const Board>)> then) override;
  void WhenBatch(int64_t batch, Duration timeout, std::function<void()> then) override;
  void WhenJobChanges(JobId job, Duration timeout, std::function<void()> then) override;
  AgentBoard& agents() override { return *agents_; }
  int64_t committed_batch() const override { return committed_; }
  std::vector<std::string> alarms() const override;

 private:
  struct Mail {
    uint64_t id = 0;
    Command command;
    Lane lane = Lane::kClient;
  };
  struct LookMail {
    std::function<void(const State&)> look;
    std::function<void(const Outcome&)> then;
  };
  struct Waiter {
    int64_t batch = 0;  // WhenBatch
    JobId job;          // WhenJobChanges
    Timestamp until;
    std::function<void()> then;
  };
  using Done = std::function<void(const Outcome&)>;

  Status Lead(Duration patience);
  Status Reload();
  Status Found();
  Status WriteCalendar();
  void Sweep(Timestamp now);
  void Run();
  bool Turn();  // one round of the loop; false: no longer leader
  bool MoreWaits();
  void CollectMail();
  void RunTimers(Timestamp now);
  bool CommitBatch(Batch batch);  // false: no longer leader
  bool SettleDoubt(const Batch& batch);
  bool Recover();  // loads anew, waiting for the database; false: deposed or stopping
  void Deliver();  // answers, orders, waiters of what is committed
  void RunLooks();
  void RefreshBoard();
  void CallWaiters(const std::vector<JobId>& changed);
  void Post(Command command);  // the shell's own commands
  void Alarm(std::string text);
  Timestamp NextTimer(Timestamp now) const;

  const ShellOptions options_;
  const Clock& clock_;
  Random& random_;
  const std::string holder_;
  db::Store store_;
  Pipeline pipeline_;
  std::unique_ptr<AgentBoard> agents_;
  int64_t term_ = 0;
  bool founded_now_ = false;
  Timestamp renewed_at_, meters_at_, silence_at_, calendar_at_;
  std::map<uint64_t, Done> dones_;  // the loop's
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::string ended_;
  uint64_t next_id_ = 1;
  std::deque<Mail> mail_;
  size_t agent_mail_ = 0, client_mail_ = 0;
  std::map<uint64_t, Done> new_dones_;
  std::vector<LookMail> looks_;
  std::vector<std::function<void(std::shared_ptr<const Board>)>> board_asks_;
  std::shared_ptr<const Board> board_;
  Timestamp board_at_;
  Duration board_age_;  // how long it is good enough: 100 ms, or 20 times what it costs
  int64_t board_batch_ = -1;
  std::vector<Waiter> waiters_;
  std::deque<std::string> alarms_;
  std::atomic<int64_t> committed_{0};
};

}  // namespace pinka
