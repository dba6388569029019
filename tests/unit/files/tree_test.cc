// What a tree may say: whoever reads one trusts nothing in it.
#include "files/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "files/unpack.h"
#include "tests/support/agent/files.h"
#include "tests/unit/files/memory_blobs.h"

namespace pinka::test {
namespace {

using ::testing::HasSubstr;

v1::FileEntry File(const std::string& path, int64_t size = 0) {
  v1::FileEntry entry;
  entry.set_path(path);
  entry.set_mode(0644);
  entry.set_size(size);
  return entry;
}

// A tree of one page; its root.
std::string TreeOf(MemoryBlobs* blobs, const std::vector<v1::FileEntry>& entries,
                   const std::string& content = "") {
  v1::FilePage page;
  v1::FileTree tree;
  if (!content.empty()) {
    v1::FilePage::Chunk* chunk = page.add_chunks();
    chunk->set_hash(RawOfHash(blobs->Add(content)));
    chunk->set_size(static_cast<int32_t>(content.size()));
  }
  for (const v1::FileEntry& entry : entries) {
    *page.add_entries() = entry;
    tree.set_files(tree.files() + (entry.kind() == v1::FileEntry::FILE ? 1 : 0));
    tree.set_bytes(tree.bytes() + entry.size());
  }
  v1::FileTree::Page* named = tree.add_pages();
  named->set_first_path(entries[0].path());
  named->set_entries(page.entries_size());
  named->set_hash(RawOfHash(blobs->Add(page.SerializeAsString())));
  return blobs->Add(tree.SerializeAsString());
}

Status Look(const MemoryBlobs& blobs, const std::string& root) {
  return ListBlobs(blobs.Source(), root, [](const auto&) { return OkStatus(); }).status();
}

TEST(Tree, HoldsNamesThatStayInside) {
  for (const char* good : {"a", "a/b", "...", "a/..b", "-", "a b/c\n"})
    EXPECT_TRUE(IsPathInside(good)) << good;
  for (const char* bad : {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b"})
    EXPECT_FALSE(IsPathInside(bad)) << bad;
  EXPECT_FALSE(IsPathInside(std::string_view("a\0b", 3)));
  EXPECT_FALSE(IsPathInside(std::string(5'000, 'a')));
}

TEST(Tree, TellsLinksThatLeadOut) {
  EXPECT_TRUE(IsLinkInside("a/b/link", "../../c"));
  EXPECT_TRUE(IsLinkInside("link", "a/../b"));
  EXPECT_FALSE(IsLinkInside("a/link", "../../c"));
  EXPECT_FALSE(IsLinkInside("link", ".."));
  EXPECT_FALSE(IsLinkInside("link", "/etc/passwd"));
  EXPECT_FALSE(IsLinkInside("link", "a/../../b"));
  EXPECT_FALSE(IsLinkInside("link", ""));
}

TEST(Tree, OrdersNameByName) {
  EXPECT_TRUE(PathBefore("a", "a/b"));
  EXPECT_TRUE(PathBefore("a/z", "a.b"));
  EXPECT_TRUE(PathBefore("a.b", "b"));
  EXPECT_TRUE(PathBefore("z", "\xe4\xb8\xad"));
  EXPECT_FALSE(PathBefore("a", "a"));
}

TEST(Tree, IsRefusedWhereANameLeadsOut) {
  for (const char* path : {"../evil", "/etc/cron.d/evil", "a/../../evil"}) {
    MemoryBlobs blobs;
    TempDir temp;
    const std::string root = TreeOf(&blobs, {File(path)});
    EXPECT_THAT(Message(Look(blobs, root)), HasSubstr("leads out"));
    EXPECT_FALSE(Unpack(blobs.Source(), root, temp.path(), {}).ok());
    EXPECT_TRUE(std::filesystem::is_empty(temp.path()));
  }
}

TEST(Tree, CannotWriteThroughALinkOfItsOwn) {
  MemoryBlobs blobs;
  TempDir temp;
  TempDir outside;
  v1::FileEntry link = File("a");
  link.set_kind(v1::FileEntry::LINK);
  link.set_target(outside.path());
  const std::string root = TreeOf(&blobs, {link, File("a/evil", 4)}, "evil");
  EXPECT_FALSE(Unpack(blobs.Source(), root, temp.path(), {}).ok());
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST(Tree, IsRefusedWhereItIsNotWhatItSays) {
  MemoryBlobs blobs;
  EXPECT_FALSE(Look(blobs, TreeOf(&blobs, {File("b"), File("a")})).ok()) << "out of order";
  EXPECT_FALSE(Look(blobs, TreeOf(&blobs, {File("a"), File("a")})).ok()) << "twice";
  EXPECT_FALSE(Look(blobs, TreeOf(&blobs, {File("a", 10)}, "short")).ok()) << "too little content";
  EXPECT_FALSE(Look(blobs, TreeOf(&blobs, {File("a", -1)}, "x")).ok()) << "a negative size";
  v1::FileEntry beyond = File("a", 1);
  beyond.set_chunk(7);
  EXPECT_FALSE(Look(blobs, TreeOf(&blobs, {beyond}, "x")).ok()) << "no such chunk";
  EXPECT_FALSE(Look(blobs, blobs.Add("no tree at all")).ok());
  EXPECT_TRUE(Look(blobs, TreeOf(&blobs, {File("a", 5)}, "right")).ok());
}

TEST(Tree, OfWhichSomethingIsMissingIsNotRead) {
  MemoryBlobs blobs;
  TempDir temp;
  const std::string root = TreeOf(&blobs, {File("a", 5)}, "right");
  blobs.blobs.erase(Sha256Hex("right"));
  EXPECT_TRUE(absl::IsNotFound(Unpack(blobs.Source(), root, temp.path(), {}).status()));
}

}  // namespace
}  // namespace pinka::test
