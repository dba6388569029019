#include "client/cli/core/target.h"

#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

TEST(GrpcTarget, NeedsNoNamesForThisMachine) {
  EXPECT_EQ(*GrpcTarget("127.0.0.1:7070"), "ipv4:127.0.0.1:7070");
  EXPECT_EQ(*GrpcTarget("localhost:7070"), "ipv4:127.0.0.1:7070");
  EXPECT_EQ(*GrpcTarget("[::1]:7070"), "ipv6:[::1]:7070");
  EXPECT_EQ(*GrpcTarget("unix:/run/pinka.sock"), "unix:/run/pinka.sock");
  EXPECT_EQ(*GrpcTarget("lab.example:7070"), "dns:///lab.example:7070");
}

TEST(GrpcTarget, RefusesWhatIsNoHostAndPort) {
  for (const char* bad :
       {"lab.example", ":7070", "lab:", "lab:x", "lab:70700", "http://lab:1", "[::1]", ""}) {
    EXPECT_FALSE(GrpcTarget(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace pinka::cli
