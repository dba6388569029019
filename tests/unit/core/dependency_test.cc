// dependency.cc: the language of dependencies, and what becomes of each term (semantics.md 4).
#include "scheduler/core/dependency.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace pinka::test {
namespace {

TEST(DependencyText, IsReadAndPrintedInOneForm) {
  struct {
    const char* text;
    const char* canonical;
  } table[] = {
      {"", ""},
      {"17", "afterany:17"},
      {"17:18", "afterany:17:18"},
      {"@prep", "afterany:@prep"},
      {"afterok:17", "afterok:17"},
      {"afterok:17:18,after:9+30m", "afterok:17:18,after:9+30m"},
      {"after:9+90s:10", "after:9+1m30s:10"},
      {"afterok:17,afterok:18", "afterok:17:18"},
      {"afterok:17,17,afterok:17", "afterok:17,afterany:17"},
      {"afterok:17?afternotok:18", "afterok:17?afternotok:18"},
      {"afterok:17?afterok:17", "afterok:17"},
      {"afterok:17?afterok:18", "afterok:17?afterok:18"},
      {"afterok:17:18?afterok:19", "afterok:17?afterok:18?afterok:19"},
      {"singleton", "singleton"},
      {"singleton,aftercorr:3", "singleton,aftercorr:3"},
      {"afterok:@a-1.b_2:@c", "afterok:@a-1.b_2:@c"},
      {"afterok:9223372036854775807", "afterok:9223372036854775807"},
  };
  for (const auto& row : table) {
    const auto read = ParseDependency(row.text);
    ASSERT_TRUE(read.ok()) << row.text << ": " << Message(read.status());
    EXPECT_EQ(FormatDependency(*read), row.canonical) << row.text;
    EXPECT_EQ(*ParseDependency(FormatDependency(*read)), *read) << row.text;
  }
}

TEST(DependencyText, IsRefusedWithWhatWouldBeRight) {
  struct {
    std::string text;
    const char* words;
  } table[] = {
      {"afterok:1,after:2?after:3", "never both"},
      {"afterwards:1", "write after, afterany, afterok"},
      {"AFTEROK:1", "no kind of dependency"},
      {"at:5", "no kind of dependency"},
      {"indices:1", "no kind of dependency"},
      {"!afterok:1", "no kind of dependency"},
      {"afterok", "as in afterok:17"},
      {"afterok:", "a job's id"},
      {"afterok:0", "a job's id"},
      {"afterok:-1", "a job's id"},
      {"afterok:9223372036854775808", "a job's id"},
      {"afterok:x", "a job's id"},
      {"afterok:1,", "empty part"},
      {",", "empty part"},
      {"?", "empty part"},
      {"afterok:36_1", "aftercorr:36"},
      {"afterok:1+5m", "behind `after` only"},
      {"after:1+30", "30"},
      {"after:1+", ""},
      {"afterok:@", "names no job of the request"},
      {"afterok:@a b", "names no job of the request"},
      {"afterok:@" + std::string(65, 'x'), "names no job of the request"},
      {"singleton:1", "names no job"},
      {"afterok:1 ", "a job's id"},
  };
  for (const auto& row : table) {
    const auto read = ParseDependency(row.text);
    ASSERT_FALSE(read.ok()) << row.text;
    EXPECT_NE(Message(read.status()).find(row.words), std::string::npos)
        << row.text << ": " << Message(read.status());
  }
}

TEST(DependencyText, HasAtMostAThousandTerms) {
  std::string text = "afterok";
  for (int n = 1; n <= 1'000; ++n) text += ":" + std::to_string(n);
  EXPECT_TRUE(ParseDependency(text).ok());
  EXPECT_TRUE(ParseDependency(text + ":1").ok()) << "a repeated one is none more";
  EXPECT_FALSE(ParseDependency(text + ":1001").ok());
}

TEST(WaitsText, KeepsWhatIsOpenToo) {
  for (const char* text : {"at:1700000000000000", "indices:0-3:7", "!afterok:17",
                           "indices:", "!afterok:17?!after:18", "at:5?aftercorr:9", "!singleton"}) {
    const auto read = ParseWaits(text);
    ASSERT_TRUE(read.ok()) << text << ": " << Message(read.status());
    EXPECT_EQ(FormatDependency(*read), text);
  }
}

// All types x all that a parent can come to.
TEST(Fate, OfEveryTypeAndOutcome) {
  const Timestamp start = Timestamp::Seconds(9);
  const ParentFacts waits{false, TaskState::kPending, false, {}};
  const ParentFacts runs{false, TaskState::kRunning, false, start};
  const ParentFacts half_failed{false, TaskState::kRunning, true, start};
  const ParentFacts well{true, TaskState::kCompleted, false, start};
  const ParentFacts failed{true, TaskState::kFailed, true, start};
  const ParentFacts cancelled{true, TaskState::kCancelled, true, {}};
  constexpr Fate kOpen = Fate::kOpen;
  constexpr Fate kMet = Fate::kMet;
  constexpr Fate kNever = Fate::kNever;
  struct {
    const ParentFacts& parent;
    Fate after, any, ok, not_ok;
  } table[] = {
      {waits, kOpen, kOpen, kOpen, kOpen},       {runs, kMet, kOpen, kOpen, kOpen},
      {half_failed, kMet, kOpen, kNever, kOpen}, {well, kMet, kMet, kMet, kNever},
      {failed, kMet, kMet, kNever, kMet},        {cancelled, kNever, kMet, kNever, kMet},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(&row - table);
    EXPECT_EQ(FateOf(DependencyType::kAfter, row.parent), row.after);
    EXPECT_EQ(FateOf(DependencyType::kAfterAny, row.parent), row.any);
    EXPECT_EQ(FateOf(DependencyType::kAfterOk, row.parent), row.ok);
    EXPECT_EQ(FateOf(DependencyType::kAfterNotOk, row.parent), row.not_ok);
  }
}

// Job 1 went well, 2 failed, 3 runs since second 100, 4 waits.
ParentView View() {
  ParentView view;
  view.facts = [](JobId id) -> std::optional<ParentFacts> {
    const Timestamp start = Timestamp::Seconds(100);
    if (id == JobId(1)) return ParentFacts{true, TaskState::kCompleted, false, start};
    if (id == JobId(2)) return ParentFacts{true, TaskState::kFailed, true, start};
    if (id == JobId(3)) return ParentFacts{false, TaskState::kRunning, false, start};
    if (id == JobId(4)) return ParentFacts{};
    return std::nullopt;
  };
  view.ok = [](JobId id) { return id == JobId(1) ? RangeSet::Of(0, 4) : RangeSet::Of(2, 9); };
  return view;
}

TEST(Reduce, KeepsWhatIsOpenAndSaysWhatIsLost) {
  struct {
    const char* waits;
    const char* open;
  } table[] = {
      {"", ""},
      {"afterok:1", ""},
      {"afterok:1,afterok:3", "afterok:3"},
      {"afterok:2,afterok:3", "!afterok:2"},
      {"afterok:2?afterok:3", "afterok:3"},
      {"afterok:2?afternotok:1", "!afterok:2?!afternotok:1"},
      {"afterok:1?afterok:4", ""},
      {"afterok:3?afterok:4", "afterok:3?afterok:4"},
      {"after:3", ""},
      {"after:3+10s", ""},
      {"after:3+5m", "at:400000000"},
      {"after:3+5m,afterok:4", "at:400000000,afterok:4"},
      {"after:4+5m", "after:4+5m"},
      {"at:1,afterok:4", "afterok:4"},
      {"afterok:9", "afterok:9"},
      {"aftercorr:3", "aftercorr:3"},
      {"aftercorr:1,aftercorr:2", "indices:2-3"},
      {"aftercorr:1?aftercorr:2", "indices:0-8"},
      {"aftercorr:1,afterok:2", "!afterok:2"},
      {"singleton", ""},
  };
  for (const auto& row : table) {
    const Dependency open = Reduce(*ParseWaits(row.waits), View(), Timestamp::Seconds(200));
    EXPECT_EQ(FormatDependency(open), row.open) << row.waits;
    EXPECT_EQ(Never(open), row.open[0] == '!');
    EXPECT_EQ(Reduce(open, View(), Timestamp::Seconds(200)), open) << "no news, no change";
  }
  ParentView view = View();
  view.namesake = true;
  EXPECT_EQ(FormatDependency(Reduce(*ParseWaits("singleton"), view, Timestamp::Seconds(200))),
            "singleton");
}

// Whatever the order of the parents' ends, the outcome is that of all news at once.
TEST(Reduce, DoesNotDependOnTheOrderOfNews) {
  SeededRandom random(17);
  const char* types[] = {"after", "afterany", "afterok", "afternotok"};
  for (int round = 0; round < 2'000; ++round) {
    Dependency waits;
    const uint64_t terms = 1 + random.Below(5);
    waits.any = terms > 1 && random.Below(2) == 0;
    std::string text;
    for (uint64_t n = 0; n < terms; ++n) {
      if (n > 0) text += waits.any ? "?" : ",";
      text += std::string(types[random.Below(4)]) + ":" + std::to_string(1 + random.Below(4));
    }
    waits = *ParseDependency(text);
    std::map<JobId, ParentFacts> all;
    for (int64_t id = 1; id <= 4; ++id) {
      const bool ok = random.Below(2) == 0;
      all[JobId(id)] = {true, ok ? TaskState::kCompleted : TaskState::kFailed, !ok,
                        random.Below(2) == 0 ? Timestamp::Seconds(5) : Timestamp()};
    }
    std::map<JobId, ParentFacts> known;
    ParentView view;
    view.facts = [&](JobId id) -> std::optional<ParentFacts> {
      const auto at = known.find(id);
      return at == known.end() ? std::nullopt : std::optional(at->second);
    };
    Dependency stepwise = waits;
    for (int64_t n = 0; n < 4; ++n) {
      JobId next(1 + static_cast<int64_t>(random.Below(4)));
      while (known.contains(next)) next = JobId(next.value() % 4 + 1);
      known[next] = all[next];
      stepwise = Reduce(stepwise, view, Timestamp::Seconds(50));
    }
    const Dependency at_once = Reduce(waits, view, Timestamp::Seconds(50));
    EXPECT_EQ(stepwise.empty(), at_once.empty()) << text;
    EXPECT_EQ(Never(stepwise), Never(at_once)) << text;
    EXPECT_TRUE(stepwise.empty() || Never(stepwise)) << text << ": decided, once all have ended";
  }
}

}  // namespace
}  // namespace pinka::test
