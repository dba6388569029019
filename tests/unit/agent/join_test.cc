// join.cc, identity.cc, config_file.cc and options.cc: from a token to a node that starts by
// itself.
#include "agent/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

#include "agent/config_file.h"
#include "agent/identity.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "tests/support/agent/files.h"

namespace pinka {
namespace {

using test::Slurp;
using test::Spill;
using testing::HasSubstr;

TEST(JoinTokens, AreASecretAndMaybeAPin) {
  const std::string secret = "pinka_join_" + std::string(32, 'a');
  EXPECT_EQ(ParseJoinToken(secret)->secret, secret);
  EXPECT_EQ(ParseJoinToken(secret)->pin, "");
  const std::string pin(64, 'b');
  EXPECT_EQ(ParseJoinToken(secret + "." + pin)->secret, secret);
  EXPECT_EQ(ParseJoinToken(secret + "." + pin)->pin, pin);
  for (const std::string& bad :
       {std::string(), std::string("pinka_join_"), "pinka_" + std::string(64, 'a'), secret + ".",
        secret + ".abc", secret + "." + std::string(63, 'b') + "g", secret + " "})
    EXPECT_FALSE(ParseJoinToken(bad).ok()) << bad;
  EXPECT_FALSE(IsJoinToken("pinka_" + std::string(64, 'a')));
}

struct Home {
  Home() : state(*StateDir::Open(temp.path() + "/state", false, &random)), identity(state) {}
  std::string At(const std::string& name) const { return temp.path() + "/state/" + name; }
  test::TempDir temp;
  SystemRandom random;
  StateDir state;
  Identity identity;
};

TEST(Keys, AreTheSameUntilTheyAreTaken) {
  Home home;
  EXPECT_FALSE(home.identity.HasKey());
  const std::string next = *home.identity.NextKey(&home.random);
  EXPECT_EQ(*home.identity.NextKey(&home.random), next) << "a join that is repeated is the same";
  ASSERT_TRUE(home.identity.TakeNext().ok());
  EXPECT_EQ(*home.identity.Key(), next);
  EXPECT_FALSE(home.identity.IsBetween());
  struct stat info {};
  stat(home.At("key").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

// The scheduler's side of a rotation.
struct Scheduler {
  Status Tell(const std::string& with, const std::string& hash) {
    ++calls;
    if (Sha256Hex(with) != known) return Status(absl::StatusCode::kUnauthenticated, "who?");
    known = hash;
    return lose_answer ? Unavailable("lost") : OkStatus();
  }
  std::string known;
  bool lose_answer = false;
  int calls = 0;
};

TEST(Rotation, LeavesOneGoodKeyAlsoWhereTheAnswerIsLost) {
  Home home;
  Spill(home.At("key"), "old\n");
  Scheduler scheduler{.known = Sha256Hex("old")};
  const Identity::Tell tell = [&](const std::string& with, const std::string& hash) {
    return scheduler.Tell(with, hash);
  };
  ASSERT_TRUE(home.identity.Rotate(&home.random, tell).ok());
  EXPECT_EQ(scheduler.known, Sha256Hex(*home.identity.Key()));
  EXPECT_NE(*home.identity.Key(), "old");

  scheduler.lose_answer = true;
  EXPECT_FALSE(home.identity.Rotate(&home.random, tell).ok());
  EXPECT_TRUE(home.identity.IsBetween());
  EXPECT_NE(scheduler.known, Sha256Hex(*home.identity.Key()));
  scheduler.lose_answer = false;
  ASSERT_TRUE(home.identity.Rotate(&home.random, tell).ok());
  EXPECT_FALSE(home.identity.IsBetween());
  EXPECT_EQ(scheduler.known, Sha256Hex(*home.identity.Key()));
}

ParsedOptions Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "pinka-agent");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return ParseOptions(static_cast<int>(argv.size()), argv.data());
}

TEST(Configuration, ThatJoinWritesIsWhatTheNextStartReads) {
  test::TempDir temp;
  const std::string config = temp.path() + "/agent.toml";
  const std::string state = temp.path() + "/state";
  ParsedOptions join =
      Parse({"join", "--server", "lab.example:7443", "--token", "t0p-secret", "--state-dir", state,
             "--config", config, "--simulate-gpus", "rtx3090:2", "--shared-dir", "/srv/课题 组",
             "--supervisor", "/bin/true", "--spot-notice", "azure", "--metadata-url",
             "http://127.0.0.1:8080/imds"});
  ASSERT_TRUE(join.go_on);
  EXPECT_EQ(join.options.verb, AgentVerb::kJoin);
  EXPECT_EQ(join.options.token, "t0p-secret");
  join.options.box.name = "n1";
  join.options.box.tier = "a100";
  join.options.ca = state + "/ca.pem";
  ASSERT_TRUE(WriteConfigFile(join.options).ok());
  EXPECT_THAT(Slurp(config), testing::Not(HasSubstr("t0p-secret")));

  EXPECT_FALSE(Parse({"--config", config}).go_on) << "there is no key yet";
  ASSERT_TRUE(MakeDirectories(state).ok());
  Spill(state + "/key", "the-key\n");
  const ParsedOptions run = Parse({"--config", config});
  ASSERT_TRUE(run.go_on);
  EXPECT_EQ(run.options.verb, AgentVerb::kRun);
  EXPECT_EQ(run.options.server, "lab.example:7443");
  EXPECT_EQ(run.options.ca, state + "/ca.pem");
  EXPECT_EQ(run.options.token, "the-key");
  EXPECT_EQ(run.options.box.name, "n1");
  EXPECT_EQ(run.options.box.tier, "a100");
  EXPECT_EQ(run.options.box.gpus.size(), 2u);
  EXPECT_EQ(run.options.box.shared_dir, "/srv/课题 组");
  ASSERT_NE(run.options.spot.service, nullptr);
  EXPECT_STREQ(run.options.spot.service->name, "azure");
  EXPECT_EQ(run.options.spot.port, 8080);
  EXPECT_EQ(run.options.spot.prefix, "/imds");
  EXPECT_EQ(Parse({"--config", config, "--tier", "t4"}).options.box.tier, "t4");
}

TEST(Options, BlotOutATokenThatEverybodyOnTheBoxCouldSee) {
  test::TempDir temp;
  std::vector<std::string> words = {
      "pinka-agent",  "join",     "--server",         "lab:1",       "--token",
      "s3cr3t-93",    "--config", temp.path() + "/c", "--state-dir", temp.path() + "/s",
      "--supervisor", "/bin/true"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  EXPECT_EQ(ParseOptions(static_cast<int>(argv.size()), argv.data()).options.token, "s3cr3t-93");
  EXPECT_EQ(words[5], "xxxxxxxxx");
}

}  // namespace
}  // namespace pinka
