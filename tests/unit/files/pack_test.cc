// Files to a tree of blobs and back: every kind of name, nothing sent twice, nothing read or
// written through a link.
#include "files/pack.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "files/unpack.h"
#include "files/walk.h"
#include "tests/support/agent/files.h"
#include "tests/unit/files/memory_blobs.h"

namespace pinka::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Pack : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(from());
    fs::create_directories(to());
  }
  std::string from() const { return temp_.path() + "/from"; }
  std::string to() const { return temp_.path() + "/to"; }
  void Write(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(from() + "/" + name).parent_path());
    Spill(from() + "/" + name, bytes);
  }
  StatusOr<PackedTree> PackAll(PackLimits limits = {}) {
    Carrier sink = blobs_.Sink();
    Packer packer(&sink, limits);
    if (Status s = PackDirectory(from(), &packer); !s.ok()) return s;
    return packer.Finish();
  }
  StatusOr<Unpacked> UnpackAll(const std::string& root, UnpackOptions options = {}) {
    return Unpack(blobs_.Source(), root, to(), options);
  }
  std::string Back(const std::string& name) const { return Slurp(to() + "/" + name); }

  TempDir temp_;
  MemoryBlobs blobs_;
};

TEST_F(Pack, BringsBackEveryKindOfName) {
  const std::vector<std::string> names = {"plain",   "训练/权重.bin", "a\nb",      "-rf",
                                          "a/b/c",   "a.b",           "\xff\xfe",  "with blank",
                                          ".hidden", "$(touch pwn)",  "a/.dotted", "\"quoted\""};
  for (const std::string& name : names) Write(name, "content of " + name);
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(packed->size.files, static_cast<int64_t>(names.size()));
  ASSERT_TRUE(UnpackAll(packed->root).ok());
  for (const std::string& name : names) EXPECT_EQ(Back(name), "content of " + name);
}

TEST_F(Pack, KeepsModesEmptyFilesAndEmptyDirectories) {
  Write("run.sh", "#!/bin/sh\n");
  chmod((from() + "/run.sh").c_str(), 0755);
  Write("empty", "");
  fs::create_directories(from() + "/nothing/inside");
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok()) << packed.status();
  ASSERT_TRUE(UnpackAll(packed->root).ok());
  struct stat info {};
  ASSERT_EQ(stat((to() + "/run.sh").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755u);
  EXPECT_TRUE(fs::exists(to() + "/empty"));
  EXPECT_TRUE(fs::is_directory(to() + "/nothing/inside"));
}

TEST_F(Pack, CutsLargeFilesAndPacksSmallOnesTogether) {
  std::string large(static_cast<size_t>(kMostBlob) * 2 + 12'345, 'x');
  for (size_t n = 0; n < large.size(); n += 997) large[n] = static_cast<char>(n % 251);
  Write("b-large", large);
  for (int n = 0; n < 500; ++n) Write("small/" + std::to_string(n), std::string(1'000, 'a'));
  Write("z-small", "after it");
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_LE(blobs_.sent, 7) << "three chunks, one of small files, page and root";
  ASSERT_TRUE(UnpackAll(packed->root).ok());
  EXPECT_TRUE(Back("b-large") == large);
  EXPECT_EQ(Back("small/499"), std::string(1'000, 'a'));
  EXPECT_EQ(Back("z-small"), "after it");
}

TEST_F(Pack, FillsAChunkToItsLastByte) {
  Write("a", std::string(kMostBlob - 1, 'a'));
  Write("b", "b");
  Write("c", "c");
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok()) << packed.status();
  ASSERT_TRUE(UnpackAll(packed->root).ok());
  EXPECT_EQ(Back("b"), "b");
  EXPECT_EQ(Back("c"), "c");
}

TEST_F(Pack, SpreadsManyFilesOverPages) {
  const std::string dir = from() + "/" + std::string(200, 'd');
  fs::create_directories(dir);
  for (int n = 0; n < 9'000; ++n) Spill(dir + "/" + std::to_string(n), std::to_string(n));
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok()) << packed.status();
  const auto tree = ReadRoot(blobs_.Source(), packed->root);
  ASSERT_TRUE(tree.ok());
  EXPECT_GT(tree->pages_size(), 1);
  int64_t listed = 0;
  const auto size = ListBlobs(blobs_.Source(), packed->root, [&](const auto& some) {
    listed += static_cast<int64_t>(some.size());
    return OkStatus();
  });
  ASSERT_TRUE(size.ok()) << size.status();
  EXPECT_EQ(size->files, 9'000);
  EXPECT_EQ(listed, static_cast<int64_t>(blobs_.blobs.size()));
  const std::string one = std::string(200, 'd') + "/8765";
  ASSERT_TRUE(UnpackAll(packed->root, {.only = one}).ok());
  EXPECT_EQ(Back("8765"), "8765");
  EXPECT_FALSE(fs::exists(to() + "/8764"));
}

TEST_F(Pack, SaysTheSameOfTheSameContentAndSendsItOnce) {
  Write("train.py", "print(1)");
  Write("lib/model.py", "class Model: pass");
  const auto first = PackAll();
  const int64_t sent = blobs_.sent;
  const auto again = PackAll();
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->root, again->root);
  EXPECT_EQ(blobs_.sent, sent);
  Write("train.py", "print(2)");
  EXPECT_NE(PackAll()->root, first->root);
}

TEST_F(Pack, GoesOnWhereATransferBroke) {
  for (int n = 0; n < 4; ++n) Write(std::to_string(n), std::string(kOwnChunk, char('a' + n)));
  blobs_.fail_after = 2;
  EXPECT_FALSE(PackAll().ok());
  blobs_.fail_after = -1;
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(blobs_.sent, 6) << "four chunks, a page, a root: none twice";
}

// Each send waits until it is not the only one.
TEST_F(Pack, CarriesSeveralBlobsAtOnce) {
  for (int n = 0; n < 4; ++n) Write(std::to_string(n), std::string(kOwnChunk, char('a' + n)));
  std::mutex mutex;
  std::condition_variable met;
  std::vector<std::string> sent;
  int inside = 0;
  Carrier sink(
      [](const std::vector<std::string>& hashes) -> StatusOr<std::vector<std::string>> {
        return hashes;
      },
      [&](const std::string& hash, const std::string&) {
        std::unique_lock lock(mutex);
        sent.push_back(hash);
        ++inside;
        met.notify_all();
        const bool chunk = sent.size() <= 4;
        const bool others =
            met.wait_for(lock, std::chrono::minutes(1), [&] { return !chunk || inside >= 4; });
        return others ? OkStatus() : Internal("alone");
      },
      4);
  Packer packer(&sink, {});
  ASSERT_TRUE(PackDirectory(from(), &packer).ok());
  const auto packed = packer.Finish();
  ASSERT_TRUE(packed.ok()) << packed.status();
  ASSERT_EQ(sent.size(), 6u);
  EXPECT_EQ(sent.back(), packed->root);
}

TEST_F(Pack, StopsAtTheFirstOfSeveralThatFails) {
  for (int n = 0; n < 40; ++n) Write(std::to_string(n), std::string(kOwnChunk, char('0' + n)));
  std::atomic<int> sends = 0;
  Carrier sink(
      [](const std::vector<std::string>& hashes) -> StatusOr<std::vector<std::string>> {
        return hashes;
      },
      [&](const std::string&, const std::string&) {
        return ++sends > 2 ? Unavailable("the line broke") : OkStatus();
      },
      4);
  Packer packer(&sink, {});
  Status packed = PackDirectory(from(), &packer);
  if (packed.ok()) packed = packer.Finish().status();
  EXPECT_TRUE(absl::IsUnavailable(packed)) << packed;
  EXPECT_LE(sends, 6) << "two, and at most one of each thread";
}

TEST_F(Pack, NamesTheRootLast) {
  Write("a", "content");
  blobs_.fail_after = 2;  // the chunk and the page, not the root
  EXPECT_FALSE(PackAll().ok());
  blobs_.fail_after = -1;
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(blobs_.sent, 3);
}

TEST_F(Pack, KeepsLinksAsLinksAndNeverReadsThroughThem) {
  Write("real", "inside");
  Spill(temp_.path() + "/secret", "outside");
  fs::create_directories(temp_.path() + "/other");
  Spill(temp_.path() + "/other/file", "outside");
  fs::create_symlink("real", from() + "/inside");
  fs::create_symlink("../secret", from() + "/out");
  fs::create_directory_symlink(temp_.path() + "/other", from() + "/dir");
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(packed->size.files, 1);
  for (const auto& [hash, bytes] : blobs_.blobs) EXPECT_THAT(bytes, Not(HasSubstr("outside")));
  const auto back = UnpackAll(packed->root, {.only = {}, .links_inside = true});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->links_out, 2);
  EXPECT_EQ(fs::read_symlink(to() + "/inside"), "real");
  EXPECT_FALSE(fs::is_symlink(to() + "/out"));
}

TEST_F(Pack, LeavesOutWhatIsNoFile) {
  mkfifo((from() + "/pipe").c_str(), 0600);
  Write("a", "x");
  const auto packed = PackAll();
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->skipped, 1);
  EXPECT_EQ(packed->size.files, 1);
}

TEST_F(Pack, RefusesBeyondItsLimits) {
  for (int n = 0; n < 11; ++n) Write(std::to_string(n), "0123456789");
  const auto many = PackAll({.entries = 10});
  EXPECT_TRUE(absl::IsResourceExhausted(many.status())) << many.status();
  EXPECT_THAT(Message(many.status()), HasSubstr("more than 10 files"));
  EXPECT_TRUE(absl::IsResourceExhausted(PackAll({.bytes = 100}).status()));
  EXPECT_TRUE(PackAll({.entries = 11, .bytes = 110}).ok());
}

// A sink that changes the file while it is being read.
class Meddler final : public BlobSink {
 public:
  explicit Meddler(std::string path) : path_(std::move(path)) {}
  Status Put(const std::string&, std::string) override {
    std::ofstream(path_, std::ios::app) << "more";
    return OkStatus();
  }
  Status Flush() override { return OkStatus(); }

 private:
  std::string path_;
};

TEST_F(Pack, RefusesAFileThatChangesUnderItsHands) {
  Write("a", std::string(kMostBlob + 1, 'a'));
  Meddler sink(from() + "/a");
  Packer packer(&sink, {});
  EXPECT_TRUE(absl::IsAborted(PackDirectory(from(), &packer)));
}

TEST_F(Pack, DoesNotReplaceWhatIsThere) {
  Write("a", "new");
  Spill(to() + "/a", "old");
  const auto packed = PackAll();
  const auto back = UnpackAll(packed->root);
  EXPECT_TRUE(absl::IsAlreadyExists(back.status())) << back.status();
  EXPECT_EQ(Back("a"), "old");
}

TEST_F(Pack, FetchesOnePathWithWhatIsBelowIt) {
  Write("out/a/1", "one");
  Write("out/a/2", "two");
  Write("out/a.txt", "beside");
  Write("out/b", "b");
  const auto packed = PackAll();
  ASSERT_TRUE(UnpackAll(packed->root, {.only = "out/a"}).ok());
  EXPECT_EQ(Back("a/1"), "one");
  EXPECT_EQ(Back("a/2"), "two");
  EXPECT_FALSE(fs::exists(to() + "/a.txt"));
  EXPECT_TRUE(absl::IsNotFound(UnpackAll(packed->root, {.only = "out/c"}).status()));
}

}  // namespace
}  // namespace pinka::test
