#include "agent/core/log_window.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

using Chunk = LogWindow::Chunk;

AttemptId Id(int64_t job) { return {.job = JobId(job), .index = 0, .number = 1}; }

Chunk Part(int64_t offset, int64_t length, bool last = false, int64_t job = 1) {
  return {.attempt = Id(job), .offset = offset, .length = length, .last = last};
}

constexpr int64_t kChunk = LogWindow::kChunkBytes;

TEST(LogWindow, AsksFirstThenGoesOnFromTheAnswer) {
  LogWindow window;
  window.Observe(Id(1), 100, false);
  EXPECT_EQ(window.Next(), Part(0, 0));
  EXPECT_EQ(window.Next(), std::nullopt);
  window.Acknowledged(Id(1), 40);
  EXPECT_EQ(window.Next(), Part(40, 60));
  EXPECT_EQ(window.Next(), std::nullopt);
}

TEST(LogWindow, HasAtMostOneMebibyteOnTheWay) {
  LogWindow window;
  window.Observe(Id(1), 10 * kChunk, false);
  window.Next();
  window.Acknowledged(Id(1), 0);
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(window.Next(), Part(i * kChunk, kChunk));
  EXPECT_EQ(window.Next(), std::nullopt);
  window.Acknowledged(Id(1), kChunk);
  EXPECT_EQ(window.Next(), Part(4 * kChunk, kChunk));
}

TEST(LogWindow, SaysWhichIsTheLastAndIsDoneWhenAllIsDurable) {
  LogWindow window;
  window.Observe(Id(1), 10, true);
  window.Next();
  window.Acknowledged(Id(1), 0);
  EXPECT_EQ(window.Next(), Part(0, 10, true));
  window.Acknowledged(Id(1), 4);
  EXPECT_FALSE(window.Done(Id(1)));
  window.Acknowledged(Id(1), 10);
  EXPECT_TRUE(window.Done(Id(1)));
  EXPECT_EQ(window.Next(), std::nullopt);
}

TEST(LogWindow, AnEmptyLogHasALastChunkToo) {
  LogWindow window;
  window.Observe(Id(1), 0, true);
  EXPECT_EQ(window.Next(), Part(0, 0));
  window.Acknowledged(Id(1), 0);
  EXPECT_FALSE(window.Done(Id(1)));
  EXPECT_EQ(window.Next(), Part(0, 0, true));
  window.Acknowledged(Id(1), 0);
  EXPECT_TRUE(window.Done(Id(1)));
}

TEST(LogWindow, ALogThatEndsAfterItsLastByteWasSentGetsAnEmptyLast) {
  LogWindow window;
  window.Observe(Id(1), 10, false);
  window.Next();
  window.Acknowledged(Id(1), 0);
  EXPECT_EQ(window.Next(), Part(0, 10));
  window.Acknowledged(Id(1), 10);
  window.Observe(Id(1), 10, true);
  EXPECT_EQ(window.Next(), Part(10, 0, true));
}

TEST(LogWindow, StartsAgainFromWhatTheSchedulerHasAfterABreak) {
  LogWindow window;
  window.Observe(Id(1), 3 * kChunk, true);
  window.Next();
  window.Acknowledged(Id(1), 0);
  window.Next();
  window.Next();
  window.StreamLost();
  EXPECT_EQ(window.Next(), Part(0, 0));
  window.Acknowledged(Id(1), kChunk);
  EXPECT_EQ(window.Next(), Part(kChunk, kChunk));
  EXPECT_EQ(window.Next(), Part(2 * kChunk, kChunk, true));
}

TEST(LogWindow, ASchedulerThatLostBytesGetsThemAgain) {
  LogWindow window;
  window.Observe(Id(1), 100, false);
  window.Next();
  window.Acknowledged(Id(1), 100);
  window.StreamLost();
  window.Next();
  window.Acknowledged(Id(1), 20);
  EXPECT_EQ(window.Next(), Part(20, 80));
}

TEST(LogWindow, ServesLogsInTurn) {
  LogWindow window;
  for (int64_t job : {1, 2}) window.Observe(Id(job), 2 * kChunk, false);
  window.Next();
  window.Next();
  for (int64_t job : {1, 2}) window.Acknowledged(Id(job), 0);
  EXPECT_EQ(window.Next(), Part(0, kChunk, false, 1));
  EXPECT_EQ(window.Next(), Part(0, kChunk, false, 2));
  EXPECT_EQ(window.Next(), Part(kChunk, kChunk, false, 1));
}

TEST(LogWindow, MoreThanWasWrittenAtTheSchedulerIsNoReasonToSend) {
  LogWindow window;
  window.Observe(Id(1), 10, true);
  window.Next();
  window.Acknowledged(Id(1), 50);
  EXPECT_EQ(window.Next(), Part(50, 0, true));
  window.Acknowledged(Id(1), 50);
  EXPECT_TRUE(window.Done(Id(1)));
}

TEST(LogWindow, IgnoresAnswersAboutLogsItDoesNotKnow) {
  LogWindow window;
  window.Acknowledged(Id(9), 5);
  EXPECT_EQ(window.Next(), std::nullopt);
  EXPECT_FALSE(window.Done(Id(9)));
}

}  // namespace
}  // namespace pinka
