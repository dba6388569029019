#include "scheduler/runtime/shell.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/hash.h"
#include "base/parse.h"
#include "fmt/format.h"
#include "scheduler/runtime/calendar.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

constexpr Duration kRenewEvery = Duration::Seconds(1);
constexpr Duration kMetersEvery = Duration::Seconds(60);
constexpr Duration kSilenceEvery = Duration::Seconds(2);
constexpr Duration kCalendarEvery = Duration::Hours(6);
constexpr Duration kBoardAge = Duration::Millis(100);
constexpr size_t kMaxAlarms = 100;
constexpr size_t kMaxMail = Pipeline::kMaxLane;

Outcome Down(const std::string& message) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::kDown;
  outcome.message = message;
  outcome.retry_after = Duration::Seconds(1);
  return outcome;
}

// Somebody should look: time alone will not tell what became of it, unless a fence does.
std::string UnknownWork(const AgentBoard::Silence& silence) {
  std::string attempts;
  for (const AttemptId& id : silence.unknown)
    attempts += (attempts.empty() ? "" : ", ") + ToString(id);
  return fmt::format("node {} is silent{}; UNKNOWN: {}", silence.name,
                     silence.heard_at ? " since " + FormatUtc(silence.heard_at) : "", attempts);
}

}  // namespace

Shell::Shell(ShellOptions options, const Clock& clock, Random& random)
    : options_(std::move(options)),
      clock_(clock),
      random_(random),
      holder_(random.Hex(16)),
      store_(options_.database_url) {}

Shell::~Shell() { Stop(); }

Status Shell::Start(Duration patience) {
  if (Status s = Lead(patience); !s.ok()) return s;
  if (Status s = Reload(); !s.ok()) return s;
  if (pipeline_.core().state().lab.run.empty()) {
    if (Status s = Found(); !s.ok()) return s;
  }
  agents_ = std::make_unique<AgentBoard>(clock_, term_, pipeline_.core().state().lab.run,
                                         pipeline_.core().now());
  agents_->Publish(pipeline_.core().AllOrders());
  if (Status s = WriteCalendar(); !s.ok()) return s;
  Sweep(clock_.Now());
  committed_ = pipeline_.batch();
  RefreshBoard();
  thread_ = std::thread([this] { Run(); });
  return OkStatus();
}

// Before the thread runs: the first batch of a lab's life.
Status Shell::Found() {
  pipeline_.Offer(0,
                  FoundLab{random_.Hex(16), options_.first_admin, Sha256Hex(options_.first_token)},
                  Lane::kClient);
  while (pipeline_.HasWork()) {
    auto batch = pipeline_.Next(clock_.Now());
    if (!batch) continue;
    const auto result =
        store_.Commit({batch->term, batch->number, batch->core_now}, batch->changes);
    if (!result.done())
      return Internal(fmt::format("the lab could not be founded: {}", result.message));
    pipeline_.Committed();
  }
  pipeline_.TakeAnswers();
  pipeline_.TakeOrders();
  founded_now_ = true;
  return OkStatus();
}

Status Shell::WriteCalendar() {
  const State& state = pipeline_.core().state();
  auto periods = PeriodsAround(state.lab.timezone, clock_.Now());
  if (!periods.ok()) return periods.status();
  calendar_at_ = clock_.Now();
  const auto end_of = [](const std::vector<PeriodRow>& rows) {
    return rows.empty() ? Timestamp() : rows.back().end_at;
  };
  // Only what is missing; an unchanged calendar writes nothing.
  std::erase_if(*periods, [&](const PeriodRow& row) {
    return row.end_at <= end_of(row.kind == Period::kDay ? state.days : state.months);
  });
  auto nights = NightsAround(state.lab.timezone, clock_.Now(), end_of(state.nights),
                             state.lab.night_from_min, state.lab.night_to_min);
  if (!nights.ok()) return nights.status();
  periods->insert(periods->end(), nights->begin(), nights->end());
  if (!periods->empty()) Post(AddPeriods{*std::move(periods)});
  return OkStatus();
}

// The database's chores: partitions ahead, old events and expired keys away.
void Shell::Sweep(Timestamp now) {
  if (Status s = store_.Sweep(now); !s.ok()) spdlog::warn("chores were put off: {}", Message(s));
}

void Shell::Stop() {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (agents_) agents_->ReleaseAll();
  if (term_ > 0) (void)store_.Resign(term_);
}

std::string Shell::ended() const {
  std::lock_guard lock(mutex_);
  return ended_;
}

void Shell::Do(Command command, Lane lane, std::function<void(const Outcome&)> done) {
  Outcome refused;
  {
    std::lock_guard lock(mutex_);
    size_t& waiting = lane == Lane::kAgent ? agent_mail_ : client_mail_;
    if (stopping_ || !ended_.empty()) {
      refused = Down("the scheduler is stopping; try again in a moment");
    } else if (waiting >= kMaxMail) {
      refused.kind = Outcome::Kind::kBusy;
      refused.retry_after = Duration::Millis(200);
      refused.message = "the scheduler is busy";
    } else {
      ++waiting;
      const uint64_t id = next_id_++;
      mail_.push_back({id, std::move(command), lane});
      new_dones_.emplace(id, std::move(done));
      wake_.notify_one();
      return;
    }
  }
  done(refused);
}

void Shell::Post(Command command) {
  Do(std::move(command), Lane::kAgent, [](const Outcome&) {});
}

void Shell::Look(std::function<void(const State&)> look, std::function<void(const Outcome&)> then) {
  {
    std::lock_guard lock(mutex_);
    if (!stopping_ && ended_.empty()) {
      looks_.push_back({std::move(look), std::move(then)});
      wake_.notify_one();
      return;
    }
  }
  then(Down("the scheduler is stopping; try again in a moment"));
}

void Shell::GetBoard(std::function<void(std::shared_ptr<const Board>)> then) {
  std::shared_ptr<const Board> fresh;
  {
    std::lock_guard lock(mutex_);
    const bool young =
        board_ && (board_batch_ == committed_ || clock_.Now() - board_at_ < board_age_);
    if (!young && !stopping_ && ended_.empty()) {
      board_asks_.push_back(std::move(then));
      wake_.notify_one();
      return;
    }
    fresh = board_;
  }
  then(fresh);
}

void Shell::WhenBatch(int64_t batch, Duration timeout, std::function<void()> then) {
  {
    std::lock_guard lock(mutex_);
    if (committed_ < batch && !stopping_) {
      waiters_.push_back({batch, {}, clock_.Now() + timeout, std::move(then)});
      return;
    }
  }
  then();
}

void Shell::WhenJobChanges(JobId job, Duration timeout, std::function<void()> then) {
  {
    std::lock_guard lock(mutex_);
    if (!stopping_) {
      waiters_.push_back({INT64_MAX, job, clock_.Now() + timeout, std::move(then)});
      return;
    }
  }
  then();
}

std::vector<std::string> Shell::alarms() const {
  std::lock_guard lock(mutex_);
  return {alarms_.begin(), alarms_.end()};
}

void Shell::Alarm(std::string text) {
  spdlog::error("alarm: {}", text);
  std::lock_guard lock(mutex_);
  alarms_.push_back(std::move(text));
  if (alarms_.size() > kMaxAlarms) alarms_.pop_front();
}

void Shell::Run() {
  while (Turn()) {
  }
  pipeline_.Deposed(ended_);
  Deliver();
  std::vector<Waiter> waiters;
  std::vector<LookMail> looks;
  std::vector<std::function<void(std::shared_ptr<const Board>)>> asks;
  {
    std::lock_guard lock(mutex_);
    if (ended_.empty()) ended_ = "stopped";
    waiters.swap(waiters_);
    looks.swap(looks_);
    asks.swap(board_asks_);
    for (auto& [id, done] : new_dones_) dones_.emplace(id, std::move(done));
    new_dones_.clear();
  }
  for (auto& [id, done] : dones_) done(Down("the scheduler is stopping; try again in a moment"));
  for (LookMail& look : looks) look.then(Down("the scheduler is stopping; try again in a moment"));
  for (Waiter& waiter : waiters) waiter.then();
  for (auto& ask : asks) ask(board_);
}

bool Shell::Turn() {
  {
    std::unique_lock lock(mutex_);
    const Timestamp now = clock_.Now();
    const Duration rest = std::clamp(NextTimer(now) - now, Duration(), Duration::Millis(250));
    const auto something = [this] {
      return stopping_ || !mail_.empty() || !looks_.empty() || !board_asks_.empty() ||
             pipeline_.HasWork();
    };
    wake_.wait_for(lock, std::chrono::microseconds(rest.micros()), something);
    if (stopping_) return false;
  }
  CollectMail();
  RunTimers(clock_.Now());
  bool wrote = false;
  if (pipeline_.HasWork()) {
    const Duration began = clock_.Monotonic();
    std::optional<Batch> batch = pipeline_.Next(clock_.Now());
    if (options_.watch.stepped) options_.watch.stepped(clock_.Monotonic() - began);
    wrote = batch.has_value();
    if (batch && !CommitBatch(*std::move(batch))) return false;
    committed_ = pipeline_.batch();
  }
  // Where more waits, that goes to the database first: these answers go out beside it.
  if (!wrote || !MoreWaits()) Deliver();
  RunLooks();
  RefreshBoard();
  return true;
}

bool Shell::MoreWaits() {
  if (pipeline_.HasWork()) return true;
  std::lock_guard lock(mutex_);
  return !mail_.empty() && !stopping_;
}

void Shell::CollectMail() {
  std::deque<Mail> mail;
  {
    std::lock_guard lock(mutex_);
    mail.swap(mail_);
    agent_mail_ = client_mail_ = 0;
    for (auto& [id, done] : new_dones_) dones_.emplace(id, std::move(done));
    new_dones_.clear();
  }
  for (Mail& letter : mail) {
    if (pipeline_.Offer(letter.id, std::move(letter.command), letter.lane)) continue;
    Outcome busy;
    busy.kind = Outcome::Kind::kBusy;
    busy.retry_after = Duration::Millis(200);
    busy.message = "the scheduler is busy";
    auto done = dones_.extract(letter.id);
    if (done) done.mapped()(busy);
  }
}

void Shell::RunTimers(Timestamp now) {
  if (now - renewed_at_ >= kRenewEvery) {
    renewed_at_ = now;
    const StatusOr<bool> renewed = store_.Renew(term_);
    // An unreachable database is noticed by the next commit; a lost term ends this leader there.
    if (!renewed.ok()) spdlog::warn("the lease was not renewed: {}", Message(renewed.status()));
  }
  if (now - meters_at_ >= kMetersEvery) {
    meters_at_ = now;
    std::vector<StoreMeters::Meter> meters = agents_->TakeMeters();
    if (!meters.empty()) Post(StoreMeters{std::move(meters)});
  }
  if (now - silence_at_ >= kSilenceEvery) {
    silence_at_ = now;
    for (AgentBoard::Silence& silence : agents_->TakeSilent(options_.silent_after)) {
      if (!silence.unknown.empty()) Alarm(UnknownWork(silence));
      Post(NodeSilent{silence.node, std::move(silence.never_carried)});
    }
    std::vector<AttemptId> over = agents_->ProvenOver();
    if (!over.empty()) Post(AttemptsProvenOver{std::move(over)});
  }
  if (now - calendar_at_ >= kCalendarEvery) {
    (void)WriteCalendar();
    Sweep(now);
  }
  if (pipeline_.loaded() && pipeline_.core().NextWakeup() <= now) Post(Tick{});
  agents_->ExpireWaiters();
  CollectMail();
}

Timestamp Shell::NextTimer(Timestamp now) const {
  Timestamp next = std::min(renewed_at_ + kRenewEvery, silence_at_ + kSilenceEvery);
  if (pipeline_.loaded()) next = std::min(next, pipeline_.core().NextWakeup());
  return std::max(next, now);
}

void Shell::Deliver() {
  for (std::string& alarm : pipeline_.TakeAlarms()) Alarm(std::move(alarm));
  std::vector<NodeOrders> orders = pipeline_.TakeOrders();
  if (!orders.empty()) agents_->Publish(std::move(orders));
  if (pipeline_.TakeNamesChanged()) {
    std::lock_guard lock(mutex_);
    board_age_ = Duration();  // whoever was told of a new name finds it
  }
  committed_ = pipeline_.batch();
  for (const auto& answer : pipeline_.TakeAnswers()) {
    auto done = dones_.extract(answer.id);
    if (done) done.mapped()(answer.outcome);
  }
  CallWaiters(pipeline_.TakeChangedJobs());
}

void Shell::CallWaiters(const std::vector<JobId>& changed) {
  std::vector<std::function<void()>> calls;
  {
    std::lock_guard lock(mutex_);
    const Timestamp now = clock_.Now();
    for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
      const bool due = waiter->until <= now || committed_ >= waiter->batch ||
                       (waiter->job && std::ranges::find(changed, waiter->job) != changed.end());
      if (!due) {
        ++waiter;
        continue;
      }
      calls.push_back(std::move(waiter->then));
      waiter = waiters_.erase(waiter);
    }
  }
  for (auto& call : calls) call();
}

// Between batches everything in core is committed.
void Shell::RunLooks() {
  std::vector<LookMail> looks;
  {
    std::lock_guard lock(mutex_);
    looks.swap(looks_);
  }
  for (LookMail& mail : looks) {
    mail.look(pipeline_.core().state());
    Outcome outcome;
    outcome.batch = pipeline_.batch();
    outcome.now = pipeline_.core().now();
    mail.then(outcome);
  }
}

void Shell::RefreshBoard() {
  std::vector<std::function<void(std::shared_ptr<const Board>)>> asks;
  {
    std::lock_guard lock(mutex_);
    if (board_ && board_asks_.empty()) return;
    asks.swap(board_asks_);
  }
  const Duration began = clock_.Monotonic();
  std::shared_ptr<const Board> board = MakeBoard(pipeline_.core().state(), pipeline_.batch());
  {
    std::lock_guard lock(mutex_);
    board_ = board;
    board_at_ = clock_.Now();
    board_age_ = std::max(kBoardAge, (clock_.Monotonic() - began) * 20);
    board_batch_ = board->batch;
  }
  for (auto& ask : asks) ask(board);
}

}  // namespace pinka
