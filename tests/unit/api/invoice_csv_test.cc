// Bills as providers export them: titles, quotes, times, amounts, and what is wrong where.
#include "scheduler/api/invoice_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parse.h"

namespace pinka::api {
namespace {

using ::testing::HasSubstr;
using Kind = InvoiceLineKind;

StatusOr<std::vector<InvoiceLineRow>> Parse(const std::string& csv,
                                            const std::string& preset = "generic",
                                            std::vector<std::string> map = {}) {
  return ParseInvoiceCsv(csv, {preset, "Asia/Shanghai", std::move(map)});
}

std::vector<InvoiceLineRow> Lines(const std::string& csv, const std::string& preset = "generic",
                                  std::vector<std::string> map = {}) {
  auto lines = Parse(csv, preset, std::move(map));
  EXPECT_TRUE(lines.ok()) << lines.status();
  return lines.ok() ? *lines : std::vector<InvoiceLineRow>(1);
}

std::string Refusal(const std::string& csv, const std::string& preset = "generic",
                    std::vector<std::string> map = {}) {
  return Message(Parse(csv, preset, std::move(map)).status());
}

constexpr char kTitles[] = "instance,kind,from,to,amount,text\n";

TEST(InvoiceCsv, ReadsTheGenericForm) {
  const auto lines = Lines(std::string(kTitles) +
                           "i-1,compute,2026-09-10 12:00:00,2026-09-10 13:00:00,12.50,A100\n"
                           ",voucher,2026-09-10,,-5,student\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].n, 1);
  EXPECT_EQ(lines[0].kind, Kind::kCompute);
  EXPECT_EQ(lines[0].instance, "i-1");
  EXPECT_EQ(lines[0].text, "compute, A100");
  EXPECT_EQ(lines[0].amount, Money::Micros(12'500'000));
  EXPECT_EQ(FormatUtc(lines[0].starts_at), "2026-09-10T04:00:00Z") << "the lab's zone";
  EXPECT_EQ(FormatUtc(lines[0].ends_at), "2026-09-10T05:00:00Z");
  EXPECT_EQ(lines[1].n, 2);
  EXPECT_EQ(lines[1].kind, Kind::kVoucher);
  EXPECT_EQ(lines[1].amount, Money::Whole(-5));
  EXPECT_EQ(lines[1].ends_at - lines[1].starts_at, Duration::Days(1)) << "all of the day";
}

TEST(InvoiceCsv, ReadsQuotesAMarkAndChineseTitles) {
  const auto lines = Lines(
      "\xEF\xBB\xBF\"资源ID\",\"产品名称\",\"开始使用时间\",\"结束使用时间\",\"优惠后总价\","
      "\"配置描述\"\r\n"
      "\"ins-1\",\"GPU 云服务器\",\"2026-09-01 00:00:00\",\"2026-09-02 00:00:00\",\"1,234.5678\","
      "\"8 核, \"\"A100\"\"\n第二行\"\r\n"
      "\r\n"
      "合计,,,,\"1,234.57\",\r\n",
      "tencent");
  ASSERT_EQ(lines.size(), 1u) << "a sum at the foot is no line";
  EXPECT_EQ(lines[0].instance, "ins-1");
  EXPECT_EQ(lines[0].kind, Kind::kCompute);
  EXPECT_EQ(lines[0].amount, Money::Micros(1'234'567'800));
  EXPECT_EQ(lines[0].text, "GPU 云服务器, 8 核, \"A100\" 第二行");
  EXPECT_EQ(FormatUtc(lines[0].starts_at), "2026-08-31T16:00:00Z");
}

TEST(InvoiceCsv, ReadsEachPreset) {
  struct Case {
    const char* preset;
    const char* csv;
    Kind kind;
    const char* starts;
  };
  const Case cases[] = {
      {"aliyun",
       "实例ID,商品名称,服务开始时间,服务结束时间,应付金额\n"
       "i-1,云盘,2026-09-10 12:00:00,2026-09-10 13:00:00,1.23\n",
       Kind::kDisk, "2026-09-10T04:00:00Z"},
      {"aliyun",
       "InstanceID,ProductDetail,UsageStartTime,UsageEndTime,PretaxAmount,PaymentAmount\n"
       "i-1,云服务器 ECS-按量付费,2026-09-10 12:00:00,2026-09-10 13:00:00,1.23,0.5\n",
       Kind::kCompute, "2026-09-10T04:00:00Z"},
      // Settled at each full hour and at the end: a line says its end.
      {"autodl",
       "流水号,交易时间,收支类型,交易类型,交易渠道,交易金额,账户余额,备注\n"
       "77,2026-09-10 13:00:00,支出,按量计费,余额,￥1.23,9.00,容器实例ID：i-1\n",
       Kind::kCompute, "2026-09-10T04:00:00Z"},
      {"autodl",
       "实例ID,类型,开始时间,结束时间,金额\n"
       "i-1,容器实例,2026/09/10 12:00,2026/09/10 13:00,¥1.23\n",
       Kind::kCompute, "2026-09-10T04:00:00Z"},
      {"aws",
       "lineItem/ResourceId,lineItem/UsageType,lineItem/UsageStartDate,lineItem/UsageEndDate,"
       "lineItem/UnblendedCost\n"
       "i-1,USE1-DataTransfer-Out-Bytes,2026-09-10T12:00:00Z,2026-09-10T13:00:00Z,1.2300000000\n",
       Kind::kEgress, "2026-09-10T12:00:00Z"},
      {"tencent",
       "资源 ID,子产品名称,开始使用时间,结束使用时间,优惠后总价\n"
       "i-1,代金券,2026-09-10 12:00:00,2026-09-10 13:00:00,-1.23\n",
       Kind::kVoucher, "2026-09-10T04:00:00Z"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.preset);
    const auto lines = Lines(c.csv, c.preset);
    EXPECT_EQ(lines[0].kind, c.kind);
    EXPECT_EQ(lines[0].instance, "i-1");
    EXPECT_EQ(FormatUtc(lines[0].starts_at), c.starts);
    EXPECT_EQ(lines[0].ends_at - lines[0].starts_at, Duration::Hours(1));
    EXPECT_EQ(lines[0].amount, Money::Micros(c.kind == Kind::kVoucher ? -1'230'000 : 1'230'000));
  }
}

TEST(InvoiceCsv, TakesColumnsAsTold) {
  const auto lines = Lines("when,who,cost\n2026-09-10,box,3\n", "generic",
                           {"from=When", "amount= cost", "instance=who"});
  EXPECT_EQ(lines[0].instance, "box");
  EXPECT_EQ(lines[0].kind, Kind::kCompute) << "where there is no such column";
  EXPECT_EQ(lines[0].amount, Money::Whole(3));
}

TEST(InvoiceCsv, ReadsAmountsAsTheyAreWritten) {
  const std::pair<const char*, int64_t> cases[] = {{"0", 0},
                                                   {"12", 12'000'000},
                                                   {"\"1,234.5\"", 1'234'500'000},
                                                   {"-0.30", -300'000},
                                                   {"¥12.5", 12'500'000},
                                                   {"-$1.00", -1'000'000},
                                                   {"1.00 元", 1'000'000},
                                                   {"0.0000005", 1},
                                                   {"0.00000049", 0},
                                                   {"-0.0000005", -1},
                                                   {"0.9999999", 1'000'000},
                                                   {"+2.5", 2'500'000}};
  for (const auto& [text, micros] : cases) {
    const auto lines = Lines(std::string("from,amount\n2026-09-10,") + text + "\n");
    EXPECT_EQ(lines[0].amount, Money::Micros(micros)) << text;
  }
  for (const char* text : {"", "x", "1.2.3", "1e5", "--1", "1.", ".5", "12345678901", "1/2",
                           "\"12,50\"", "\"1,23,456\"", "\",123\""}) {
    EXPECT_THAT(Refusal(std::string("from,amount,text\n2026-09-10,") + text + ",y\n"),
                HasSubstr("no amount, as in 12.50"))
        << text;
  }
}

TEST(InvoiceCsv, SaysWhatIsWrongInWhichLineAndColumn) {
  const std::string titles = kTitles;
  const std::string good = "i-1,compute,2026-09-10,2026-09-11,1,x\n";
  EXPECT_EQ(Refusal(titles + good + "i-1,compute,2026-09-10,2026-09-11,12x,x\n"),
            "line 3, column 'amount' (amount): '12x' is no amount, as in 12.50");
  EXPECT_EQ(Refusal(titles + "i-1,compute,yesterday,2026-09-11,1,x\n"),
            "line 2, column 'from' (from): 'yesterday' is no time, as in 2026-11-30 14:00:00");
  EXPECT_EQ(Refusal(titles + "i-1,compute,2026-09-10,2026-09-08,1,x\n"),
            "line 2, column 'to' (to): '2026-09-08' is before the line starts");
  EXPECT_EQ(Refusal(titles + "\"a\nb\",compute,2026-09-10,,1,x\ni-1,compute,2026-09-10,,y,x\n"),
            "line 4, column 'amount' (amount): 'y' is no amount, as in 12.50")
      << "lines of the file, not of the table";
  EXPECT_EQ(Refusal(titles + "\"a,compute\n"), "line 2: a quote is never closed");
  EXPECT_EQ(Refusal(titles + "\"a\"b,compute\n"), "line 2: text after a closing quote");
}

TEST(InvoiceCsv, SaysWhichColumnIsMissing) {
  EXPECT_EQ(
      Refusal("实例,费用\nx,1\n", "aliyun"),
      "no column for 'from': preset aliyun looks for "
      "账单开始时间|UsageStartTime|服务开始时间|开始时间|消费时间|BillingDate|账单日期; the file "
      "has 实例, 费用; say which it is with --map from=COLUMN");
  EXPECT_EQ(Refusal("from,cost\n2026-09-10,1\n", "generic", {"amount=price"}),
            "no column 'price' for 'amount'; the file has from, cost");
  EXPECT_THAT(Refusal("from,cost\n2026-09-10,1\n", "generic", {"money=cost"}),
              HasSubstr("--map is FIELD=COLUMN"));
}

TEST(InvoiceCsv, RefusesWhatIsNoBill) {
  EXPECT_EQ(Refusal(""), "the file has no lines");
  EXPECT_EQ(Refusal("\n \n"), "the file has no lines");
  EXPECT_EQ(Refusal(kTitles), "the file has titles and no lines");
  EXPECT_EQ(Refusal("from,amount\n2026-09-10,\xb7\xd1\n"),
            "the file is no UTF-8 text; save it as CSV UTF-8 and try again");
}

TEST(InvoiceCsv, TakesAHundredThousandLinesAndNoMore) {
  std::string csv = "from,amount\n";
  for (size_t i = 0; i < kMostInvoiceLines; ++i) csv += "2026-09-10,0.01\n";
  EXPECT_EQ(Lines(csv).size(), kMostInvoiceLines);
  EXPECT_THAT(Refusal(csv + "2026-09-10,0.01\n"),
              HasSubstr("line 100002: a bill has at most 100000 lines"));
}

TEST(InvoiceCsv, FindsThePreset) {
  EXPECT_EQ(*PresetFor("", "Aliyun"), "aliyun");
  EXPECT_EQ(*PresetFor("", "some lab"), "generic");
  EXPECT_EQ(*PresetFor("AWS", "aliyun"), "aws");
  EXPECT_EQ(Message(PresetFor("azure", "x").status()),
            "no preset 'azure'; there are generic, aliyun, autodl, aws, tencent");
}

TEST(InvoiceCsv, KnowsKindsByTheirProducts) {
  const std::pair<const char*, Kind> cases[] = {
      {"compute", Kind::kCompute},        {"other", Kind::kOther},
      {"GPU 实例", Kind::kCompute},       {"BoxUsage:p4d.24xlarge", Kind::kCompute},
      {"实例数据盘", Kind::kDisk},        {"EBS:VolumeUsage.gp3", Kind::kDisk},
      {"公网流量", Kind::kEgress},        {"DataTransfer-Out-Bytes", Kind::kEgress},
      {"代金券抵扣", Kind::kVoucher},     {"首月优惠", Kind::kVoucher},
      {"Student credit", Kind::kVoucher}, {"技术支持", Kind::kOther}};
  for (const auto& [product, kind] : cases) EXPECT_EQ(KindOfProduct(product), kind) << product;
}

}  // namespace
}  // namespace pinka::api
