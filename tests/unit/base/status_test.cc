#include "base/status.h"

#include <gtest/gtest.h>

namespace pinka {
namespace {

TEST(Status, CarriesItsKindAndItsSentence) {
  EXPECT_TRUE(absl::IsInvalidArgument(Invalid("x")));
  EXPECT_TRUE(absl::IsNotFound(NotFound("x")));
  EXPECT_TRUE(absl::IsUnavailable(Unavailable("x")));
  EXPECT_TRUE(absl::IsInternal(Internal("x")));
  EXPECT_TRUE(OkStatus().ok());
}

TEST(Status, GivesTheSentenceAlone) {
  EXPECT_EQ(Message(Invalid("it is wrong: do this")), "it is wrong: do this");
  EXPECT_EQ(Message(OkStatus()), "");
}

}  // namespace
}  // namespace pinka
