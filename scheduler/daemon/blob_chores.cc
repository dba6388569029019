#include "scheduler/daemon/blob_chores.h"

#include <chrono>

#include "db/reads_files.h"
#include "scheduler/api/file_sweep.h"
#include "spdlog/spdlog.h"

namespace pinka {
namespace {

constexpr std::chrono::hours kEvery{1};
constexpr Duration kUntouched = Duration::Hours(6);  // longer than a transfer takes

}  // namespace

BlobChores::BlobChores(Blobs& blobs, db::ReadPool& reads, const Clock& clock)
    : blobs_(blobs),
      reads_(reads),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { Loop(stop); }) {}

void BlobChores::Loop(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, kEvery, [] { return false; });
    if (!stop.stop_requested()) Sweep();
  }
}

void BlobChores::Sweep() {
  const Timestamp now = clock_.Now();
  const auto trees = db::LiveTrees(reads_, now);
  if (!trees.ok()) return spdlog::warn("the blob store was not swept: {}", Message(trees.status()));
  const auto swept = api::SweepBlobs(blobs_, *trees, now - kUntouched);
  if (!swept.ok()) return spdlog::warn("the blob store was not swept: {}", Message(swept.status()));
  if (swept->removed > 0)
    spdlog::info("the blob store: {} blobs kept, {} removed ({} MiB)", swept->kept, swept->removed,
                 swept->removed_bytes >> 20);
}

}  // namespace pinka
