#include "base/hash.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, DoesNotCareHowTheBytesWereCut) {
  std::string bytes(100'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  for (size_t cut : {1u, 63u, 64u, 65u, 99'999u}) {
    Sha256 hash;
    for (size_t at = 0; at < bytes.size(); at += cut) {
      hash.Update(std::string_view(bytes).substr(at, cut));
    }
    EXPECT_EQ(hash.FinishHex(), Sha256Hex(bytes)) << cut;
  }
}

}  // namespace
}  // namespace pinka
