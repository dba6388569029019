#include "client/cli/core/top_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pinka::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Lines = std::vector<std::string>;

v1::Job Job(int64_t id, const char* user, v1::TaskState::Value state, int position) {
  v1::Job job;
  job.set_id(id);
  job.set_user(user);
  job.set_tier("a100");
  job.set_gpus(1);
  job.set_state(state);
  job.set_position(position);
  job.set_time_limit_ms(5'400'000);
  job.set_name("训练-" + std::to_string(id));
  if (position > 0) job.set_reason("Priority");
  return job;
}

TopFrame Frame(int runs, int waits) {
  TopFrame frame;
  frame.user = "王芳";
  frame.status.set_lab("example");
  for (const char* name : {"t4", "a100"}) {
    v1::TierStatus* tier = frame.status.add_tiers();
    tier->set_tier(name);
    tier->set_units(8);
    tier->set_free(name[0] == 't' ? 8 : 2);
    tier->set_running(runs);
    tier->set_pending(waits);
    tier->set_simulated(true);
  }
  frame.balance.set_currency("CNY");
  v1::AccountBalance* account = frame.balance.add_accounts();
  account->set_account("王芳");
  account->set_available("12.500000");
  account->set_committed("3.000000");
  for (int n = 1; n <= runs; ++n)
    frame.jobs.push_back(Job(n, n % 2 == 0 ? "王芳" : "alice", v1::TaskState::RUNNING, 0));
  for (int n = waits; n >= 1; --n)
    frame.jobs.push_back(Job(100 + n, "王芳", v1::TaskState::PENDING, n));
  return frame;
}

std::string All(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(DrawTop, ShowsTiersBalanceAndWhoIsNext) {
  const Lines lines = DrawTop(Frame(2, 3), Zone(), {.columns = 80, .rows = 0});
  const std::string text = All(lines);
  EXPECT_THAT(text, HasSubstr("王芳: ¥12.50 available, ¥3.00 committed"));
  EXPECT_THAT(text, HasSubstr("6/8"));
  EXPECT_THAT(lines, Contains(HasSubstr("█")));
  EXPECT_THAT(text, HasSubstr("训练-1"));
  EXPECT_THAT(text, HasSubstr("1h30m"));
  EXPECT_LT(text.find("101 "), text.find("102 ")) << "by position";
  EXPECT_LT(text.find("102 "), text.find("103 "));
}

TEST(DrawTop, FitsEverySize) {
  for (const int columns : {40, 80, 200}) {
    for (const int rows : {0, 5, 10, 24, 60}) {
      for (const auto& [runs, waits] :
           std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {0, 1}, {30, 2}, {2, 30}, {40, 40}}) {
        const Lines lines = DrawTop(Frame(runs, waits), Zone(), {.columns = columns, .rows = rows});
        if (rows > 0) {
          EXPECT_LE(static_cast<int>(lines.size()), rows);
        }
        for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), columns) << line;
      }
    }
  }
}

TEST(DrawTop, ColumnsStandUnderTheirTitlesBesideWideNames) {
  const Lines lines = DrawTop(Frame(2, 0), Zone(), {.columns = 200, .rows = 0});
  const auto column = [](const std::string& line, const std::string& word) {
    const size_t at = line.find(word);
    return at == std::string::npos ? -1 : DisplayWidth(line.substr(0, at));
  };
  int title = -1;
  int seen = 0;
  for (const std::string& line : lines) {
    if (line.starts_with("RUNS")) title = column(line, "STATE");
    if (line.find("RUNNING") != std::string::npos && title >= 0) {
      EXPECT_EQ(column(line, "RUNNING"), title) << line;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST(DrawTop, CountsWhatItLeavesOut) {
  const Lines lines = DrawTop(Frame(30, 30), Zone(), {.columns = 80, .rows = 24});
  EXPECT_THAT(All(lines), HasSubstr("more"));
  EXPECT_EQ(lines.size(), 24u);
  EXPECT_THAT(All(DrawTop(Frame(30, 30), Zone(), {.columns = 80, .rows = 0})),
              Not(HasSubstr("more")));
}

TEST(DrawTop, SaysThatTheServerIsAway) {
  TopFrame frame = Frame(0, 0);
  frame.trouble = "the server does not answer";
  const std::string text = All(DrawTop(frame, Zone(), {.columns = 80, .rows = 24}));
  EXPECT_THAT(text, HasSubstr("the server does not answer"));
  EXPECT_THAT(text, HasSubstr("Nothing runs."));
  EXPECT_THAT(text, HasSubstr("Nobody waits."));
}

}  // namespace
}  // namespace pinka::cli
