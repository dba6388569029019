#include "client/cli/core/invoices.h"

#include <gtest/gtest.h>

namespace pinka::cli {
namespace {

TEST(Bars, AreInProportionToTheLargest) {
  const Money most = Money::Whole(80);
  EXPECT_EQ(BarOf(most, most, 4), "████");
  EXPECT_EQ(BarOf(Money::Whole(40), most, 4), "██");
  EXPECT_EQ(BarOf(Money::Whole(5), most, 4), "▎");
  EXPECT_EQ(BarOf(Money::Whole(-40), most, 4), "-██");
  EXPECT_EQ(BarOf(Money::Micros(1), most, 4), "▏") << "what is there is seen";
  EXPECT_EQ(BarOf(Money(), most, 4), "");
  EXPECT_EQ(BarOf(Money(), Money(), 4), "");
}

TEST(Bills, SayWhoseTheyAre) {
  Lab lab;
  lab.zone = Zone("Asia/Shanghai");
  v1::Invoice invoice;
  invoice.set_provider("aliyun");
  invoice.set_ref("2026-09");
  invoice.mutable_starts_at()->set_seconds(1'788'192'000);  // 2026-09-01 00:00+08:00
  invoice.mutable_ends_at()->set_seconds(1'790'697'600);
  EXPECT_EQ(HeadOf(lab, invoice),
            "Bill 2026-09 of aliyun, 2026-09-01 to 2026-09-30, paid from outside: not imported.");
  invoice.set_id(31);
  invoice.set_payer("王芳");
  EXPECT_EQ(HeadOf(lab, invoice),
            "Bill 2026-09 of aliyun, 2026-09-01 to 2026-09-30, paid by 王芳: invoice 31.");
  invoice.mutable_booked_at()->set_seconds(1'790'783'999);  // Beijing has October from the next on
  EXPECT_EQ(MonthOf(lab, invoice), "2026-09");
  EXPECT_NE(HeadOf(lab, invoice).find("invoice 31, counts in 2026-09."), std::string::npos);
}

}  // namespace
}  // namespace pinka::cli
