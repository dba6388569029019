#include "scheduler/core/standing.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/core_world.h"

namespace pinka::test {
namespace {

CoreWorld Waiting() {
  CoreWorld w;
  w.Deposit("lab", 100'000);
  w.AddNode("box", "a100", 1);
  const JobId runs = w.Submit("alice", w.Job("a100"));
  w.Run(runs);
  w.Advance(Duration::Minutes(30));
  return w;
}

const ShareLine& Of(const ShareList& list, const std::string& name) {
  for (const ShareLine& line : list.lines) {
    if (line.name == name) return line;
  }
  throw std::runtime_error("no line " + name);
}

TEST(Standing, ListsEverybodyWithUseAndFactor) {
  CoreWorld w = Waiting();
  LabChange change;
  change.members = {{"bob", 0, false}};
  w.Apply(change);
  const ShareList list = ListShares(w.state());
  EXPECT_FALSE(list.by_project);
  EXPECT_EQ(list.lines.size(), w.state().members.rows().size());
  EXPECT_EQ(Of(list, "alice").uses_ms, Of(list, "alice").use_ms) << "nobody else ran";
  EXPECT_NEAR(static_cast<double>(Of(list, "alice").use_ms), 0.5 * 6 * 3'600'000, 20'000)
      << "half an hour of six reference hours";
  EXPECT_EQ(Of(list, "alice").shares, 4) << "alice, carol, 王芳, admin";
  EXPECT_EQ(Of(list, "alice").level, 250);
  EXPECT_EQ(Of(list, "王芳").level, -1);
  EXPECT_EQ(Of(list, "王芳").fair, uint64_t{1} << 62);
  EXPECT_EQ(Of(list, "bob").share, 0);
  EXPECT_EQ(Of(list, "bob").fair, 0u);
}

TEST(Standing, ListsProjectsBeforeTheirMembers) {
  CoreWorld w = Waiting();
  LabChange change;
  change.projects = {{"vision", {"bob", "alice"}, 2}, {"old", {"alice"}, 0}};
  w.Apply(change);
  const ShareList list = ListShares(w.state());
  EXPECT_TRUE(list.by_project);
  std::vector<std::string> names;
  for (const ShareLine& line : list.lines) names.push_back(line.name);
  ASSERT_EQ(names.size(), 1 + w.state().members.rows().size() + 3 + 1);
  EXPECT_EQ(names.front(), "") << "work without a project";
  EXPECT_EQ(names.back(), "old") << "without a share";
  EXPECT_EQ(list.lines.front().shares, 3);
  EXPECT_EQ(Of(list, "vision").share, 2);
  EXPECT_FALSE(Of(list, "vision").member);
}

TEST(Standing, PartsOfEveryWaitingJobSumAndAreInOrder) {
  CoreWorld w = Waiting();
  const JobId second = w.Submit("alice", w.Job("a100"));
  const JobId first = w.Submit("bob", w.Job("a100"));
  const JobId other = w.Submit("bob", w.Job("t4"));
  const auto all = ListPriorities(w.state(), {}).lines;
  ASSERT_EQ(all.size(), 3u);
  for (const PriorityLine& line : all) {
    const Priority& p = line.parts;
    EXPECT_EQ(p.total, p.fair + p.age + p.klass + p.size - p.nice);
    EXPECT_TRUE(line.has_share);
  }
  EXPECT_EQ(all[0].job, other) << "t4 is the older tier";
  EXPECT_EQ(all[1].job, first);
  EXPECT_EQ(all[2].job, second);
  EXPECT_EQ(all[2].position, 2);
  const auto one = ListPriorities(w.state(), {.ids = {second}, .owner = {}, .tier = {}}).lines;
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].position, 2) << "in the whole queue";
  EXPECT_EQ(one[0].user, "alice");
  const auto bobs =
      ListPriorities(w.state(), {.ids = {}, .owner = w.Member("bob"), .tier = w.Tier("a100")});
  ASSERT_EQ(bobs.lines.size(), 1u);
  EXPECT_EQ(bobs.lines[0].job, first);
  const PriorityList cut =
      ListPriorities(w.state(), {.ids = {}, .owner = {}, .tier = {}, .most = 2});
  EXPECT_EQ(cut.lines.size(), 2u);
  EXPECT_TRUE(cut.more);
}

}  // namespace
}  // namespace pinka::test
