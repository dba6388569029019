#include "scheduler/api/histories.h"

#include <utility>

namespace pinka::api {
namespace {

constexpr Duration kKeep = Duration::Millis(250);  // shorter than anybody's next look at a quote
constexpr size_t kMostKept = 1'000;
constexpr int kMostLooks = 2;  // at history at the same time

}  // namespace

History ReadHistory(db::ReadPool& pool, MemberId member, const JobRequest& job) {
  History history;
  auto usual = db::ReadUsualRun(pool, member, job.name, job.payload.hash, job.tier);
  if (usual.ok()) history.usual = *std::move(usual);
  auto past = db::ReadPastRuns(pool, member, job.name, job.payload.hash);
  if (past.ok()) history.past = *std::move(past);
  return history;
}

void Histories::Ask(MemberId member, const JobRequest& job,
                    std::function<void(const History&)> then) {
  const Key key{member, job.tier, job.name, job.payload.hash};
  History known;
  {
    std::lock_guard lock(mutex_);
    const auto it = kept_.find(key);
    const bool fresh = it != kept_.end() && desk_.tools().clock.Monotonic() - it->second.at < kKeep;
    if (!fresh && looking_ < kMostLooks) {
      ++looking_;
      const bool asked = desk_.tools().readers.Run(
          [this, key, then, asked_of = job] { Look(key, asked_of, then); });
      if (asked) return;
      --looking_;
    }
    if (it != kept_.end()) known = it->second.history;
  }
  then(known);
}

void Histories::Look(const Key& key, const JobRequest& job,
                     const std::function<void(const History&)>& then) {
  const History history = ReadHistory(desk_.database(), std::get<MemberId>(key), job);
  {
    std::lock_guard lock(mutex_);
    --looking_;
    if (kept_.size() >= kMostKept) kept_.clear();
    kept_[key] = {history, desk_.tools().clock.Monotonic()};
  }
  then(history);
}

}  // namespace pinka::api
