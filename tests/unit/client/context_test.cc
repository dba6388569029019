#include "client/cli/core/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/core/context_file.h"

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;

ConfigFile TwoContexts() {
  ConfigFile file;
  file.path = "/home/alice/.config/pinka/config.toml";
  file.current = "local";
  file.contexts["local"] = {"127.0.0.1:7070", "", "local-token"};
  file.contexts["lab"] = {"lab.example:7070", "/ca.pem", "lab-token"};
  return file;
}

EnvLookup Environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

TEST(ResolveSettings, TakesTheCurrentContextWhereNothingElseIsSaid) {
  const auto settings = ResolveSettings({}, Environment({}), TwoContexts());
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->server.value, "127.0.0.1:7070");
  EXPECT_EQ(settings->server.from, "context local");
  EXPECT_EQ(settings->token.value, "local-token");
  EXPECT_EQ(settings->ca.from, "");
}

TEST(ResolveSettings, LetsTheEnvironmentWinOverTheFileAndFlagsOverBoth) {
  Globals flags;
  flags.token = "flag-token";
  const auto settings = ResolveSettings(
      flags, Environment({{"PINKA_SERVER", "env:1"}, {"PINKA_TOKEN", "env-token"}}), TwoContexts());
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->server.value, "env:1");
  EXPECT_EQ(settings->server.from, "PINKA_SERVER");
  EXPECT_EQ(settings->token.value, "flag-token");
  EXPECT_EQ(settings->token.from, "--token");
}

TEST(ResolveSettings, TakesAnAuthorityForItsOwnServerOnly) {
  Globals flags;
  flags.context = "lab";
  EXPECT_EQ(ResolveSettings(flags, Environment({}), TwoContexts())->ca.value, "/ca.pem");
  flags.server = "127.0.0.1:7070";
  EXPECT_EQ(ResolveSettings(flags, Environment({}), TwoContexts())->ca.value, "");
  flags.ca = "/other.pem";
  EXPECT_EQ(ResolveSettings(flags, Environment({}), TwoContexts())->ca.value, "/other.pem");
}

TEST(ResolveSettings, FindsTheContextByFlagThenEnvironment) {
  const EnvLookup env = Environment({{"PINKA_CONTEXT", "lab"}});
  EXPECT_EQ(ResolveSettings({}, env, TwoContexts())->server.value, "lab.example:7070");
  Globals flags;
  flags.context = "local";
  EXPECT_EQ(ResolveSettings(flags, env, TwoContexts())->server.value, "127.0.0.1:7070");
}

TEST(ResolveSettings, RefusesAContextThatIsNotThereAndNamesThoseThatAre) {
  Globals flags;
  flags.context = "laab";
  const auto settings = ResolveSettings(flags, Environment({}), TwoContexts());
  EXPECT_THAT(Message(settings.status()), HasSubstr("there are: lab, local"));
}

TEST(ConfigFile, ComesBackAsItWasWritten) {
  const ConfigFile file = TwoContexts();
  const auto again = ParseConfig(file.path, FormatConfig(file));
  ASSERT_TRUE(again.ok()) << Message(again.status());
  EXPECT_EQ(again->current, "local");
  EXPECT_EQ(again->contexts.at("lab").ca, "/ca.pem");
  EXPECT_EQ(again->contexts.at("local").token, "local-token");
}

TEST(ConfigFile, NamesTheLineOfAMistake) {
  const auto broken = ParseConfig("c.toml", "current = \"a\"\n[contexts.a]\nserver = 7070\n");
  EXPECT_THAT(Message(broken.status()), HasSubstr("c.toml:3"));
  EXPECT_THAT(Message(ParseConfig("c.toml", "current = ").status()), HasSubstr("c.toml:1"));
}

TEST(ConfigFile, ThatIsNotThereIsEmpty) {
  EXPECT_TRUE(ReadConfig("/nowhere/config.toml")->contexts.empty());
  EXPECT_EQ(ConfigPath(Environment({})), "");
}

}  // namespace
}  // namespace pinka::cli
