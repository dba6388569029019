// Which files of jobs are kept, found again, and dropped when nobody needs them any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/reads_files.h"
#include "db/store.h"
#include "tests/db/sample.h"
#include "tests/support/postgres.h"

namespace pinka::db {
namespace {

using pinka::testing::At;
using pinka::testing::SampleChanges;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::string Root(char c) { return std::string(64, c); }

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    Commit(SampleChanges());
    pool_ = std::make_unique<ReadPool>(url_, 1);
  }
  void Commit(const Changes& changes) {
    const CommitResult result = store_.Commit({term_, ++batch_, At(100)}, changes);
    ASSERT_TRUE(result.done()) << result.message;
  }
  // Of the sample's two attempts, {7, 1, 1} and {7, 2, 1}.
  void Keep(int32_t index, FileKind kind, int64_t generation, char root, int64_t bytes = 10) {
    Changes changes;
    changes.file_sets = {{{JobId(7), index, 1}, kind, generation, Root(root), 1, bytes, At(90)}};
    Commit(changes);
  }
  std::vector<int64_t> Generations(int32_t index) {
    std::vector<int64_t> generations;
    const auto sets = FileSetsOf(*pool_, JobId(7), index);
    for (const FileSetRow& row : sets.value())
      generations.push_back(row.kind == FileKind::kOutput ? -1 : row.generation);
    return generations;
  }

  std::string url_ = pinka::testing::FreshDatabase();
  Store store_{url_};
  int64_t term_ = store_.AcquireLeadership("a", "b").value();
  int64_t batch_ = 0;
  std::unique_ptr<ReadPool> pool_;
};

TEST_F(Files, AreFoundByTaskAndTheNewestGenerationIsKnown) {
  Keep(1, FileKind::kCheckpoint, 30, 'a');
  Keep(2, FileKind::kOutput, 0, 'c');
  EXPECT_THAT(Generations(1), ElementsAre(12, 30));
  EXPECT_THAT(Generations(2), ElementsAre(-1));
  EXPECT_EQ(FileSetsOf(*pool_, JobId(7), std::nullopt)->size(), 3u);
  const auto newest = NewestCheckpoint(*pool_, {JobId(7), 1});
  ASSERT_TRUE(newest.ok() && newest->has_value());
  EXPECT_EQ((*newest)->generation, 30);
  EXPECT_EQ((*newest)->root, Root('a'));
  EXPECT_FALSE(NewestCheckpoint(*pool_, {JobId(7), 2})->has_value()) << "an output is none";
}

TEST_F(Files, SaidAgainAreReplaced) {
  Keep(1, FileKind::kCheckpoint, 12, 'f', 7);
  const auto newest = NewestCheckpoint(*pool_, {JobId(7), 1});
  EXPECT_EQ((*newest)->root, Root('f'));
  EXPECT_EQ((*newest)->bytes, 7);
  EXPECT_EQ(Generations(1).size(), 1u);
}

TEST_F(Files, CountOnceForTheirOwnerHoweverOftenTheyAreKept) {
  EXPECT_EQ(BytesKeptOfOwner(*pool_, JobId(7)).value(), 4'096);
  Keep(1, FileKind::kCheckpoint, 13, 'a', 1'000);
  Keep(2, FileKind::kOutput, 0, 'a', 1'000);
  EXPECT_EQ(BytesKeptOfOwner(*pool_, JobId(7)).value(), 5'096);
  EXPECT_EQ(BytesKeptOfOwner(*pool_, JobId(404)).value(), 0);
}

TEST_F(Files, OfATaskTheNewestTwoGenerationsStay) {
  Keep(2, FileKind::kCheckpoint, 1, 'b');
  for (const int64_t generation : {20, 30, 40}) Keep(1, FileKind::kCheckpoint, generation, 'a');
  Keep(1, FileKind::kOutput, 0, 'b');
  EXPECT_THAT(Generations(1), ElementsAre(30, 40, -1));
  EXPECT_THAT(Generations(2), ElementsAre(1)) << "another task's";
}

TEST_F(Files, OfAnEndedJobStayForAWhile) {
  Keep(1, FileKind::kOutput, 0, 'b');
  Changes ended;
  ended.jobs = {SampleChanges().jobs[0]};
  ended.jobs[0].state = TaskState::kCompleted;
  ended.jobs[0].ended_at = At(100);
  ended.jobs[0].pending = ended.jobs[0].held = {};
  Commit(ended);
  const Timestamp end = At(100);
  ASSERT_TRUE(store_.Sweep(end + Duration::Days(6)).ok());
  EXPECT_THAT(Generations(1), ElementsAre(12, -1));
  EXPECT_THAT(LiveTrees(*pool_, end + Duration::Days(6)).value(),
              UnorderedElementsAre(Root('b'), Root('d'), Root('e')));
  ASSERT_TRUE(store_.Sweep(end + Duration::Days(8)).ok());
  EXPECT_THAT(Generations(1), ElementsAre(-1));
  ASSERT_TRUE(store_.Sweep(end + Duration::Days(31)).ok());
  EXPECT_TRUE(Generations(1).empty());
  EXPECT_TRUE(LiveTrees(*pool_, end + Duration::Days(31))->empty()) << "its code as well";
}

TEST_F(Files, TheCodeOfAJobThatMayRunStays) {
  EXPECT_THAT(LiveTrees(*pool_, At(86'400 * 400)).value(),
              UnorderedElementsAre(Root('d'), Root('e')));
}

}  // namespace
}  // namespace pinka::db
