#include "agent/state_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "agent/record/fields.h"
#include "base/parse.h"

namespace pinka {
namespace {

constexpr char kForgottenPrefix[] = "forgotten-";

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

StatusOr<StateDir> StateDir::Open(const std::string& path, bool passable, Random* random) {
  StateDir state;
  state.path_ = path;
  if (Status made = MakeDirectories(path, passable ? 0711 : 0700); !made.ok()) return made;
  StatusOr<Fd> lock = LockFile(path + "/lock");
  if (!lock.ok()) return lock.status();
  state.lock_ = *std::move(lock);
  if (Status made = state.MakePlaces(passable); !made.ok()) return made;
  if (Status loaded = state.LoadIdentity(random); !loaded.ok()) return loaded;
  state.LoadFence();
  return state;
}

Status StateDir::MakePlaces(bool passable) {
  if (Status made = MakeDirectories(AttemptsPath(), 0700); !made.ok()) return made;
  Status made = MakeDirectories(ScratchPath(), passable ? 0711 : 0700);
  if (!made.ok()) return made;
  RemoveForgotten();
  mkfifo(EventsPath().c_str(), 0600);
  // Open for writing as well: else it would be at its end whenever no supervisor writes.
  events_ = Fd(open(EventsPath().c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (events_.valid()) return OkStatus();
  return Unavailable(fmt::format("cannot open the FIFO {}", EventsPath()));
}

// What a crash left of records that were being dropped.
void StateDir::RemoveForgotten() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path_, ignored)) {
    bool forgotten = entry.path().filename().string().starts_with(kForgottenPrefix);
    if (forgotten) RemoveTree(entry.path()).IgnoreError();
  }
}

std::string StateDir::ForgottenPath(const std::string& lab_run, const AttemptId& id) const {
  return path_ + "/" + kForgottenPrefix + lab_run + "-" + ToString(id);
}

Status StateDir::LoadIdentity(Random* random) {
  std::string instance_path = path_ + "/instance";
  if (!PathExists(instance_path)) {
    Status written = WriteFileDurably(instance_path, random->Hex(16) + "\n");
    if (!written.ok()) return written;
  }
  StatusOr<std::string> instance = ReadFile(instance_path);
  if (!instance.ok()) return instance.status();
  instance_ = Trimmed(*instance);
  std::string incarnation_path = path_ + "/incarnation";
  if (StatusOr<std::string> text = ReadFile(incarnation_path); text.ok()) {
    StatusOr<int64_t> last = ParseInt(Trimmed(*text), 0, INT64_MAX - 1, "incarnation");
    if (!last.ok()) return last.status();
    incarnation_ = *last;
  }
  ++incarnation_;
  return WriteFileDurably(incarnation_path, fmt::format("{}\n", incarnation_));
}

void StateDir::LoadFence() {
  StatusOr<std::string> bytes = ReadFile(path_ + "/fence");
  if (!bytes.ok()) return;
  StatusOr<Fields> fields = Fields::Decode("fence", *bytes);
  if (!fields.ok()) return;
  fence_ = {.lab_run = fields->Get("lab_run"),
            .term = fields->GetInt("term", 0),
            .sequence = fields->GetInt("sequence", 0)};
}

bool StateDir::Admit(const std::string& lab_run, int64_t term, int64_t sequence) {
  AnswerFence next = fence_;
  if (!next.Admit(lab_run, term, sequence)) return false;
  Fields fields;
  fields.Add("lab_run", next.lab_run);
  fields.AddInt("term", next.term);
  fields.AddInt("sequence", next.sequence);
  if (!WriteFileDurably(path_ + "/fence", fields.Encode("fence")).ok()) return false;
  fence_ = next;
  return true;
}

void StateDir::WriteHeartbeat(Duration boottime) const {
  // One short pwrite of constant width: readers see the old number or the new one.
  Fd fd(open(HeartbeatPath().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  std::string text = fmt::format("{:020}\n", boottime.millis());
  if (fd.valid()) [[maybe_unused]]
    ssize_t n = pwrite(fd.get(), text.data(), text.size(), 0);
}

}  // namespace pinka
