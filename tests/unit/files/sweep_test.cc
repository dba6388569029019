// What leaves the blob store: all that no kept tree needs, and nothing else.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"
#include "files/carry.h"
#include "files/walk.h"
#include "scheduler/api/file_shelf.h"
#include "scheduler/api/file_sweep.h"
#include "tests/support/agent/files.h"

namespace pinka::test {
namespace {

class Sweep : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(blobs_.Open().ok()); }
  std::string Keep(const std::string& name, const std::string& content) {
    TempDir from;
    Spill(from.path() + "/" + name, content);
    Carrier sink([this](const auto& hashes) { return blobs_.Missing(hashes); },
                 [this](const auto& hash, const auto& bytes) { return blobs_.Put(hash, bytes); });
    Packer packer(&sink, {});
    EXPECT_TRUE(PackDirectory(from.path(), &packer).ok());
    return packer.Finish()->root;
  }
  std::set<std::string> All() {
    std::set<std::string> all;
    EXPECT_TRUE(blobs_.ForEach([&](const Blobs::Found& found) { all.insert(found.hash); }).ok());
    return all;
  }

  TempDir temp_;
  DirectoryBlobs blobs_{temp_.path(), 0};
};

TEST_F(Sweep, RemovesWhatNoKeptTreeNeeds) {
  const std::string kept = Keep("a", "shared");
  const std::set<std::string> needed = All();
  Keep("b", "shared");  // another page and root, the same chunk
  Keep("c", "its own");
  const auto swept = api::SweepBlobs(blobs_, {kept}, Timestamp::Never());
  ASSERT_TRUE(swept.ok()) << swept.status();
  EXPECT_EQ(All(), needed);
  EXPECT_EQ(swept->removed, 5);
  EXPECT_TRUE(api::CheckTree(blobs_, kept).ok());
}

TEST_F(Sweep, LeavesWhatSomebodyTouchedOfLate) {
  Keep("a", "on its way");
  const auto swept = api::SweepBlobs(blobs_, {}, Timestamp());
  ASSERT_TRUE(swept.ok());
  EXPECT_EQ(swept->removed, 0);
  EXPECT_EQ(All().size(), 3u);
}

TEST_F(Sweep, OfATreeThatIsNotWholeKeepsWhatIsThere) {
  const std::string kept = Keep("a", "content");
  ASSERT_TRUE(blobs_.Remove(Sha256Hex("content"), Timestamp::Never()).ok());
  ASSERT_TRUE(api::SweepBlobs(blobs_, {kept}, Timestamp::Never()).ok());
  EXPECT_EQ(All().size(), 2u);
  EXPECT_FALSE(api::CheckTree(blobs_, kept).ok());
}

TEST_F(Sweep, CheckRefusesATreeOfWhichSomethingIsMissing) {
  const std::string kept = Keep("a", "content");
  EXPECT_EQ(api::CheckTree(blobs_, kept)->bytes, 7);
  EXPECT_FALSE(api::CheckTree(blobs_, "no hash").ok());
  EXPECT_FALSE(api::CheckTree(blobs_, Sha256Hex("nothing")).ok());
  EXPECT_FALSE(api::CheckTree(blobs_, Sha256Hex("content")).ok()) << "a chunk is no tree";
}

}  // namespace
}  // namespace pinka::test
