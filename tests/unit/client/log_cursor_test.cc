#include "client/cli/core/log_cursor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pinka::cli {
namespace {

v1::LogChunk Chunk(int32_t attempt, int64_t offset, const std::string& data) {
  v1::LogChunk chunk;
  chunk.set_attempt(attempt);
  chunk.set_offset(offset);
  chunk.set_data(data);
  return chunk;
}

TEST(LogCursor, ResumesAtTheSameByteOfTheSameAttempt) {
  LogCursor cursor;
  EXPECT_EQ(cursor.Accept(Chunk(1, 0, "hello")), "hello");
  v1::StreamLogRequest request;
  request.set_tail_lines(5);
  cursor.Resume(&request);
  EXPECT_EQ(request.attempt(), 1);
  EXPECT_EQ(request.offset(), 5);
  EXPECT_EQ(request.tail_lines(), 0);
}

TEST(LogCursor, LeavesTheRequestAloneBeforeTheFirstByte) {
  v1::StreamLogRequest request;
  request.set_tail_lines(5);
  LogCursor().Resume(&request);
  EXPECT_EQ(request.tail_lines(), 5);
}

TEST(LogCursor, SkipsWhatItHasSeen) {
  LogCursor cursor;
  const v1::LogChunk first = Chunk(1, 100, "hello");  // a tail begins anywhere
  EXPECT_EQ(cursor.Accept(first), "hello");
  EXPECT_EQ(cursor.Accept(first), "");
  const v1::LogChunk overlap = Chunk(1, 103, "lo world");
  EXPECT_EQ(cursor.Accept(overlap), " world");
}

TEST(LogCursor, BeginsAnewWithTheNextAttemptAndNeverGoesBack) {
  LogCursor cursor;
  cursor.Accept(Chunk(1, 0, "first"));
  const v1::LogChunk second = Chunk(2, 0, "second");
  EXPECT_EQ(cursor.Accept(second), "second");
  EXPECT_EQ(cursor.Accept(Chunk(1, 0, "first")), "");
}

RC_GTEST_PROP(LogCursor, GivesEveryByteOnceHoweverTheStreamBreaks, (std::string log)) {
  LogCursor cursor;
  std::string got;
  size_t have = 0;
  while (have < log.size()) {
    const auto back = *rc::gen::inRange<size_t>(0, have + 1);
    const auto ahead = *rc::gen::inRange<size_t>(1, log.size() - have + 1);
    const v1::LogChunk chunk =
        Chunk(1, static_cast<int64_t>(have - back), log.substr(have - back, back + ahead));
    got += cursor.Accept(chunk);
    have += ahead;
  }
  RC_ASSERT(got == log);
}

}  // namespace
}  // namespace pinka::cli
