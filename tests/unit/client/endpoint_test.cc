#include "client/cli/core/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

using ::testing::HasSubstr;

TEST(Endpoints, SpeakTlsToOtherMachinesAndWhereAnAuthorityIsNamed) {
  EXPECT_FALSE(WantsTls("127.0.0.1:7070", ""));
  EXPECT_FALSE(WantsTls("localhost:7070", ""));
  EXPECT_FALSE(WantsTls("unix:/run/pinka", ""));
  EXPECT_FALSE(WantsTls("", "/ca.pem"));
  EXPECT_TRUE(WantsTls("lab.example:7443", ""));
  EXPECT_TRUE(WantsTls("10.0.0.1:7443", ""));
  EXPECT_TRUE(WantsTls("localhost:7443", "/ca.pem"));
}

TEST(Endpoints, RefuseWhatIsNoAuthority) {
  EXPECT_EQ(EndpointOf("127.0.0.1:1", "", "t")->authorities, "");
  EXPECT_THAT(Message(EndpointOf("lab.example:1", "/dev/null", "t").status()),
              HasSubstr("/dev/null holds no certificate"));
  EXPECT_FALSE(EndpointOf("lab.example:1", "/nowhere/ca.pem", "t").ok());
  EXPECT_FALSE(EndpointOf("lab.example", "", "t").ok());
}

}  // namespace
}  // namespace pinka::cli
