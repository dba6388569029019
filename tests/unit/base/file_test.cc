#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace pinka {
namespace {

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = testing::TempDir() + "pinka_file_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~FileTest() override { std::filesystem::remove_all(directory_); }

  std::string In(const std::string& name) const { return directory_ + "/" + name; }

  std::string directory_;
};

TEST_F(FileTest, ReadsBackEveryByteItWrote) {
  std::string bytes("a\0b\xff\n", 5);
  bytes += std::string(200'000, 'x');
  ASSERT_TRUE(WriteFileDurably(In("f"), bytes).ok());
  EXPECT_EQ(ReadFile(In("f")).value(), bytes);
}

TEST_F(FileTest, ReadsAnEmptyFileAsEmpty) {
  ASSERT_TRUE(WriteFileDurably(In("f"), "").ok());
  EXPECT_EQ(ReadFile(In("f")).value(), "");
}

TEST_F(FileTest, SaysWhichFileIsNotThere) {
  StatusOr<std::string> content = ReadFile(In("absent"));
  EXPECT_TRUE(absl::IsNotFound(content.status()));
  EXPECT_EQ(Message(content.status()),
            "cannot read " + In("absent") + ": No such file or directory");
}

TEST_F(FileTest, RefusesToReadADirectory) { EXPECT_FALSE(ReadFile(directory_).ok()); }

TEST_F(FileTest, SetsTheModeWhateverTheUmask) {
  mode_t before = umask(077);
  ASSERT_TRUE(WriteFileDurably(In("f"), "x", 0644).ok());
  umask(before);
  struct stat info {};
  ASSERT_EQ(stat(In("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
}

TEST_F(FileTest, ReplacesAFileWithoutTouchingTheOldOne) {
  ASSERT_TRUE(WriteFileDurably(In("f"), "old").ok());
  std::filesystem::create_hard_link(In("f"), In("old"));
  ASSERT_TRUE(WriteFileDurably(In("f"), "new").ok());
  EXPECT_EQ(ReadFile(In("f")).value(), "new");
  EXPECT_EQ(ReadFile(In("old")).value(), "old");
}

TEST_F(FileTest, LeavesNothingBesideWhenAWriteFails) {
  ASSERT_TRUE(MakeDirectories(In("taken")).ok());
  EXPECT_FALSE(WriteFileDurably(In("taken"), "x").ok());
  auto entries = std::filesystem::directory_iterator(directory_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(FileTest, RefusesToWriteWhereThereIsNoDirectory) {
  EXPECT_TRUE(absl::IsNotFound(WriteFileDurably(In("no/f"), "x")));
}

TEST_F(FileTest, MakesAllDirectoriesOfAPathOnceOrTwice) {
  ASSERT_TRUE(MakeDirectories(In("a/b/c")).ok());
  ASSERT_TRUE(MakeDirectories(In("a/b/c/")).ok());
  EXPECT_TRUE(std::filesystem::is_directory(In("a/b/c")));
}

TEST_F(FileTest, MakesNoDirectoryUnderAFile) {
  ASSERT_TRUE(WriteFileDurably(In("f"), "x").ok());
  EXPECT_FALSE(MakeDirectories(In("f/g")).ok());
  EXPECT_FALSE(MakeDirectories(In("f")).ok());
}

TEST_F(FileTest, RemovesATreeAndIsContentWithNone) {
  ASSERT_TRUE(MakeDirectories(In("a/b")).ok());
  ASSERT_TRUE(WriteFileDurably(In("a/b/f"), "x").ok());
  EXPECT_TRUE(RemoveTree(In("a")).ok());
  EXPECT_FALSE(PathExists(In("a")));
  EXPECT_TRUE(RemoveTree(In("a")).ok());
  EXPECT_TRUE(RemoveTree(In("a/b/c")).ok());
}

TEST_F(FileTest, RemovesALinkAndNotWhatItPointsTo) {
  ASSERT_TRUE(MakeDirectories(In("kept")).ok());
  ASSERT_TRUE(MakeDirectories(In("a")).ok());
  std::filesystem::create_directory_symlink(In("kept"), In("a/link"));
  EXPECT_TRUE(RemoveTree(In("a")).ok());
  EXPECT_TRUE(PathExists(In("kept")));
}

TEST_F(FileTest, LetsOnlyOneHoldALock) {
  StatusOr<Fd> first = LockFile(In("lock"));
  ASSERT_TRUE(first.ok());
  StatusOr<Fd> second = LockFile(In("lock"));
  EXPECT_TRUE(absl::IsUnavailable(second.status()));
  EXPECT_NE(Message(second.status()).find("another process holds the lock"), std::string::npos);
  *first = Fd();
  EXPECT_TRUE(LockFile(In("lock")).ok());
}

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) != -1; }

TEST_F(FileTest, FdClosesItselfExactlyOnce) {
  int raw = open("/dev/null", O_RDONLY);
  {
    Fd one(raw);
    Fd two(std::move(one));
    EXPECT_FALSE(one.valid());  // NOLINT(bugprone-use-after-move): what is tested
    EXPECT_EQ(two.get(), raw);
    Fd& same = two;
    two = std::move(same);
    EXPECT_TRUE(IsOpen(raw));
  }
  EXPECT_FALSE(IsOpen(raw));
}

TEST_F(FileTest, FdLetsGoWhenReleased) {
  Fd fd(open("/dev/null", O_RDONLY));
  int raw = fd.Release();
  fd = Fd();
  EXPECT_TRUE(IsOpen(raw));
  close(raw);
}

}  // namespace
}  // namespace pinka
