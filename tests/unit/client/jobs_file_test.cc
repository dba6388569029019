#include "client/cli/core/jobs_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(JobsFile, ReadsEveryKindOfValue) {
  const auto jobs = ParseJobsFile("f.toml", R"(
[[job]]
ref = "prep"
command = ["python3", "prep.py", "--n", 3]
tier = ["cpu", "t4"]
cpus = 2
keep-on-invalid-dep = false

[[job]]
ref = "train"
name = "训练"
command = ["true"]
dependency = "afterok:@prep"
time = "8h"
env = {SEED = 1, NAME = "a b"}
requeue_exit = [85, 99]
no_requeue = true
begin = 2026-12-01T20:00:00
night = true
)");
  ASSERT_TRUE(jobs.ok()) << Message(jobs.status());
  ASSERT_EQ(jobs->size(), 2u);
  const FileJob& prep = jobs->at(0);
  EXPECT_EQ(prep.ref, "prep");
  EXPECT_THAT(prep.work.argv, ElementsAre("python3", "prep.py", "--n", "3"));
  EXPECT_THAT(prep.work.fields.tiers, ElementsAre("cpu", "t4"));
  EXPECT_EQ(prep.work.fields.cpus, 2);
  EXPECT_FALSE(prep.work.fields.keep_on_invalid_dep);
  const SubmitFields& train = jobs->at(1).work.fields;
  EXPECT_EQ(train.name, "训练");
  EXPECT_EQ(train.dependency, "afterok:@prep");
  EXPECT_EQ(train.time_ms, 8 * 3'600'000);
  ASSERT_EQ(train.env.size(), 2u);
  EXPECT_EQ(train.env[0].name + "=" + train.env[0].value, "NAME=a b");
  EXPECT_EQ(train.env[1].value, "1");
  EXPECT_THAT(train.requeue_exit, ElementsAre(85, 99));
  EXPECT_TRUE(train.no_requeue && train.night);
  EXPECT_EQ(train.begin, "2026-12-01T20:00:00");
}

TEST(JobsFile, IsRefusedWithItsLine) {
  const std::string job = "[[job]]\ncommand = [\"true\"]\n";
  struct {
    std::string text;
    const char* words;
  } table[] = {
      {"", "no job; write [[job]]"},
      {"[job]\ncommand = [\"true\"]\n", "no job; write [[job]]"},
      {"[[job]\n", "f.toml:1"},
      {job + "teir = \"t4\"\n", "f.toml:3: no key teir of a job; did you mean tier?"},
      {job + "wait = true\n", "an option of submit itself"},
      {job + "time = \"1:30\"\n", "f.toml:3: time: "},
      {job + "time = 90\n", "f.toml:3: time: "},
      {job + "gpus = 1.5\n", "f.toml:3: gpus is a \"text\""},
      {job + "night = \"yes\"\n", "f.toml:3: night is true or false"},
      {job + "ref = 5\n", "f.toml:3: ref is a \"name\""},
      {job + "script = \"x.sh\"\n", "f.toml:1: a job has either command"},
      {"[[job]]\ntier = \"t4\"\n", "f.toml:1: a job has either command"},
      {"[[job]]\ncommand = \"true\"\n", "f.toml:2: write a list of words"},
      {"[[job]]\ncommand = []\n", "f.toml:2: nothing to run"},
      {"[[job]]\nscript = \"/no/such.sh\"\n", "f.toml:2: the script /no/such.sh cannot be read"},
      {job + "args = [\"x\"]\n", "f.toml:3: args stand behind a script"},
      {"tier = \"t4\"\n" + job, "f.toml:1: no key tier; a file of jobs has [[job]] tables only"},
  };
  for (const auto& row : table) {
    const auto jobs = ParseJobsFile("f.toml", row.text);
    ASSERT_FALSE(jobs.ok()) << row.text;
    EXPECT_THAT(Message(jobs.status()), HasSubstr(row.words)) << row.text;
  }
  EXPECT_THAT(Message(ReadJobsFile("/no/such.toml").status()), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace pinka::cli
