#include "agent/agent.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "agent/process/kill_point.h"
#include "agent/wire.h"
#include "base/file.h"
#include "base/parse.h"

namespace pinka {
namespace {

constexpr Duration kIdleLook = Duration::Seconds(1);      // deadlines of actions put off
constexpr Duration kBetweenCalls = Duration::Millis(10);  // news of a moment goes in one call
constexpr Duration kGoodbye = Duration::Seconds(2);
constexpr int64_t kMaxHoldMs = 20'000;
constexpr int kLaunchers = 4;
constexpr int kUndertakers = 2;

void DrainFifo(int fd) {
  std::array<char, 4096> bytes;
  while (read(fd, bytes.data(), bytes.size()) > 0) {
  }
}

// It becomes a directory's name.
bool IsLabRun(const std::string& text) {
  auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), plain);
}

}  // namespace

Agent::Agent(StateDir* state, const Box& box, SchedulerClient* client, const Places& places,
             inspect::Checker* checker, SpotWatch* spot)
    : state_(state),
      box_(box),
      client_(client),
      records_(*state),
      payloads_(client),
      stager_(client, state->path() + "/cache"),
      launcher_(*state, box, &payloads_, &stager_, places.supervisor, places.scratch),
      fitness_({state->path(), places.scratch}, places.disk_floor_bytes),
      spot_(spot),
      hardware_(box, checker, state->incarnation()),
      keeper_(*state, client, [this] { Poke(); }),
      uploader_(client, [this] { Poke(); }),
      launching_(kLaunchers, [this] { Poke(); }),
      burying_(kUndertakers, [this] { Poke(); }) {
  mailbox_->wake = state_->EventsPath();
  if (spot_ != nullptr) spot_->Start([this] { Poke(); });
  if (checker == nullptr) return;
  launcher_.AskPciOrder([checker] { return checker->PciOrder(); });
  cards_ = std::make_unique<CardMemory>(
      [checker] { return checker->UsedMemory(); },
      [this](const AttemptKey& key, int64_t bytes) {
        // Best effort: the attempt may just have been forgotten.
        state_->Attempt(key.first, key.second).WriteCardPeak({bytes}).IgnoreError();
      });
  checker->Start([this] { Poke(); });
}

void Agent::Run(int signals_fd) {
  Look();
  // A predecessor may have died between writing a stop and waking its reader.
  for (const Observation& o : seen_) state_->Attempt(o.record.lab_run, o.record.attempt).Wake();
  std::array<pollfd, 1> stop = {pollfd{signals_fd, POLLIN, 0}};
  while (poll(stop.data(), 1, 0) == 0) {
    Look();
    TakeReply();
    FeedUploader();
    Act();
    Talk();
    WaitForEvents(signals_fd);
  }
  SayGoodbye();
}

void Agent::Look() {
  // Busy is asked first: work that ends while we look is then still judged as under way, and its
  // end wakes us again.
  std::set<AttemptKey> busy = launching_.Busy();
  busy.merge(burying_.Busy());
  seen_ = records_.Scan();
  for (Observation& o : seen_) {
    o.record.busy = busy.erase(o.key()) > 0;
    o.record.log_done = uploader_.Done(o.record.attempt);
    o.record.files_done = true;  // nobody else's are kept
    if (o.record.lab_run == state_->fence().lab_run) keeper_.Observe(&o, reachable_);
  }
  keeper_.Forget(seen_);
  for (const AttemptKey& key : busy) {  // nothing on disk yet
    Observation& begun = seen_.emplace_back();
    begun.record.lab_run = key.first;
    begun.record.attempt = key.second;
    begun.record.busy = true;
  }
  WatchSupervisors();
  WatchCards();
  Judge();
}

// Whether this box may take new work.
void Agent::Judge() {
  bool met_full_disk = std::any_of(seen_.begin(), seen_.end(), [](const Observation& o) {
    return o.has_exit && o.exit.reason == "DiskFull";
  });
  std::string found = fitness_.Look(met_full_disk, clock_.Monotonic());
  disk_unfit_ = !found.empty();
  if (spot_ != nullptr) reclaim_ = spot_->reclaim();
  if (reclaim_) found = "its provider takes it away at " + FormatUtc(reclaim_->deadline);
  std::string before = std::exchange(unfit_, found);
  if (unfit_ == before) return;
  if (unfit_.empty()) {
    spdlog::info("this box takes new work again");
  } else {
    spdlog::warn("this box takes no new work: {}", unfit_);
  }
}

void Agent::WatchSupervisors() {
  std::map<AttemptKey, Fd> watched;
  for (const Observation& o : seen_) {
    if (o.record.Over() || o.supervisor.pid == 0 || o.record.phase == Record::Phase::kLost)
      continue;
    auto known = supervisors_.find(o.key());
    Fd fd = known != supervisors_.end() ? std::move(known->second) : Fd(OpenPidfd(o.supervisor));
    if (fd.valid()) watched[o.key()] = std::move(fd);
  }
  supervisors_ = std::move(watched);
}

void Agent::WatchCards() {
  if (!cards_) return;
  std::map<AttemptKey, std::vector<std::string>> running;
  for (const Observation& o : seen_) {
    if (o.record.phase == Record::Phase::kRunning && !o.record.gpu_uuids.empty())
      running[o.key()] = o.record.gpu_uuids;
  }
  cards_->Watch(std::move(running));
}

void Agent::Act() {
  std::vector<Record> records;
  for (const Observation& o : seen_) records.push_back(o.record);
  Situation now{.now = clock_.Now(),
                .boottime = clock_.Boottime(),
                .draining = draining_,
                .unfit = disk_unfit_,
                .gpu_uuids = hardware_.Uuids(),
                .lost_gpus = hardware_.LostUuids(),
                .hardware_wrong = hardware_.Wrong()};
  if (reclaim_) now.reclaim_at = reclaim_->at;
  for (const Action& action : Reconcile(answer_ ? &*answer_ : nullptr, records, now)) Do(action);
}

void Agent::Do(const Action& action) {
  AttemptKey key{action.lab_run, action.attempt};
  switch (action.kind) {
    case Action::Kind::kLaunch:
      return launching_.Start(key,
                              [this, key, order = orders_[action.attempt], by = action.start_by] {
                                return launcher_.Launch(key, order, by);
                              });
    case Action::Kind::kRefuse:
      return launching_.Start(
          key, [this, key, why = action.reason] { return launcher_.Refuse(key, why); });
    case Action::Kind::kStop:
      return StopAttempt(action);
    case Action::Kind::kBury:
      return burying_.Start(key, [this, key] { return launcher_.Bury(key); });
    case Action::Kind::kForget:
      if (action.lab_run == state_->fence().lab_run) uploader_.Drop(action.attempt);
      return launching_.Start(key, [this, key] { return launcher_.Forget(key); });
  }
}

// Quick enough for the loop, and never behind a launch.
void Agent::StopAttempt(const Action& action) {
  AttemptDir dir = state_->Attempt(action.lab_run, action.attempt);
  KillPoint("agent.stopping");
  Status written = dir.WriteStop({.reason = action.reason,
                                  .grace_ms = action.grace.millis(),
                                  .lead_ms = action.lead.millis(),
                                  .asked_ms = clock_.Boottime().millis()});
  if (!written.ok()) spdlog::error("{}", Message(written));
  KillPoint("agent.stop_written");
  dir.Wake();
  KillPoint("agent.stop_sent");
}

void Agent::FeedUploader() {
  for (const Observation& o : seen_) {
    using Phase = Record::Phase;
    bool has_log = o.record.phase != Phase::kAbsent && o.record.phase != Phase::kOrdered;
    bool ours = o.record.lab_run == state_->fence().lab_run;
    if (!has_log || !ours || o.record.log_done || o.record.busy) continue;
    // The scheduler ends a stream that brings it a log it has not asked for, and all others with
    // it.
    if (!orders_.contains(o.record.attempt)) {
      uploader_.Drop(o.record.attempt);
      continue;
    }
    AttemptDir dir = state_->Attempt(o.record.lab_run, o.record.attempt);
    bool whole = o.record.phase == Phase::kEnded;
    uploader_.Observe(o.record.attempt, dir.LogPath(), o.log_bytes, whole);
  }
}

void Agent::WaitForEvents(int signals_fd) {
  std::vector<pollfd> wait = {{signals_fd, POLLIN, 0}, {state_->events_fd(), POLLIN, 0}};
  for (const auto& [key, fd] : supervisors_) wait.push_back({fd.get(), POLLIN, 0});
  Duration now = clock_.Boottime();
  Duration until = now + kIdleLook;
  if (!call_ || CallIsStale()) until = std::min(until, send_at_ + Duration::Millis(1));
  int64_t ms = std::max<int64_t>((until - now).millis(), 0);
  poll(wait.data(), wait.size(), static_cast<int>(ms));
  DrainFifo(state_->events_fd());
}

// What the scheduler must hear of at once: the states, not the meters.
std::string Agent::Shape() const {
  std::string shape = (draining_ ? "draining\n" : "\n") + unfit_ + "\n" + hardware_.Shape();
  for (const Observation& o : seen_) {
    if (!IsReported(o)) continue;
    shape += ToString(o.record.attempt) + " " + std::to_string(ToWire(o).state()) + "\n";
  }
  return shape;
}

// An attempt is reported once what is being done about it is on disk, and only to the lab run that
// it is of. A claim of ours whose end is still being written says nothing yet.
bool Agent::IsReported(const Observation& seen) const {
  bool recorded = !seen.record.busy || seen.supervisor.pid != 0 || seen.has_exit;
  return recorded && seen.record.lab_run == state_->fence().lab_run;
}

// The call on its way is held and does not know the news. One that is not held is waited for: news
// that come thick and fast must not cancel every answer.
bool Agent::CallIsStale() const { return hold_sent_ms_ > 0 && Shape() != shape_sent_; }

void Agent::Talk() {
  if (clock_.Boottime() < send_at_) return;
  if (!call_) return Send();
  if (!CallIsStale()) return;
  // Its answer, if one comes all the same, is ignored: the next brings the same and more.
  call_->Cancel();
  call_.reset();
  Send();
}

void Agent::Send() {
  v1::SynchronizeRequest request = MakeRequest();
  shape_sent_ = Shape();
  sent_at_ = clock_.Boottime();
  send_at_ = sent_at_ + kBetweenCalls;
  hold_sent_ms_ = request.hold_ms();
  sent_.clear_hardware();
  if (request.has_hardware()) sent_.mutable_hardware()->set_id(request.hardware().id());
  KillPoint("agent.sending");
  auto leave = [box = mailbox_, sequence = sequence_](const Status& status,
                                                      const v1::SynchronizeResponse& response) {
    std::lock_guard lock(box->mutex);
    if (!box->reply || box->reply->sequence < sequence) box->reply = {sequence, status, response};
    AttemptDir::PokeFifo(box->wake);
  };
  call_ = client_->Synchronize(std::move(request), std::move(leave));
}

v1::SynchronizeRequest Agent::MakeRequest() {
  v1::SynchronizeRequest request;
  request.set_instance(state_->instance());
  request.set_incarnation(state_->incarnation());
  request.set_sequence(++sequence_);
  request.set_boot_id(box_.boot_id);
  request.set_lab_run(state_->fence().lab_run);
  *request.mutable_facts() = ToWire(box_);
  for (const Observation& o : seen_) {
    if (IsReported(o)) *request.add_attempts() = ToWire(o);
  }
  request.set_desired_version(desired_version_);
  request.set_hold_ms(HoldMs());
  request.set_draining(draining_);
  request.set_unfit(unfit_);
  request.set_sent_at_us(clock_.Now().micros());
  hardware_.Fill(&request);
  return request;
}

// A supervisor with a fence needs to hear of us well within it.
int64_t Agent::HoldMs() const {
  if (draining_ || Shape() != shape_known_) return 0;
  int64_t hold = kMaxHoldMs;
  for (const auto& [id, order] : orders_) {
    if (order.fence_ms() > 0) hold = std::min(hold, order.fence_ms() / 4);
  }
  return hold;
}

void Agent::TakeReply() {
  std::optional<Reply> reply;
  {
    std::lock_guard lock(mailbox_->mutex);
    reply.swap(mailbox_->reply);
  }
  if (!reply || reply->sequence != sequence_ || !call_) return;
  call_.reset();
  if (reply->status.ok() && reply->response.refusal().empty()) return TakeAnswer(reply->response);
  if (absl::IsNotFound(reply->status)) TakeRemoval();
  std::string why = reply->status.ok() ? reply->response.refusal() : Message(reply->status);
  if (why != complaint_) spdlog::warn("no answer from the scheduler: {}", why);
  complaint_ = why;
  reachable_ = false;
  send_at_ = clock_.Boottime() + backoff_.Next(random_.Next());
}

// The lab has given this node up: what it still runs is somebody else's by now.
void Agent::TakeRemoval() {
  answer_ = Answer{.lab_run = state_->fence().lab_run, .attempts = {}, .request_sent_at = sent_at_};
  orders_.clear();
}

void Agent::TakeAnswer(const v1::SynchronizeResponse& response) {
  KillPoint("agent.answered");
  if (!reachable_) spdlog::info("the scheduler answers, term {}", response.term());
  hardware_.TakeAnswer(sent_, response, !std::exchange(reachable_, true));
  complaint_.clear();
  backoff_.Succeeded();
  bool other_run = response.lab_run() != state_->fence().lab_run;
  if (!IsLabRun(response.lab_run()) ||
      !state_->Admit(response.lab_run(), response.term(), response.sequence())) {
    spdlog::warn("an answer of term {}, sequence {} is older than one acted on, or names no lab",
                 response.term(), response.sequence());
    send_at_ = clock_.Boottime() + backoff_.Next(random_.Next());
    return;
  }
  state_->WriteHeartbeat(sent_at_);
  if (other_run) uploader_.DropAll();
  shape_known_ = shape_sent_;
  // An answer that came at once and brings nothing must not make us ask in a circle.
  bool news = response.desired_version() != desired_version_ || other_run;
  desired_version_ = response.desired_version();
  answer_ = FromWire(response, sent_at_);
  orders_.clear();
  for (const auto& line : response.attempts()) orders_[FromWire(line.name())] = line;
  Duration pause = news ? Duration() : kBetweenCalls * 10;
  if (HoldMs() == 0) pause = kBetweenCalls;
  send_at_ = std::max(send_at_, sent_at_ + pause);
}

// The scheduler learns that nothing new should come; what runs, runs on.
void Agent::SayGoodbye() {
  spdlog::info("stopping; {} attempts go on under their supervisors", supervisors_.size());
  draining_ = true;
  if (call_) call_->Cancel();
  Look();
  Send();
  Duration until = clock_.Boottime() + kGoodbye;
  while (call_ && clock_.Boottime() < until) {
    std::array<pollfd, 1> wait = {pollfd{state_->events_fd(), POLLIN, 0}};
    poll(wait.data(), 1, 50);
    DrainFifo(state_->events_fd());
    std::lock_guard lock(mailbox_->mutex);
    if (mailbox_->reply && mailbox_->reply->sequence == sequence_) break;
  }
  if (call_) call_->Cancel();
}

}  // namespace pinka
