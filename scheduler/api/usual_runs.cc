#include "scheduler/api/usual_runs.h"

#include <utility>

namespace pinka::api {
namespace {

constexpr Duration kKeep = Duration::Millis(250);  // shorter than anybody's next look at a quote
constexpr size_t kMostKept = 1'000;
constexpr int kMostLooks = 2;  // at history at the same time

}  // namespace

void UsualRuns::Ask(MemberId member, const JobRequest& job,
                    std::function<void(const Answer&)> then) {
  Key key{member, job.tier, job.name, job.payload.hash};
  Answer known;
  {
    std::lock_guard lock(mutex_);
    const auto it = kept_.find(key);
    const bool fresh = it != kept_.end() && desk_.tools().clock.Monotonic() - it->second.at < kKeep;
    if (!fresh && looking_ < kMostLooks) {
      ++looking_;
      const bool asked =
          desk_.tools().readers.Run([this, key = std::move(key), then] { Look(key, then); });
      if (asked) return;
      --looking_;
    }
    if (it != kept_.end()) known = it->second.answer;
  }
  then(known);
}

void UsualRuns::Look(const Key& key, const std::function<void(const Answer&)>& then) {
  const auto& [member, tier, name, payload] = key;
  auto usual = db::ReadUsualRun(desk_.database(), member, name, payload, tier);
  const Answer answer = usual.ok() ? *std::move(usual) : std::nullopt;
  {
    std::lock_guard lock(mutex_);
    --looking_;
    if (kept_.size() >= kMostKept) kept_.clear();
    kept_[key] = {answer, desk_.tools().clock.Monotonic()};
  }
  then(answer);
}

}  // namespace pinka::api
