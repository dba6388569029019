// The directory of blobs: whole or absent, checked, resumable.
#include "scheduler/runtime/blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/clock.h"
#include "base/hash.h"
#include "scheduler/runtime/blobs_rclone.h"
#include "tests/support/agent/files.h"

namespace pinka::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BlobDirectory : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(blobs_.Open().ok()); }
  std::string Add(const std::string& bytes) {
    const std::string hash = Sha256Hex(bytes);
    EXPECT_TRUE(blobs_.Put(hash, bytes).ok());
    return hash;
  }
  std::string PathOf(const std::string& hash) const {
    return temp_.path() + "/" + hash.substr(0, 2) + "/" + hash;
  }
  int Count() {
    int count = 0;
    EXPECT_TRUE(blobs_.ForEach([&](const Blobs::Found&) { ++count; }).ok());
    return count;
  }

  TempDir temp_;
  DirectoryBlobs blobs_{temp_.path(), 0};
};

TEST_F(BlobDirectory, GivesBackWhatItWasGiven) {
  const std::string hash = Add(std::string("bytes\0\n", 7));
  EXPECT_EQ(blobs_.Get(hash).value(), std::string("bytes\0\n", 7));
  EXPECT_TRUE(blobs_.Put(hash, std::string("bytes\0\n", 7)).ok()) << "twice is once";
  EXPECT_EQ(Count(), 1);
}

TEST_F(BlobDirectory, TellsWhatIsMissing) {
  const std::string there = Add("there");
  const std::string missing = Sha256Hex("missing");
  EXPECT_THAT(blobs_.Missing({missing, there}).value(), ElementsAre(missing));
  EXPECT_TRUE(absl::IsNotFound(blobs_.Get(missing).status()));
}

TEST_F(BlobDirectory, DropsWhatWasHalfWrittenWhenItOpens) {
  Spill(temp_.path() + "/new/1-1", "half of a bl");
  const std::string hash = Add("whole");
  DirectoryBlobs again(temp_.path(), 0);
  ASSERT_TRUE(again.Open().ok());
  EXPECT_TRUE(std::filesystem::is_empty(temp_.path() + "/new"));
  EXPECT_EQ(again.Get(hash).value(), "whole");
}

TEST_F(BlobDirectory, NeverHandsOutWhatIsDamagedAndTakesItAnew) {
  const std::string hash = Add("as it was");
  Spill(PathOf(hash), "as it is ");
  EXPECT_TRUE(absl::IsInternal(blobs_.Get(hash).status()));
  EXPECT_THAT(blobs_.Missing({hash}).value(), ElementsAre(hash));
  Add("as it was");
  EXPECT_EQ(blobs_.Get(hash).value(), "as it was");
}

TEST_F(BlobDirectory, RefusesWhatWouldFillTheDisk) {
  DirectoryBlobs full(temp_.path(), INT64_MAX);
  const Status refused = full.Put(Sha256Hex("x"), "x");
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(Message(refused), HasSubstr("blob store is full"));
  EXPECT_EQ(Count(), 0);
}

TEST_F(BlobDirectory, RemovesOnlyWhatNobodyHasTouched) {
  const std::string hash = Add("old");
  EXPECT_TRUE(blobs_.Remove(hash, Timestamp()).ok());
  EXPECT_EQ(Count(), 1) << "touched since";
  EXPECT_TRUE(blobs_.Remove(hash, Timestamp::Never()).ok());
  EXPECT_EQ(Count(), 0);
  EXPECT_TRUE(blobs_.Remove(hash, Timestamp::Never()).ok()) << "gone is gone";
}

// The same through rclone, with its local backend: a program of Debian's, no network.
class BlobRemote : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(blobs_.Open().ok()) << "is rclone installed?"; }
  std::string Add(const std::string& bytes) {
    const std::string hash = Sha256Hex(bytes);
    EXPECT_TRUE(blobs_.Put(hash, bytes).ok());
    return hash;
  }
  int Count() {
    int count = 0;
    EXPECT_TRUE(blobs_.ForEach([&](const Blobs::Found&) { ++count; }).ok());
    return count;
  }

  TempDir temp_;
  RcloneBlobs blobs_{temp_.path() + "/remote", temp_.path() + "/outgoing"};
};

TEST_F(BlobRemote, GivesBackWhatItWasGiven) {
  const std::string bytes("bytes\0|\n", 8);
  const std::string hash = Add(bytes);
  Add(bytes);
  EXPECT_EQ(blobs_.Get(hash).value(), bytes);
  EXPECT_EQ(Count(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(temp_.path() + "/outgoing"));
  EXPECT_TRUE(std::filesystem::is_empty(temp_.path() + "/remote/new"));
}

TEST_F(BlobRemote, TellsWhatIsMissingAndRemovesWhatNobodyTouched) {
  const std::string there = Add("there");
  const std::string missing = Sha256Hex("missing");
  EXPECT_THAT(blobs_.Missing({missing, there}).value(), ElementsAre(missing));
  EXPECT_TRUE(absl::IsNotFound(blobs_.Get(missing).status()));
  EXPECT_TRUE(blobs_.Remove(there, Timestamp::Micros(1)).ok());
  EXPECT_EQ(Count(), 1) << "touched since";
  EXPECT_TRUE(blobs_.Remove(there, Timestamp::Never()).ok());
  EXPECT_EQ(Count(), 0);
}

TEST_F(BlobRemote, NeverHandsOutWhatIsDamaged) {
  const std::string hash = Add("as it was");
  Spill(temp_.path() + "/remote/" + hash.substr(0, 2) + "/" + hash, "as it is ");
  EXPECT_TRUE(absl::IsInternal(blobs_.Get(hash).status()));
  EXPECT_THAT(blobs_.Missing({hash}).value(), ElementsAre(hash));
}

TEST_F(BlobRemote, SaysWhatIsWrongWhereTheRemoteIsNotThere) {
  RcloneBlobs away("no-such-remote-of-pinka:bucket", temp_.path() + "/other");
  const Status opened = away.Open();
  EXPECT_TRUE(absl::IsUnavailable(opened));
  EXPECT_THAT(Message(opened), HasSubstr("rclone lsd"));
}

}  // namespace
}  // namespace pinka::test
