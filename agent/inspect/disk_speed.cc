#include "agent/inspect/disk_speed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/file.h"

namespace pinka::inspect {
namespace {

constexpr Duration kLongest = Duration::Seconds(5);
constexpr size_t kChunk = size_t{4} << 20;

// Without a name from the start, or with one that goes at once.
Fd NamelessFile(const std::string& directory) {
  Fd file(open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  std::string path = directory + "/.pinka-disk-XXXXXX";
  Fd named(mkostemp(path.data(), O_CLOEXEC));
  if (named.valid()) unlink(path.c_str());
  return named;
}

std::vector<uint64_t> Noise() {
  std::vector<uint64_t> words(kChunk / sizeof(uint64_t));
  uint64_t word = 0x9e3779b97f4a7c15;
  for (uint64_t& w : words) {  // xorshift: no secret, only nothing to compress
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    w = word;
  }
  return words;
}

}  // namespace

int64_t DiskSpeed(const std::string& directory, int64_t bytes) {
  Fd file = NamelessFile(directory);
  if (!file.valid()) return -1;
  const std::vector<uint64_t> noise = Noise();
  SystemClock clock;
  const Duration began = clock.Boottime();
  int64_t written = 0;
  while (written < bytes && clock.Boottime() - began < kLongest) {
    const size_t want = std::min(kChunk, static_cast<size_t>(bytes - written));
    const ssize_t got = write(file.get(), noise.data(), want);
    if (got <= 0) break;  // full: what went in counts
    written += got;
  }
  if (written == 0 || fdatasync(file.get()) != 0) return -1;
  const int64_t micros = std::max<int64_t>((clock.Boottime() - began).micros(), 1);
  return written * 1'000'000 / micros;
}

}  // namespace pinka::inspect
