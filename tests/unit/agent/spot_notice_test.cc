// What each provider's service says, cell by cell, and what stands of it.
#include "agent/core/spot_notice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parse.h"

namespace pinka {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr Timestamp kNow = Timestamp::Seconds(1'796'000'000);  // 2026-11-30T00:53:20Z

const SpotService& Service(const std::string& name) {
  for (const SpotService& service : SpotServices()) {
    if (name == service.name) return service;
  }
  ADD_FAILURE() << name;
  return SpotServices()[0];
}

// "none", "TIME", "TIME counted" or "trouble: …".
std::string Text(const SpotAnswer& answer) {
  switch (answer.kind) {
    case SpotAnswer::Kind::kNone:
      return "none";
    case SpotAnswer::Kind::kNotice:
      return FormatUtc(answer.deadline) + (answer.named ? "" : " counted");
    case SpotAnswer::Kind::kTrouble:
      return "trouble: " + answer.trouble;
  }
  return "";
}

std::string Read(const std::string& service, int status, const std::string& body,
                 const std::string& machine = "") {
  return Text(Service(service).read(status, body, machine, kNow));
}

TEST(SpotNotice, EveryServiceIsReadAsItsDocumentationSays) {
  ASSERT_EQ(FormatUtc(kNow), "2026-11-30T00:53:20Z");
  struct Row {
    const char* service;
    int status;
    const char* body;
    const char* answer;
  };
  const Row rows[] = {
      {"aws", 404, "<html>404 - Not Found</html>", "none"},
      {"aws", 200, R"({"action":"terminate","time":"2026-11-30T00:55:20Z"})",
       "2026-11-30T00:55:20Z"},
      {"aws", 200, R"({"action": "stop", "time": "2026-11-30T00:55:20Z", "new": [1]})",
       "2026-11-30T00:55:20Z"},
      {"aws", 200, R"({"action":"hibernate","time":"2026-11-30T00:53:20Z"})",
       "2026-11-30T00:53:20Z"},
      {"aws", 401, "", "trouble: it answers with status 401"},
      {"gcp", 200, "FALSE", "none"},
      {"gcp", 200, "TRUE\n", "2026-11-30T00:53:50Z counted"},
      {"gcp", 404, "", "trouble: it answers with status 404"},
      {"azure", 200, R"({"DocumentIncarnation":1,"Events":[]})", "none"},
      {"azure", 200,
       R"({"Events":[{"EventType":"Preempt","NotBefore":"Mon, 30 Nov 2026 00:54:00 GMT"}]})",
       "2026-11-30T00:54:00Z"},
      {"azure", 200,
       R"({"Events":[{"EventType":"Preempt","EventStatus":"Started","NotBefore":""}]})",
       "2026-11-30T00:53:50Z counted"},
      {"azure", 200, R"({"Events":[{"EventType":"Preempt"}]})", "2026-11-30T00:53:50Z counted"},
      {"azure", 200, R"({"Events":[{"EventType":"Freeze","NotBefore":"nonsense"}]})", "none"},
      {"azure", 200,
       R"({"Events":[{"EventType":"Preempt","NotBefore":"Mon, 30 Nov 2026 00:58:00 GMT"},
                     {"EventType":"Reboot","NotBefore":"Mon, 30 Nov 2026 00:53:00 GMT"},
                     {"EventType":"Preempt","NotBefore":"Mon, 30 Nov 2026 00:55:00 GMT"}]})",
       "2026-11-30T00:55:00Z"},
      {"aliyun", 404, "", "none"},
      {"aliyun", 200, "2026-11-30T00:58:20Z", "2026-11-30T00:58:20Z"},
      {"tencent", 404, "", "none"},
      {"tencent", 200, "2026-11-30 08:55:20\n", "2026-11-30T00:55:20Z"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Read(row.service, row.status, row.body), row.answer)
        << row.service << " " << row.body;
  }
}

TEST(SpotNotice, NothingElseIsANotice) {
  const std::string deep(60'000, '[');
  const std::string bodies[] = {
      "",
      " \n",
      "null",
      "true",
      "0",
      "[]",
      "{}",
      "{",
      deep,
      std::string(3, '\0'),
      "\xff\xfe",
      "<html>login to the hotel's network</html>",
      "infinite-future",
      "now",
      "2026-11-30",
      "2026-13-45T99:99:99Z",
      "2026-11-30T00:55:20",
      "99999999999999999999-11-30T00:55:20Z",
      "2026-11-30T00:55:20Z 2026-11-30T00:55:20Z",
      "Mon, 30 Nov 2026 00:54:00 CET",
      R"("terminate")",
      R"({"action":"terminate"})",
      R"({"action":"terminate","time":null})",
      R"({"action":"terminate","time":1796000120})",
      R"({"action":"terminate","time":"soon"})",
      R"({"action":"terminate","time":"infinite-future"})",
      R"({"action":"dance","time":"2026-11-30T00:55:20Z"})",
      R"({"action":["terminate"],"time":"2026-11-30T00:55:20Z"})",
      R"({"action":"terminate","time":"2026-11-30T00:55:20Z"}})",
      R"({"Events":{}})",
      R"({"Events":null})",
      R"({"Events":[{"EventType":"Preempt","NotBefore":"soon"}]})",
  };
  for (const SpotService& service : SpotServices()) {
    for (const std::string& body : bodies) {
      EXPECT_THAT(Read(service.name, 200, body), StartsWith("trouble: it answers what makes"))
          << service.name << " " << body;
    }
    for (int status : {0, 100, 204, 301, 403, 429, 500, 503}) {
      EXPECT_THAT(Read(service.name, status, "TRUE"), StartsWith("trouble: it answers with status"))
          << service.name;
    }
  }
  // What is not an event is none, beside one that is.
  EXPECT_EQ(Read("azure", 200, R"({"Events":[null,7,"Preempt",[],{},{"EventType":7}]})"), "none");
  EXPECT_EQ(Read("azure", 200, R"({"Events":[{"EventType":"Preempt","NotBefore":"soon"},
                                             {"EventType":"Preempt"}]})"),
            "2026-11-30T00:53:50Z counted");
}

TEST(SpotNotice, ALateNoticeCountsAndAnAbsurdTimeDoesNot) {
  EXPECT_EQ(Read("aliyun", 200, "2026-11-30T00:50:00Z"), "2026-11-30T00:50:00Z");
  for (const char* time : {"1970-01-01T00:00:00Z", "2026-11-29T23:53:19Z", "2026-12-01T00:53:21Z",
                           "9999-01-01T00:00:00Z", "-9999-01-01T00:00:00Z"}) {
    EXPECT_THAT(Read("aliyun", 200, time), HasSubstr("too far from this machine's clock")) << time;
  }
}

TEST(SpotNotice, WhatItShowsOfABadAnswerIsOneHarmlessLine) {
  const std::string shown = Read("gcp", 200, "\x1b[31mred\nline\x07" + std::string(9'000, 'x'));
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\n'), std::string::npos);
  EXPECT_LT(shown.size(), 200u);
}

TEST(SpotNotice, AnEventOfAnotherMachineInTheSetIsNone) {
  const std::string body =
      R"({"Events":[{"EventType":"Preempt","Resources":["gpu_1","GPU_2"],"NotBefore":""}]})";
  EXPECT_EQ(Read("azure", 200, body, "gpu_0"), "none");
  EXPECT_EQ(Read("azure", 200, body, "gpu_2"), "2026-11-30T00:53:50Z counted");
  EXPECT_EQ(Read("azure", 200, body, ""), "2026-11-30T00:53:50Z counted") << "its name is unknown";
}

TEST(SpotNotice, AProgramSaysItByItsExitCode) {
  auto read = [](int code, const std::string& output) {
    return Text(ReadSpotProgram(code, output, kNow));
  };
  EXPECT_EQ(read(1, "120"), "none");
  EXPECT_EQ(read(0, ""), "2026-11-30T00:53:50Z counted");
  EXPECT_EQ(read(0, "120\nand more\n"), "2026-11-30T00:55:20Z counted");
  EXPECT_EQ(read(0, "0"), "2026-11-30T00:53:20Z counted");
  EXPECT_EQ(read(0, "2026-11-30T08:55:20+08:00\n"), "2026-11-30T00:55:20Z");
  for (const char* nonsense : {"-5", "1e9", "999999999999", "soon", "1970-01-01T00:00:00Z"})
    EXPECT_EQ(read(0, nonsense), "2026-11-30T00:53:50Z counted") << nonsense;
  EXPECT_EQ(read(2, "120"), "trouble: it ends with 2");
  EXPECT_EQ(read(137, ""), "trouble: it ends with 137");
}

TEST(SpotNotice, TheSourceIsReadOrRefusedWithASentence) {
  StatusOr<SpotSource> none = ParseSpotSource("", "");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->Asks());
  for (const SpotService& service : SpotServices()) {
    StatusOr<SpotSource> source = ParseSpotSource(service.name, "");
    ASSERT_TRUE(source.ok()) << service.name;
    EXPECT_EQ(source->service, &service);
    EXPECT_EQ(source->port, 80);
    EXPECT_EQ("http://" + source->host, service.address);
  }
  StatusOr<SpotSource> proxied = ParseSpotSource("aws", "http://[::1]:8080/imds/");
  ASSERT_TRUE(proxied.ok());
  EXPECT_EQ(proxied->host, "::1");
  EXPECT_EQ(proxied->port, 8080);
  EXPECT_EQ(proxied->prefix, "/imds");
  EXPECT_EQ(ParseSpotSource("command:/opt/ask me", "")->program, "/opt/ask me");
  const std::pair<const char*, const char*> wrong[] = {
      {"AWS", ""},           {"huawei", ""},          {"command:", ""},
      {"command:./ask", ""}, {"", "http://h"},        {"command:/bin/true", "http://h"},
      {"aws", "h:80"},       {"aws", "https://h"},    {"aws", "http://"},
      {"aws", "http://:80"}, {"aws", "http://h:"},    {"aws", "http://h:0"},
      {"aws", "http://h:x"}, {"aws", "http://h:1:2"}, {"aws", "http://a@h"},
      {"aws", "http://h w"}, {"aws", "http://[::1"},  {"aws", "http://[::1]x:80"},
      {"aws", "http://h\n"}, {"aws", "http://h/?q"},
  };
  for (const auto& [notice, url] : wrong) {
    StatusOr<SpotSource> source = ParseSpotSource(notice, url);
    ASSERT_FALSE(source.ok()) << notice << " " << url;
    EXPECT_THAT(Message(source.status()), testing::StartsWith("--")) << notice << " " << url;
  }
}

struct Watch {
  SpotStanding standing;
  Timestamp now = kNow;
  Duration up = Duration::Seconds(1'000);

  bool Notice(int64_t in_seconds, bool named = true) {
    return standing.Take({.kind = SpotAnswer::Kind::kNotice,
                          .deadline = kNow + Duration::Seconds(in_seconds),
                          .named = named,
                          .trouble = {}},
                         now, up);
  }
  bool None() { return standing.Take({}, now, up); }
  bool Trouble() {
    SpotAnswer answer;
    answer.kind = SpotAnswer::Kind::kTrouble;
    answer.trouble = "it cannot be reached";
    return standing.Take(answer, now, up);
  }
  void Pass(int64_t seconds) {
    now = now + Duration::Seconds(seconds);
    up = up + Duration::Seconds(seconds);
  }
  int64_t Left() const { return (standing.reclaim()->at - up).seconds(); }
};

TEST(SpotStanding, ANoticeThatIsRepeatedIsOne) {
  Watch watch;
  EXPECT_FALSE(watch.None());
  EXPECT_TRUE(watch.Notice(120));
  watch.Pass(5);
  EXPECT_FALSE(watch.Notice(120));
  EXPECT_EQ(watch.Left(), 115);
  EXPECT_TRUE(watch.Notice(60)) << "moved nearer";
  EXPECT_TRUE(watch.Notice(90)) << "and away again: the provider's word";
  EXPECT_EQ(watch.Left(), 85);
}

TEST(SpotStanding, WhatIsOnlyCountedNeverMovesAway) {
  Watch watch;
  EXPECT_TRUE(watch.Notice(30, false));
  watch.Pass(5);
  EXPECT_FALSE(watch.Notice(35, false));
  EXPECT_EQ(watch.Left(), 25);
  EXPECT_FALSE(watch.Notice(29, false)) << "the time that asking took";
  EXPECT_TRUE(watch.Notice(15, false));
  EXPECT_EQ(watch.Left(), 10);
}

TEST(SpotStanding, ItStandsThroughTroubleAndGoesWhenItIsTakenBack) {
  Watch watch;
  watch.Notice(120);
  EXPECT_FALSE(watch.Trouble());
  EXPECT_TRUE(watch.standing.reclaim().has_value());
  EXPECT_TRUE(watch.None());
  EXPECT_FALSE(watch.standing.reclaim().has_value());
  EXPECT_TRUE(watch.Notice(120));
  watch.Pass(120 + 300);
  EXPECT_FALSE(watch.Trouble()) << "five minutes after its time, not before";
  watch.Pass(1);
  EXPECT_TRUE(watch.Trouble());
  EXPECT_FALSE(watch.standing.reclaim().has_value());
}

TEST(SpotStanding, AClockThatIsSetDoesNotMoveTheDeadline) {
  Watch watch;
  watch.Notice(120);
  watch.now = watch.now + Duration::Hours(1);
  EXPECT_FALSE(watch.Notice(120));
  EXPECT_EQ(watch.Left(), 120);
}

}  // namespace
}  // namespace pinka
