// issue.cc and certificate.cc: what is made is what is read.
#include "tls/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tls/issue.h"

namespace pinka {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Timestamp kNow = Timestamp::Seconds(1'796'000'000);

TEST(Certificates, SpeakForTheNamesTheyWereMadeFor) {
  const auto ca = IssueAuthority("lab", kNow);
  ASSERT_TRUE(ca.ok()) << ca.status();
  const auto server = IssueServer(*ca, {"lab.example", "203.0.113.7", "::1", "2001:db8::7"}, kNow);
  ASSERT_TRUE(server.ok()) << server.status();
  const auto chain = ReadCertificates(server->certificate, "it");
  ASSERT_TRUE(chain.ok());
  ASSERT_EQ(chain->size(), 2u) << "the authority's follows";
  EXPECT_THAT((*chain)[0].names,
              ElementsAre("lab.example", "203.0.113.7", "::1", "2001:db8:0:0:0:0:0:7"));
  EXPECT_EQ((*chain)[0].valid_until, kNow + kServerLife);
  EXPECT_LT((*chain)[0].valid_from, kNow);
  EXPECT_FALSE((*chain)[0].self_signed);
  EXPECT_TRUE((*chain)[1].self_signed);
  EXPECT_EQ((*chain)[1].sha256, ReadCertificates(ca->certificate, "ca")->front().sha256);
  EXPECT_EQ((*chain)[1].sha256.size(), 64u);
}

TEST(Certificates, NeverOutliveTheirAuthority) {
  const auto ca = IssueAuthority("lab", kNow, Duration::Days(10));
  const auto server = IssueServer(*ca, {"lab.example"}, kNow);
  EXPECT_EQ(ReadCertificates(server->certificate, "it")->front().valid_until,
            kNow + Duration::Days(10));
  EXPECT_FALSE(IssueServer(*ca, {"lab.example"}, kNow + Duration::Days(10)).ok());
}

TEST(Certificates, AreRefusedForWhatIsNoName) {
  const auto ca = IssueAuthority("lab", kNow);
  EXPECT_FALSE(IssueServer(*ca, {}, kNow).ok());
  for (const char* bad : {"", "lab:7443", "a,DNS:evil", "a b", "http://lab", "a..b", "实验室"})
    EXPECT_FALSE(IssueServer(*ca, {bad}, kNow).ok()) << bad;
}

TEST(Keys, FitTheirCertificateOnly) {
  const auto ca = IssueAuthority("lab", kNow);
  const auto one = IssueServer(*ca, {"one"}, kNow);
  const auto two = IssueServer(*ca, {"two"}, kNow);
  EXPECT_TRUE(CheckKeyFits(one->certificate, one->key).ok());
  EXPECT_THAT(Message(CheckKeyFits(one->certificate, two->key)), HasSubstr("not that of"));
  EXPECT_THAT(Message(CheckKeyFits("nothing", one->key)), HasSubstr("no certificate"));
  EXPECT_THAT(Message(CheckKeyFits(one->certificate, "nothing")), HasSubstr("no private key"));
  EXPECT_FALSE(ReadCertificates("", "ca.pem").ok());
}

}  // namespace
}  // namespace pinka
