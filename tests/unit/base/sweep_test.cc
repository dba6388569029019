#include "base/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace pinka {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Strings = std::vector<std::string>;

SweepKey Read(std::string_view text, int64_t most = 1'000) {
  auto key = ParseSweep(text, most);
  EXPECT_TRUE(key.ok()) << text << ": " << Message(key.status());
  return key.ok() ? *key : SweepKey();
}

std::string Refused(std::string_view text, int64_t most = 1'000) {
  auto key = ParseSweep(text, most);
  return key.ok() ? "" : Message(key.status());
}

TEST(Sweep, ReadsValuesAsTheyStand) {
  const struct {
    std::string_view text;
    Strings values;
  } table[] = {
      {"lr=1e-5,0.00001,0.10,0.1,10000000000000001,10000000000000002",
       {"1e-5", "0.00001", "0.10", "0.1", "10000000000000001", "10000000000000002"}},
      {R"(opt=adam,"a,b",{"k":1})", {"adam", "a,b", "{\"k\":1}"}},
      {R"(q="say ""hi""",x"y)", {"say \"hi\"", "x\"y"}},
      {"seed=1..5", {"1", "2", "3", "4", "5"}},
      {"seed=-2..1,9", {"-2", "-1", "0", "1", "9"}},
      {"seed=7..7", {"7"}},
      {"seed=1..3,2..4", {"1", "2", "3", "4"}},
      {"a=x,x,y", {"x", "y"}},
      {"e=x=y", {"x=y"}},
      {"n=,a", {"", "a"}},
      {"n=a,", {"a", ""}},
      {"n=\"\"", {""}},
      {"path=../a,a..b", {"../a", "a..b"}},
      {"v=\"1..3\"", {"1..3"}},
      {"name=王芳, b ", {"王芳", " b "}},
  };
  for (const auto& row : table) EXPECT_EQ(Read(row.text).values, row.values) << row.text;
  EXPECT_EQ(Read("_k9=1").key, "_k9");
}

TEST(Sweep, RefusesWhatIsNoKeyWithValues) {
  const std::string long_key(65, 'k');
  for (const auto& [text, why] : std::vector<std::pair<std::string, const char*>>{
           {"lr", "a key and values"},
           {"", "a key and values"},
           {"=1", "a letter or _"},
           {"9k=1", "a letter or _"},
           {"a-b=1", "a letter or _"},
           {"学=1", "a letter or _"},
           {long_key + "=1", "at most 64"},
           {"lr=", "names no values"},
           {"a=\"x", "never closed"},
           {"a=\"x\"y", "behind a closing quote"},
           {"lr=0.1..0.5", "no range of whole numbers"},
           {"s=1..1e3", "no range of whole numbers"},
           {"s=01..10", "no range of whole numbers"},
           {"s=5..1", "runs backwards; write 1..5"},
           {"s=1..99999999999999999999", "no range of whole numbers"},
           {"s=\xff", "UTF-8"},
           {std::string("s=a\0b", 5), "zero bytes"}}) {
    EXPECT_THAT(Refused(text), HasSubstr(why)) << text;
  }
  EXPECT_THAT(Refused("s=1..11", 10), HasSubstr("more than the 10 values"));
  EXPECT_EQ(Refused("s=1..10", 10), "");
  EXPECT_THAT(Refused("s=0..9223372036854775807", 10), HasSubstr("more than the 10 values"));
}

TEST(Sweep, CountsTheGridAndRefusesOneThatIsTooLarge) {
  EXPECT_EQ(*CountSweep({Read("a=1,2,3"), Read("b=x,y")}, 6), 6);
  EXPECT_FALSE(CountSweep({Read("a=1,2,3"), Read("b=x,y")}, 5).ok());
  const SweepKey wide = Read("a=1..1000");
  EXPECT_FALSE(CountSweep({wide, {"b", wide.values}, {"c", wide.values}}, 999'999'999).ok());
  EXPECT_THAT(Message(CountSweep({Read("lr=1"), Read("LR=2")}, 10).status()),
              HasSubstr("PINKA_SWEEP_LR"));
}

TEST(Sweep, TheLastKeyIsTheFastest) {
  const std::vector<SweepKey> grid = {Read("a=1,2"), Read("b=x,y,z")};
  EXPECT_THAT(SweepValues(grid, 0), ElementsAre("1", "x"));
  EXPECT_THAT(SweepValues(grid, 1), ElementsAre("1", "y"));
  EXPECT_THAT(SweepValues(grid, 3), ElementsAre("2", "x"));
  EXPECT_THAT(SweepValues(grid, 5), ElementsAre("2", "z"));
}

TEST(Sweep, EveryIndexIsAPointOfItsOwn) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    std::vector<SweepKey> grid;
    for (size_t n = 1 + random.Below(4); n-- > 0;) {
      grid.push_back(Read(std::string(1, static_cast<char>('a' + n)) + "=1.." +
                          std::to_string(1 + random.Below(6))));
    }
    const int64_t count = *CountSweep(grid, 100'000);
    std::set<Strings> points;
    for (int64_t i = 0; i < count; ++i) points.insert(SweepValues(grid, i));
    EXPECT_EQ(static_cast<int64_t>(points.size()), count);
  }
}

TEST(Sweep, IsWrittenSoThatItReadsBack) {
  SeededRandom random(5);
  const std::string letters = "ab\",.=1{} 王";
  for (int round = 0; round < 2'000; ++round) {
    SweepKey key{"k", {}};
    std::set<std::string> seen;
    for (size_t n = 1 + random.Below(3); n-- > 0;) {
      std::string value;
      for (size_t c = random.Below(5); c-- > 0;) {
        const size_t at = random.Below(11);
        value += at == 10 ? "王" : letters.substr(at, 1);
      }
      if (seen.insert(value).second) key.values.push_back(value);
    }
    EXPECT_EQ(Read(FormatSweep(key)), key) << FormatSweep(key);
  }
}

TEST(Sweep, FillsInTheNamesThatAreDeclaredAndNoOthers) {
  const std::vector<SweepKey> keys = {Read("lr=0.10"), Read("l=9"), Read("opt=adam")};
  const Strings values = {"0.10", "{opt}", "adam"};
  const struct {
    std::string_view argument, filled;
  } table[] = {
      {"--lr={lr}", "--lr=0.10"},
      {"{lr}{opt}", "0.10adam"},
      {"{l}", "{opt}"},  // what was filled in stays
      {"{{lr}}", "{lr}"},
      {"{{{lr}}}", "{{lr}}"},
      {"{seed} {LR} {} {", "{seed} {LR} {} {"},
      {"{{seed}}", "{{seed}}"},
      {"{\"a\": {\"lr\": {lr}}}", "{\"a\": {\"lr\": 0.10}}"},
      {"{lr", "{lr"},
      {"{ lr }", "{ lr }"},
      {"", ""},
  };
  for (const auto& row : table)
    EXPECT_EQ(FillSweep(row.argument, keys, values), row.filled) << row.argument;
}

}  // namespace
}  // namespace pinka
