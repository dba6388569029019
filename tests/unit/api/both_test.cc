#include "scheduler/api/both.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace pinka::api {
namespace {

using Pair = Both<int, std::string>;

TEST(Both, CallsOnceBothAreThereInWhicheverOrder) {
  std::string seen;
  const auto note = [&seen](int a, const std::string& b) { seen += std::to_string(a) + b; };
  const auto first = Pair::Make(note);
  first->First(1);
  EXPECT_EQ(seen, "");
  first->Second("a");
  EXPECT_EQ(seen, "1a");
  const auto second = Pair::Make(note);
  second->Second("b");
  EXPECT_EQ(seen, "1a");
  second->First(2);
  EXPECT_EQ(seen, "1a2b");
}

TEST(Both, CallsOnceWhenBothComeAtTheSameTime) {
  for (int n = 0; n < 200; ++n) {
    std::atomic<int> calls = 0;
    const auto both = Pair::Make([&calls](int, const std::string&) { ++calls; });
    std::thread other([both] { both->Second("x"); });
    both->First(n);
    other.join();
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace pinka::api
