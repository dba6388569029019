#include "agent/file_keeper.h"

#include <dirent.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "agent/process/kill_point.h"
#include "agent/stager.h"
#include "base/clock.h"
#include "files/carry.h"
#include "files/walk.h"

namespace pinka {
namespace {

constexpr int kWorkers = 3;
constexpr Duration kLookEvery = Duration::Seconds(1);
constexpr Duration kTryAgain = Duration::Seconds(2);
constexpr Duration kPatience = Duration::Minutes(10);  // with a store that does not take it

struct Generation {
  int64_t number = -1;
  std::string name = {};
  int64_t ctime_ns = 0;
};

int64_t ChangedAtNs(const struct stat& info) {
  return int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec;
}

// The highest of those that this attempt wrote, above `above`. Never by their times: an old one
// that is just being removed is the one that changed last.
Generation NewestGeneration(const std::string& directory, int64_t restored, int64_t above) {
  Generation newest;
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return newest;
  while (const dirent* entry = readdir(dir)) {
    const int64_t number = GenerationOf(entry->d_name);
    struct stat info {};
    if (number <= std::max(above, newest.number) || number == restored) continue;
    if (lstat((directory + "/" + entry->d_name).c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
      continue;
    newest = {number, entry->d_name, ChangedAtNs(info)};
  }
  closedir(dir);
  return newest;
}

// Whether it is still as it was put there: a job may remove it while it is read.
bool IsUntouched(const std::string& path, const Generation& generation) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && ChangedAtNs(info) == generation.ctime_ns;
}

// The stored meter is a few seconds old while the attempt runs.
int64_t MeterNow(const Observation& seen) {
  constexpr int64_t kStoredEveryMs = 5'000;
  const int64_t since = (SystemClock().Now().micros() - seen.started_at_us) / 1'000;
  return std::clamp(since, seen.metered_ms, seen.metered_ms + kStoredEveryMs);
}

bool IsForGood(const Status& status) {
  return absl::IsUnimplemented(status) || absl::IsNotFound(status) ||
         absl::IsInvalidArgument(status);
}

}  // namespace

struct FileKeeper::Task {
  AttemptKey key;
  Known known;
  bool ended = false;
  bool given_up = false;      // the store has not taken it for too long
  int64_t metered_ms = 0;     // now, or at the end
  int64_t started_at_us = 0;  // wall clock, as ctime
  std::string Checkpoints() const { return known.home + "/checkpoints"; }
  std::string Output() const { return known.home + "/output"; }
};

FileKeeper::FileKeeper(const StateDir& state, SchedulerClient* client,
                       std::function<void()> finished)
    : state_(state), client_(client), work_(kWorkers, std::move(finished)) {}

FileKeeper::Known& FileKeeper::Load(const Observation& seen) {
  Known& known = known_[seen.key()];
  if (known.kept.done) return known;
  const AttemptDir dir = state_.Attempt(seen.record.lab_run, seen.record.attempt);
  if (!known.read) {
    StatusOr<Order> order = dir.ReadOrder();
    if (!order.ok()) return known;
    known.home = order->home;
    known.restored = order->restored;
    known.read = true;
  }
  if (std::optional<Kept> kept = dir.ReadKept()) known.kept = *std::move(kept);
  return known;
}

void FileKeeper::Observe(Observation* seen, bool reachable) {
  using Phase = Record::Phase;
  const Phase phase = seen->record.phase;
  const bool runs = phase == Phase::kRunning || phase == Phase::kStopping;
  const bool ended = phase == Phase::kEnded && seen->started_at_us != 0;
  seen->record.files_done = !runs && !ended && phase != Phase::kLost;
  if (!runs && !ended) return;
  const Duration now = SystemClock().Boottime();
  const bool idle = !work_.Busy().contains(seen->key());
  Known& known = known_[seen->key()];
  if (idle && !known.kept.done && (ended || now >= known.look_at)) {
    Load(*seen);
    known.look_at = now + kLookEvery;
    const bool failing = !known.kept.message.empty() && reachable;
    if (!failing) known.trouble_since = Duration();
    if (failing && known.trouble_since == Duration()) known.trouble_since = now;
    if (known.kept.done) {
      // As an earlier step, or another process of this agent, has left it.
    } else if (HasWork(known, *seen)) {
      auto task = std::make_shared<Task>();
      task->key = seen->key();
      task->known = known;
      task->ended = ended;
      task->given_up = failing && now - known.trouble_since > kPatience;
      task->metered_ms = ended ? seen->metered_ms : MeterNow(*seen);
      task->started_at_us = seen->started_at_us;
      work_.Start(seen->key(), [this, task] { return Step(*task); });
    } else if (ended) {
      known.kept.done = true;  // nothing was left to be kept, and a new agent finds the same
    }
  }
  seen->record.files_done = known.kept.done;
  seen->generations = known.kept.generations;
  seen->checkpoint_ms = known.kept.checkpoint_ms;
  if (known.kept.done) seen->files_message = known.kept.message;
}

bool FileKeeper::HasWork(const Known& known, const Observation& seen) const {
  if (!known.read) return false;
  const Generation newest =
      NewestGeneration(known.home + "/checkpoints", known.restored, known.kept.newest);
  if (newest.number >= 0) return true;
  return seen.record.phase == Record::Phase::kEnded && !IsEmptyDirectory(known.home + "/output");
}

void FileKeeper::Forget(const std::vector<Observation>& seen) {
  std::set<AttemptKey> named;
  for (const Observation& o : seen) named.insert(o.key());
  std::erase_if(known_, [&](const auto& entry) { return !named.contains(entry.first); });
}

Duration FileKeeper::Step(const Task& task) {
  Kept kept = task.known.kept;
  kept.message.clear();
  if (task.given_up)
    return After(task, kept, absl::ResourceExhaustedError(task.known.kept.message));
  KillPoint("agent.keeping");
  Status status = KeepNewest(task, &kept);
  if (status.ok() && task.ended && !IsEmptyDirectory(task.Output())) status = KeepOutput(task);
  return After(task, std::move(kept), status);
}

// While it runs a failure is tried again; at the end it is also tried, but not for ever.
Duration FileKeeper::After(const Task& task, Kept kept, const Status& status) {
  const AttemptDir dir = state_.Attempt(task.key.first, task.key.second);
  if (!status.ok()) {
    kept.message = Message(status);
    spdlog::warn("{}: files not kept: {}", ToString(task.key.second), kept.message);
  }
  const bool over = status.ok() || IsForGood(status) || task.given_up;
  kept.done = task.ended && over;
  if (Status written = dir.WriteKept(kept); !written.ok()) return kTryAgain;
  KillPoint("agent.kept");
  return over ? Duration() : kTryAgain;
}

Status FileKeeper::KeepNewest(const Task& task, Kept* kept) {
  const Generation newest = NewestGeneration(task.Checkpoints(), task.known.restored, kept->newest);
  if (newest.number < 0) return OkStatus();
  const int64_t ran_ms = (newest.ctime_ns / 1'000 - task.started_at_us) / 1'000;
  v1::KeepFilesRequest request;
  request.set_kind(v1::FileSet::CHECKPOINT);
  request.set_generation(newest.number);
  request.set_metered_ms(std::max(task.metered_ms, int64_t{0}));
  request.set_checkpoint_ms(std::clamp<int64_t>(ran_ms, 0, request.metered_ms()));
  const std::string path = task.Checkpoints() + "/" + newest.name;
  const auto unchanged = [&] { return IsUntouched(path, newest); };
  if (Status s = Send(task, path, unchanged, request); !s.ok()) return s;
  kept->newest = newest.number;
  kept->checkpoint_ms = request.checkpoint_ms();
  ++kept->generations;
  return OkStatus();
}

Status FileKeeper::KeepOutput(const Task& task) {
  v1::KeepFilesRequest request;
  request.set_kind(v1::FileSet::OUTPUT);
  request.set_metered_ms(std::max(task.metered_ms, int64_t{0}));
  return Send(
      task, task.Output(), [] { return true; }, request);
}

Status FileKeeper::Send(const Task& task, const std::string& directory,
                        const std::function<bool()>& unchanged, v1::KeepFilesRequest request) {
  Carrier carrier([this](const auto& hashes) { return client_->FindMissing(hashes); },
                  [this](const auto& hash, const auto& bytes) {
                    Status put = client_->PutBlob(hash, bytes);
                    KillPoint("agent.sent");
                    return put;
                  },
                  kBlobsAtOnce);
  Packer packer(&carrier, {});
  Status packed = PackDirectory(directory, &packer);
  // It changed, or the job has removed it meanwhile, as it does with old generations: another look
  // finds what is there.
  if (absl::IsAborted(packed) || absl::IsNotFound(packed)) return Unavailable(Message(packed));
  if (!packed.ok()) return packed;
  StatusOr<PackedTree> tree = packer.Finish();
  if (!tree.ok()) return tree.status();
  if (!unchanged()) return Unavailable("the job changed a generation that is in its place");
  KillPoint("agent.carried");
  request.set_job_id(task.key.second.job.value());
  request.set_index(task.key.second.index);
  request.set_number(task.key.second.number);
  request.set_root(tree->root);
  Status kept = client_->KeepFiles(request);
  KillPoint("agent.confirmed");
  return kept;
}

}  // namespace pinka
