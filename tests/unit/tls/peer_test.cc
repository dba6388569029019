#include "tls/peer.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

TEST(Peers, AreHostsAndPorts) {
  EXPECT_EQ(ParseHostPort("lab.example:7443")->host, "lab.example");
  EXPECT_EQ(ParseHostPort("lab.example:7443")->port, "7443");
  EXPECT_EQ(ParseHostPort("[2001:db8::7]:443")->host, "2001:db8::7");
  for (const char* bad : {"", "lab.example", ":7443", "lab:0", "lab:70000", "::1:7443", "[]:1",
                          "http://lab:80", "lab:x", "a b:1"})
    EXPECT_FALSE(ParseHostPort(bad).ok()) << bad;
}

TEST(Peers, OnThisMachineNeedNoTls) {
  for (const char* here : {"127.0.0.1:1", "127.8.0.1:1", "[::1]:7070", "localhost:7070", "unix:/s"})
    EXPECT_TRUE(IsOnThisMachine(here)) << here;
  for (const char* away : {"10.0.0.1:1", "lab.example:1", "127.0.0.1.evil.example:1", "[::2]:1",
                           "localhost.evil.example:1", "1270.0.0.1.example:1", ""})
    EXPECT_FALSE(IsOnThisMachine(away)) << away;
}

}  // namespace
}  // namespace pinka
