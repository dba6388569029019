// The attempt directory and its format.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "agent/record/attempt_dir.h"
#include "agent/record/fields.h"
#include "base/file.h"
#include "tests/support/agent/files.h"

namespace pinka {
namespace {

TEST(Fields, CarryAnyBytes) {
  std::string bytes("a\0b\nend 0\n\n\xff", 12);
  Fields fields;
  fields.Add("argv", bytes);
  fields.Add("argv", "");
  fields.AddInt("n", -7);
  StatusOr<Fields> back = Fields::Decode("order", fields.Encode("order"));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->All("argv"), (std::vector<std::string>{bytes, ""}));
  EXPECT_EQ(back->GetInt("n", 0), -7);
  EXPECT_EQ(back->GetInt("argv", 5), 5);
  EXPECT_FALSE(back->Has("other"));
}

TEST(Fields, RefuseEveryTruncation) {
  Fields fields;
  fields.Add("key", "value");
  std::string whole = fields.Encode("exit");
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(Fields::Decode("exit", whole.substr(0, n)).ok()) << n;
  }
}

TEST(Fields, RefuseAnotherKindAndDamagedLengths) {
  Fields fields;
  EXPECT_FALSE(Fields::Decode("stop", fields.Encode("exit")).ok());
  for (const char* bytes : {"pinka-exit 2\nend 0\n\n", "pinka-exit 1\nk -1\n\nend 0\n\n",
                            "pinka-exit 1\nk 99999999999999999999\n\nend 0\n\n",
                            "pinka-exit 1\nk 5\nab\nend 0\n\n", "pinka-exit 1\nk\nend 0\n\n"}) {
    EXPECT_FALSE(Fields::Decode("exit", bytes).ok()) << bytes;
  }
}

TEST(Records, ComeBackAsTheyWere) {
  Order order;
  order.lab_run = "run";
  order.attempt = {.job = JobId(17), .index = 4, .number = 2};
  order.argv = {"a b", "", "\xff"};
  order.script = "#!/bin/sh\n";
  order.env = {"A=1\n2"};
  order.gpu_uuids = {"GPU-a"};
  order.grace_ms = 7;
  order.start_by_ms = 9;
  StatusOr<Order> back = DecodeOrder(EncodeOrder(order));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(EncodeOrder(*back), EncodeOrder(order));
  Exit exit{.reason = "Exited", .code = 0, .metered_ms = 12, .survivors = true, .message = "m"};
  StatusOr<Exit> end = DecodeExit(Encode(exit));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->code, 0);
  EXPECT_EQ(end->signal, std::nullopt);
  EXPECT_EQ(Encode(*end), Encode(exit));
}

TEST(AttemptDir, GivesTheClaimToExactlyOne) {
  test::TempDir temp;
  AttemptDir dir(temp.path() + "/a");
  ASSERT_TRUE(dir.Create().ok());
  std::atomic<int> winners{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i <= 8; ++i) {
      threads.emplace_back([&, i] {
        StatusOr<bool> won = dir.TakeClaim({.pid = i, .boot_id = {}, .cgroups = {}});
        if (won.ok() && *won) ++winners;
      });
    }
  }
  EXPECT_EQ(winners, 1);
  EXPECT_TRUE(dir.ReadClaim().has_value());
}

TEST(AttemptDir, TheFirstEndStays) {
  test::TempDir temp;
  AttemptDir dir(temp.path() + "/a");
  ASSERT_TRUE(dir.Create().ok());
  EXPECT_TRUE(*dir.WriteExit({.reason = "Exited", .code = 3}));
  EXPECT_FALSE(*dir.WriteExit({.reason = "SupervisorLost"}));
  EXPECT_EQ(dir.ReadExit()->code, 3);
}

TEST(AttemptDir, IsReadableByItsOwnerOnly) {
  test::TempDir temp;
  AttemptDir dir(temp.path() + "/a");
  ASSERT_TRUE(dir.Create().ok());
  ASSERT_TRUE(dir.WriteOrder({}).ok());
  ASSERT_TRUE(dir.WriteMeter({.metered_ms = 1}).ok());
  struct stat info {};
  ASSERT_EQ(stat(dir.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  for (const char* name : {"/order", "/meter"}) {
    ASSERT_EQ(stat((dir.path() + name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u) << name;
  }
}

TEST(AttemptDir, DamagedRecordsAreNotThere) {
  test::TempDir temp;
  AttemptDir dir(temp.path() + "/a");
  ASSERT_TRUE(dir.Create().ok());
  test::Spill(dir.path() + "/meter", "");
  EXPECT_FALSE(dir.ReadMeter().has_value());
  EXPECT_FALSE(dir.ReadStop().has_value());
}

TEST(AttemptDir, WakingNobodyIsFine) {
  test::TempDir temp;
  AttemptDir dir(temp.path() + "/a");
  dir.Wake();
  ASSERT_TRUE(dir.Create().ok());
  mkfifo(dir.ControlPath().c_str(), 0600);
  dir.Wake();
  Fd reader(open(dir.ControlPath().c_str(), O_RDONLY | O_NONBLOCK));
  dir.Wake();
  char c = 0;
  EXPECT_EQ(read(reader.get(), &c, 1), 1);
}

}  // namespace
}  // namespace pinka
