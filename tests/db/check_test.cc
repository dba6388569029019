#include "scheduler/check/check.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "tests/db/check_history.h"

namespace pinka::check {
namespace {

using pinka::testing::MakeHistory;
using pinka::testing::StoreBooks;

std::string Checked(const std::string& url) {
  std::ostringstream out;
  const int code = RunCheck(url, out);
  EXPECT_EQ(code, 0);
  return out.str();
}

TEST(Check, FindsAnEmptyDatabaseInOrder) {
  test::CoreWorld w;
  EXPECT_EQ(Checked(StoreBooks(w)), "checked 0 transfers, 0 attempts, 0 lots: all in order\n");
}

TEST(Check, FindsTheBooksOfARunningLabInOrder) {
  test::CoreWorld w;
  MakeHistory(w);
  std::cout << Checked(StoreBooks(w));
}

TEST(Check, SaysWhereTheDatabaseCannotBeRead) {
  std::ostringstream out;
  EXPECT_EQ(RunCheck("host=/nonexistent dbname=x connect_timeout=1", out), 1);
  EXPECT_TRUE(out.str().starts_with("the books could not be read: ")) << out.str();
}

}  // namespace
}  // namespace pinka::check
