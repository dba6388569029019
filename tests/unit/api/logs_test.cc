#include "scheduler/runtime/logs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <future>

namespace pinka {
namespace {

class Logs : public ::testing::Test {
 protected:
  Logs() {
    char path[] = "/tmp/pinka-logs-XXXXXX";
    directory_ = mkdtemp(path);
    store_ = std::make_unique<LogStore>(directory_ + "/logs", clock_);
  }
  ~Logs() override {
    store_.reset();
    (void)RemoveTree(directory_);
  }

  StatusOr<int64_t> Append(int64_t offset, std::string_view data, bool last = false) {
    std::promise<StatusOr<int64_t>> have;
    store_->Append(id_, offset, data, last, [&](StatusOr<int64_t> h) { have.set_value(h); });
    return have.get_future().get();
  }
  std::string All() { return store_->Read(id_, 0, 1 << 20).value(); }
  void Restart() { store_ = std::make_unique<LogStore>(directory_ + "/logs", clock_); }

  SystemClock clock_;
  std::string directory_;
  std::unique_ptr<LogStore> store_;
  const AttemptId id_{JobId(17), 3, 1};
};

TEST_F(Logs, AcknowledgeWhatIsDurable) {
  EXPECT_EQ(Append(0, "hello ").value(), 6);
  EXPECT_EQ(Append(6, "world\n").value(), 12);
  EXPECT_EQ(All(), "hello world\n");
  EXPECT_EQ(ReadFile(directory_ + "/logs/17/3.1.log").value(), "hello world\n");
}

TEST_F(Logs, SkipBytesThatAreThereAlready) {
  ASSERT_EQ(Append(0, "abcdef").value(), 6);
  EXPECT_EQ(Append(0, "abc").value(), 6);
  EXPECT_EQ(Append(4, "efgh").value(), 8);
  EXPECT_EQ(All(), "abcdefgh");
}

TEST_F(Logs, AnswerAGapWithWhatIsThere) {
  ASSERT_EQ(Append(0, "abc").value(), 3);
  EXPECT_EQ(Append(10, "xyz", true).value(), 3);
  EXPECT_EQ(All(), "abc");
  EXPECT_FALSE(store_->SizeOf(id_).complete);
}

TEST_F(Logs, RefuseBytesBeforeTheFirst) { EXPECT_FALSE(Append(-1, "abc").ok()); }

TEST_F(Logs, AreDroppedOnceTheyAreOldAndWhole) {
  store_ = std::make_unique<LogStore>(directory_ + "/logs", clock_,
                                      LogStore::Options{.keep = Duration::Days(90)});
  ASSERT_EQ(Append(0, "whole\n", true).value(), 6);
  const AttemptId open{JobId(17), 4, 1};
  std::promise<void> written;
  store_->Append(open, 0, "open", false, [&](const auto&) { written.set_value(); });
  written.get_future().wait();
  EXPECT_EQ(store_->DropOld(), 0) << "they are young";
  const std::string files = directory_ + "/logs/17/";
  const timespec old[2] = {{.tv_sec = 1'000'000'000, .tv_nsec = 0},
                           {.tv_sec = 1'000'000'000, .tv_nsec = 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (files + "3.1.log").c_str(), old, 0), 0);
  ASSERT_EQ(utimensat(AT_FDCWD, (files + "4.1.log").c_str(), old, 0), 0);
  EXPECT_EQ(store_->DropOld(), 1);
  EXPECT_EQ(store_->SizeOf(id_).bytes, 0);
  EXPECT_EQ(All(), "");
  EXPECT_EQ(store_->Read(open, 0, 100).value(), "open") << "its job has not ended";
}

TEST_F(Logs, KeepBytesThatAreNotText) {
  const std::string bytes("ok\n\xff\xfe\x00\n\xe4", 8);
  ASSERT_EQ(Append(0, bytes).value(), 8);
  EXPECT_EQ(All(), bytes);
}

TEST_F(Logs, AreCompleteAlsoAfterARestart) {
  ASSERT_EQ(Append(0, "end\n", true).value(), 4);
  EXPECT_TRUE(store_->SizeOf(id_).complete);
  Restart();
  EXPECT_TRUE(store_->SizeOf(id_).complete);
  EXPECT_EQ(Append(0, "end\n", true).value(), 4);
  EXPECT_FALSE(Append(4, "more").ok());
}

TEST_F(Logs, GoOnWhereTheyWereAfterARestart) {
  ASSERT_EQ(Append(0, "one\n").value(), 4);
  Restart();
  EXPECT_EQ(store_->SizeOf(id_).bytes, 4);
  EXPECT_EQ(Append(4, "two\n").value(), 8);
  EXPECT_EQ(All(), "one\ntwo\n");
}

TEST_F(Logs, AnEmptyOneCanBeComplete) {
  EXPECT_EQ(Append(0, "", true).value(), 0);
  EXPECT_TRUE(store_->SizeOf(id_).complete);
  Restart();
  EXPECT_TRUE(store_->SizeOf(id_).complete);
}

TEST_F(Logs, FindTheLastLines) {
  ASSERT_EQ(Append(0, "a\nbb\nccc\n").value(), 9);
  EXPECT_EQ(store_->TailOffset(id_, 1).value(), 5);
  EXPECT_EQ(store_->TailOffset(id_, 2).value(), 2);
  EXPECT_EQ(store_->TailOffset(id_, 3).value(), 0);
  EXPECT_EQ(store_->TailOffset(id_, 99).value(), 0);
  ASSERT_EQ(Append(9, "half").value(), 13);
  EXPECT_EQ(store_->TailOffset(id_, 1).value(), 9);
  EXPECT_EQ(store_->TailOffset(id_, 2).value(), 5);
}

TEST_F(Logs, FindTheLastLinesOverManyBlocks) {
  const std::string line(200'000, 'x');
  ASSERT_TRUE(Append(0, "first\n" + line + "\nlast\n").ok());
  EXPECT_EQ(store_->TailOffset(id_, 1).value(), 6 + 200'001);
  EXPECT_EQ(store_->TailOffset(id_, 2).value(), 6);
  EXPECT_EQ(store_->TailOffset(id_, 3).value(), 0);
}

TEST_F(Logs, WakeWhoFollows) {
  ASSERT_EQ(Append(0, "abc").value(), 3);
  std::promise<void> at_once;
  store_->WhenGrows(id_, 2, Duration::Hours(1), [&] { at_once.set_value(); });
  at_once.get_future().get();
  std::promise<void> grown;
  store_->WhenGrows(id_, 3, Duration::Hours(1), [&] { grown.set_value(); });
  ASSERT_EQ(Append(3, "d").value(), 4);
  grown.get_future().get();
  std::promise<void> ended;
  store_->WhenGrows(id_, 4, Duration::Hours(1), [&] { ended.set_value(); });
  ASSERT_EQ(Append(4, "", true).value(), 4);
  ended.get_future().get();
}

TEST_F(Logs, LetAFollowerGoAtTheEndOfItsPatience) {
  std::promise<void> over;
  store_->WhenGrows(id_, 0, Duration::Millis(1), [&] { over.set_value(); });
  over.get_future().get();
}

TEST_F(Logs, AnswerManyAtOnce) {
  std::vector<std::promise<int64_t>> haves(500);
  for (int i = 0; i < 500; ++i) {
    const AttemptId id{JobId(i % 50 + 1), i / 50, 1};
    store_->Append(id, 0, "x", true, [&haves, i](StatusOr<int64_t> h) {
      haves[static_cast<size_t>(i)].set_value(*h);
    });
  }
  for (auto& have : haves) EXPECT_EQ(have.get_future().get(), 1);
}

TEST_F(Logs, KeepFewFilesOpen) {
  LogStore few(directory_ + "/few", clock_, {.most_open = 2});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      std::promise<int64_t> have;
      few.Append({JobId(1), i, 1}, round, "x", false,
                 [&](StatusOr<int64_t> h) { have.set_value(*h); });
      EXPECT_EQ(have.get_future().get(), round + 1);
    }
  }
  EXPECT_EQ(few.Read({JobId(1), 7, 1}, 0, 100).value(), "xxx");
}

}  // namespace
}  // namespace pinka
