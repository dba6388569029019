#include "agent/card_memory.h"

#include <gtest/gtest.h>

#include <condition_variable>

#include "agent/hardware/used_memory.h"

namespace pinka {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;
const AttemptKey kOne{"run", {JobId(1), 0, 1}};
const AttemptKey kTwo{"run", {JobId(2), 0, 1}};

TEST(UsedMemory, IsReadFromWhatSaysIt) {
  const auto used = hardware::ParseUsedMemory(
      "GPU-aa, 17408\nGPU-bb, [N/A]\nGPU-cc, [GPU is lost]\nGPU-dd,0\r\n\n"
      "GPU-ee, -5\nGPU-ff, 99999999999\nNVIDIA-SMI has failed, because 7\nGPU-gg\n");
  EXPECT_EQ(used, (std::map<std::string, int64_t>{{"GPU-aa", 17'408 * kMib}, {"GPU-dd", 0}}));
}

// What was kept, waited for without a clock.
class Kept {
 public:
  void Put(const AttemptKey& key, int64_t bytes) {
    std::lock_guard lock(mutex_);
    kept_[key] = bytes;
    wake_.notify_all();
  }
  int64_t Wait(const AttemptKey& key, int64_t at_least) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return kept_[key] >= at_least; });
    return kept_[key];
  }
  int64_t Of(const AttemptKey& key) {
    std::lock_guard lock(mutex_);
    return kept_[key];
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<AttemptKey, int64_t> kept_;
};

TEST(CardMemory, KeepsTheMostOfTheFullestCard) {
  Kept kept;
  std::atomic<int> asked = 0;
  const auto ask = [&asked] {
    const int64_t peak[] = {100, 900, 300};
    return std::map<std::string, int64_t>{{"a", peak[std::min(asked++, 2)]}, {"b", 500}, {"c", 7}};
  };
  CardMemory memory(
      ask, [&](const AttemptKey& k, int64_t bytes) { kept.Put(k, bytes); }, Duration::Millis(1));
  memory.Watch({{kOne, {"a", "b"}}, {kTwo, {"c", "gone"}}});
  EXPECT_EQ(kept.Wait(kOne, 900), 900);
  EXPECT_EQ(kept.Of(kTwo), 7);
  while (asked < 5) std::this_thread::yield();
  EXPECT_EQ(kept.Of(kOne), 900) << "less is used since";
}

TEST(CardMemory, AsksAtOnceForWhatIsNewAndNothingWhileNothingRuns) {
  Kept kept;
  std::atomic<int> asked = 0;
  const auto ask = [&asked] {
    ++asked;
    return std::map<std::string, int64_t>{{"a", 5}, {"b", 6}};
  };
  CardMemory memory(
      ask, [&](const AttemptKey& k, int64_t bytes) { kept.Put(k, bytes); }, Duration::Hours(1));
  memory.Watch({});
  EXPECT_EQ(asked, 0);
  memory.Watch({{kOne, {"a"}}});
  EXPECT_EQ(kept.Wait(kOne, 5), 5);
  memory.Watch({{kOne, {"a"}}, {kTwo, {"b"}}});
  EXPECT_EQ(kept.Wait(kTwo, 6), 6);
}

}  // namespace
}  // namespace pinka
