#include "scheduler/api/invoice_csv.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/time/time.h"
#include "base/text.h"
#include "fmt/format.h"

namespace pinka::api {
namespace {

constexpr size_t kFields = 6;
constexpr std::array<std::string_view, kFields> kFieldNames = {"instance", "kind",   "from",
                                                               "to",       "amount", "text"};
enum Field : size_t { kInstance, kKind, kFrom, kTo, kAmount, kText };
constexpr int kMostChars = 200;  // of an instance or a text

// Titles in the order of kFieldNames; of several the first that the file has.
struct Preset {
  std::string_view name;
  std::string_view zone;                         // "": the lab's
  std::array<std::string_view, kFields> titles;  // "|" between alternatives
  // Lines are settled at each full hour and at the end: one without a start begins with the hour in
  // which it ends.
  bool by_hour = false;
};

// docs/reconcile.md says which of these are documented by their provider and which are not; --map
// says others.
constexpr Preset kPresets[] = {
    {"generic", "", {"instance", "kind|product", "from|start", "to|end", "amount", "text"}},
    {"aliyun",
     "Asia/Shanghai",
     {"实例ID|资源ID|InstanceID", "产品明细|ProductDetail|商品名称|产品名称|产品|ProductName",
      "账单开始时间|UsageStartTime|服务开始时间|开始时间|消费时间|BillingDate|账单日期",
      "账单结束时间|UsageEndTime|服务结束时间|结束时间", "应付金额|PretaxAmount|现金支付",
      "实例规格|InstanceSpec|实例配置|规格|ItemName|实例昵称"}},
    {"autodl",
     "Asia/Shanghai",
     {"实例ID|实例|备注", "交易类型|账单类型|类型|产品类型", "开始时间|起始时间",
      "结束时间|截止时间|交易时间", "交易金额|实付金额|金额|消费金额", "备注|说明|计费方式"},
     true},
    {"aws",
     "UTC",
     {"lineItem/ResourceId|line_item_resource_id", "lineItem/UsageType|line_item_usage_type",
      "lineItem/UsageStartDate|line_item_usage_start_date",
      "lineItem/UsageEndDate|line_item_usage_end_date",
      "lineItem/UnblendedCost|line_item_unblended_cost",
      "lineItem/LineItemDescription|line_item_line_item_description"}},
    {"tencent",
     "Asia/Shanghai",
     {"资源ID|资源 ID|ResourceId", "子产品名称|产品名称|ProductCodeName",
      "开始使用时间|FeeBeginTime", "结束使用时间|FeeEndTime", "优惠后总价|RealTotalCost",
      "配置描述|组件名称|资源别名"}},
};

const Preset* FindPreset(std::string_view name) {
  const auto* preset = std::ranges::find(kPresets, name, &Preset::name);
  return preset == std::end(kPresets) ? nullptr : preset;
}

// ASCII in small letters, without blanks: titles are compared so.
std::string Plain(std::string_view text) {
  std::string plain;
  for (char c : text) {
    if (c == ' ' || c == '\t' || c == '\r') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

std::string Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// What people see of a cell.
std::string Shown(std::string_view text) {
  std::string clean = SanitizeForTerminal(text);
  std::ranges::replace_if(
      clean, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return FitColumns(clean, kMostChars);
}

// Rows of RFC 4180: cells in quotes may hold commas, quotes and line breaks.
class Rows {
 public:
  explicit Rows(std::string_view csv) : csv_(csv) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (csv_.starts_with(kMark)) csv_.remove_prefix(kMark.size());
  }

  // The next row that is not blank; false at the end or where the text is no CSV.
  bool Next(std::vector<std::string>* cells) {
    do {
      if (at_ >= csv_.size()) return false;
      line_ = next_line_;
      cells->clear();
      do {
        cells->push_back(Cell());
      } while (status_.ok() && TakeIf(','));
      if (!status_.ok()) return false;
      TakeIf('\r');
      if (TakeIf('\n')) ++next_line_;
    } while (std::ranges::all_of(*cells, [](const std::string& c) { return c.empty(); }));
    return true;
  }

  int64_t line() const { return line_; }
  const Status& status() const { return status_; }

 private:
  bool TakeIf(char c) {
    if (at_ >= csv_.size() || csv_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string Cell() {
    while (at_ < csv_.size() && (csv_[at_] == ' ' || csv_[at_] == '\t')) ++at_;
    if (TakeIf('"')) return Quoted();
    const size_t end = std::min(csv_.find_first_of(",\n", at_), csv_.size());
    const std::string cell = Trim(csv_.substr(at_, end - at_));
    at_ = end;
    return cell;
  }

  std::string Quoted() {
    std::string cell;
    for (; at_ < csv_.size(); ++at_) {
      if (csv_[at_] == '\n') ++next_line_;
      if (csv_[at_] != '"') {
        if (csv_[at_] != '\r') cell += csv_[at_];
        continue;
      }
      ++at_;
      if (at_ < csv_.size() && csv_[at_] == '"') {
        cell += '"';
        continue;
      }
      while (at_ < csv_.size() && (csv_[at_] == ' ' || csv_[at_] == '\t')) ++at_;
      const bool ended =
          at_ >= csv_.size() || csv_[at_] == ',' || csv_[at_] == '\n' || csv_[at_] == '\r';
      if (!ended) status_ = Invalid(fmt::format("line {}: text after a closing quote", line_));
      return Trim(cell);
    }
    status_ = Invalid(fmt::format("line {}: a quote is never closed", line_));
    return cell;
  }

  std::string_view csv_;
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t next_line_ = 1;
  Status status_;
};

// A comma stands between thousands and nowhere else: "12,50" could be two amounts.
bool DropThousands(std::string* text) {
  const size_t end = std::min(text->find('.'), text->size());
  for (size_t at = text->find(','); at != std::string::npos; at = text->find(',', at + 1)) {
    const bool last = text->find(',', at + 1) == std::string::npos;
    const size_t next = last ? end : text->find(',', at + 1);
    if (at == 0 || next != at + 4) return false;
  }
  std::erase(*text, ',');
  return true;
}

// "¥1,234.5", "-0.30", "12.3456789 CNY": what is beyond the micro-unit is rounded half away.
std::optional<Money> AmountOf(std::string text) {
  for (const std::string_view sign : {"¥", "￥", "元", "CNY", "USD", "RMB", "$", " "}) {
    for (size_t at = text.find(sign); at != std::string::npos; at = text.find(sign))
      text.erase(at, sign.size());
  }
  const bool below = text.starts_with('-');
  if (below || text.starts_with('+')) text.erase(0, 1);
  if (!DropThousands(&text)) return std::nullopt;
  const size_t point = std::min(text.find('.'), text.size());
  const std::string whole = text.substr(0, point);
  std::string part = point < text.size() ? text.substr(point + 1) : "";
  const auto digits = [](const std::string& s) {
    return std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || whole.size() > 9 || !digits(whole) || !digits(part)) return std::nullopt;
  if (point < text.size() && part.empty()) return std::nullopt;
  const bool up = part.size() > 6 && part[6] >= '5';
  part.resize(6, '0');
  int64_t micros = 0;
  for (const char c : whole + part) micros = micros * 10 + (c - '0');
  micros += up ? 1 : 0;
  return Money::Micros(below ? -micros : micros);
}

struct Instant {
  Timestamp at;
  bool day = false;  // without a time
};

std::optional<Instant> TimeOf(const std::string& text, const absl::TimeZone& zone) {
  static constexpr const char* kTimes[] = {"%Y-%m-%dT%H:%M:%E*S%Ez", "%Y-%m-%d %H:%M:%E*S%Ez",
                                           "%Y-%m-%dT%H:%M:%E*S",    "%Y-%m-%d %H:%M:%E*S",
                                           "%Y-%m-%d %H:%M",         "%Y/%m/%d %H:%M:%E*S",
                                           "%Y/%m/%d %H:%M"};
  static constexpr const char* kDays[] = {"%Y-%m-%d", "%Y/%m/%d"};
  absl::Time at;
  std::string why;
  for (const char* format : kTimes) {
    if (absl::ParseTime(format, text, zone, &at, &why))
      return Instant{Timestamp::Micros(absl::ToUnixMicros(at)), false};
  }
  for (const char* format : kDays) {
    if (absl::ParseTime(format, text, zone, &at, &why))
      return Instant{Timestamp::Micros(absl::ToUnixMicros(at)), true};
  }
  return std::nullopt;
}

// Which cell is which field.
class Layout {
 public:
  static StatusOr<Layout> Of(const std::vector<std::string>& titles, const Preset& preset,
                             const std::vector<std::string>& map) {
    Layout layout;
    layout.titles_ = titles;
    for (size_t field = 0; field < kFields; ++field)
      layout.columns_[field] = layout.FindAny(preset.titles[field]);
    for (const std::string& told : map) {
      if (Status status = layout.Tell(told); !status.ok()) return status;
    }
    layout.by_hour_ = preset.by_hour && !layout.columns_[kFrom] && layout.columns_[kTo];
    for (const Field field : {kFrom, kAmount}) {
      if (layout.columns_[field] || (field == kFrom && layout.by_hour_)) continue;
      return Invalid(fmt::format(
          "no column for '{0}': preset {1} looks for {2}; the file has {3}; say which it is with "
          "--map {0}=COLUMN",
          kFieldNames[field], preset.name, preset.titles[field], layout.AllTitles()));
    }
    return layout;
  }

  std::string Cell(const std::vector<std::string>& cells, Field field) const {
    const std::optional<size_t> column = columns_[field];
    return column && *column < cells.size() ? cells[*column] : "";
  }
  // Whether a line says its end only.
  bool by_hour() const { return by_hour_; }
  // "column 'amount' (应付金额)".
  std::string Name(Field field) const {
    const std::optional<size_t> column = columns_[field];
    return fmt::format("column '{}' ({})", kFieldNames[field],
                       column ? Shown(titles_[*column]) : "none");
  }

 private:
  std::optional<size_t> Find(std::string_view title) const {
    for (size_t i = 0; i < titles_.size(); ++i) {
      if (Plain(titles_[i]) == Plain(title)) return i;
    }
    return std::nullopt;
  }

  std::optional<size_t> FindAny(std::string_view titles) const {
    while (!titles.empty()) {
      const size_t bar = std::min(titles.find('|'), titles.size());
      if (auto found = Find(titles.substr(0, bar))) return found;
      titles.remove_prefix(std::min(bar + 1, titles.size()));
    }
    return std::nullopt;
  }

  Status Tell(const std::string& told) {
    const size_t equals = told.find('=');
    const std::string name = told.substr(0, std::min(equals, told.size()));
    const auto* field = std::ranges::find(kFieldNames, name);
    if (equals == std::string::npos || field == kFieldNames.end()) {
      return Invalid(fmt::format(
          "--map is FIELD=COLUMN with instance, kind, from, to, amount or text, not '{}'",
          Shown(told)));
    }
    const std::optional<size_t> column = Find(told.substr(equals + 1));
    if (!column) {
      return Invalid(fmt::format("no column '{}' for '{}'; the file has {}",
                                 Shown(told.substr(equals + 1)), name, AllTitles()));
    }
    columns_[static_cast<size_t>(field - kFieldNames.begin())] = column;
    return OkStatus();
  }

  std::string AllTitles() const {
    std::string all;
    for (const std::string& title : titles_) all += (all.empty() ? "" : ", ") + Shown(title);
    return FitColumns(all, 300);
  }

  std::vector<std::string> titles_;
  std::array<std::optional<size_t>, kFields> columns_;
  bool by_hour_ = false;
};

// Sums at the foot of a bill are no lines.
bool IsFoot(const std::vector<std::string>& cells) {
  static constexpr std::string_view kWords[] = {"合计", "总计", "小计", "total", "sum"};
  const std::string first = Plain(cells.front());
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return first == word || first == std::string(word) + ":" || first == std::string(word) + "：";
  });
}

class Reader {
 public:
  Reader(const Layout& layout, const absl::TimeZone& zone) : layout_(layout), zone_(zone) {}

  StatusOr<InvoiceLineRow> Read(const std::vector<std::string>& cells, int64_t line) const {
    InvoiceLineRow row;
    const std::string product = layout_.Cell(cells, kKind);
    row.kind = product.empty() ? InvoiceLineKind::kCompute : KindOfProduct(product);
    row.instance = Shown(NameIn(layout_.Cell(cells, kInstance)));
    const std::string text = layout_.Cell(cells, kText);
    row.text = Shown(product.empty() || text.empty() ? product + text : product + ", " + text);
    const std::optional<Money> amount = AmountOf(layout_.Cell(cells, kAmount));
    if (!amount) return Wrong(cells, line, kAmount, "no amount, as in 12.50");
    row.amount = *amount;
    if (layout_.by_hour()) return WithHour(std::move(row), cells, line);
    const std::optional<Instant> from = TimeOf(layout_.Cell(cells, kFrom), zone_);
    if (!from) return Wrong(cells, line, kFrom, "no time, as in 2026-11-30 14:00:00");
    row.starts_at = from->at;
    std::optional<Instant> to = from;
    if (!layout_.Cell(cells, kTo).empty()) to = TimeOf(layout_.Cell(cells, kTo), zone_);
    if (!to) return Wrong(cells, line, kTo, "no time, as in 2026-11-30 14:00:00");
    row.ends_at = to->day ? DayAfter(to->at) : to->at;
    if (row.ends_at < row.starts_at) return Wrong(cells, line, kTo, "before the line starts");
    return row;
  }

 private:
  // "容器实例ID：abc" is abc.
  static std::string NameIn(const std::string& cell) {
    constexpr std::string_view kPrefix = "容器实例ID";
    if (!cell.starts_with(kPrefix)) return cell;
    std::string_view rest = std::string_view(cell).substr(kPrefix.size());
    for (const std::string_view colon : {"：", ":"}) {
      if (rest.starts_with(colon)) rest.remove_prefix(colon.size());
    }
    return Trim(rest);
  }

  StatusOr<InvoiceLineRow> WithHour(InvoiceLineRow row, const std::vector<std::string>& cells,
                                    int64_t line) const {
    const std::optional<Instant> to = TimeOf(layout_.Cell(cells, kTo), zone_);
    if (!to || to->day) return Wrong(cells, line, kTo, "no time, as in 2026-11-30 14:00:00");
    row.ends_at = to->at;
    const absl::Time last = absl::FromUnixMicros(to->at.micros()) - absl::Microseconds(1);
    const absl::CivilHour hour(absl::ToCivilHour(last, zone_));
    row.starts_at = Timestamp::Micros(absl::ToUnixMicros(absl::FromCivil(hour, zone_)));
    return row;
  }

  Status Wrong(const std::vector<std::string>& cells, int64_t line, Field field,
               const std::string& why) const {
    return Invalid(fmt::format("line {}, {}: '{}' is {}", line, layout_.Name(field),
                               FitColumns(Shown(layout_.Cell(cells, field)), 40), why));
  }

  Timestamp DayAfter(Timestamp at) const {
    const absl::CivilDay day(absl::ToCivilDay(absl::FromUnixMicros(at.micros()), zone_));
    return Timestamp::Micros(absl::ToUnixMicros(absl::FromCivil(day + 1, zone_)));
  }

  const Layout& layout_;
  const absl::TimeZone zone_;
};

}  // namespace

StatusOr<std::string> PresetFor(const std::string& named, const std::string& provider) {
  if (named.empty()) {
    const Preset* own = FindPreset(Plain(provider));
    return std::string(own ? own->name : "generic");
  }
  if (const Preset* preset = FindPreset(Plain(named))) return std::string(preset->name);
  std::string all;
  for (const Preset& preset : kPresets) all += (all.empty() ? "" : ", ") + std::string(preset.name);
  return Invalid(fmt::format("no preset '{}'; there are {}", Shown(named), all));
}

StatusOr<std::vector<InvoiceLineRow>> ParseInvoiceCsv(std::string_view csv, const InvoiceCsv& how) {
  const Preset* preset = FindPreset(how.preset);
  if (!preset) return PresetFor(how.preset, "").status();
  const std::string zone_name(preset->zone.empty() ? how.zone : std::string(preset->zone));
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(zone_name, &zone))
    return Internal("the zone " + zone_name + " is not known here");
  if (!IsValidUtf8(csv))
    return Invalid("the file is no UTF-8 text; save it as CSV UTF-8 and try again");
  Rows rows(csv);
  std::vector<std::string> cells;
  if (!rows.Next(&cells))
    return rows.status().ok() ? Invalid("the file has no lines") : rows.status();
  StatusOr<Layout> layout = Layout::Of(cells, *preset, how.map);
  if (!layout.ok()) return layout.status();
  const Reader reader(*layout, zone);
  std::vector<InvoiceLineRow> lines;
  while (rows.Next(&cells)) {
    if (IsFoot(cells)) continue;
    StatusOr<InvoiceLineRow> line = reader.Read(cells, rows.line());
    if (!line.ok()) return line.status();
    if (lines.size() == kMostInvoiceLines) {
      return Invalid(fmt::format("line {}: a bill has at most {} lines; import it in parts",
                                 rows.line(), kMostInvoiceLines));
    }
    line->n = static_cast<int32_t>(lines.size()) + 1;
    lines.push_back(*std::move(line));
  }
  if (!rows.status().ok()) return rows.status();
  if (lines.empty()) return Invalid("the file has titles and no lines");
  return lines;
}

InvoiceLineKind KindOfProduct(std::string_view product) {
  InvoiceLineKind kind = InvoiceLineKind::kOther;
  const std::string plain = Plain(product);
  if (FromName(plain, &kind)) return kind;
  struct Word {
    std::string_view word;
    InvoiceLineKind kind;
  };
  using enum InvoiceLineKind;
  // In this order: the disk of an instance is a disk, the traffic of an instance egress.
  static constexpr Word kWords[] = {
      {"voucher", kVoucher},   {"coupon", kVoucher},      {"credit", kVoucher},
      {"discount", kVoucher},  {"代金券", kVoucher},      {"优惠", kVoucher},
      {"学生", kVoucher},      {"disk", kDisk},           {"volume", kDisk},
      {"ebs:", kDisk},         {"storage", kDisk},        {"cbs", kDisk},
      {"硬盘", kDisk},         {"云盘", kDisk},           {"磁盘", kDisk},
      {"数据盘", kDisk},       {"存储", kDisk},           {"egress", kEgress},
      {"traffic", kEgress},    {"datatransfer", kEgress}, {"bandwidth", kEgress},
      {"流量", kEgress},       {"带宽", kEgress},         {"gpu", kCompute},
      {"instance", kCompute},  {"compute", kCompute},     {"boxusage", kCompute},
      {"spotusage", kCompute}, {"ecs", kCompute},         {"cvm", kCompute},
      {"server", kCompute},    {"服务器", kCompute},      {"实例", kCompute},
      {"容器", kCompute},      {"算力", kCompute},        {"开机", kCompute},
      {"按量", kCompute}};
  for (const Word& w : kWords) {
    if (plain.find(w.word) != std::string::npos) return w.kind;
  }
  return kOther;
}

}  // namespace pinka::api
