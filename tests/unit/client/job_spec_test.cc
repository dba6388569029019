#include "client/cli/core/job_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"

namespace pinka::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReadWork, TakesACommandWordForWord) {
  const auto work = ReadWork({"--", "printf", "[%s]\n", "a  b", "", "--", "$HOME"}, false);
  ASSERT_TRUE(work.ok());
  EXPECT_THAT(work->argv, ElementsAre("printf", "[%s]\n", "a  b", "", "--", "$HOME"));
  EXPECT_EQ(work->script, "");
}

TEST(ReadWork, RefusesNothingUnlessOnlyThePriceIsAsked) {
  EXPECT_FALSE(ReadWork({}, false).ok());
  EXPECT_FALSE(ReadWork({"--"}, false).ok());
  EXPECT_TRUE(ReadWork({}, true).ok());
}

class Script : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/pinka-cli-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { ASSERT_TRUE(RemoveTree(directory_).ok()); }

  std::string Write(const std::string& content) {
    const std::string path = directory_ + "/train.sh";
    EXPECT_TRUE(WriteFileDurably(path, content).ok());
    return path;
  }

 private:
  std::string directory_;
};

TEST_F(Script, IsReadWithItsDirectivesAndArguments) {
  const std::string text = "#!/bin/bash\n#PINKA --tier t4\necho \"$@\"\n";
  const auto work = ReadWork({Write(text), "--lr", "0.1"}, false);
  ASSERT_TRUE(work.ok()) << Message(work.status());
  EXPECT_EQ(work->script, text);
  EXPECT_THAT(work->argv, ElementsAre("train.sh", "--lr", "0.1"));
  EXPECT_THAT(work->fields.tiers, ElementsAre("t4"));
}

TEST_F(Script, MustSayWhatRunsIt) {
  EXPECT_THAT(Message(ReadWork({Write("echo x\n")}, false).status()), HasSubstr("#!/bin/bash"));
}

TEST_F(Script, ThatIsTooLargeIsRefusedWithLimitAndSize) {
  const auto work = ReadWork({Write("#!/bin/sh\n#" + std::string(5 << 20, 'x'))}, false);
  EXPECT_THAT(Message(work.status()), HasSubstr("5242891"));
  EXPECT_THAT(Message(work.status()), HasSubstr("4194304"));
}

TEST_F(Script, ThatIsNotThereIsRefused) {
  EXPECT_THAT(Message(ReadWork({"/nowhere.sh"}, false).status()), HasSubstr("/nowhere.sh"));
}

TEST(BuildJobSpec, CarriesEveryOption) {
  SubmitFields fields;
  fields.tiers = {"t4"};
  fields.gpus = 2;
  fields.cpus = 4;
  fields.memory_bytes = 1 << 30;
  fields.time_ms = 60'000;
  fields.grace_ms = 5'000;
  fields.array = "0-9%2";
  fields.retries = 3;
  fields.no_requeue = true;
  fields.requeue_exit = {75, 99};
  fields.job_class = v1::JobSpec::debug;
  fields.source = std::string("package");
  fields.nice = -5;
  fields.project = "p";
  fields.name = "训练";
  fields.comment = "c";
  fields.output = "out-%j";
  fields.chdir = "/data";
  fields.env = {{"A", "b\nc"}};
  Work work;
  work.argv = {"a", "\xff"};
  const auto spec = BuildJobSpec(fields, work);
  ASSERT_TRUE(spec.ok());
  v1::JobSpec expected;
  expected.add_argv("a");
  expected.add_argv("\xff");
  expected.add_tiers("t4");
  expected.set_gpus(2);
  expected.set_cpus(4);
  expected.set_memory_bytes(1 << 30);
  expected.set_time_limit_ms(60'000);
  expected.set_grace_ms(5'000);
  expected.set_array("0-9%2");
  expected.set_retries(3);
  expected.set_no_requeue(true);
  expected.add_requeue_exit(75);
  expected.add_requeue_exit(99);
  expected.set_class_(v1::JobSpec::debug);
  expected.set_source("package");
  expected.set_nice(-5);
  expected.set_project("p");
  expected.set_name("训练");
  expected.set_comment("c");
  expected.set_output("out-%j");
  expected.set_chdir("/data");
  v1::EnvVar* var = expected.add_env();
  var->set_name("A");
  var->set_value("b\nc");
  EXPECT_EQ(spec->SerializeAsString(), expected.SerializeAsString());
}

TEST(BuildJobSpec, TakesTheLongestArgumentAndRefusesOneByteMore) {
  Work work;
  work.argv = {"echo", std::string(131'071, 'x')};
  EXPECT_TRUE(BuildJobSpec({}, work).ok());
  work.argv[1] += 'x';
  const std::string refusal = Message(BuildJobSpec({}, work).status());
  EXPECT_THAT(refusal, HasSubstr("argument 1 has 131072 bytes"));
  EXPECT_THAT(refusal, HasSubstr("131071"));
}

TEST(BuildJobSpec, RefusesATotalThatNoProgramCanBeGiven) {
  SubmitFields fields;
  for (int i = 0; i < 3'000; ++i) {
    fields.env.push_back({"V" + std::to_string(i), std::string(1'024, 's')});
  }
  Work work;
  work.argv = {"true"};
  const std::string refusal = Message(BuildJobSpec(fields, work).status());
  EXPECT_THAT(refusal, HasSubstr("2064384"));
  EXPECT_THAT(refusal, Not(HasSubstr("sss")));
}

}  // namespace
}  // namespace pinka::cli
