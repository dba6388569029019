// The watch against a server that answers as the providers' do, and against programs.
#include "agent/spot_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "tests/support/agent/metadata_server.h"

namespace pinka::test {
namespace {

using Kind = SpotAnswer::Kind;
using testing::HasSubstr;

SpotSource SourceAt(const std::string& service, const std::string& url) {
  StatusOr<SpotSource> source = ParseSpotSource(service, url);
  EXPECT_TRUE(source.ok()) << url;
  return source.ok() ? *source : SpotSource();
}

// Seconds from now to the deadline, a little late.
int64_t Left(const SpotAnswer& answer) { return (answer.deadline - SystemClock().Now()).seconds(); }

class EveryService : public testing::TestWithParam<const char*> {};

TEST_P(EveryService, IsAskedAsItWantsToBeAsked) {
  const std::string service = GetParam();
  MetadataServer server(service);
  const SpotWatch watch(SourceAt(service, server.url()));
  EXPECT_EQ(watch.Ask().kind, Kind::kNone) << watch.Ask().trouble;

  server.Say("600");
  const SpotAnswer notice = watch.Ask();
  ASSERT_EQ(notice.kind, Kind::kNotice) << notice.trouble;
  EXPECT_LE(Left(notice), service == "gcp" ? 30 : 600);
  EXPECT_GT(Left(notice), service == "gcp" ? 0 : 300) << "in the right time zone";

  server.Say("late");
  EXPECT_EQ(watch.Ask().kind, Kind::kNotice);
  server.Say("garbage");
  EXPECT_THAT(watch.Ask().trouble, HasSubstr("makes no sense"));
  server.Say("broken");
  EXPECT_EQ(watch.Ask().trouble, "it answers with status 500");
  server.Say("slow");
  EXPECT_EQ(watch.Ask().trouble, "it does not answer within 2s");
  server.TakeBack();
  EXPECT_EQ(watch.Ask().kind, Kind::kNone);
}
INSTANTIATE_TEST_SUITE_P(SpotWatch, EveryService,
                         testing::Values("aws", "gcp", "azure", "aliyun", "tencent"),
                         [](const auto& param) { return std::string(param.param); });

TEST(SpotWatch, TheWrongServiceIsTroubleAndNoNotice) {
  MetadataServer azure("azure");
  azure.Say("600");
  EXPECT_EQ(SpotWatch(SourceAt("aws", azure.url())).Ask().trouble,
            "it gives no token, but status 404");
  EXPECT_EQ(SpotWatch(SourceAt("gcp", azure.url())).Ask().kind, Kind::kTrouble);
}

TEST(SpotWatch, AnotherMachinesEventIsNotOurs) {
  MetadataServer server("azure");
  server.Say("other");
  const SpotAnswer answer = SpotWatch(SourceAt("azure", server.url())).Ask();
  EXPECT_EQ(answer.kind, Kind::kNone) << answer.trouble;
}

TEST(SpotWatch, AServiceThatIsNotThereIsTrouble) {
  EXPECT_EQ(SpotWatch(SourceAt("tencent", "http://127.0.0.1:1")).Ask().trouble,
            "it cannot be reached");
}

// A watch that runs, and what became of it.
struct Running {
  explicit Running(SpotSource source) : watch(std::move(source), Duration::Millis(10)) {
    watch.Start([this] {
      std::lock_guard lock(mutex);
      ++changes;
      changed.notify_all();
    });
  }

  bool WaitFor(int count) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(30), [&] { return changes >= count; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  int changes = 0;
  SpotWatch watch;
};

TEST(SpotWatch, SaysWhenANoticeComesMovesAndGoes) {
  MetadataServer server("aws");
  Running running(SourceAt("aws", server.url()));
  server.Say("600");
  ASSERT_TRUE(running.WaitFor(1));
  const std::optional<SpotReclaim> first = running.watch.reclaim();
  ASSERT_TRUE(first.has_value());
  server.Say("garbage");  // it stands meanwhile
  server.Say("300");
  ASSERT_TRUE(running.WaitFor(2));
  ASSERT_TRUE(running.watch.reclaim().has_value());
  EXPECT_LT(running.watch.reclaim()->at, first->at);
  server.TakeBack();
  ASSERT_TRUE(running.WaitFor(3));
  EXPECT_FALSE(running.watch.reclaim().has_value());
}

struct Script {
  explicit Script(const std::string& text) {
    Spill(path(), "#!/bin/sh\n" + text + "\n");
    chmod(path().c_str(), 0755);
  }
  std::string path() const { return temp.path() + "/ask"; }
  SpotAnswer Ask() const {
    SpotSource source;
    source.program = path();
    return SpotWatch(source).Ask();
  }
  TempDir temp;
};

TEST(SpotWatch, AProgramIsHeardByItsOutputAlone) {
  const SpotAnswer answer = Script("echo 9 >&2; echo 600; echo 8 >&2").Ask();
  ASSERT_EQ(answer.kind, Kind::kNotice);
  EXPECT_GT(Left(answer), 300);
  EXPECT_EQ(Script("exit 1").Ask().kind, Kind::kNone);
  EXPECT_EQ(Script("kill -9 $$").Ask().trouble, "it ends with 137");
}

TEST(SpotWatch, AProgramThatHangsIsKilledWithItsGroup) {
  const Script script("sleep 600 & echo $! > \"$0.child\"; echo $$ > \"$0.self\"; wait");
  EXPECT_EQ(script.Ask().trouble, "it does not end within 10s");
  for (const char* which : {".child", ".self"}) {
    const int pid = std::stoi(Slurp(script.path() + which));
    EXPECT_TRUE(WaitForEnd(pid)) << which;
  }
}

}  // namespace
}  // namespace pinka::test
