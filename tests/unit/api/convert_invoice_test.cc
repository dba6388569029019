// Bills and explanations as they come over the wire.
#include "scheduler/api/convert_invoice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/api/limits.h"

namespace pinka::api {
namespace {

using ::testing::HasSubstr;

Board Lab() {
  Board board;
  board.member_names = {{7, "王芳"}};
  return board;
}

v1::ImportInvoiceRequest Request() {
  v1::ImportInvoiceRequest request;
  request.set_provider("aliyun");
  request.set_ref("2026-09");
  request.set_preset("generic");
  request.set_csv(
      "instance,kind,from,to,amount\n"
      "i-1,compute,2026-09-10,2026-09-11,12.50\n"
      ",voucher,2026-09-10,2026-09-11,-2\n");
  return request;
}

TEST(ConvertInvoice, SumsTheLinesWhereTheBillDoesNotSayMore) {
  std::string preset;
  auto command = ConvertInvoice(Request(), Lab(), &preset);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(preset, "generic");
  EXPECT_EQ(command->invoice.total, Money::Micros(10'500'000));
  EXPECT_EQ(command->lines.size(), 2u);
  EXPECT_FALSE(command->invoice.payer);
  v1::ImportInvoiceRequest told = Request();
  told.set_total("11.000000");
  told.set_payer("王芳");
  command = ConvertInvoice(told, Lab(), &preset);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->invoice.total, Money::Whole(11));
  EXPECT_EQ(command->invoice.payer, MemberId(7));
}

TEST(ConvertInvoice, RefusesWhatItCannotRead) {
  std::string preset;
  const auto refusal = [&](void (*change)(v1::ImportInvoiceRequest&)) {
    v1::ImportInvoiceRequest request = Request();
    change(request);
    return Message(ConvertInvoice(request, Lab(), &preset).status());
  };
  EXPECT_THAT(refusal([](auto& r) { r.set_payer("nobody"); }), HasSubstr("no such member nobody"));
  EXPECT_THAT(refusal([](auto& r) { r.set_preset("x"); }), HasSubstr("no preset 'x'"));
  EXPECT_THAT(refusal([](auto& r) { r.set_csv("a\n"); }), HasSubstr("no column for 'from'"));
  EXPECT_THAT(refusal([](auto& r) { r.set_ref(std::string(kMostNameChars + 1, 'x')); }),
              HasSubstr("ref"));
  EXPECT_NE(refusal([](auto& r) { r.set_total("much"); }), "");
  EXPECT_THAT(refusal([](auto& r) {
                std::string csv = "from,amount\n";
                for (int i = 0; i < 1'200; ++i) csv += "2026-09-10,999999999\n";
                r.set_csv(csv);
              }),
              HasSubstr("more money than a bill can be of"));
}

TEST(ConvertExplanation, KnowsWhatALineMayHaveBeen) {
  const std::pair<const char*, AccountKind> cases[] = {
      {"idle", AccountKind::kIdle},         {"disk", AccountKind::kDisk},
      {"egress", AccountKind::kEgress},     {"rounding", AccountKind::kRounding},
      {"variance", AccountKind::kVariance}, {"overhead", AccountKind::kOverheadOther},
      {"member=王芳", AccountKind::kSpent}};
  for (const auto& [as, kind] : cases) {
    v1::ExplainLineRequest request;
    request.set_invoice_id(31);
    request.set_line(4);
    request.set_as(as);
    request.set_reason("found");
    auto command = ConvertExplanation(request, Lab());
    ASSERT_TRUE(command.ok()) << command.status();
    EXPECT_EQ(command->as, kind) << as;
    EXPECT_EQ(command->member, kind == AccountKind::kSpent ? MemberId(7) : MemberId());
    EXPECT_EQ(command->amount, Money()) << "all of it";
    request.set_amount("-1.500000");
    EXPECT_EQ(ConvertExplanation(request, Lab())->amount, Money::Micros(-1'500'000));
    request.set_amount("0");
    EXPECT_THAT(Message(ConvertExplanation(request, Lab()).status()), HasSubstr("is not of 0"));
  }
  v1::ExplainLineRequest request;
  for (const char* as : {"", "unknown", "spent", "member"}) {
    request.set_as(as);
    EXPECT_THAT(Message(ConvertExplanation(request, Lab()).status()),
                HasSubstr("a line is explained as idle, disk"));
  }
  request.set_as("member=x");
  EXPECT_THAT(Message(ConvertExplanation(request, Lab()).status()), HasSubstr("no such member x"));
}

InvoiceLineRow Line(InvoiceLineKind kind, int64_t micros, int64_t unknown) {
  InvoiceLineRow line;
  line.kind = kind;
  line.starts_at = line.ends_at = Timestamp::Seconds(1'000);
  line.amount = Money::Micros(micros);
  line.unknown = Money::Micros(unknown);
  return line;
}

TEST(FillDryRun, ShowsTheIdentityAndWhatIsUnknown) {
  ImportInvoice command;
  command.invoice.provider = "aliyun";
  v1::ImportInvoiceResponse answer;
  FillDryRun(command,
             {Line(InvoiceLineKind::kEgress, 700, 0), Line(InvoiceLineKind::kCompute, 30, 30),
              Line(InvoiceLineKind::kVoucher, -5, 0)},
             Lab(), &answer);
  EXPECT_EQ(answer.invoice().id(), 0);
  EXPECT_EQ(answer.lines(), 3);
  EXPECT_EQ(answer.invoice().unknown(), "0.000030");
  EXPECT_EQ(answer.invoice().unknown_lines(), 1);
  EXPECT_EQ(answer.identity().total(), "0.000725");
  EXPECT_EQ(answer.identity().egress(), "0.000700");
  EXPECT_EQ(answer.identity().vouchers(), "0.000005");
  EXPECT_EQ(answer.identity().unknown(), "0.000030");
  ASSERT_EQ(answer.unknown_size(), 1);
  EXPECT_EQ(answer.unknown(0).account(), "unknown");
  EXPECT_EQ(answer.unknown(0).booked(), "0.000030");
}

}  // namespace
}  // namespace pinka::api
